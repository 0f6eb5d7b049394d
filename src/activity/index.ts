/** Exports of src/activity for other folders of src. */
export { ActivityEntry, ActivityKind, type Ending, type OwnerFate } from './activity-entry.ts';
export { type ActivityFilter, isWanted } from './activity-filter.ts';
export { Activity } from './activity-log.ts';
export { type SeenDeletion, seenDeletion } from './seen-deletion.ts';
