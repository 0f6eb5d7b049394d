import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/cluster/**', 'test/terminal/**'],
          // Properties over random clusters take seconds, and longer on a busy machine.
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'terminal',
          include: ['test/terminal/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 300_000,
          // Each file has a control plane of its own, and waits most of the time.
          maxWorkers: 3,
        },
      },
    ],
  },
});
