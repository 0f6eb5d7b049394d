/** Numbers for the metrics, counted on demand from the followed view, findings and survey. */
import type { Diagnosis, Severity } from '../../../diagnosis/index.ts';
import { type ClusterView, objectDeletion } from '../../../graph/index.ts';
import type { PodGcRule, PodGcSurvey } from '../../../podgc/index.ts';

export interface FindingCount {
  readonly code: string;
  readonly severity: Severity;
  readonly namespace: string;
  readonly count: number;
}

/** `oldest` is undefined without objects. */
interface Waiting {
  readonly count: number;
  readonly oldest: number | undefined;
}

export interface Observation {
  /** Milliseconds since the epoch, by the API server's clock. */
  readonly at: number;
  readonly objects: number;
  readonly findings: readonly FindingCount[];
  /** All objects being deleted, stuck or not. */
  readonly deleting: number;
  /** Objects being deleted with an error or warning, since the request. */
  readonly stuck: Waiting;
  /** Objects that the collector is about to delete, since the cause. */
  readonly pending: Waiting;
  /** Undefined if some nodes or pods cannot be seen. */
  readonly podGc:
    | ReadonlyMap<PodGcRule, { readonly candidates: number; readonly overdue: number }>
    | undefined;
}

interface Followed {
  readonly view: ClusterView;
  readonly diagnosis: Diagnosis;
  readonly survey: PodGcSurvey;
}

const rules: readonly PodGcRule[] = ['Terminated', 'OutOfService', 'Orphaned', 'UnscheduledTerminating'];

/** Walks all objects. `now` is in milliseconds since the epoch, by the API server's clock. */
export function observe({ view, diagnosis, survey }: Followed, now: number): Observation {
  const counts = new Map<string, FindingCount>();
  const stuck = new Set<string>();
  const pending = new Oldest();
  for (const { code, severity, object, since } of diagnosis.all()) {
    const { namespace, uid } = object;
    const key = `${code} ${severity} ${namespace}`;
    counts.set(key, { code, severity, namespace, count: (counts.get(key)?.count ?? 0) + 1 });
    if (severity !== 'info') stuck.add(uid);
    if (code === 'PendingCollection' || code === 'CollectionOverdue') pending.add(since);
  }
  const deletions = new Oldest();
  let deleting = 0;
  for (const { object } of view.graph.nodes()) {
    if (object?.deletionTimestamp === undefined) continue;
    deleting += 1;
    if (stuck.has(object.uid)) deletions.add(objectDeletion.requestedAt(object));
  }
  return {
    at: now,
    objects: view.graph.size,
    findings: [...counts.values()],
    deleting,
    stuck: deletions,
    pending,
    podGc: survey.sees.nodes && survey.sees.pods ? candidates(survey, now) : undefined,
  };
}

function candidates(survey: PodGcSurvey, now: number): NonNullable<Observation['podGc']> {
  const found = new Map(rules.map(rule => [rule, { candidates: 0, overdue: 0 }]));
  for (const { rule, due } of survey.items(now)) {
    const counted = found.get(rule);
    if (counted === undefined || due.when === 'no') continue;
    counted.candidates += 1;
    if (due.when === 'overdue') counted.overdue += 1;
  }
  return found;
}

class Oldest implements Waiting {
  count = 0;
  oldest: number | undefined;

  add(at: number | undefined): void {
    this.count += 1;
    if (at !== undefined && (this.oldest === undefined || at < this.oldest)) this.oldest = at;
  }
}
