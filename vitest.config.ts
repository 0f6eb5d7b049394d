import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/harness/longest-first.ts';

const temporaryFolder = 'test/harness/temporary-folder.ts';

/** Properties over random clusters, attacks and long sessions: `npm run test:long`. */
const long = 'test/**/*.long.test.ts';

const unit = {
  globalSetup: [temporaryFolder, 'test/cli/documents/schema-folder.ts'],
  // Properties over random clusters take seconds, and much longer on a busy machine.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  maxWorkers: '100%',
  // One process for many files: loading the same modules again for each took half of the time. Nothing is mocked here, and
  // what a test sets (a clock, the environment) it takes back.
  isolate: false,
} as const;

const terminal = {
  globalSetup: [temporaryFolder, 'test/terminal/programs.ts'],
  testTimeout: 120_000,
  hookTimeout: 60_000,
  // Half of their time they wait, for what takes its time in the product and for programs to start. A share of the cores
  // would never be more than all of them.
  maxWorkers: 5,
  // A key or a frame comes late on a machine that is busy with something else.
  retry: 1,
} as const;

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...unit,
          name: 'unit',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/cluster/**', 'test/terminal/**', long],
        },
      },
      {
        test: {
          ...unit,
          name: 'long-unit',
          include: [long],
          exclude: ['test/cluster/**', 'test/terminal/**'],
        },
      },
      {
        test: {
          ...terminal,
          name: 'terminal',
          include: ['test/terminal/**/*.test.ts'],
          exclude: [long],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...terminal,
          name: 'long-terminal',
          include: ['test/terminal/**/*.long.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/cluster/**/*.test.ts'],
          globalSetup: [temporaryFolder],
          // Longer than all that a test waits for, so that what did not come is said by name.
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
          // Each file has a control plane of its own, and waits most of the time.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
