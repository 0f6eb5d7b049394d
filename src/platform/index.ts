/** Exports of src/platform for other folders of src. */
export { childFamily } from './family.ts';
export { type Environment, Platform } from './platform.ts';
export { programs } from './programs.ts';
export { EndSignal } from './signals.ts';
export { enableTuning, v8Memory } from './v8-flags.ts';
export { putWorkersBehind } from './worker-threads.ts';
