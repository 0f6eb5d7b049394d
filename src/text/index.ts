/** Exports of src/text for other folders of src. */
export { differenceLines } from './actions/difference.ts';
export { failureWords } from './actions/failure.ts';
export { type JudgedEntry, journalWords } from './actions/journal.ts';
export { outcomeWords } from './actions/outcome.ts';
export { policyWords } from './actions/policies.ts';
export { questionWords } from './actions/question.ts';
export { actionCommands } from './actions/remedy-command.ts';
export { activityWords } from './activity/activity-line.ts';
export { becauseClause } from './activity/because.ts';
export { activityLines, type EntryContext } from './activity/details.ts';
export { activityNotes } from './activity/notes.ts';
export { branchWords } from './collector/branches.ts';
export { collectorWords } from './collector/collector-state.ts';
export { type PartItem, partWords } from './collector/parts.ts';
export { stepLines } from './collector/step.ts';
export { connectionWords } from './connection/connection.ts';
export { FIRST_COLLECTOR } from './connection/first-collector.ts';
export { unprovenWarning } from './connection/unproven.ts';
export { type CheckTextOptions, checkWords } from './diagnosis/check-lines.ts';
export { historyWords, type KindOf } from './diagnosis/deletion-history-lines.ts';
export { findingWords, type ListFacts } from './diagnosis/finding-lines.ts';
export { type GoneTraces, goneObjectLines } from './diagnosis/gone-lines.ts';
export { helpUriOf } from './diagnosis/help-links.ts';
export {
  type ManagerGroup,
  ManagerGroups,
  type RowListener,
  type SortedScope,
  sortedNodes,
} from './diagnosis/manager-groups.ts';
export { managerWords } from './diagnosis/manager-words.ts';
export { NodeColumn, type NodeLook } from './diagnosis/node-columns.ts';
export { recordedWords } from './diagnosis/recorded-deletion.ts';
export { stateWords } from './diagnosis/state.ts';
export {
  type AnswerLink,
  useWords,
  type WhyAnswer,
  type WhyTextOptions,
  whyLines,
} from './diagnosis/why-lines.ts';
export { answerWithStatements } from './diagnosis/with-statements.ts';
export { type Fate, Fates, type Ghost } from './plan/fate-words.ts';
export { type PlanTextOptions, planWords } from './plan/plan-lines.ts';
export { countWords } from './plan/plan-words.ts';
export { warningWords } from './plan/warning-words.ts';
export { type PodGcTextOptions, podGcTable } from './podgc/podgc-table.ts';
export { podGcWords } from './podgc/podgc-words.ts';
export { timeText } from './terminal/age.ts';
export { inAscii } from './terminal/ascii.ts';
export { Glyphs } from './terminal/glyphs.ts';
export { documentText } from './terminal/json-and-yaml.ts';
export { nameWords } from './terminal/names.ts';
export { type Line, Span, type StateText, type Style } from './terminal/style.ts';
export type { Column, TableWidths } from './terminal/table.ts';
export { TextLine } from './terminal/text-line.ts';
export { type Background, type ColourDepth, PaletteName, ThemeName } from './terminal/themes.ts';
export { displayWidth, oneColumnEach, padEnd, truncate, truncated } from './terminal/width.ts';
export { sourceLinks } from './vintage/comparison.ts';
export { changeWords } from './vintage/version-changes.ts';
export { waitWords } from './wait-lines.ts';
