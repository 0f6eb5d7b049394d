/** Exports of src/podgc for other folders of src. */
export { NodeQuarantine, podGcCycle } from './passes/cycle.ts';
export { ForceDeleteRequest } from './passes/force-delete.ts';
export { KubeletState, podGcNodes } from './passes/node-condition.ts';
export { type PodGcRule, PodGcRules, PodGcSettings } from './passes/rules-of-version.ts';
export { outOfServiceNodes } from './passes/select-pods.ts';
export type { ManagerRun } from './survey/manager-run.ts';
export { type Beyond, type ManagerState, OutlookReason, PodOutlook } from './survey/outlook.ts';
export { byName, type NodeOutlook, type Pass, PodGcSurvey } from './survey/podgc-survey.ts';
