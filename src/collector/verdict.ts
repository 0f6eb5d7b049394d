/** The collector's judgement on the live graph: each owner reference's status and each object's next move. */
import {
  behaviourOf,
  type ClusterView,
  type GraphNode,
  type Identity,
  isDeleting,
  objectDeletion,
} from '../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  parseApiVersion,
  ResourceType,
} from '../model/index.ts';
import {
  type Classification,
  classifyReference,
  Decision,
  type KindScope,
  type OwnerAnswer,
  type OwnerLookup,
} from './decide.ts';
import { firstVerdict } from './first-verdict.ts';

export interface Judgement {
  readonly verdict: Verdict;
  /** `assumed` if unseen objects, or ones that are polled instead of watched, could change it. */
  readonly certainty: Certainty;
  readonly absent?: readonly Identity[];
}

export interface OwnerStanding {
  readonly status: OwnerStatus;
  /** `assumed` for an unseen owner, or an unconfirmed absence. */
  readonly certainty: Certainty;
  /** The owner, if no list holds it. */
  readonly absent: Identity | undefined;
}

/** State of an object's deletion, as documents print it (docs/documents.md). */
export type DeletionState = 'Live' | 'Deleting' | 'ForegroundDeleting' | 'OrphanDeleting' | 'Virtual';

function deletionState(node: GraphNode): DeletionState {
  const { object } = node;
  if (object === undefined) return 'Virtual';
  if (!isDeleting(object)) return 'Live';
  if (object.finalizers.includes(ORPHAN_FINALIZER)) return 'OrphanDeleting';
  return object.finalizers.includes(FOREGROUND_FINALIZER) ? 'ForegroundDeleting' : 'Deleting';
}

/** Returns true if the owner doesn't exist for the collector. */
function isDangling(status: OwnerStatus): boolean {
  return status === 'Absent' || status === 'Mismatched' || status === 'OtherNamespace';
}

function ownerStatus(view: ClusterView, node: GraphNode, reference: OwnerReference): OwnerStatus {
  return statusBy(new LiveLookup(view), { view, node, reference });
}

/** Like `ownerStatus`, with its certainty. */
function ownerStanding(view: ClusterView, node: GraphNode, reference: OwnerReference): OwnerStanding {
  const lookup = new LiveLookup(view);
  const status = statusBy(lookup, { view, node, reference });
  const isAssumed = status === 'Unknown' || lookup.assumed.length > 0 || reference.byName === true;
  const certainty = isAssumed ? 'assumed' : 'exact';
  return { status, certainty, absent: lookup.absent[0] };
}

interface Asked {
  readonly view: ClusterView;
  readonly node: GraphNode;
  readonly reference: OwnerReference;
}

function statusBy(lookup: LiveLookup, { view, node, reference }: Asked): OwnerStatus {
  const { namespace } = node.object ?? node.identity;
  switch (classifyReference(reference, namespace, lookup)) {
    case 'solid':
      return 'Solid';
    case 'waiting':
      return 'WaitingForDependents';
    case 'clusterScope':
      return 'ClusterScopeViolation';
    case 'unresolvable':
      return 'Unresolvable';
    case 'unknown':
      return 'Unknown';
    case 'dangling': {
      const owner = view.graph.get(reference.uid)?.object;
      return owner === undefined ? 'Absent' : elsewhere(owner, namespace);
    }
  }
}

/** Tells why an owner that has the uid of a reference isn't the one that the reference of a dependent in `namespace` names. */
function elsewhere(owner: Pick<Identity, 'namespace'>, namespace: string): 'OtherNamespace' | 'Mismatched' {
  return owner.namespace !== '' && owner.namespace !== namespace ? 'OtherNamespace' : 'Mismatched';
}

/**
 * Judges an object as the collector would now. An unseen owner is taken to exist, a kind that cannot be listed to have
 * no dependents; both give `assumed` if they could change the verdict.
 */
function verdict(view: ClusterView, node: GraphNode): Judgement {
  const judgement =
    view.settings.collector === '1.5' ? firstVerdict(view, node, new LiveLookup(view)) : judge(view, node);
  const isOld = view.hasPolled && node.object !== undefined && restsOnPolled(view, node.object);
  return isOld ? { ...judgement, certainty: 'assumed' } : judgement;
}

/** Reports whether the verdict depends on a polled kind. */
function restsOnPolled(view: ClusterView, object: KubeObject): boolean {
  if (view.isPolled(object.type) || (isDeleting(object) && objectDeletion.isForeground(object))) return true;
  return object.owners.some(({ apiVersion, kind, uid }) => {
    const type = view.catalog.resolveKind(apiVersion, kind);
    const owner = view.graph.get(uid)?.object;
    const isWaiting = owner !== undefined && isDeleting(owner) && objectDeletion.isForeground(owner);
    return isWaiting || (type !== undefined && view.isPolled(type));
  });
}

function judge(view: ClusterView, node: GraphNode): Judgement {
  const { object } = node;
  if (object === undefined) return { verdict: 'None', certainty: 'exact' };
  if (isDeleting(object) && !objectDeletion.isForeground(object)) {
    const orphaning = object.finalizers.includes(ORPHAN_FINALIZER);
    return { verdict: orphaning ? 'OrphanDependents' : 'None', certainty: 'exact' };
  }
  const { type } = object;
  if (!view.catalog.serves(type)) {
    return { verdict: 'RetryForever', certainty: kindCertainty(view, type.group, type.version) };
  }
  if (isDeleting(object)) {
    const decision = Decision.foreground(node);
    const certain = decision.verdict === 'WaitForDependents' || view.completeEverywhere;
    return { verdict: decision.verdict, certainty: certain ? 'exact' : 'assumed' };
  }
  if (object.owners.length === 0) return { verdict: 'None', certainty: 'exact' };
  return judgeByOwners(view, node, object);
}

function judgeByOwners(view: ClusterView, node: GraphNode, object: KubeObject): Judgement {
  const lookup = new LiveLookup(view);
  const sorted: Record<'solid' | 'waiting' | 'dangling' | 'unknown', OwnerReference[]> = {
    solid: [],
    waiting: [],
    dangling: [],
    unknown: [],
  };
  let fromMemory = false;
  for (const reference of object.owners) {
    const classification: Classification = classifyReference(reference, object.namespace, lookup);
    if (classification === 'clusterScope') {
      const isSure = behaviourOf(view).surelyHas('leavesNamespacedOwners');
      return { verdict: 'NeverCollected', certainty: isSure ? 'exact' : 'assumed' };
    }
    const { apiVersion, kind } = reference;
    if (classification === 'unresolvable') {
      const { group, version } = parseApiVersion(apiVersion);
      return { verdict: 'RetryForever', certainty: kindCertainty(view, group, version) };
    }
    fromMemory ||= classification === 'dangling' && view.catalog.resolveKind(apiVersion, kind) === undefined;
    sorted[classification].push(reference);
  }
  const { solid, waiting, dangling, unknown } = sorted;
  const decision = Decision.byOwners(node, object, {
    failed: false,
    solid: [...solid, ...unknown],
    waiting,
    dangling,
  });
  // With a solid owner and another kind of owner, references are pruned whatever the unknown ones are.
  const pruned = solid.length > 0 && waiting.length + dangling.length > 0;
  // An unseen dependent affects how an object without solid owners is deleted.
  const byDependents = solid.length + unknown.length === 0 && waiting.length > 0;
  const { absent, assumed } = lookup;
  const certain =
    !fromMemory &&
    !object.owners.some(({ byName }) => byName === true) &&
    assumed.length === 0 &&
    (unknown.length === 0 || pruned) &&
    (!byDependents || view.completeEverywhere || decision.verdict === 'UnblockAndDelete');
  return { verdict: decision.verdict, certainty: certain ? 'exact' : 'assumed', absent };
}

/** Returns `exact` only if the group's discovery succeeded. */
function kindCertainty(view: ClusterView, group: string, version: string): Certainty {
  return view.groupFailed(group, version) ? 'assumed' : 'exact';
}

/** Status of one owner reference, from the objects that can be seen (docs/kubernetes.md §2.3). */
export type OwnerStatus =
  | 'Solid'
  | 'WaitingForDependents'
  | 'Absent'
  | 'Mismatched'
  | 'OtherNamespace'
  | 'ClusterScopeViolation'
  | 'Unresolvable'
  | 'Unknown';

export type Verdict =
  | 'None'
  | 'DeleteBackground'
  | 'DeleteForeground'
  | 'DeleteOrphan'
  | 'PruneReferences'
  | 'UnblockAndDelete'
  | 'WaitForDependents'
  | 'RemoveForegroundFinalizer'
  | 'OrphanDependents'
  | 'RetryForever'
  | 'NeverCollected';

/** `assumed` if something unseen could change the answer. */
export type Certainty = 'exact' | 'assumed';

const absent: OwnerAnswer = { state: 'absent' };
const unknown: OwnerAnswer = { state: 'unknown' };

export class LiveLookup implements OwnerLookup {
  readonly absent: Identity[] = [];
  /** Unconfirmed ones of these. */
  readonly assumed: Identity[] = [];
  readonly #view: ClusterView;

  constructor(view: ClusterView) {
    this.#view = view;
  }

  scopeOf(apiVersion: string, kind: string): KindScope {
    const type = this.#view.catalog.resolveKind(apiVersion, kind);
    if (type === undefined) return 'unresolvable';
    return type.namespaced ? 'namespaced' : 'cluster';
  }

  /**
   * Looks up by uid first, because a uid has one set of coordinates. A different uid at the coordinates counts as
   * `absent`, as for the collector; without a confirmed look-up the lists decide.
   */
  getOwner(identity: Identity): OwnerAnswer {
    const type = this.#view.catalog.resolveKind(identity.apiVersion, identity.kind);
    if (type === undefined) return unknown;
    const object = this.#view.graph.get(identity.uid)?.object;
    if (object !== undefined) {
      return isAt(object, type, identity)
        ? { state: 'found', uid: object.uid, foreground: objectDeletion.isForeground(object) }
        : absent;
    }
    if (!this.#view.seesOwnerAt(type, identity.namespace, identity.name)) return unknown;
    const absence = this.#view.absences.of(identity);
    if (absence.state === 'found') return absence;
    // Another object may have the uid, which explains the absence.
    this.#view.wants.noteElsewhere(type, identity.name);
    this.absent.push(identity);
    if (absence.state === 'assumed') this.assumed.push(identity);
    return absent;
  }

  /** Remembers deleted objects of unserved kinds, as a collector does until it restarts (docs/kubernetes.md §2.3). */
  remembersAbsent(identity: Identity): boolean {
    return (
      this.#view.graph.absent.peek(identity) &&
      this.#view.catalog.resolveKind(identity.apiVersion, identity.kind) === undefined
    );
  }

  rememberAbsent(): void {
    // A view only observes: its findings aren't the collector's memory.
  }
}

/** Reports whether a GET by these coordinates returns this object, in any version. */
function isAt(object: KubeObject, type: ResourceType, identity: Identity): boolean {
  return (
    object.name === identity.name &&
    object.namespace === identity.namespace &&
    ResourceType.stored(object.type) === ResourceType.stored(type)
  );
}

export const Judgement = { of: verdict };

export const OwnerStanding = { of: ownerStanding, elsewhere };

export const OwnerStatus = { of: ownerStatus, isDangling };

export const DeletionState = { of: deletionState };
