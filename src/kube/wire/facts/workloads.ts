/** Facts of the seven workload kinds. Field numbers: k8s.io/api v0.36.3, {core,apps,batch}/v1/generated.proto. */
import { namesServiceAccount, type WorkloadFacts } from '../../../model/facts/facts.ts';
import { historyLimits } from '../../../model/facts/history-limits.ts';
import type { Cursor } from '../cursor.ts';
import { readRun } from '../object-meta.ts';
import type { Pool } from '../pool.ts';
import {
  type ConditionLayout,
  coreCondition,
  deploymentCondition,
  type FactsReader,
  plainCondition,
  readCondition,
  readLabelSelector,
  readTemplateLabels,
} from './parts.ts';

interface WorkloadLayout {
  readonly spec: Fields<
    | 'desired'
    | 'selector'
    | 'selectorMap'
    | 'template'
    | 'jobTemplate'
    | 'suspended'
    | 'parallelism'
    | 'claimTemplates'
    | 'retention'
    | 'ttl'
    | 'managedBy'
    | 'keepSuccessful'
    | 'keepFailed'
  >;
  readonly status: Fields<
    | 'observedGeneration'
    | 'desired'
    | 'current'
    | 'ready'
    | 'updated'
    | 'available'
    | 'active'
    | 'activeList'
    | 'failed'
    | 'conditions'
  >;
  readonly condition: ConditionLayout;
}
type Fields<Name extends string> = { readonly [N in Name]?: number };

const layouts: { readonly [kind: string]: WorkloadLayout } = {
  Deployment: {
    spec: { desired: 1, selector: 2, template: 3, suspended: 7 },
    status: { observedGeneration: 1, current: 2, updated: 3, available: 4, conditions: 6, ready: 7 },
    condition: deploymentCondition,
  },
  ReplicaSet: {
    spec: { desired: 1, selector: 2, template: 3 },
    status: { current: 1, observedGeneration: 3, ready: 4, available: 5, conditions: 6 },
    condition: plainCondition,
  },
  ReplicationController: {
    spec: { desired: 1, selectorMap: 2, template: 3 },
    status: { current: 1, observedGeneration: 3, ready: 4, available: 5, conditions: 6 },
    condition: plainCondition,
  },
  StatefulSet: {
    spec: { desired: 1, selector: 2, template: 3, claimTemplates: 4, retention: 10 },
    status: { observedGeneration: 1, current: 2, ready: 3, updated: 5, conditions: 10, available: 11 },
    condition: plainCondition,
  },
  DaemonSet: {
    spec: { selector: 1, template: 2 },
    status: {
      current: 1,
      desired: 3,
      ready: 4,
      observedGeneration: 5,
      updated: 6,
      available: 7,
      conditions: 10,
    },
    condition: plainCondition,
  },
  Job: {
    spec: { parallelism: 1, desired: 2, selector: 4, template: 6, ttl: 8, suspended: 10, managedBy: 15 },
    // `ready` counts the succeeded pods.
    status: { conditions: 1, active: 4, ready: 5, failed: 6 },
    condition: coreCondition,
  },
  CronJob: {
    spec: { suspended: 4, jobTemplate: 5, keepSuccessful: 6, keepFailed: 7 },
    status: { activeList: 1 },
    condition: coreCondition,
  },
};

const none: readonly never[] = Object.freeze([]);

type Draft = { -readonly [K in keyof WorkloadFacts]: WorkloadFacts[K] };

export class WorkloadFactsReader implements FactsReader {
  readonly #pool: Pool;
  readonly #kind: string;
  readonly #layout: WorkloadLayout;
  #draft: Draft;

  /** Throws for a kind that isn't a workload. */
  constructor(pool: Pool, kind: string) {
    const layout = layouts[kind];
    if (layout === undefined) throw new TypeError(`${kind} is no workload`);
    this.#pool = pool;
    this.#kind = kind;
    this.#layout = layout;
    this.#draft = emptyDraft(kind);
  }

  clear(): void {
    this.#draft = emptyDraft(this.#kind);
  }

  readSpec(cursor: Cursor): void {
    const draft = this.#draft;
    const pool = this.#pool;
    const spec = this.#layout.spec;
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === spec.desired) draft.desired = cursor.signed();
      else if (field === spec.selector) draft.selector = readLabelSelector(cursor, pool);
      else if (field === spec.selectorMap) {
        draft.selector = {
          matchLabels: readRun(cursor, pool.labels, end, draft.selector?.matchLabels),
          matchExpressions: none,
        };
      } else if (field === spec.template) this.#readTemplate(cursor);
      else if (field === spec.jobTemplate) readJobTemplate(cursor, pool, draft);
      else if (field === spec.suspended) draft.suspended = cursor.flag();
      else if (field === spec.parallelism) draft.parallelism = cursor.signed();
      else if (field === spec.claimTemplates)
        draft.claimTemplates = [...draft.claimTemplates, readClaimTemplateName(cursor, pool)];
      else if (field === spec.retention) readRetention(cursor, pool, draft);
      else if (field === spec.ttl) draft.ttlSecondsAfterFinished = cursor.signed();
      else if (field === spec.managedBy) draft.managedBy = cursor.shared(pool.strings);
      else if (field === spec.keepSuccessful)
        draft.historyLimits = historyLimits(cursor.signed(), draft.historyLimits?.failed);
      else if (field === spec.keepFailed)
        draft.historyLimits = historyLimits(draft.historyLimits?.successful, cursor.signed());
    }
    cursor.leave(end);
  }

  #readTemplate(cursor: Cursor): void {
    const draft = this.#draft;
    const pool = this.#pool;
    const account = (): void => {
      cursor.fields(field => {
        if (field === 8) draft.serviceAccount = cursor.shared(pool.strings);
      });
    };
    const podSpec = namesServiceAccount(this.#kind) ? account : undefined;
    draft.templateLabels = readTemplateLabels(cursor, pool, podSpec);
  }

  readStatus(cursor: Cursor): void {
    const draft = this.#draft;
    const { status, condition } = this.#layout;
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === status.observedGeneration) draft.observedGeneration = cursor.signed();
      else if (field === status.desired) draft.desired = cursor.signed();
      else if (field === status.current) draft.current = cursor.signed();
      else if (field === status.ready) draft.ready = cursor.signed();
      else if (field === status.updated) draft.updated = cursor.signed();
      else if (field === status.available) draft.available = cursor.signed();
      else if (field === status.active) draft.active = cursor.signed();
      else if (field === status.activeList) draft.active++;
      else if (field === status.failed) draft.failed = cursor.signed();
      else if (field === status.conditions)
        draft.conditions = [...draft.conditions, readCondition(cursor, this.#pool, condition)];
    }
    cursor.leave(end);
  }

  finish(): WorkloadFacts {
    const draft = this.#draft;
    if (this.#kind === 'Job') draft.current = draft.active + draft.ready + draft.failed;
    return draft;
  }
}

/** Uses the kind's defaults; DaemonSets and CronJobs have no wanted number in their spec. */
function emptyDraft(kind: string): Draft {
  const claimsPolicy = kind === 'StatefulSet' ? 'Retain' : '';
  return {
    kind: 'Workload',
    desired: kind === 'DaemonSet' || kind === 'CronJob' ? 0 : 1,
    current: 0,
    ready: 0,
    updated: 0,
    available: 0,
    selector: undefined,
    templateLabels: none,
    serviceAccount: '',
    suspended: false,
    observedGeneration: 0,
    active: 0,
    failed: 0,
    parallelism: kind === 'Job' ? 1 : 0,
    claimsWhenDeleted: claimsPolicy,
    claimsWhenScaled: claimsPolicy,
    claimTemplates: none,
    ttlSecondsAfterFinished: undefined,
    managedBy: '',
    historyLimits: kind === 'CronJob' ? historyLimits() : undefined,
    conditions: none,
  };
}

/** Reads a StatefulSet's `persistentVolumeClaimRetentionPolicy`, where an empty word is the default. */
function readRetention(cursor: Cursor, { strings }: Pool, draft: Draft): void {
  cursor.fields(field => {
    if (field === 1) draft.claimsWhenDeleted = cursor.shared(strings) || 'Retain';
    else if (field === 2) draft.claimsWhenScaled = cursor.shared(strings) || 'Retain';
  });
}

/** Reads a CronJob's `jobTemplate.spec.template.metadata.labels`. */
function readJobTemplate(cursor: Cursor, pool: Pool, draft: Draft): void {
  cursor.fields(field => {
    if (field !== 2) return;
    cursor.fields(inner => {
      if (inner === 6) draft.templateLabels = readTemplateLabels(cursor, pool);
    });
  });
}

function readClaimTemplateName(cursor: Cursor, { strings }: Pool): string {
  let name = '';
  cursor.fields(field => {
    if (field !== 1) return;
    cursor.fields(inner => {
      if (inner === 1) name = cursor.shared(strings);
    });
  });
  return name;
}
