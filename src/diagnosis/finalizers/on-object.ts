/** Judges a handler for one object: its work may be over, or its only controller deleted with what it served. */

import { OwnerStatus } from '../../collector/index.ts';
import { blockingDependents, CLAIM_PROTECTION, patience, type Risk } from '../../forecast/index.ts';
import { identityOfObject, isDeleting, objectDeletion } from '../../graph/index.ts';
import {
  BuiltInKind,
  FOREGROUND_FINALIZER,
  type KubeObject,
  Labels,
  type OwnerReference,
  objectState,
  objectTitle,
  objectTitleIn,
  podFacts,
  shownName,
  text,
  workloadFacts,
} from '../../model/index.ts';
import { usersOf } from '../cluster/claim-users.ts';
import { namespaceGoing } from '../cluster/namespace-content.ts';
import { worldOf } from '../engine/live-holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { workloadsNamed, workloadsOf, workloadsOfKind } from './controller-signs.ts';
import { withDefinitionWorkload } from './definition-workload.ts';
import { domainOf } from './domain.ts';
import { type Handler, handlerOf, handlerOfDriver, type Presence, withWorkloads } from './handler.ts';
import { withLeader, withPause } from './idle-controllers.ts';
import { valuesAt } from './naming.ts';
import { permitted } from './permission.ts';
import { withServedObject } from './served-object.ts';

export const JOB_TRACKING = 'batch.kubernetes.io/job-tracking';

export function handlerOn(tracked: TrackedView, object: KubeObject, finalizer: string): Handler {
  const driver = driverOf(tracked, object, finalizer);
  const handler =
    driver === ''
      ? withNamedController(
          tracked,
          object,
          inItsNamespace(tracked, object, handlerInProject(tracked, object, finalizer)),
        )
      : handlerOfDriver(tracked, finalizer, driver);
  const over = whatIsOver(tracked, object, finalizer) ?? whatNeverEnds(tracked, object, handler);
  if (over !== undefined && tracked.lasted(objectDeletion.requestedAt(object), patience.usual)) {
    const { because, risk, words = `${over.who} should have removed it: ${because}` } = over;
    return { ...handler, presence: 'unhealthy', words, nothingLeft: { risk, because } };
  }
  const served = withServedObject(tracked, object, withDefinitionWorkload(tracked, object, handler));
  return withPause(tracked, object, withLeader(tracked, object, permitted(tracked, object, served)));
}

const general: ReadonlySet<string> = new Set(['gateway', 'controller', 'operator', 'manager', 'system']);

function wordsOf(text: string): string[] {
  return text.split(/[^a-z0-9]+/u).filter(word => word.length > 3 && !general.has(word));
}

/** Leaves only workloads whose name shares a word with the controller that the object names: `istiod`, `istio.io/…`. */
function withNamedController(tracked: TrackedView, object: KubeObject, handler: Handler): Handler {
  const { entry, workloads } = handler;
  const path = entry?.controllerField;
  const wanted = path === undefined ? [] : wordsOf(text(valuesAt(tracked, object, path)[0]).toLowerCase());
  if (path === undefined || wanted.length === 0) return handler;
  const isOf = ({ name }: KubeObject): boolean =>
    wordsOf(name).some(word => wanted.some(each => each.startsWith(word) || word.startsWith(each)));
  const found = workloads.filter(isOf).map(each => ({ object: each, by: `its name and ${path}` }));
  return withWorkloads(tracked, handler, found);
}

/**
 * Attributes a finalizer that is no workload's and names no project, or a framework, to the project that defines the
 * object's kind, or to a workload that is named after the finalizer or the kind.
 */
function handlerInProject(tracked: TrackedView, { type }: KubeObject, finalizer: string): Handler {
  const handler = handlerOf(tracked, finalizer, type);
  const { controller } = handler.entry ?? {};
  const isNameless =
    controller === undefined
      ? domainOf(finalizer) === ''
      : controller.runsIn === 'elsewhere' && controller.workloads.length === 0;
  const isBuiltIn = BuiltInKind.of(type) !== undefined || !type.group.includes('.');
  if (handler.workloads.length > 0 || isBuiltIn || (controller !== undefined && !isNameless)) return handler;
  const ofProject = isNameless ? workloadsOf(tracked, `${type.group}/finalizer`) : [];
  const named = controller === undefined ? workloadsNamed(tracked, [finalizer]) : [];
  const [found = []] = [named, ofProject, workloadsOfKind(tracked, type.kind)].filter(
    each => each.length > 0,
  );
  return found.length === 0 ? handler : withWorkloads(tracked, handler, found);
}

/** Leaves out workloads that, by a label, work for another namespace than the object's. */
function inItsNamespace(tracked: TrackedView, object: KubeObject, handler: Handler): Handler {
  const { namespace } = object;
  const { entry, workloads } = handler;
  const label = entry?.namespaceLabel;
  const isFor = ({ labels }: KubeObject): boolean =>
    [undefined, namespace].includes(label && Labels.value(labels, label));
  if (label === undefined || workloads.every(isFor)) return handler;
  const found = workloads.filter(isFor).map(object => ({ object, by: 'its name' }));
  const judged = withWorkloads(tracked, handler, found);
  if (found.length > 0) return judged;
  const name = `${handler.name} for namespace ${namespace}`;
  const evidence = workloads.map(
    each => `${objectTitle(each)}: ${label}: ${Labels.value(each.labels, label)}`,
  );
  const words = `${name} doesn't run, only for other namespaces`;
  return {
    ...judged,
    name,
    presence: 'absent',
    gone: namespaceGoing(tracked, object) !== '',
    evidence,
    words,
  };
}

const ofDrivers = [
  /^external-provisioner\.volume\.kubernetes\.io\/finalizer$/u,
  /^external-attacher\//u,
  /snapshot\.storage\.kubernetes\.io\/volume(?:group)?snapshotcontent-bound-protection$/u,
];

/** Returns the CSI driver whose sidecar has to remove the finalizer; `''` if it is another one's. */
function driverOf(tracked: TrackedView, object: KubeObject, finalizer: string): string {
  if (!ofDrivers.some(each => each.test(finalizer))) return '';
  const { facts } = object;
  if (facts === undefined) return text(valuesAt(tracked, object, 'spec.driver')[0]);
  if (facts?.kind === 'PersistentVolume') return facts.csiDriver;
  return facts?.kind === 'VolumeAttachment' ? facts.attacher : '';
}

/** Judges without regard to the object's own state. */
export function handlerInCluster(tracked: TrackedView, object: KubeObject, finalizer: string): Handler {
  const handler = handlerInProject(tracked, object, finalizer);
  return withServedObject(tracked, object, withDefinitionWorkload(tracked, object, handler));
}

interface Over {
  readonly who: string;
  readonly because: string;
  readonly risk: Risk;
  readonly words?: string;
}

/** Checks that the visible cause of the finalizer is over. */
function whatIsOver(tracked: TrackedView, object: KubeObject, finalizer: string): Over | undefined {
  switch (finalizer) {
    case FOREGROUND_FINALIZER:
      // Unseen dependents may block.
      if (!tracked.view.completeEverywhere) return undefined;
      if (blockingDependents(worldOf(tracked), object).length > 0) return undefined;
      tracked.reliesOnDependents(identityOfObject(object));
      return { who: 'the garbage collector', because: 'nothing blocks it', risk: 'safe' };
    case JOB_TRACKING:
      return object.facts?.kind === 'Pod' ? uncounted(tracked, object) : undefined;
    case CLAIM_PROTECTION: {
      const isUsed = usersOf(tracked, object).length > 0;
      if (isUsed || !tracked.sees(tracked.type('v1', 'Pod'), object.namespace)) return undefined;
      return { who: 'kube-controller-manager', because: 'no pod mounts it', risk: 'safe' };
    }
    default:
      return undefined;
  }
}

/** Checks for a handler that waits for a process in a pod whose node is gone: waiting cannot help. */
function whatNeverEnds(tracked: TrackedView, pod: KubeObject, handler: Handler): Over | undefined {
  const { entry } = handler;
  if (entry?.awaitsProcess !== true || !hasLostNode(tracked, pod)) return undefined;
  const who = entry.controller.name;
  const node = shownName(podFacts(pod)?.nodeName ?? '');
  const words = `${who} waits for the process in the pod to finish, which never happens: Node ${node}, on which it ran, no longer exists`;
  return { who, because: entry.cost, risk: 'caution', words };
}

/**
 * Returns true for a pod that can never run or report again: its grace period is over or cut short, and its node is
 * certainly gone. A new node with the old name may still report on it.
 */
export function hasLostNode(tracked: TrackedView, pod: KubeObject): boolean {
  const nodeName = podFacts(pod)?.nodeName ?? '';
  if (nodeName === '' || !isDeleting(pod) || (pod.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return tracked.lacks(tracked.type('v1', 'Node'), '', nodeName);
}

const worst: readonly Presence[] = ['absent', 'unhealthy', 'unknown', 'present'];

/** Returns the handler that is least likely to act by itself. */
export function worstHandler(
  tracked: TrackedView,
  object: KubeObject,
  finalizers: readonly string[],
): Handler | undefined {
  const handlers = finalizers.map(each => handlerOn(tracked, object, each));
  return handlers.sort((a, b) => worst.indexOf(a.presence) - worst.indexOf(b.presence))[0];
}

export interface JobOf {
  readonly reference: OwnerReference | undefined;
  /** `finished`: complete or failed, so it counts no more pods; `unseen`: it may or may not exist. */
  readonly state: 'there' | 'finished' | 'absent' | 'unseen';
}

/** Finds the Job that counts a pod; an orphan's finalizer is removed without counting (pkg/controller/job, v1.36). */
export function jobOf(tracked: TrackedView, pod: KubeObject): JobOf {
  const reference = pod.owners.find(({ controller }) => controller === true);
  if (reference === undefined) return { reference, state: 'absent' };
  const node = tracked.node(pod.uid);
  const status = node === undefined ? 'Unknown' : tracked.ownerStatus(node, reference);
  if (OwnerStatus.isDangling(status)) return { reference, state: 'absent' };
  if (status !== 'Solid' && status !== 'WaitingForDependents') return { reference, state: 'unseen' };
  const job = tracked.node(reference.uid)?.object;
  return { reference, state: job !== undefined && hasEnded(job) ? 'finished' : 'there' };
}

function hasEnded(job: KubeObject): boolean {
  const conditions = workloadFacts(job)?.conditions ?? [];
  return conditions.some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

/** Checks for a finished Job, which has counted the pod and only removes the finalizer once the pod is deleted. */
function uncounted(tracked: TrackedView, pod: KubeObject): Over | undefined {
  const { reference, state } = jobOf(tracked, pod);
  if (state !== 'finished' && state !== 'absent') return undefined;
  const job =
    reference === undefined
      ? 'no Job owns it any more'
      : `${objectTitleIn({ ...reference, namespace: pod.namespace }, pod.namespace)} ${state === 'finished' ? 'has finished' : 'is gone'}`;
  return {
    who: 'the Job controller',
    because: `${job}, so nothing is left to count`,
    risk: objectState.isFinished(pod) ? 'safe' : 'caution',
  };
}
