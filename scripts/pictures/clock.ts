/**
 * A clock that stands still, for a program whose screen is to look the same at each run: loaded before it by `--import`.
 * SIGUSR2 lets a second pass.
 */
let now = Date.parse('2026-11-20T09:30:00Z');

Date.now = () => now;
process.on('SIGUSR2', () => {
  now += 1000;
});

export {};
