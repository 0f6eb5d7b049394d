/** The CollectorStep document (docs/documents.md): one step of any actor, as a line of JSON. */
import type { CollectorState, CollectorStep, QueuedItem } from '../../collector/index.ts';
import { branchWords, timeText } from '../../text/index.ts';
import { API_VERSION, definedFields, objectRef } from './basis.ts';
import type {
  Basis,
  CollectorState as CollectorStateDocument,
  CollectorStep as CollectorStepDocument,
  QueuedItem as QueuedDocument,
  StepWork as WorkDocument,
} from './definitions.ts';

export function stepDocument(
  basis: Basis,
  step: CollectorStep,
  state: CollectorState,
): CollectorStepDocument {
  const sentences = branchWords.step(step);
  return {
    apiVersion: API_VERSION,
    kind: 'CollectorStep',
    basis,
    n: step.n,
    at: timeText.instant(step.at),
    actor: step.actor,
    knowledge: step.knowledge,
    work: workDocument(step.work),
    decisions: step.branches.map((branch, index) => {
      const section = branchWords.section(branch, step);
      return { branch, because: sentences[index] ?? '', ...(section === undefined ? {} : { section }) };
    }),
    lookUps: step.lookUps.map(each => ({ ...each, object: objectRef(each.object) })),
    requests: step.requests.map(each => definedFields({ ...each, object: objectRef(each.object) })),
    queued: step.queued.map(({ object, until, ...rest }) => ({
      ...rest,
      object: objectRef(object),
      ...(until === undefined ? {} : { until: timeText.instant(until) }),
    })),
    warnings: step.warnings.map(({ object, reference: { apiVersion, kind, name, uid } }) => ({
      object: objectRef(object),
      owner: objectRef({ apiVersion, kind, namespace: object.namespace, name, uid }),
    })),
    collector: stateDocument(state),
  };
}

function workDocument(work: CollectorStep['work']): WorkDocument {
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
      backingOff: backingOff.map(({ until, failures, ...item }) =>
        definedFields({
          ...itemDocument(item),
          until: until === undefined ? undefined : timeText.instant(until),
          failures,
        }),
      ),
    })),
    acting: acting.map(objectRef),
    nodes,
    virtualNodes: state.virtualNodes.map(({ object, dependents }) => ({
      object: objectRef(object),
      dependents: dependents.map(objectRef),
    })),
    ...(state.absentOwners === undefined ? {} : { absentOwners: state.absentOwners.owners.map(objectRef) }),
    monitors: monitors.length,
    unsynced: monitors.flatMap(each => (each.state === 'synced' ? [] : [{ ...each, state: each.state }])),
    undiscovered: state.undiscovered,
  };
}

function itemDocument({ object, virtual, event }: QueuedItem): QueuedDocument {
  return definedFields({ object: objectRef(object), virtual, event });
}
