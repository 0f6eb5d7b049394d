/**
 * Follows a deleting object down to what it waits for: dependents, finalizers and handlers, content, users, instances,
 * kubelets. For other objects, follows the owners up.
 */

import {
  type Hold,
  type HoldByObject,
  HoldPath,
  type HoldStep,
  leadsOn,
  requestWords,
} from '../../forecast/index.ts';
import { type GraphNode, Identity, identityOfObject, isDeleting, objectDeletion } from '../../graph/index.ts';
import {
  enumerated,
  KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  objectTitle,
  objectTitleIn,
  textEscapes,
  type Uid,
} from '../../model/index.ts';
import { namespaceGoing } from '../cluster/namespace-content.ts';
import {
  adviceToLook,
  adviceToLookFurther,
  type ChainLink,
  chainLink,
  type OfferedRemedy,
} from '../engine/finding.ts';
import { decidingPathOf, ownFinalizers, worldOf } from '../engine/live-holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { type Cycle, type FollowedWait, type Handler, mayAct } from '../finalizers/handler.ts';
import { handlerOn, worstHandler } from '../finalizers/on-object.ts';
import { handlerAdvice, removal } from '../remedies/handler-remedies.ts';
import type { Wait } from './edge.ts';
import { missingAdvice } from './nodes.ts';
import { waitsOf } from './wait.ts';

/**
 * Starts with the object and ends at a leaf (a finalizer, a reference the collector fails on, a kubelet, an object
 * without a deletion) or a closing cycle. The object alone if none applies.
 */
export function chainOf(tracked: TrackedView, object: KubeObject): ChainLink[] {
  return linksOf(tracked, decidingPathOf(tracked, object));
}

export function linksOf(tracked: TrackedView, path: readonly HoldStep[]): ChainLink[] {
  return follow(tracked, path, []).links;
}

interface Followed {
  readonly links: ChainLink[];
  /** The handler of the finalizer at the end, with its object, if the path ends there. */
  readonly end?: { readonly object: KubeObject; readonly handler: Handler };
  /** Set if the path closes a cycle. */
  readonly cycle?: Cycle | undefined;
}

/** `above`: the objects that wait for the path's first one. */
function follow(tracked: TrackedView, path: readonly HoldStep[], above: readonly KubeObject[]): Followed {
  const [first] = path;
  if (first === undefined) return { links: [] };
  let end: Followed['end'];
  let cycle: Cycle | undefined;
  const way = [...above];
  const links: ChainLink[] = [
    { object: identityOfObject(first.object), by: '', ...deletionState(first.object) },
  ];
  for (const { object, hold } of path) {
    way.push(object);
    if (hold.by === 'cycle') {
      const names = hold.members.map(each => objectTitleIn(each, object.namespace));
      const last = links.pop();
      if (last !== undefined) {
        const words = `${[...names, names[0] ?? ''].join(' → ')}: each waits for the next`;
        cycle = { words, members: hold.members.map(({ uid }) => uid) };
        links.push(chainLink(last.object, last.by, `here the cycle closes: ${words}`));
      }
    } else if (leadsOn(hold)) {
      links.push(linkTo(object, hold));
    } else if (hold.by === 'finalizer') {
      const handler = finalizerHandler(tracked, object, {
        finalizer: hold.finalizer,
        above: way.slice(0, -1),
      });
      end = { object, handler };
      cycle = handler.waits?.cycle;
      links.push(finalizerLink(object, handler), ...(handler.waits?.links ?? []));
    } else {
      const link = endLink(tracked, object, hold);
      if (link !== undefined) links.push(link);
    }
  }
  return { links, cycle, ...(end && { end }) };
}

/** Returns the handler that decides on an object whose path ends at a finalizer. */
export function finalizerHandler(
  tracked: TrackedView,
  object: KubeObject,
  { finalizer, above = [] }: { readonly finalizer: string; readonly above?: readonly KubeObject[] },
): Handler {
  return (
    actingHandler(tracked, object, ownFinalizers(tracked, object), above) ??
    waitingHandler(tracked, object, finalizer, above)
  );
}

function finalizerLink(object: KubeObject, { finalizer, words, waits }: Handler): ChainLink {
  const others = objectDeletion.foreignFinalizers(object).filter(each => each !== finalizer);
  const also = others.length === 0 ? '' : `; also held by ${others.join(', ')}`;
  const cause = waits?.brief ?? words;
  return { object: identityOfObject(object), by: 'held by', finalizer, because: `${cause}${also}`, cause };
}

const ways: Readonly<Record<HoldByObject['by'], string>> = {
  dependent: 'blocked by',
  content: 'still contains',
  instance: 'still has',
  user: 'mounted by',
  claim: 'bound to',
};

function linkTo(holder: KubeObject, { by, object }: HoldByObject): ChainLink {
  const state = deletionState(object);
  const because = by === 'dependent' ? `${state.because}, blockOwnerDeletion: true` : state.because;
  const identity = identityOfObject(object);
  return { object: identity, by: ways[by], ...state, because: detail(holder, by, because) };
}

function detail(holder: KubeObject, by: HoldByObject['by'], because: string): string {
  if (by === 'user') return `${because}; mounted, so ${holder.name} keeps kubernetes.io/pvc-protection`;
  return by === 'claim' ? `${because}; bound, so ${holder.name} keeps kubernetes.io/pv-protection` : because;
}

function endLink(
  tracked: TrackedView,
  object: KubeObject,
  hold: Exclude<Hold, HoldByObject | { by: 'finalizer' }>,
): ChainLink | undefined {
  const itself = identityOfObject(object);
  switch (hold.by) {
    case 'itself':
      return chainLink(itself, 'blocked by', 'itself: it names itself as an owner, blockOwnerDeletion: true');
    case 'collector':
      return chainLink(
        itself,
        'waits for',
        hold.awaits === 'orphaning'
          ? 'the garbage collector, which has to remove the owner references from its dependents'
          : tracked.view.complete
            ? 'the garbage collector: nothing that can be seen blocks it any more'
            : 'a dependent that cannot be seen, or the garbage collector',
      );
    case 'unseenClaim':
      return chainLink(
        {
          ...itself,
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: hold.namespace,
          name: hold.name,
        },
        'bound to',
        'cannot be seen',
      );
    case 'unseen':
      return hold.reported === ''
        ? chainLink(itself, 'waits for', `${hold.what} that cannot be seen`)
        : chainLink(itself, 'still contains', `${hold.reported}, which cannot be seen`);
    case 'discovery':
      return chainLink(itself, 'waits for', `the discovery of ${hold.groupVersions.join(', ')}, which fails`);
    case 'kubelet':
      return chainLink(
        nodeOf(tracked, hold.node) ?? itself,
        'waits for',
        (hold.mirror ? mirrors : kubelet)[hold.state](hold.node),
      );
    case 'uncollected':
      return uncollected(object, hold);
    case 'apiServer':
    case 'alive':
    // A separate rule covers these.
    case 'admission':
      return undefined;
  }
}

const kubelet = {
  grace: (node: string) => `the kubelet on ${node} stops its containers: the grace period isn't over`,
  ready: (node: string) => `the kubelet on ${node} has to confirm that its containers have stopped`,
  notReady: (node: string) =>
    `the kubelet on ${node} doesn't answer, so no kubelet confirms that its containers have stopped`,
  missing: (node: string) =>
    `node ${node} doesn't exist or cannot be seen, so no kubelet confirms that its containers have stopped`,
} as const;

const mirrors: typeof kubelet = {
  ...kubelet,
  grace: node => `the kubelet on ${node} deletes its mirror pods at once`,
  ready: node => `the kubelet on ${node} has to delete the mirror of its static pod`,
  notReady: node =>
    `the kubelet on ${node} doesn't answer, so it doesn't delete the mirror of its static pod`,
};

function nodeOf(tracked: TrackedView, name: string): Identity | undefined {
  const node = tracked.findKind('v1', 'Node', '', name);
  return node && identityOfObject(node);
}

/** Explains why the collector doesn't delete an object whose owner waits for it (docs/kubernetes.md §2.3). */
function uncollected(
  object: KubeObject,
  { because, reference }: Extract<Hold, { by: 'uncollected' }>,
): ChainLink {
  const { apiVersion, kind } = textEscapes.asShown(reference);
  const reasons = {
    unresolvable: `nothing serves ${kind} of ${apiVersion}, so the garbage collector cannot tell whether that owner exists, and deletes nothing`,
    clusterScope: `a namespaced owner of a cluster-scoped object: the garbage collector refuses to follow it`,
    unknown: "cannot be seen, so whether it keeps the object isn't known",
  } as const;
  const namespace = because === 'clusterScope' ? '' : object.namespace;
  return chainLink(Identity.claimed(reference, namespace), 'owned by', reasons[because]);
}

function deletionState(object: KubeObject): Pick<ChainLink, 'because' | 'since'> {
  if (!isDeleting(object)) return { because: NOT_DELETED };
  const since = objectDeletion.requestedAt(object);
  if (object.finalizers.includes(ORPHAN_FINALIZER))
    return { because: 'deleting, orphaning its dependents', since };
  return { because: objectDeletion.isForeground(object) ? 'deleting in the foreground' : 'deleting', since };
}

const NOT_DELETED = 'not being deleted';

/** Objects named in a clause. */
const NAMED = 3;

/** Waits followed in a row, before a path counts as endless. */
const FARTHEST = 12;
/** Waits of one object that are followed to find the one that decides. */
const MOST_FOLLOWED = 10;

/** Returns the handler of the finalizer that is least likely to be removed, with what it waits for. */
export function actingHandler(
  tracked: TrackedView,
  object: KubeObject,
  finalizers: readonly string[],
  above: readonly KubeObject[] = [],
): Handler | undefined {
  const worst = worstHandler(tracked, object, finalizers);
  if (worst === undefined || !mayAct(worst)) return worst;
  const all = [...new Set([worst.finalizer, ...finalizers])].map(each =>
    waitingHandler(tracked, object, each, above),
  );
  return (
    all.find(({ waits }) => waits?.isStuck === true) ?? all.find(({ waits }) => waits !== undefined) ?? worst
  );
}

/** Returns the finalizer's handler with what it waits for. */
export function waitingHandler(
  tracked: TrackedView,
  object: KubeObject,
  finalizer: string,
  above: readonly KubeObject[] = [],
): Handler {
  return withWait(tracked, object, handlerOn(tracked, object, finalizer), above);
}

/**
 * Adds what a handler that may be running waits for before it removes the finalizer from the object. `above`: the
 * objects that wait for this one.
 */
function withWait(
  tracked: TrackedView,
  object: KubeObject,
  handler: Handler,
  above: readonly KubeObject[],
): Handler {
  if (!mayAct(handler) || above.length >= FARTHEST) return handler;
  // The waits of kube-controller-manager are known, and simulated.
  const isSimulated = handler.entry?.controller.runsIn === 'control plane';
  const all = waitsOf(tracked, object, handler);
  let first: { readonly wait: Wait; readonly found: Handler } | undefined;
  for (const wait of all.slice(0, MOST_FOLLOWED)) {
    if (isSimulated && wait.certainty === 'assumed') continue;
    if (first !== undefined && !isOneWait(wait, first.wait)) continue;
    const others = all.filter(each => each !== wait && !each.isMissing && isOneWait(each, wait));
    const waits = followWait(tracked, wait, { who: actorOf(handler), others, above: [...above, object] });
    // References that a general rule follows may point the other way: they prove no deadlock by themselves.
    const isDoubtful = !wait.isReported && waits?.cycle?.members.includes(object.uid) === true;
    if (waits === undefined || isDoubtful) continue;
    const words = `${waits.brief}${decidingWords(waits, object.namespace)}`;
    const found = { ...handler, waits, words, evidence: [...handler.evidence, ...wait.evidence] };
    if (waits.isStuck) return found;
    first ??= { wait, found };
  }
  return first?.found ?? handler;
}

/** Returns true if both waits have to end: both are certain, both are reported, or both are guessed by general rules. */
function isOneWait(a: Wait, b: Wait): boolean {
  return a.certainty === b.certainty && (a.certainty === 'exact' || a.isReported === b.isReported);
}

function actorOf({ workloads: [workload], name }: Handler): string {
  return workload === undefined ? name : objectTitle(workload);
}

function identified(object: KubeObject | Identity): Identity {
  return object instanceof KubeObject ? identityOfObject(object) : object;
}

/** Names what decides at the end of a wait, to follow its first object. */
function decidingWords({ links, cycle }: FollowedWait, namespace: string): string {
  const last = links.at(-1);
  if (cycle !== undefined) return `, and that is a deadlock: ${cycle.words}`;
  if (last === undefined || needs.includes(last.by))
    return links.length < 2 ? '' : `; in the end, ${needWords(links, namespace)}`;
  const title = objectTitleIn(last.object, namespace);
  if (last.by === 'kept by' || last.by === '')
    return `; ${links.length > 2 ? 'in the end, ' : ''}${title} ${last.because}`;
  if (last.finalizer !== undefined) return `; ${title} is held by ${last.finalizer}, and ${last.because}`;
  return links.length === 1
    ? `; ${title} is ${last.because}`
    : `; in the end, ${title} decides: ${last.because}`;
}

const needs: readonly string[] = ['needs', 'seems to need'];

/** `Application local-joe needs AppProject local, which doesn't exist`. */
function needWords(links: readonly ChainLink[], namespace: string): string {
  const [holder, need] = links.slice(-2);
  if (holder === undefined || need === undefined) return '';
  return `${objectTitleIn(holder.object, namespace)} ${need.by} ${objectTitleIn(need.object, namespace)}, which doesn't exist`;
}

function followWait(
  tracked: TrackedView,
  { on, isMissing, isReported, certainty, until = 'gone', end: keeper }: Wait,
  {
    who,
    others,
    above,
  }: { readonly who: string; readonly others: readonly Wait[]; readonly above: readonly KubeObject[] },
): FollowedWait | undefined {
  const namespace = above.at(-1)?.namespace ?? '';
  const next = objectTitleIn(identified(on), namespace);
  if (isMissing || !(on instanceof KubeObject)) {
    // A field's name alone doesn't prove that its object is needed for the deletion.
    const by = isReported || certainty === 'exact' ? 'needs' : 'seems to need';
    const back = missingAdvice(identified(on), by !== 'needs');
    const never = namespaceGoing(tracked, on) !== '';
    const because = never
      ? `doesn't exist, and cannot be created in a Namespace that is being deleted`
      : "doesn't exist";
    return {
      brief: `${who} ${by} ${next}, which ${because}`,
      links: [chainLink(on, by, because)],
      // An owner that is created again has another uid.
      advice: () => (never || isLostOwner(above.at(-1), identified(on)) ? [] : [back]),
      certainty,
      awaits: [],
      cycle: undefined,
      isStuck: true,
    };
  }
  const alike = others.filter(each => (each.until ?? 'gone') === until);
  const titles = [next, ...alike.map(each => objectTitleIn(identified(each.on), namespace))];
  const isGuess = certainty === 'assumed' && !isReported && until !== 'finished' && !isDeleting(on);
  const awaits = isGuess ? undefined : [on.uid, ...others.map(each => each.on.uid)];
  const waits = isGuess ? 'may be waiting' : 'waits';
  const brief = `${who} ${waits} until ${enumerated(titles, NAMED)} ${titles.length === 1 ? 'is' : 'are'} ${until}`;
  if (keeper !== undefined) return { brief, ...keeper, certainty, awaits, cycle: undefined, isStuck: true };
  const path = HoldPath.deciding(worldOf(tracked), on, above);
  const { links, end, cycle } = follow(tracked, path, above);
  const [first, ...rest] = links;
  if (first === undefined) return undefined;
  return {
    brief,
    links: [{ ...first, by: 'waits for' }, ...rest],
    advice: () => {
      if (cycle !== undefined && !above.some(({ uid }) => cycle.members.includes(uid)))
        return [breakCycle(tracked, on)];
      return end === undefined
        ? lookAtEnd(tracked, links, { cycle, alike, log: isGuess ? who : '' })
        : endAdvice(tracked, end);
    },
    certainty,
    awaits,
    cycle,
    isStuck:
      cycle !== undefined ||
      links.at(-1)?.because === NOT_DELETED ||
      (end !== undefined && (!mayAct(end.handler) || end.handler.waits?.isStuck === true)),
  };
}

function isLostOwner(object: KubeObject | undefined, { kind, name }: Identity): boolean {
  return object?.owners.some(each => each.kind === kind && each.name === name) === true;
}

function endAdvice(tracked: TrackedView, { object, handler }: NonNullable<Followed['end']>): OfferedRemedy[] {
  const word = requestWords.kubectlType(tracked.view.catalog, object.type);
  const byHand = removal(tracked, object, handler).map(each => ({
    ...each,
    id: `remove-finalizer/${word}/${object.name}/${handler.finalizer}`,
  }));
  const isDeadEnd = handler.waits === undefined || handler.waits.awaits?.length === 0;
  return [...handlerAdvice(handler), ...(isDeadEnd ? byHand : [])];
}

/** For an object that waits for a cycle without being on it. */
function breakCycle(tracked: TrackedView, first: KubeObject): OfferedRemedy {
  const title = `see how ${objectTitle(first)} can stop waiting, which ends the deadlock`;
  return adviceToLook('break-cycle', title, [
    'gc-tree',
    'why',
    ...requestWords.onObject(tracked.view.catalog, first),
  ]);
}

/** Returns advice on the last object that an operator can deal with. `log`: whose log has to confirm a guess. */
function lookAtEnd(
  tracked: TrackedView,
  links: readonly ChainLink[],
  {
    cycle,
    alike,
    log,
  }: { readonly cycle: Cycle | undefined; readonly alike: readonly Wait[]; readonly log: string },
): readonly OfferedRemedy[] {
  // Nothing on a cycle ends by being looked at.
  if (cycle !== undefined) return [];
  const last = objectOf(tracked, links.at(-1));
  if (last !== undefined && links.at(-1)?.because === NOT_DELETED) {
    const more = links.length > 1 ? [] : alike.map(({ on }) => on);
    const alive = more.filter(each => each instanceof KubeObject && !isDeleting(each)).map(identified);
    const titles = enumerated([identityOfObject(last), ...alive].map(objectTitle), NAMED);
    const sure = log === '' ? '' : `, and if the log of ${log} shows that it waits for that`;
    const they = alive.length === 0 ? ['it is', 'it goes'] : ['they are', 'them goes'];
    return [
      {
        ...adviceToLook(
          'delete-first',
          `delete ${titles} first, if ${they[0]} no longer needed${sure}: what waits for ${they[1]} on by itself`,
          ['gc-tree', 'plan', 'delete', ...requestWords.onObject(tracked.view.catalog, last)],
        ),
        risk: 'caution',
      },
    ];
  }
  const deleting = links.map(link => objectOf(tracked, link)).findLast(each => each && isDeleting(each));
  if (deleting === undefined) return [];
  return [adviceToLookFurther(tracked.view, deleting)];
}

function objectOf(tracked: TrackedView, link: ChainLink | undefined): KubeObject | undefined {
  return link && tracked.node(link.object.uid)?.object;
}

/** Ends at a root, an absent owner, or a closing cycle. */
export function ownersChain(tracked: TrackedView, start: GraphNode): ChainLink[] {
  const state =
    start.object === undefined ? { because: 'only known from references to it' } : ownerState(start.object);
  const links: ChainLink[] = [{ object: start.identity, by: '', ...state }];
  const seen = new Set<Uid>([start.identity.uid]);
  for (let node = start; ; ) {
    const reference = mainOwner(node.owners);
    if (reference === undefined) return links;
    const owner = tracked.node(reference.uid);
    const by = reference.controller === true ? 'controlled by' : 'owned by';
    const status = tracked.ownerStatus(node, reference);
    const others = node.owners.length - 1;
    const more = others === 0 ? '' : `, and by ${others} more`;
    if (owner === undefined || seen.has(reference.uid) || status !== 'Solid') {
      const closes = seen.has(reference.uid) ? 'here a cycle of owners closes' : ownerFaults[status];
      links.push(chainLink(asReferred(node, reference), by, `${closes}${more}`));
      return links;
    }
    seen.add(reference.uid);
    const state = ownerState(owner.object);
    links.push({ object: owner.identity, by, ...state, because: `${state.because}${more}` });
    node = owner;
  }
}

/** Prefers the controller, as users do; the collector makes no difference between owners. */
function mainOwner(owners: readonly OwnerReference[]): OwnerReference | undefined {
  return owners.find(({ controller }) => controller === true) ?? owners[0];
}

export const ownerFaults = {
  Solid: 'is there',
  WaitingForDependents: 'is being deleted in the foreground',
  Absent: "doesn't exist",
  Mismatched: 'is another object than the reference says',
  OtherNamespace: 'is in another namespace',
  ClusterScopeViolation: 'is namespaced, while its dependent is not',
  Unresolvable: 'is of a kind that is not served',
  Unknown: 'cannot be seen',
} as const;

function asReferred(node: GraphNode, { apiVersion, kind, name, uid }: OwnerReference): Identity {
  return { apiVersion, kind, namespace: node.identity.namespace, name, uid };
}

function ownerState(object: KubeObject | undefined): Pick<ChainLink, 'because' | 'since'> {
  // The first node describes itself, so this owner was found by a look-up.
  if (object === undefined) return { because: 'there, though no list holds it yet' };
  if (!isDeleting(object)) {
    const created = object.creationTimestamp;
    return { because: 'there', since: created === 0 ? undefined : created };
  }
  return deletionState(object);
}

/** Ends with the container if nothing inside it decides. */
export function chainInto(
  tracked: TrackedView,
  container: KubeObject,
  deciding: KubeObject | undefined,
  because: string,
): ChainLink[] {
  const by = container.facts?.kind === 'Namespace' ? 'still contains' : 'still has';
  const inside = deciding === undefined ? [] : chainOf(tracked, deciding);
  return [
    chainLink(container, '', because, container.deletionTimestamp),
    ...inside.map((link, index) => (index === 0 ? { ...link, by } : link)),
  ];
}
