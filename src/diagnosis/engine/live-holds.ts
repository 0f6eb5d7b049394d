/** Looks up what holds an object through a tracked view: the steps of `forecast/holds.ts` on the live cluster. */

import { Classified, LiveLookup } from '../../collector/index.ts';
import { HoldPath, type HoldStep, type HoldWorld, holdsOf, ReportedContent } from '../../forecast/index.ts';
import { joinApiVersion, type KubeObject } from '../../model/index.ts';
import type { TrackedView } from './tracked-view.ts';

export function worldOf(tracked: TrackedView): HoldWorld {
  return {
    type: (apiVersion, kind) => tracked.type(apiVersion, kind),
    find: (type, namespace, name) => tracked.find(type, namespace, name),
    list: (type, namespace) => tracked.list(type, namespace),
    ownedBy: owner => {
      const node = tracked.node(owner.uid);
      return node === undefined ? [] : tracked.dependents(node);
    },
    contents: namespace => {
      const left: KubeObject[] = [];
      for (const object of tracked.contents(namespace)) {
        if (object.type.namespaced && object.type.verbs.includes('delete')) left.push(object);
      }
      return left;
    },
    reported: namespace => ReportedContent.words(reportedIn(tracked, namespace)),
    unlisted: ReportedContent.unlistedWords,
    instances: definition => instancesOf(tracked, definition),
    classify: object => classify(tracked, object),
    undiscoverable: tracked.view.failedGroups.map(({ resource }) => resource.replace(/^\*\./, '')),
    reached: at => tracked.lasted(at, 0),
  };
}

/** Lists content that the namespace's conditions name and that cannot be seen. */
export function reportedIn(tracked: TrackedView, namespace: KubeObject): ReportedContent {
  const { name } = namespace;
  return ReportedContent.of(
    tracked.view,
    namespace,
    type => tracked.sees(type, name),
    tracked.contents(name),
  );
}

export function decidingPathOf(tracked: TrackedView, object: KubeObject): readonly HoldStep[] {
  return HoldPath.deciding(worldOf(tracked), object);
}

function instancesOf(tracked: TrackedView, { facts }: KubeObject): readonly KubeObject[] {
  if (facts?.kind !== 'CustomResourceDefinition') return [];
  const { group, definedKind, versions } = facts;
  for (const { name, served } of versions) {
    const type = served ? tracked.type(joinApiVersion(group, name), definedKind) : undefined;
    if (type !== undefined) return [...tracked.all(type)];
  }
  return [];
}

function classify(tracked: TrackedView, { owners, namespace }: KubeObject): Classified {
  for (const { uid } of owners) tracked.node(uid);
  const lookup = new LiveLookup(tracked.view);
  const classified = Classified.of(owners, namespace, lookup);
  for (const owner of lookup.absent) tracked.reliesOnAbsence(owner);
  return classified;
}

export function pathsOf(tracked: TrackedView, object: KubeObject, finalizer: string): readonly HoldPath[] {
  return HoldPath.through(worldOf(tracked), object, finalizer);
}

/** Lists the object's finalizers that nothing else explains and that their setter has to remove. */
export function ownFinalizers(tracked: TrackedView, object: KubeObject): string[] {
  const finalizers: string[] = [];
  for (const { by, finalizer } of holdsOf(worldOf(tracked), object))
    if (by === 'finalizer') finalizers.push(finalizer);
  return finalizers;
}
