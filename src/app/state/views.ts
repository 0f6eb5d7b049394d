/** The views of the screen, as data: their keys and tabs, and which of them is shown. */
export type ViewId = 'tree' | 'problems' | 'podgc';

/** Those that are lists below headings. */
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
];
