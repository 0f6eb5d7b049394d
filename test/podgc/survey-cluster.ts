/** A small cluster under survey: pods and nodes go through a view, as they would from a source. */
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Change, SourceBatch } from '../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { PodGcSurvey } from '../../src/podgc/survey/podgc-survey.ts';
import { types } from '../graph/fixtures.ts';

export const start = Date.parse('2026-11-21T12:00:00Z');

export interface Surveyed {
  readonly view: ClusterView;
  readonly survey: PodGcSurvey;
  readonly apply: (changes: readonly Change[], now: number, more?: Partial<SourceBatch>) => void;
}

/** The survey begins once these are known, at `now`. */
export function surveyed(
  objects: readonly KubeObject[],
  { now = start, threshold }: { readonly now?: number; readonly threshold?: number } = {},
): Surveyed {
  const view = new ClusterView();
  view.settings = { serverVersion: 'v1.36.3', terminatedPodGcThreshold: threshold };
  view.apply(
    {
      changes: objects.map(upsert),
      types: [types.pod, types.node],
      statuses: [types.pod, types.node].map(type => ({ type, state: 'synced', count: 0, facts: true })),
      connection: { state: 'live' },
    },
    0,
  );
  const survey = new PodGcSurvey(view, { now });
  return {
    view,
    survey,
    apply: (changes, at, more = {}) => survey.apply(view.apply({ changes, ...more }, at), at),
  };
}

export function upsert(object: KubeObject): Change {
  return { op: 'upsert', object };
}

export function gone({ uid, type }: KubeObject): Change {
  return { op: 'delete', uid, type };
}

/** `rule name due`, as a test says it. */
export function told(survey: PodGcSurvey, now: number): string[] {
  return survey
    .items(now)
    .map(({ pod, rule, due, reason }) => `${rule} ${pod.name} ${due.when} ${reason.kind}`);
}
