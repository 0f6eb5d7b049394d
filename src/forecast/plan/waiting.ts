/**
 * Why an object that is being deleted is still there when nothing moves any more, in words: the finalizers that
 * hold it, and for each the one thing at the end of the way (docs/kubernetes.md §3, §4, §8, §10).
 */

import { classifyReferences } from '../../collector/decide.ts';
import { LiveLookup } from '../../collector/live-lookup.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { finalizersOf, isForeground } from '../../graph/deletion.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../../model/object.ts';
import { asShown, shownName } from '../../model/text/shown.ts';
import type { SimulatedDiscovery } from '../../simulation/api/discovery.ts';
import type { ApiStore } from '../../simulation/api/store.ts';
import { type Hold, type HoldByObject, type HoldWorld, holdsOf, leadsOn } from '../holds.ts';
import { decidingPath, type HoldCycle, type HoldStep } from './deciding-path.ts';

export interface EndState {
  readonly view: ClusterView;
  readonly store: ApiStore;
  readonly discovery: SimulatedDiscovery;
}

/** Of things of one kind that hold something up, so many are named. */
const NAMED = 5;

/** `Pod web-2`, with its namespace where that isn't the one around it. */
function title(object: KubeObject, namespace: string): string {
  const place =
    object.namespace === '' || object.namespace === namespace ? '' : `${shownName(object.namespace)}/`;
  return `${shownName(object.type.kind)} ${place}${shownName(object.name)}`;
}

/** In words, each naming one thing; never empty. */
export function waitingFor(state: EndState, object: KubeObject): string[] {
  const world = worldOf(state);
  const namespace = object.facts?.kind === 'Namespace' ? object.name : object.namespace;
  const reasons: string[] = [];
  let held: HoldByObject[] = [];
  const tellHeld = (): void => {
    for (const { object: next, by } of held.slice(0, NAMED)) {
      reasons.push(byObject(decidingPath(world, next, { above: [object] }), { by, namespace }));
    }
    if (held.length > NAMED) reasons.push(`${held.length - NAMED} more like these`);
    held = [];
  };
  for (const hold of holdsOf(world, object)) {
    if (held[0] !== undefined && held[0].finalizer !== hold.finalizer) tellHeld();
    if (leadsOn(hold)) held.push(hold);
    else reasons.push(byItself(state, hold));
  }
  tellHeld();
  return reasons;
}

function worldOf({ view, store, discovery }: EndState): HoldWorld {
  const lookup = new LiveLookup(view);
  return {
    type: (apiVersion, kind) => view.catalog.resolveKind(apiVersion, kind),
    find: (type, namespace, name) => store.find(type, namespace, name),
    list: (type, namespace) => store.list(type, namespace),
    ownedBy: owner => store.ownedBy(owner.uid),
    contents: namespace => {
      const left = new Set<KubeObject>();
      for (const type of view.catalog.types) {
        if (!type.preferred || !type.namespaced || !type.verbs.includes('delete')) continue;
        for (const object of store.list(type, namespace)) left.add(object);
      }
      return [...left];
    },
    instances: ({ facts }) => {
      const [type] = facts?.kind === 'CustomResourceDefinition' ? discovery.typesOf(facts) : [];
      return type === undefined ? [] : store.list(type);
    },
    classify: object =>
      classifyReferences(object.owners, object.namespace, {
        scopeOf: (apiVersion, kind) => lookup.scopeOf(apiVersion, kind),
        getOwner: identity => {
          const type = view.catalog.resolveKind(identity.apiVersion, identity.kind);
          const found = type && store.find(type, identity.namespace, identity.name);
          if (found === undefined) return lookup.getOwner(identity);
          return { state: 'found', uid: found.uid, foreground: isForeground(found) };
        },
        remembersAbsent: () => false,
        rememberAbsent: () => {},
      }),
    undiscoverable: discovery.failedGroupVersions,
    // At rest every grace period is over.
    reached: () => true,
  };
}

/** A hold that ends the way at the object itself. */
function byItself({ view }: EndState, hold: Exclude<Hold, HoldByObject>): string {
  switch (hold.by) {
    case 'itself':
      return 'itself: its owner reference to itself blocks its deletion (blockOwnerDeletion)';
    case 'collector':
      if (hold.awaits === 'orphaning') {
        return 'the garbage collector, which can not take the owner references off all dependents';
      }
      return view.complete
        ? 'the garbage collector, though nothing that can be seen blocks it'
        : 'a dependent that can not be seen, or the garbage collector';
    case 'finalizer':
      return `finalizer ${hold.finalizer}, which its own controller has to remove`;
    case 'unseenClaim':
      return `PersistentVolumeClaim ${hold.namespace}/${hold.name}, to which it is bound`;
    case 'unseen':
      return hold.what === 'instances'
        ? 'its instances, which can not be seen'
        : 'content that can not be seen';
    case 'discovery':
      return `the discovery of ${hold.groupVersions.join(', ')}, which fails`;
    case 'kubelet':
    case 'apiServer':
      return confirmer(hold);
    case 'uncollected':
      return uncollected(hold);
    case 'alive':
      return 'nothing: it is not being deleted';
  }
}

interface Place {
  /** How the beginning of the path holds the object that is asked about. */
  readonly by: HoldByObject['by'];
  readonly namespace: string;
}

/** What holds something up, with what holds it in turn, down to the thing that decides. */
function byObject(path: readonly HoldStep[], { by, namespace }: Place): string {
  const [first] = path;
  const start = first === undefined ? '' : title(first.object, namespace);
  if (by === 'claim') return `${start}, to which it is bound`;
  const words: string[] = by === 'user' ? ['which mounts it'] : [];
  for (const [index, { object: at, hold }] of path.entries()) {
    if (leadsOn(hold)) {
      words.push(`which waits for ${title(hold.object, namespace)}${inAddition(hold)}`);
    } else if (hold.by === 'cycle') {
      return `${[start, ...words].join(', ')}: ${circle(hold, [by, ...path.map(step => step.hold.by)], namespace)}`;
    } else {
      const word = atTheEnd(at, hold, index === 0 ? by : 'dependent');
      if (word !== undefined) words.push(word);
    }
  }
  return [start, ...words].join(', ');
}

function inAddition({ by, finalizer }: HoldByObject): string {
  if (by === 'user') return `, which mounts it (finalizer ${finalizer})`;
  return by === 'claim' ? `, to which it is bound (finalizer ${finalizer})` : '';
}

function circle({ members }: HoldCycle, holds: readonly string[], namespace: string): string {
  if (!holds.every(by => by === 'dependent' || by === 'cycle')) return 'a deadlock';
  const names = members.map(each => title(each, namespace));
  return `a cycle of blocking owner references (${names.join(' → ')} → ${names[0] ?? ''}), each deleting in the foreground and waiting for the next`;
}

function atTheEnd(
  object: KubeObject,
  hold: Exclude<HoldStep['hold'], HoldByObject | HoldCycle>,
  by: HoldByObject['by'],
): string | undefined {
  switch (hold.by) {
    case 'itself':
      return 'which waits for itself by a blocking owner reference to itself';
    case 'finalizer':
      return `held by finalizer ${othersOf(object).join(' and ')}`;
    case 'uncollected':
      return uncollected(hold);
    case 'alive':
      return by === 'dependent' ? 'which is not being deleted' : undefined;
    case 'collector':
      return hold.awaits === 'orphaning'
        ? 'which waits for the garbage collector to take the owner references off its dependents'
        : 'which waits for the garbage collector, though nothing that can be seen blocks it';
    case 'unseenClaim':
      return `which waits for PersistentVolumeClaim ${hold.namespace}/${hold.name}, to which it is bound (finalizer ${hold.finalizer})`;
    case 'unseen':
      return `which waits for ${hold.what} that can not be seen`;
    case 'discovery':
      return `which waits for the discovery of ${hold.groupVersions.join(', ')}, which fails`;
    case 'kubelet':
    case 'apiServer':
      return `which waits for ${confirmer(hold)}`;
  }
}

/** The finalizers that end the way at an object. */
function othersOf(object: KubeObject): readonly string[] {
  return finalizersOf(object).filter(each => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER);
}

/** Why the collector doesn't delete a dependent whose owner waits for it. */
function uncollected({ because, reference }: Extract<Hold, { by: 'uncollected' }>): string {
  const { kind, apiVersion, name } = asShown(reference);
  if (because === 'clusterScope') {
    return `which is cluster-scoped and never collected for a namespaced owner (${kind} ${name})`;
  }
  return because === 'unresolvable'
    ? `which is never collected while its owner kind ${apiVersion} ${kind} can not be resolved`
    : `which is not collected while its owner ${kind} ${name} can not be looked up`;
}

/** Only a pod can be deleting without a finalizer: its kubelet has to confirm. */
function confirmer(hold: Extract<Hold, { by: 'kubelet' | 'apiServer' }>): string {
  if (hold.by === 'apiServer') return 'the API server';
  const kubelet = `the kubelet on ${hold.node}`;
  return hold.state === 'notReady'
    ? `${kubelet}: the node is not ready, so nobody confirms that the pod has stopped`
    : kubelet;
}
