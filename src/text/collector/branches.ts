/** The collector's decisions in sentences, with their sections in docs/kubernetes.md. */
import type { Branch, CollectorStep, StepLookUp } from '../../collector/index.ts';
import type { Identity } from '../../graph/index.ts';
import { counted, objectTitleIn, shownName } from '../../model/index.ts';

const NAMED = 3;

type Words = string | ((step: CollectorStep) => string);

const words: Readonly<Record<Branch, readonly [section: string, words: Words]>> = {
  NodeAdded: ['1.2', 'The graph gets a node for it, with an edge to each owner that it refers to.'],
  VirtualNodeObserved: [
    '1.2',
    'It was known from owner references alone. Now it is observed, and is what they said.',
  ],
  VirtualNodeCorrected: [
    '1.2',
    'It was known from owner references alone, as something else. Its node now has the observed identity, and dependents that claim another one are checked.',
  ],
  NothingChanged: ['1.2', 'Nothing that the graph keeps is different.'],
  OwnersChanged: ['1.2', 'Its owner references have changed, and its edges with them.'],
  OwnerUnblocked: ['1.2', 'It no longer blocks the deletion of an owner, so that owner is looked at again.'],
  DeletionBegan: [
    '1.2',
    'Its deletion has begun. It does not wait for its dependents: nothing is queued before it is gone.',
  ],
  ForegroundDeletionBegan: [
    '3.1',
    'Its foreground deletion has begun: its dependents are queued, then it is.',
  ],
  OrphaningBegan: [
    '3.2',
    'Its deletion with the policy orphan has begun: it is queued, so that its dependents lose their references.',
  ],
  NodeRemoved: ['1.2', nodeRemoved],
  NodeUnknown: ['1.2', 'The graph has no node for it: nothing follows.'],
  AbsenceRemembered: [
    '1.2',
    'Dependents are left, so it is remembered as absent: the next lookup needs no request.',
  ],
  AbsentClaimDropped: [
    '1.4',
    'It is remembered as absent, and dependents that refer to exactly this are queued. Its node stays, because others mean something else by the same uid.',
  ],
  OtherClaimTried: [
    '1.4',
    'Its node now has the identity that another dependent claims, which is looked up next.',
  ],
  WorkersStarted: ['5', 'Every monitor has listed its kind: the workers start on what was queued.'],
  MonitorsSynced: ['5', 'The served kinds have changed, and the monitors with them.'],
  MonitorsUnchanged: ['5', 'The served kinds were discovered again; the monitors stay as they are.'],
  VirtualNodeSuperseded: [
    '2.1',
    'It was queued when it was known from references alone. Meanwhile it was observed or removed: nothing to do.',
  ],
  WorkersWait: ['5', 'The workers stand still until every monitor has listed its kind.'],
  AlreadyDeleting: [
    '2.2',
    'It is being deleted and does not wait for dependents: nothing to do, without a request.',
  ],
  KindUnresolvable: [
    '2.2',
    'No such kind is known, so it cannot be looked up: again after its back-off, for as long as that stays so.',
  ],
  NamespaceMissing: [
    '2.2',
    'Its kind is namespaced, and the reference that it is known from is in no namespace: given up.',
  ],
  ObjectAbsent: ['2.2', 'It does not exist: a virtual delete informs the graph.'],
  OtherUid: [
    '2.2',
    'An object of this name exists, but has another uid. This one does not exist: a virtual delete informs the graph.',
  ],
  LookUpFailed: ['2.2', 'The look-up failed: again after its back-off.'],
  NoOwners: ['2.2', 'It has no owner references: the collector never deletes such an object.'],
  NotObservedYet: [
    '2.1',
    'It exists, but its watch has not reported it: looked at again after its back-off.',
  ],
  None: ['2.4', step => `${there(step)}: nothing to do.`],
  DeleteBackground: ['2.4', step => `No owner holds it: ${notHolding(step)}. It is deleted.`],
  DeleteForeground: ['2.4', deleteForeground],
  DeleteOrphan: [
    '2.4',
    step =>
      `No owner holds it: ${notHolding(step)}. It carries the finalizer orphan, so it is deleted with that policy.`,
  ],
  DeleteByDefault: ['2.4', deleteByDefault],
  PruneReferences: [
    '2.4',
    step => `${there(step)}. It loses its references to the others: ${notHolding(step)}.`,
  ],
  UnblockAndDelete: [
    '2.4',
    step =>
      `No owner holds it: ${notHolding(step)}. A dependent of its own waits too, so this may be a cycle: its references stop blocking, then it is deleted in the foreground.`,
  ],
  WaitForDependents: ['3.1', waitForDependents],
  RemoveForegroundFinalizer: [
    '3.1',
    'No dependent blocks its foreground deletion: it loses the finalizer foregroundDeletion.',
  ],
  OrphanDependents: [
    '3.2',
    ({ lookUps }) => {
      const count = lookUps.filter(({ of }) => of === 'dependent').length;
      return count === 0
        ? 'The graph knows no dependents of it: it loses the finalizer orphan.'
        : `Its ${counted(count, 'dependent')} in the graph ${count === 1 ? 'loses its reference' : 'lose their references'} to it, then it loses the finalizer orphan.`;
    },
  ],
  RetryForever: ['2.3', retryForever],
  NeverCollected: [
    '2.3',
    step =>
      `It is cluster-scoped, and its owner ${ownersWith(step, 'namespaced')} is of a namespaced kind: given up, and never collected.`,
  ],
  MoreOwnersToLookUp: ['2.4', 'It refers to one uid twice: the second reference is looked up in a moment.'],
  RequestsDone: ['2.1', 'The requests succeeded: the item is forgotten.'],
  RequestsFoundNothing: ['2.5', 'It was gone already: a virtual delete informs the graph.'],
  RequestsFailed: ['2.1', 'Not every request succeeded: the item comes back after its back-off.'],
};

/** Decisions of the first collector that differ from today's (docs/collector.md). */
const firstWords: Partial<Readonly<Record<Branch, Words>>> = {
  KindUnresolvable:
    'No such kind is known, so it cannot be looked up: again at once, for as long as that stays so.',
  LookUpFailed: 'The look-up failed: again at once.',
  None: step => `${there(step)}: nothing to do. Whether it has others isn't asked.`,
  OrphanDependents:
    "Each dependent in the graph is to lose its reference to it, and whether that worked isn't asked. Then it loses the finalizer orphan.",
  RetryForever: 'An owner cannot be looked up: nothing is decided, and it is looked at again at once.',
  RequestsFailed: 'Not every request succeeded: the item is queued again at once.',
};

function isFirst({ work }: CollectorStep): boolean {
  return work.of === 'item' && (work.queue === 'dirtyQueue' || work.queue === 'orphanQueue');
}

/** Returns a sanitised sentence per decision. */
function stepSentences(step: CollectorStep): readonly string[] {
  return step.branches.map(branch => {
    const [, usual] = words[branch];
    const told = (isFirst(step) ? firstWords[branch] : undefined) ?? usual;
    return typeof told === 'string' ? told : told(step);
  });
}

/** Returns a section of docs/kubernetes.md such as `2.4`; undefined for the first collector, which it doesn't cover. */
function sectionOf(branch: Branch, step: CollectorStep): string | undefined {
  return isFirst(step) ? undefined : words[branch][0];
}

function nodeRemoved({ work, queued }: CollectorStep): string {
  const absent = work.of === 'event' && work.event === 'virtualDelete';
  const gone = absent ? 'It does not exist: its node is removed' : 'It is gone: its node is removed';
  return queued.length === 0
    ? `${gone}, and nothing follows.`
    : `${gone}. Its dependents are queued, and owners that wait for it.`;
}

function deleteByDefault(step: CollectorStep): string {
  return `No owner holds it: ${notHolding(step)}. It is deleted, and no policy is named: what becomes of its dependents is up to the API server.`;
}

function deleteForeground(step: CollectorStep): string {
  const dependents = step.lookUps.filter(({ of }) => of === 'dependent').length;
  const why =
    dependents === 0
      ? 'It carries the finalizer foregroundDeletion'
      : `It has ${counted(dependents, 'dependent')} itself`;
  return `No owner holds it: ${notHolding(step)}. ${why}, so it is deleted in the foreground.`;
}

function waitForDependents(step: CollectorStep): string {
  const blocking = step.lookUps.filter(({ result }) => result === 'blocking');
  const waits =
    blocking.length === 1 ? 'a dependent that blocks' : `${blocking.length} dependents that block`;
  return `Its foreground deletion waits for ${waits} it: ${listed(step, blocking)}. Those that are not in foreground deletion themselves are queued.`;
}

function retryForever(step: CollectorStep): string {
  const unresolvable = step.lookUps.find(({ result }) => result === 'unresolvable');
  const why =
    unresolvable === undefined
      ? 'An owner could not be looked up'
      : `No kind ${shownName(unresolvable.object.kind)} is known in ${shownName(unresolvable.object.apiVersion)}, so its owner ${shownName(unresolvable.object.name)} cannot be looked up`;
  return `${why}: nothing is decided, and it is looked at again after its back-off, for as long as that stays so.`;
}

function there(step: CollectorStep): string {
  const found = step.lookUps.filter(({ of, result }) => of === 'owner' && result === 'found');
  return `Its ${found.length === 1 ? 'owner' : 'owners'} ${listed(step, found)} ${found.length === 1 ? 'exists' : 'exist'}`;
}

/** Returns `owner ConfigMap rumour is absent, owner ReplicaSet web waits for its dependents`. */
function notHolding(step: CollectorStep): string {
  const owners = step.lookUps.filter(({ of }) => of === 'owner');
  const absent = owners.filter(({ result }) => result === 'absent' || result === 'otherUid');
  const waiting = owners.filter(({ result }) => result === 'waiting');
  const clause = (found: readonly StepLookUp[], one: string, many: string): string =>
    found.length === 0
      ? ''
      : `${found.length === 1 ? 'owner' : 'owners'} ${listed(step, found)} ${found.length === 1 ? one : many}`;
  return [
    clause(absent, 'is absent', 'are absent'),
    clause(waiting, 'waits for its dependents', 'wait for their dependents'),
  ]
    .filter(each => each !== '')
    .join(', ');
}

function ownersWith(step: CollectorStep, result: StepLookUp['result']): string {
  return listed(
    step,
    step.lookUps.filter(each => each.of === 'owner' && each.result === result),
  );
}

function listed({ work }: CollectorStep, lookUps: readonly StepLookUp[]): string {
  const around = 'object' in work ? work.object.namespace : '';
  return listedObjects(
    lookUps.map(({ object }) => object),
    around,
  );
}

/** Names some objects and counts the rest. */
export function listedObjects(objects: readonly Identity[], namespace: string): string {
  const distinct = [...new Map(objects.map(each => [each.uid + each.name, each])).values()];
  const more = distinct.length - NAMED;
  const named = distinct.slice(0, more > 1 ? NAMED : undefined).map(each => objectTitleIn(each, namespace));
  return named.join(', ') + (more > 1 ? ` and ${more} more` : '');
}

export const branchWords = { section: sectionOf, step: stepSentences };
