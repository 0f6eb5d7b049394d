/**
 * Finds causes that hold the content of a namespace, the instances of a definition, the pods on a node, or the objects
 * of an application.
 */
import type { Identity } from '../../graph/index.ts';
import { counted, type KubeObject, objectTitle, type Uid } from '../../model/index.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { type Cause, causesOf } from '../waits/causes.ts';
import { managedBy, mayManage } from './managed-by.ts';

/** Lists causes worst first, including those of the object itself; empty if they hold no other object. */
function within(diagnosis: Diagnosis, object: KubeObject): readonly Cause[] {
  const members = new Set([object, ...membersOf(diagnosis, object)]);
  const findings = [...members].flatMap(({ uid }) => diagnosis.of(uid));
  const causes = causesOf(findings).filter(({ severity }) => severity !== 'info');
  return causes.some(({ holds }) => holds.some(({ uid }) => uid !== object.uid)) ? causes : [];
}

/** `The worst of 3 causes in Namespace shop holds 2 objects: example.com/drain: nothing in this cluster handles it.` */
function sentence(causes: readonly Cause[], within: Identity): string {
  const [worst] = causes;
  if (worst === undefined) return '';
  const { because, certainty, holds } = worst;
  const which = causes.length === 1 ? 'One cause' : `The worst of ${causes.length} causes`;
  const assumed = certainty === 'assumed' ? ' (assumed)' : '';
  const where = places[within.kind] ?? 'in objects of';
  return `${which} ${where} ${objectTitle(within)} holds ${counted(holds.length, 'object')}: ${because}${assumed}.`;
}

const places: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'in instances of',
  Namespace: 'in',
  Node: 'on',
};

function membersOf({ tracked }: Diagnosis, { facts, name, uid }: KubeObject): Iterable<KubeObject> {
  const { view } = tracked;
  const node = tracked.node(uid);
  if (node !== undefined && mayManage(view, node)) return managedObjects(tracked, uid);
  if (facts?.kind === 'Namespace') return tracked.contents(name);
  if (facts?.kind === 'Node') return view.podsOn(name);
  if (facts?.kind !== 'CustomResourceDefinition') return [];
  const type = view.catalog.preferredOf({ group: facts.group, resource: facts.plural });
  return type === undefined ? [] : tracked.all(type);
}

function* managedObjects({ view }: TrackedView, manager: Uid): Generator<KubeObject> {
  for (const node of view.graph.nodes()) {
    const { object } = node;
    if (object !== undefined && managedBy(view, node).some(each => each.object?.uid === manager))
      yield object;
  }
}

export const CausesWithin = { of: within, sentence };
