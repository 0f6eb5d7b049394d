/** The CollectorStep document (docs/documents.md): one step of any actor, as a line of JSON. */
import type { CollectorState, Knowledge, QueuedItem, WatchedEvent } from '../collector/state.ts';
import type { Branch, CollectorStep, StepLookUp, StepRequest, StepWork } from '../collector/step.ts';
import { sectionOf, stepSentences } from '../text/collector/branches.ts';
import { formatInstant } from '../text/terminal/age.ts';
import { API_VERSION, type Basis, type ObjectRef, objectRef } from './basis.ts';

/** Times are RFC 3339, in milliseconds. */
export interface CollectorStepDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'CollectorStep';
  readonly basis: Basis;
  readonly n: number;
  readonly at: string;
  readonly actor: string;
  readonly knowledge: Knowledge;
  readonly work: WorkDocument;
  readonly decisions: readonly {
    readonly branch: Branch;
    readonly because: string;
    /** Section of docs/kubernetes.md; omitted for the first collector's items. */
    readonly section?: string;
  }[];
  readonly lookUps: readonly (Omit<StepLookUp, 'object'> & { readonly object: ObjectRef })[];
  readonly requests: readonly (Omit<StepRequest, 'object'> & { readonly object: ObjectRef })[];
  readonly queued: readonly QueuedDocument[];
  readonly warnings: readonly { readonly object: ObjectRef; readonly owner: ObjectRef }[];
  readonly collector: CollectorStateDocument;
}

type WorkDocument =
  | { readonly of: 'event'; readonly event: WatchedEvent; readonly object: ObjectRef }
  | {
      readonly of: 'item';
      readonly queue: string;
      readonly stage: 'decision' | 'requests';
      readonly object: ObjectRef;
    }
  | Exclude<StepWork, { readonly of: 'event' | 'item' }>;

interface QueuedDocument {
  readonly queue?: string;
  readonly object: ObjectRef;
  readonly virtual?: boolean;
  readonly event?: WatchedEvent;
  readonly until?: string;
  readonly failures?: number;
}

interface CollectorStateDocument {
  readonly version: string;
  readonly knowledge: Knowledge;
  readonly running: boolean;
  readonly workersWait: boolean;
  readonly queues: readonly {
    readonly name: string;
    readonly items: readonly QueuedDocument[];
    readonly backingOff: readonly QueuedDocument[];
  }[];
  readonly acting: readonly ObjectRef[];
  readonly nodes: number;
  readonly virtualNodes: readonly { readonly object: ObjectRef; readonly dependents: readonly ObjectRef[] }[];
  readonly absentOwners?: readonly ObjectRef[];
  readonly monitors: number;
  readonly unsynced: readonly {
    readonly resource: string;
    readonly state: string;
    readonly reason?: string;
  }[];
  readonly undiscovered: readonly string[];
}

export function stepDocument(
  basis: Basis,
  step: CollectorStep,
  state: CollectorState,
): CollectorStepDocument {
  const sentences = stepSentences(step);
  return {
    apiVersion: API_VERSION,
    kind: 'CollectorStep',
    basis,
    n: step.n,
    at: formatInstant(step.at),
    actor: step.actor,
    knowledge: step.knowledge,
    work: workDocument(step.work),
    decisions: step.branches.map((branch, index) => {
      const section = sectionOf(branch, step);
      return { branch, because: sentences[index] ?? '', ...(section === undefined ? {} : { section }) };
    }),
    lookUps: step.lookUps.map(each => ({ ...each, object: objectRef(each.object) })),
    requests: step.requests.map(each => ({ ...each, object: objectRef(each.object) })),
    queued: step.queued.map(({ object, until, ...rest }) => ({
      ...rest,
      object: objectRef(object),
      ...(until === undefined ? {} : { until: formatInstant(until) }),
    })),
    warnings: step.warnings.map(({ object, reference: { apiVersion, kind, name, uid } }) => ({
      object: objectRef(object),
      owner: objectRef({ apiVersion, kind, namespace: object.namespace, name, uid }),
    })),
    collector: stateDocument(state),
  };
}

function workDocument(work: StepWork): WorkDocument {
  return 'object' in work ? { ...work, object: objectRef(work.object) } : work;
}

function stateDocument(state: CollectorState): CollectorStateDocument {
  const { version, knowledge, running, workersWait, queues, acting, nodes, monitors } = state;
  return {
    version,
    knowledge,
    running,
    workersWait,
    queues: queues.map(({ name, items, backingOff }) => ({
      name,
      items: items.map(itemDocument),
      backingOff: backingOff.map(({ until, failures, ...item }) => ({
        ...itemDocument(item),
        ...(until === undefined ? {} : { until: formatInstant(until) }),
        ...(failures === undefined ? {} : { failures }),
      })),
    })),
    acting: acting.map(objectRef),
    nodes,
    virtualNodes: state.virtualNodes.map(({ object, dependents }) => ({
      object: objectRef(object),
      dependents: dependents.map(objectRef),
    })),
    ...(state.absentOwners === undefined ? {} : { absentOwners: state.absentOwners.owners.map(objectRef) }),
    monitors: monitors.length,
    unsynced: monitors.filter(({ state: how }) => how !== 'synced'),
    undiscovered: state.undiscovered,
  };
}

function itemDocument({ object, virtual, event }: QueuedItem): QueuedDocument {
  return { object: objectRef(object), virtual, ...(event === undefined ? {} : { event }) };
}
