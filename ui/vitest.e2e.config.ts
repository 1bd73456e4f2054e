import { defineConfig } from 'vitest/config';

// The page in a real browser against the real server, both started by every file; two files at a time, as
// most of their time is waiting.
export default defineConfig({
  test: {
    include: ['tests/**/*.e2e.ts'],
    testTimeout: 120000,
    hookTimeout: 120000,
    maxWorkers: 2,
    // A machine may stall; what fails twice is wrong.
    retry: 2,
    sequence: { concurrent: false },
  },
});
