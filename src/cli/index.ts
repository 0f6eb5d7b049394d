/** Exports of src/cli for other folders of src. */
export { Asker, type Question, Unanswered } from './asking/asker.ts';
export { capturedIo } from './asking/captured.ts';
export { complete } from './completion/complete-line.ts';
export type { ScreenRequest, Services } from './runtime/command.ts';
export { describeFailure, UsageError } from './runtime/errors.ts';
export type { Flags, SourceFlags } from './runtime/flags.ts';
export { type Io, leaveWith, processIo } from './runtime/io.ts';
