/**
 * Facts of workloads from protobuf. The seven kinds differ in field numbers, so these are data.
 * Source: k8s.io/api v0.36.3, {core,apps,batch}/v1/generated.proto.
 */
import type { Condition, LabelSelector, WorkloadFacts } from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import type { Pool } from '../pool.ts';
import {
  type ConditionLayout,
  coreCondition,
  deploymentCondition,
  type FactsReader,
  plainCondition,
  readCondition,
  readLabelSelector,
  readPairRun,
  readTemplateLabels,
} from './parts.ts';

/** Field numbers; what a kind lacks is left out. */
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
    | 'succeeded'
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
    spec: { parallelism: 1, desired: 2, selector: 4, template: 6, suspended: 10 },
    status: { conditions: 1, active: 4, succeeded: 5, failed: 6 },
    condition: coreCondition,
  },
  CronJob: {
    spec: { suspended: 4, jobTemplate: 5 },
    status: { activeList: 1 },
    condition: coreCondition,
  },
};

const none: readonly never[] = Object.freeze([]);

interface Draft {
  desired: number | undefined;
  current: number;
  ready: number;
  updated: number;
  available: number;
  selector: LabelSelector | undefined;
  templateLabels: readonly string[];
  suspended: boolean;
  observedGeneration: number;
  active: number;
  succeeded: number;
  failed: number;
  parallelism: number | undefined;
  whenDeleted: string;
  whenScaled: string;
  claimTemplates: string[];
  conditions: Condition[];
}

export class WorkloadFactsReader implements FactsReader {
  readonly #pool: Pool;
  readonly #kind: string;
  readonly #layout: WorkloadLayout;
  #draft = emptyDraft();

  /** Throws for a kind that isn't a workload. */
  constructor(pool: Pool, kind: string) {
    const layout = layouts[kind];
    if (layout === undefined) throw new TypeError(`${kind} is no workload`);
    this.#pool = pool;
    this.#kind = kind;
    this.#layout = layout;
  }

  clear(): void {
    this.#draft = emptyDraft();
  }

  readSpec(cursor: Cursor): void {
    const draft = this.#draft;
    const pool = this.#pool;
    const spec = this.#layout.spec;
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      switch (field) {
        case spec.desired:
          draft.desired = cursor.signed();
          break;
        case spec.selector:
          draft.selector = readLabelSelector(cursor, pool);
          break;
        case spec.selectorMap:
          draft.selector = {
            matchLabels: readPairRun(cursor, pool, field, end, draft.selector?.matchLabels),
            matchExpressions: none,
          };
          break;
        case spec.template:
          draft.templateLabels = readTemplateLabels(cursor, pool);
          break;
        case spec.jobTemplate:
          draft.templateLabels = readJobTemplateLabels(cursor, pool);
          break;
        case spec.suspended:
          draft.suspended = cursor.flag();
          break;
        case spec.parallelism:
          draft.parallelism = cursor.signed();
          break;
        case spec.claimTemplates:
          draft.claimTemplates.push(readClaimTemplateName(cursor, pool));
          break;
        case spec.retention:
          this.#readRetention(cursor);
          break;
      }
    }
    cursor.leave(end);
  }

  #readRetention(cursor: Cursor): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) this.#draft.whenDeleted = cursor.shared(this.#pool.strings);
      else if (field === 2) this.#draft.whenScaled = cursor.shared(this.#pool.strings);
    }
    cursor.leave(end);
  }

  readStatus(cursor: Cursor): void {
    const draft = this.#draft;
    const pool = this.#pool;
    const { status, condition } = this.#layout;
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      switch (field) {
        case status.observedGeneration:
          draft.observedGeneration = cursor.signed();
          break;
        case status.desired:
          draft.desired = cursor.signed();
          break;
        case status.current:
          draft.current = cursor.signed();
          break;
        case status.ready:
          draft.ready = cursor.signed();
          break;
        case status.updated:
          draft.updated = cursor.signed();
          break;
        case status.available:
          draft.available = cursor.signed();
          break;
        case status.active:
          draft.active = cursor.signed();
          break;
        case status.activeList:
          draft.active++;
          break;
        case status.succeeded:
          draft.succeeded = cursor.signed();
          break;
        case status.failed:
          draft.failed = cursor.signed();
          break;
        case status.conditions:
          draft.conditions.push(readCondition(cursor, pool, condition));
          break;
      }
    }
    cursor.leave(end);
  }

  finish(): WorkloadFacts {
    const draft = this.#draft;
    const kind = this.#kind;
    const job = kind === 'Job';
    const stateful = kind === 'StatefulSet';
    // DaemonSets and CronJobs have no wanted number in their spec, so theirs has no default.
    const unset = kind === 'DaemonSet' || kind === 'CronJob' ? 0 : 1;
    return {
      kind: 'Workload',
      desired: draft.desired ?? unset,
      current: job ? draft.active + draft.succeeded + draft.failed : draft.current,
      ready: job ? draft.succeeded : draft.ready,
      updated: draft.updated,
      available: draft.available,
      selector: draft.selector,
      templateLabels: draft.templateLabels,
      suspended: draft.suspended,
      observedGeneration: draft.observedGeneration,
      active: draft.active,
      failed: draft.failed,
      parallelism: draft.parallelism ?? (job ? 1 : 0),
      claimsWhenDeleted: stateful ? draft.whenDeleted || 'Retain' : '',
      claimsWhenScaled: stateful ? draft.whenScaled || 'Retain' : '',
      claimTemplates: draft.claimTemplates.length > 0 ? draft.claimTemplates : none,
      conditions: draft.conditions.length > 0 ? draft.conditions : none,
    };
  }
}

function emptyDraft(): Draft {
  return {
    desired: undefined,
    current: 0,
    ready: 0,
    updated: 0,
    available: 0,
    selector: undefined,
    templateLabels: none,
    suspended: false,
    observedGeneration: 0,
    active: 0,
    succeeded: 0,
    failed: 0,
    parallelism: undefined,
    whenDeleted: '',
    whenScaled: '',
    claimTemplates: [],
    conditions: [],
  };
}

/** CronJob: `jobTemplate.spec.template.metadata.labels`. */
function readJobTemplateLabels(cursor: Cursor, pool: Pool): readonly string[] {
  const end = cursor.enter();
  let labels: readonly string[] = none;
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field !== 2) continue;
    const specEnd = cursor.enter();
    for (let inner = cursor.nextField(specEnd); inner !== 0; inner = cursor.nextField(specEnd))
      if (inner === 6) labels = readTemplateLabels(cursor, pool);
    cursor.leave(specEnd);
  }
  cursor.leave(end);
  return labels;
}

/** `metadata.name` of the PersistentVolumeClaim at the cursor. */
function readClaimTemplateName(cursor: Cursor, pool: Pool): string {
  const end = cursor.enter();
  let name = '';
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
    if (field !== 1) continue;
    const metaEnd = cursor.enter();
    for (let inner = cursor.nextField(metaEnd); inner !== 0; inner = cursor.nextField(metaEnd))
      if (inner === 1) name = cursor.shared(pool.strings);
    cursor.leave(metaEnd);
  }
  cursor.leave(end);
  return name;
}
