/** Adds the status and events of a chain's last objects to its answer, and remedies for the cause they report. */
import { requestWords } from '../../forecast/index.ts';
import { type Identity, isDeleting, objectDeletion } from '../../graph/index.ts';
import {
  BuiltInKind,
  type KubeObject,
  objectTitle,
  objectTitleIn,
  podFacts,
  type Said,
  saidWords,
  shownName,
  type Uid,
} from '../../model/index.ts';
import { isKnownRefused } from '../admission/gatekeepers.ts';
import {
  adviceToLook,
  bySafety,
  type ChainLink,
  type Finding,
  type OfferedRemedy,
} from '../engine/finding.ts';
import { isFutile } from '../engine/obstacles.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { type Handler, handlerOf } from '../finalizers/handler.ts';
import { handlerOn } from '../finalizers/on-object.ts';
import { finalizerHandler } from '../waits/chain.ts';

export interface Statement extends Said {
  readonly object: Identity;
}

export interface Speakers {
  readonly own: readonly KubeObject[];
  /** Objects to ask for events: the chain's end, and its handler. */
  readonly events: readonly KubeObject[];
  /** Start of the end's deletion; earlier successes don't matter. */
  readonly since: number | undefined;
}

interface Asked {
  readonly object: Identity;
  readonly chain: readonly ChainLink[];
  readonly findings: readonly Pick<Finding, 'chain' | 'related'>[];
}

/** Limit for the ends of different chains. */
const MOST_SPEAKERS = 3;

/** Starts with the chains' ends and the object itself; empty unless it is being deleted. */
export function speakersOf(tracked: TrackedView, { object: asked, chain, findings }: Asked): Speakers {
  const object = tracked.view.graph.get(asked.uid)?.object;
  if (object === undefined || !isDeleting(object)) return { own: [], events: [], since: undefined };
  const found = new Set<KubeObject>();
  const chains = [chain, ...findings.map(each => each.chain)];
  const ends = chains.map(each => each.at(-1)?.object.uid);
  const related = findings.flatMap(each => each.related.map(({ uid }) => uid));
  const objectOf = (uid: Uid | undefined): KubeObject | undefined =>
    uid === undefined ? undefined : tracked.view.graph.get(uid)?.object;
  const first = [...ends.slice(0, 1), ...attachmentsAt(tracked, chain.at(-1)), ...ends, asked.uid];
  for (const speaker of [
    ...first.map(objectOf),
    ...related.map(objectOf).filter(each => each !== undefined && isDeleting(each)),
  ])
    if (speaker !== undefined && hasOwnWords(speaker)) found.add(speaker);
  const end = chain.at(-1);
  const handler = handlerObject(tracked, end);
  return {
    own: [...found].slice(0, MOST_SPEAKERS),
    events: [objectOf(end?.object.uid), handler, podFacts(object) && object].filter(
      each => each !== undefined,
    ),
    since:
      objectDeletion.requestedAt(objectOf(end?.object.uid) ?? object) ?? objectDeletion.requestedAt(object),
  };
}

/** Groups whose conditions describe live objects, not why they stay. */
const plainGroups: ReadonlySet<string> = new Set(['', 'apps', 'batch', 'policy', 'autoscaling']);

/** Returns what still attaches a volume to a node: the attacher releases the volume only afterwards. */
function attachmentsAt(tracked: TrackedView, end: ChainLink | undefined): Uid[] {
  const type = tracked.type('storage.k8s.io/v1', 'VolumeAttachment');
  const isAttached =
    end !== undefined &&
    BuiltInKind.of(end.object) === 'PersistentVolume' &&
    end.finalizer?.startsWith('external-attacher/');
  if (type === undefined || isAttached !== true) return [];
  return [...tracked.all(type)]
    .filter(({ facts }) => facts?.kind === 'VolumeAttachment' && facts.volumeName === end?.object.name)
    .map(({ uid }) => uid);
}

/** Returns the workload that should remove the finalizer or, while it isn't ready, one of its unready pods. */
function handlerObject(tracked: TrackedView, end: Holder | undefined): KubeObject | undefined {
  if (end === undefined) return undefined;
  const { workloads = [], presence } = handlerOfHolder(tracked, end) ?? {};
  const [workload] = workloads;
  if (workload === undefined || presence !== 'unhealthy') return workload;
  const owned = [workload.uid].flatMap(uid => dependentsOf(tracked, uid));
  const below = [...owned, ...owned.flatMap(({ uid }) => dependentsOf(tracked, uid))];
  return below.find(isUnready) ?? workload;
}

function handlerOfHolder(tracked: TrackedView, { object, finalizer }: Holder): Handler | undefined {
  if (finalizer === undefined) return undefined;
  const held = tracked.node(object.uid)?.object;
  return held === undefined ? handlerOf(tracked, finalizer) : handlerOn(tracked, held, finalizer);
}

function dependentsOf(tracked: TrackedView, uid: Uid): KubeObject[] {
  const node = tracked.node(uid);
  return node === undefined ? [] : tracked.dependents(node);
}

function isUnready({ facts }: KubeObject): boolean {
  return facts?.kind === 'Pod' && facts.readyContainers < facts.containers;
}

/** Returns true if its status may explain the delay. Secrets are never read further. */
function hasOwnWords({ type: { group, kind }, deletionTimestamp }: KubeObject): boolean {
  // A Job that isn't being deleted cleans up for another object.
  if (group === 'batch') return kind === 'Job' && deletionTimestamp === undefined;
  if (group === '') return kind === 'PersistentVolume' || kind === 'Service';
  return !plainGroups.has(group);
}

/** Characters of a message within a sentence. */
const IN_SENTENCE = 240;

interface Holder {
  readonly object: Identity;
  readonly finalizer?: string | undefined;
}

export interface Told {
  readonly finding: Finding;
  /** Adjusts remedies gathered from several findings. */
  among(remedies: readonly OfferedRemedy[]): readonly OfferedRemedy[];
  /** Replaces the forecast of the object, if given. */
  readonly next?: string | undefined;
}

/**
 * Returns undefined unless an object of the finding reports a failure. Drops remedies that only point to the log of a
 * running controller: the report replaces them.
 */
export function withStatements(
  tracked: TrackedView,
  finding: Finding,
  statements: readonly Statement[],
): Told | undefined {
  const end = finding.chain.at(-1);
  const speaker = end && tracked.view.graph.get(end.object.uid)?.object;
  const failures = statements.filter(({ failing, outdated }) => failing && outdated !== true);
  const isAbout = (each: Statement) =>
    each.from === 'event'
      ? isKubelets(each) && each.object.uid === finding.object.uid
      : finding.related.some(({ uid }) => uid === each.object.uid);
  const found =
    failures.find(each => speaker !== undefined && isTelling(speaker, each)) ?? failures.find(isAbout);
  // A guess leaves open what the object itself reports.
  const isGuess = finding.certainty === 'assumed' && speaker !== undefined && !isDeleting(speaker);
  const said =
    found ??
    failures.find(each => isGuess && each.from !== 'event' && each.object.uid === finding.object.uid);
  const finalizer = end?.finalizer;
  // The chain goes on past the object's own finalizer.
  const isBeyond = finding.code === 'TerminatingHeldByFinalizer' && end?.object.uid !== finding.object.uid;
  if (end === undefined || said === undefined || isExplained(tracked, end, said)) return undefined;
  const isQuoted = end.because.includes(said.message);
  if (finalizer === undefined && (isQuoted || !(isBeyond || isKubelets(said)))) return undefined;
  const isOwn = said.object.uid === finding.object.uid;
  const { name, namespace } = finding.object;
  const title = objectTitleIn(said.object, BuiltInKind.of(finding.object) === 'Namespace' ? name : namespace);
  const quoted = saidWords.shortened(said.message, IN_SENTENCE).replace(/\.$/u, '');
  const who =
    said.from === 'event'
      ? `an event about ${isOwn ? 'it' : title} says`
      : `${isOwn ? 'its status' : `the status of ${title}`} says`;
  const head = said.from === 'event' ? shownName(said.reason) : saidWords.head(said);
  const before = isSaidSince(tracked, said) ? '' : ', reported before the deletion';
  const words = `${who} ${head}${quoted === '' ? '' : `: ${inQuotes(quoted)}`}${before}.`;
  const held = `${objectTitle(finding.object)} is being deleted, and held by the finalizer ${shownName(finalizer ?? '')}`;
  const whole = finding.message.replace(/\.$/u, '');
  const [first = ''] = whole.split(/[.;] /u);
  const isHeld = finding.code === 'TerminatingHeldByFinalizer';
  const message = isBeyond ? whole : isHeld ? held : first;
  const isOfEnd = speaker !== undefined && isTelling(speaker, said);
  const holder = isOfEnd ? { object: end.object, finalizer } : { object: said.object, finalizer: undefined };
  const among: Told['among'] = remedies =>
    found === undefined ? remedies : remediesAfter(tracked, remedies, holder, said);
  return {
    finding: { ...finding, message: `${message}; ${words}`, remedies: () => among(finding.remedies()) },
    among,
  };
}

/** Recognizes a report that the finding explains already: a webhook that fails, or a permission that is missing. */
function isExplained(tracked: TrackedView, { object, finalizer }: Holder, { message }: Statement): boolean {
  const held = tracked.node(object.uid)?.object;
  if (held === undefined || finalizer === undefined) return false;
  const handler = finalizerHandler(tracked, held, { finalizer });
  return message.includes('failed calling webhook')
    ? isKnownRefused(tracked, held, handler)
    : message.includes(' cannot ') && handler.forbidden !== undefined;
}

function inQuotes(words: string): string {
  return words.includes('"') && !words.includes("'") ? `'${words}'` : `"${words}"`;
}

/** Recognizes the event of a kubelet that fails to stop a pod (pkg/kubelet/events/event.go, v1.36). */
function isKubelets({ from, reason }: Said): boolean {
  return from === 'event' && reason === 'FailedKillPod';
}

/** Ignores routine events, such as a pod's, and those from before the deletion. */
function isTelling(speaker: KubeObject, { object, from, at = 0 }: Statement): boolean {
  // Only this volume's attachments count.
  const isAttachment =
    BuiltInKind.of(object) === 'VolumeAttachment' && BuiltInKind.of(speaker.type) === 'PersistentVolume';
  if (object.uid !== speaker.uid && !isAttachment) return false;
  return from !== 'event' || (hasOwnWords(speaker) && at >= (objectDeletion.requestedAt(speaker) ?? 0));
}

function remediesAfter(
  tracked: TrackedView,
  remedies: readonly OfferedRemedy[],
  holder: Holder,
  said: Statement,
): readonly OfferedRemedy[] {
  const { finalizer } = holder;
  const { presence = 'present', gone = false } = handlerOfHolder(tracked, holder) ?? {};
  // Dealing with the cause doesn't help a controller that is gone for good.
  if (gone) return remedies;
  // Its controller tries, and can never succeed.
  if (isFutile(said.message)) return remedies.filter(({ requests }) => requests.length > 0);
  const isGone = presence === 'absent' || presence === 'unhealthy';
  const isExplained = !isGone && (isSaidSince(tracked, said) || causes.some(({ fits }) => fits(said)));
  const others = isExplained
    ? remedies.filter(({ id }) => !isControllerAdvice(id, finalizer) && id !== 'see-cleanup')
    : remedies;
  const cause = causeAdvice(tracked, holder.object, said);
  if (cause === undefined) return others;
  // Without its controller, the deletion isn't retried.
  return isGone ? bySafety([...others, cause]) : [cause, ...others];
}

/** Ignores errors from before the deletion, which may be unrelated. */
function isSaidSince({ view }: TrackedView, { object, at }: Statement): boolean {
  const speaker = view.graph.get(object.uid)?.object;
  return at === undefined || speaker === undefined || at >= (objectDeletion.requestedAt(speaker) ?? 0);
}

/** Recognizes advice that only points to a controller. */
export function isControllerAdvice(id: string, finalizer = ''): boolean {
  return ['see-controller', 'find-controller'].some(each => id === each || id === `${each}/${finalizer}`);
}

/** Returns undefined if the awaited event can no longer happen. */
function causeAdvice({ view }: TrackedView, holder: Identity, said: Statement): OfferedRemedy | undefined {
  const { object } = said;
  const type = view.catalog.resolveKind(object.apiVersion, object.kind);
  const word = type === undefined ? object.kind.toLowerCase() : requestWords.kubectlType(view.catalog, type);
  const on = [requestWords.target(word, object.name), ...requestWords.namespaceFlag(object.namespace)];
  if (said.object.uid !== holder.uid)
    return adviceToLook(
      'deal-with-attachment',
      `deal with ${objectTitle(object)} first: once it is gone, ${objectTitle(holder)} is let go`,
      ['gc-tree', 'why', ...on],
    );
  const look = ['describe', ...on];
  const known = causes.find(({ fits }) => fits(said));
  if (known === undefined)
    return adviceToLook(
      'mend-cause',
      `fix the failure reported for ${objectTitle(object)}: then its controller can finish, and removes the finalizer`,
      look,
    );
  return known.advice === undefined ? undefined : adviceToLook('mend-cause', known.advice, look);
}

interface Cause {
  readonly fits: (said: Statement) => boolean;
  /** Undefined if only the finalizer can be dealt with. */
  readonly advice: string | undefined;
}

const causes: readonly Cause[] = [
  {
    fits: isKubelets,
    advice:
      'fix what the kubelet reports, such as the network plugin on its node: then it stops the pod, and the pod is deleted',
  },
  {
    // The attacher neither attaches a deleting volume nor releases one it hasn't attached.
    fits: ({ type, message }) => type === 'attachError' && /is marked for deletion|not found/u.test(message),
    advice: undefined,
  },
  {
    fits: ({ object, message }) =>
      object.kind === 'Application' &&
      object.apiVersion.startsWith('argoproj.io/') &&
      /cluster .*(?:not been configured|not found)|there are (?:no|\d+) clusters with|destination (?:server|cluster|name)/iu.test(
        message,
      ),
    advice:
      'register the destination cluster with Argo CD again, or name one in spec.destination that is registered: Argo CD then deletes what it has deployed there, and removes the finalizer',
  },
];
