/** Explains why an object is still being deleted at rest (docs/kubernetes.md §3, §4, §8, §10). */

import { Classified, LiveLookup } from '../../collector/index.ts';
import { type ClusterView, type Identity, identityOfObject, objectDeletion } from '../../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  objectTitleIn,
  shownName,
  textEscapes,
} from '../../model/index.ts';
import { type ApiStore, type SimulatedDiscovery, useProtections } from '../../simulation/index.ts';
import type { FinalizerHandler } from '../finalizer-handlers.ts';
import { type Hold, type HoldByObject, type HoldEnd, type HoldWorld, holdsOf, leadsOn } from '../holds.ts';
import { ReportedContent, reportedBySnapshot } from '../reported-content.ts';
import { type Refusals, refusedBy, refusedWords } from '../run-admission.ts';
import { type HoldCycle, HoldPath, type HoldStep } from './deciding-path.ts';
import type { TerminatingObject } from './forecast-result.ts';
import { isReported } from './unseen-objects.ts';

export interface EndState {
  readonly view: ClusterView;
  readonly store: ApiStore;
  readonly discovery: SimulatedDiscovery;
  readonly refusals: Refusals;
  /** Undefined without a judge. */
  readonly handlerOf: ((object: KubeObject, finalizer: string) => FinalizerHandler) | undefined;
  /** True if nothing continues the run, so that its end can be explained later. */
  readonly isFinal: boolean;
}

interface Waits {
  /** One thing each; never empty. */
  readonly words: readonly string[];
  readonly cause: string | undefined;
  readonly handlers: readonly FinalizerHandler[];
}

/** Maximum number of holders of one kind that are named. */
const NAMED = 5;

export function waitsOf(state: EndState, object: KubeObject): Waits {
  const world = worldOf(state);
  const found = holdsOf(world, object);
  const handlers = found.flatMap(({ by, finalizer }) =>
    by === 'finalizer' && useProtections.of(object, finalizer) === undefined
      ? (state.handlerOf?.(object, finalizer) ?? [])
      : [],
  );
  const reasons = reasonsOn(state, world, object, found);
  return { words: reasons.map(({ words }) => words), cause: reasons[0]?.cause, handlers };
}

interface Reason {
  readonly words: string;
  /** See `TerminatingObject`. */
  readonly cause?: string | undefined;
}

/** An object held in a final state without a judge. Explains its waits on demand, because effects name few of them. */
export class LaterExplained implements TerminatingObject {
  readonly object: Identity;
  readonly finalizers: readonly string[];
  readonly handlers = [];
  readonly anyway: boolean;
  readonly #state: EndState;
  readonly #held: KubeObject;
  #words: readonly string[] | undefined;

  constructor(state: EndState, held: KubeObject, anyway: boolean) {
    this.object = identityOfObject(held);
    this.finalizers = objectDeletion.finalizers(held);
    this.anyway = anyway;
    this.#state = state;
    this.#held = held;
  }

  get waitingFor(): readonly string[] {
    return (this.#words ??= waitsOf(this.#state, this.#held).words);
  }
}

function reasonsOn(
  state: EndState,
  world: HoldWorld,
  object: KubeObject,
  found: readonly Hold[],
): readonly Reason[] {
  const namespace = object.facts?.kind === 'Namespace' ? object.name : object.namespace;
  const byFinalizer = Map.groupBy(found, hold => (leadsOn(hold) ? hold.finalizer : hold));
  return [...byFinalizer.values()].flatMap(holds => {
    const reasons = holds.slice(0, NAMED).flatMap((hold): readonly Reason[] => {
      if (hold.by === 'finalizer') return ownReasons(state, object, hold, namespace);
      if (!leadsOn(hold)) return [{ words: endWords(state, hold), cause: endCause(hold) }];
      const path = HoldPath.deciding(world, hold.object, [object]);
      return [{ words: byObject(state, path, hold.by, namespace), cause: pathCause(path, namespace) }];
    });
    if (holds.length > NAMED) reasons.push({ words: `${holds.length - NAMED} more like these` });
    return reasons;
  });
}

function pathCause(path: readonly HoldStep[], namespace: string): string | undefined {
  const { object, hold } = path.at(-1) ?? {};
  if (object === undefined || hold === undefined) return undefined;
  if (hold.by === 'finalizer') return `${shownName(hold.finalizer)} holds ${shownName(object.name)}`;
  return hold.by === 'alive' ? `waits for ${objectTitleIn(object, namespace)}` : endCause(hold);
}

function endCause(hold: HoldStep['hold']): string | undefined {
  if (hold.by === 'finalizer') return `held by ${shownName(hold.finalizer)}`;
  if (hold.by === 'kubelet') return `waits for the kubelet on ${shownName(hold.node)}`;
  if (hold.by === 'discovery') return `discovery of ${hold.groupVersions.join(', ')} fails`;
  return hold.by === 'admission' ? `${hold.operation} refused: ${hold.words}` : undefined;
}

/** Names the users that keep a protected object. */
function ownReasons(
  state: EndState,
  object: KubeObject,
  hold: Extract<Hold, { by: 'finalizer' }>,
  namespace: string,
): readonly Reason[] {
  const { finalizer } = hold;
  const { view, store } = state;
  const users = useProtections.users(
    {
      type: (apiVersion, kind) => view.catalog.resolveKind(apiVersion, kind),
      find: (type, within, name) => store.find(type, within, name),
      all: (type, within) => store.list(type, within),
    },
    object,
    finalizer,
  );
  if (users.length === 0) return [{ words: endWords(state, hold), cause: endCause(hold) }];
  const words = users.slice(0, NAMED).map(user => ({
    words: `${objectTitleIn(user, namespace)}, which uses it`,
    cause: `waits for ${objectTitleIn(user, namespace)}`,
  }));
  return users.length > NAMED ? [...words, { words: `${users.length - NAMED} more like these` }] : words;
}

function worldOf({ view, store, discovery, refusals }: EndState): HoldWorld {
  const lookup = new LiveLookup(view);
  const contents: HoldWorld['contents'] = namespace => {
    const left = new Set<KubeObject>();
    for (const type of view.catalog.types) {
      if (!type.preferred || !type.namespaced || !type.verbs.includes('delete')) continue;
      for (const object of store.list(type, namespace)) if (!isReported(object)) left.add(object);
    }
    return [...left];
  };
  // The simulation knows no more about unseen content.
  const asObserved = (object: KubeObject): KubeObject => view.graph.get(object.uid)?.object ?? object;
  return {
    type: (apiVersion, kind) => view.catalog.resolveKind(apiVersion, kind),
    find: (type, namespace, name) => store.find(type, namespace, name),
    list: (type, namespace) => store.list(type, namespace),
    ownedBy: owner => store.ownedBy(owner.uid),
    contents,
    reported: namespace => ReportedContent.words(reportedBySnapshot(view, asObserved(namespace))),
    unlisted: object => ReportedContent.unlistedWords(asObserved(object)),
    instances: ({ facts }) => {
      const [type] = facts?.kind === 'CustomResourceDefinition' ? discovery.typesOf(facts) : [];
      return type === undefined ? [] : store.list(type).filter(each => !isReported(each));
    },
    classify: object =>
      Classified.of(object.owners, object.namespace, {
        scopeOf: (apiVersion, kind) => lookup.scopeOf(apiVersion, kind),
        getOwner: identity => {
          const type = view.catalog.resolveKind(identity.apiVersion, identity.kind);
          const found = type && store.find(type, identity.namespace, identity.name);
          if (found === undefined) return lookup.getOwner(identity);
          return { state: 'found', uid: found.uid, foreground: objectDeletion.isForeground(found) };
        },
        remembersAbsent: () => false,
        rememberAbsent: () => {},
      }),
    refusal: ({ uid }) => {
      const refusal = refusals.get(uid);
      if (refusal === undefined) return undefined;
      const { operation, actor, objection } = refusal;
      return { operation, actor, words: refusedWords(refusedBy(objection), objection.because) };
    },
    undiscoverable: discovery.failedGroupVersions,
    // At rest, every grace period is over.
    reached: () => true,
  };
}

function endWords({ view }: EndState, hold: HoldEnd): string {
  switch (hold.by) {
    case 'itself':
      return 'itself: its owner reference to itself blocks its deletion (blockOwnerDeletion)';
    case 'collector':
      if (hold.awaits === 'orphaning') {
        return 'the garbage collector, which cannot remove the owner references from all dependents';
      }
      return view.complete
        ? 'the garbage collector, though nothing that can be seen blocks it'
        : 'a dependent that cannot be seen, or the garbage collector';
    case 'finalizer':
      return `finalizer ${hold.finalizer}, which its own controller has to remove`;
    case 'unseenClaim':
      return `PersistentVolumeClaim ${hold.namespace}/${hold.name}, to which it is bound`;
    case 'unseen':
      return unseenWords(view, hold);
    case 'discovery':
      return `the discovery of ${hold.groupVersions.join(', ')}, which fails`;
    case 'kubelet': {
      const kubelet = `the kubelet on ${hold.node}`;
      if (hold.state !== 'notReady') return kubelet;
      return hold.mirror
        ? `${kubelet}: the node is not ready, so the mirror of its static pod stays unless it is deleted by force`
        : `${kubelet}: the node is not ready, so no kubelet confirms that the pod has stopped`;
    }
    case 'apiServer':
      return 'the API server';
    case 'uncollected':
      return uncollected(hold);
    case 'admission':
      return refusalWords(hold, ', which');
    case 'alive':
      return 'nothing: it is not being deleted';
  }
}

function unseenWords(
  view: ClusterView,
  { what, reported, unlisted }: Extract<Hold, { by: 'unseen' }>,
): string {
  if (reported !== '') return `${reported}, which cannot be seen`;
  if (unlisted !== '')
    return `${what === 'instances' ? 'its instances' : 'content'}, which the API server cannot list: ${unlisted}`;
  if (what === 'instances') return 'its instances, which cannot be seen';
  return view.completeEverywhere
    ? 'the namespace controller, which has not come back to it'
    : 'content that cannot be seen';
}

function byObject(
  state: EndState,
  path: readonly HoldStep[],
  by: HoldByObject['by'],
  namespace: string,
): string {
  const [first] = path;
  const start = first === undefined ? '' : objectTitleIn(first.object, namespace);
  if (by === 'claim') return `${start}, to which it is bound`;
  const words: string[] = by === 'user' ? ['which mounts it'] : [];
  for (const [index, { object: at, hold }] of path.entries()) {
    if (leadsOn(hold)) {
      words.push(`which waits for ${objectTitleIn(hold.object, namespace)}${inAddition(hold)}`);
    } else if (hold.by === 'cycle') {
      return `${[start, ...words].join(', ')}: ${cycle(hold, [by, ...path.map(step => step.hold.by)], namespace)}`;
    } else {
      const word = atTheEnd(state, at, hold, index === 0 ? by : 'dependent');
      if (word !== undefined) words.push(word);
    }
  }
  return [start, ...words].join(', ');
}

function inAddition({ by, finalizer }: HoldByObject): string {
  if (by === 'user') return `, which mounts it (finalizer ${finalizer})`;
  return by === 'claim' ? `, to which it is bound (finalizer ${finalizer})` : '';
}

function cycle({ members }: HoldCycle, holds: readonly string[], namespace: string): string {
  if (!holds.every(by => by === 'dependent' || by === 'cycle')) return 'a deadlock';
  const names = members.map(each => objectTitleIn(each, namespace));
  return `a cycle of blocking owner references (${names.join(' → ')} → ${names[0] ?? ''}), each deleting in the foreground and waiting for the next`;
}

function atTheEnd(
  state: EndState,
  object: KubeObject,
  hold: HoldEnd,
  by: HoldByObject['by'],
): string | undefined {
  switch (hold.by) {
    case 'itself':
      return 'which waits for itself by a blocking owner reference to itself';
    case 'finalizer':
      return `held by finalizer ${othersOf(object).join(' and ')}`;
    case 'uncollected':
      return uncollected(hold);
    case 'admission':
      return `about which ${refusalWords(hold)}`;
    case 'alive':
      return by === 'dependent' ? 'which is not being deleted' : undefined;
    case 'unseenClaim':
      return `which waits for ${endWords(state, hold)} (finalizer ${hold.finalizer})`;
    case 'collector':
    case 'unseen':
    case 'discovery':
    case 'kubelet':
    case 'apiServer':
      return `which waits for ${endWords(state, hold)}`;
  }
}

function refusalWords({ operation, actor, words }: Extract<Hold, { by: 'admission' }>, which = ''): string {
  return `the ${operation} by ${actor}${which} is refused: ${words}`;
}

/** Returns the finalizers that end the path at an object. */
function othersOf(object: KubeObject): readonly string[] {
  return objectDeletion
    .finalizers(object)
    .filter(each => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER);
}

/** Explains why the collector doesn't delete a dependent. */
function uncollected({ because, reference }: Extract<Hold, { by: 'uncollected' }>): string {
  const { kind, apiVersion, name } = textEscapes.asShown(reference);
  if (because === 'clusterScope') {
    return `which is cluster-scoped and never collected for a namespaced owner (${kind} ${name})`;
  }
  return because === 'unresolvable'
    ? `which is never collected while its owner kind ${apiVersion} ${kind} cannot be resolved`
    : `which is not collected while its owner ${kind} ${name} cannot be looked up`;
}
