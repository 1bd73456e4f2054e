import { defineConfig } from 'vitest/config';

// The page in a real browser against the real server. One file after the other: they share both.
export default defineConfig({
  test: {
    include: ['tests/**/*.e2e.ts'],
    testTimeout: 120000,
    hookTimeout: 120000,
    fileParallelism: false,
    // A machine may stall; what fails twice is wrong.
    retry: 2,
    sequence: { concurrent: false },
  },
});
