import { defineConfig } from 'vitest/config';

// The page in a real browser against the real server, both started by every file; three files at a time, as
// most of their time is waiting.
export default defineConfig({
  test: {
    include: ['tests/**/*.e2e.ts'],
    testTimeout: 120000,
    hookTimeout: 120000,
    // As patient as everything else that waits for the page; a second is too little for a busy machine.
    expect: { poll: { timeout: 30000, interval: 100 } },
    maxWorkers: 3,
    // What all files import is read once by each of the three.
    isolate: false,
    // A machine may stall; what fails twice is wrong.
    retry: 2,
    sequence: { concurrent: false },
  },
});
