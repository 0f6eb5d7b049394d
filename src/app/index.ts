/** Exports of src/app for other folders of src. */
export type { Cancel, Copied, Ports, Saved } from './background/ports.ts';
export type { Body, Pane, ScreenLines } from './screen/screen-lines.ts';
export { Frames } from './session/frames.ts';
export { ScreenSession } from './session/session.ts';
export { type Settings, SettingsError, settingsFile } from './settings/settings.ts';
export type { Key, NamedKey } from './state/keys.ts';
export type { KubectlCall, KubectlEnd } from './state/kubectl-call.ts';
export type { Message } from './state/messages.ts';
export type { ScreenOptions, ScreenTarget } from './state/state.ts';
