/** Exports of src/source for other folders of src. */
export { readAuditLogs } from './audit/audit-log.ts';
export { builtInTypes } from './built-in-types.ts';
export { ConnectionFlags } from './connection-flags.ts';
export { openDemo } from './demo/demo-source.ts';
export { steppedScenario } from './demo/scenario-world.ts';
export { type NamedScenario, readScenario } from './demo/scenarios.ts';
export { JsonCutter } from './files/json-cutter.ts';
export type { Kustomization } from './files/kustomize.ts';
export type { NamedManifest } from './files/named-manifests.ts';
export { ParseError } from './files/piece.ts';
export { readYamlDocument, YamlError } from './files/yaml/yaml-document.ts';
export { HelmRelease } from './helm/stored-release.ts';
export { hear } from './object-statements.ts';
export type { KubectlAccess, Opened } from './opened-connection.ts';
export { printedColumns } from './printed-columns.ts';
export { wholeReads } from './read-whole.ts';
export { livesIn, type RecordedLife } from './recording/lives.ts';
export { RecordingFile } from './recording/reader.ts';
export { recordedBatches } from './recording/recording-timeline.ts';
export { Redactor } from './recording/redaction.ts';
export type { RecordedRange } from './recording/replay-source.ts';
export { type RecordingHead, RecordingWriter } from './recording/writer.ts';
export {
  type FileLine,
  type JsonObject,
  type NameSource,
  type PersonsTerminal,
  Source,
  SourceError,
  SourceInfo,
  type SourceKind,
  type TimedBatch,
  type ToldEvent,
  type Trial,
} from './source.ts';
