export type ViewId = 'tree' | 'problems' | 'podgc' | 'activity' | 'collector' | 'managers';

/** Views that are lists below headings. */
export type ListViewId = Exclude<ViewId, 'tree'>;

export interface ViewTab {
  readonly id: ViewId;
  readonly key: string;
  readonly title: string;
}

export const viewTabs: readonly ViewTab[] = [
  { id: 'tree', key: '1', title: 'Tree' },
  { id: 'problems', key: '2', title: 'Problems' },
  { id: 'podgc', key: '3', title: 'PodGC' },
  { id: 'activity', key: '4', title: 'Activity' },
  { id: 'collector', key: '5', title: 'Collector' },
  { id: 'managers', key: 'T', title: 'Managers' },
];
