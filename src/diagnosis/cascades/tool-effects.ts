/** Predicts how GitOps tools and package managers react to an action, from their documentation. */
import { type Assumed, type AssumedEffect, Forecast, type Warning } from '../../forecast/index.ts';
import { type ClusterView, compareBytes, type GraphNode } from '../../graph/index.ts';
import { ORPHAN_FINALIZER, objectTitle, Sliced } from '../../model/index.ts';
import { argoCdRules } from './argo-cd.ts';
import {
  byTitle,
  CascadeContext,
  type CascadeRule,
  isOfKind,
  type Wanted,
  type WholeObjects,
} from './cascade-context.ts';
import { clusterApiRules } from './cluster-api.ts';
import { crossplaneRules, usedBy } from './crossplane.ts';
import { fluxRules } from './flux.ts';
import { handlersTakenAlong } from './handlers-taken-along.ts';
import { helmRules } from './helm.ts';
import { kappRules } from './kapp.ts';
import { olmRules } from './olm.ts';
import { recreation, reversion } from './recreation-by-tools.ts';

/** Rules for the deletion of managing objects; the first that fits applies. */
const rules: readonly CascadeRule[] = [
  ...argoCdRules,
  ...fluxRules,
  ...helmRules,
  ...crossplaneRules,
  ...clusterApiRules,
  ...olmRules,
  ...kappRules,
];

export interface Cascades extends Assumed {
  /** Objects to read before the next call; without them effects may be missing. */
  readonly wanted: readonly Wanted[];
  readonly alarms: readonly Warning[];
}

/** Needs in `whole` what the previous call requested. */
export function* cascadesOf(view: ClusterView, forecast: Forecast, whole: WholeObjects): Sliced<Cascades> {
  const context = new CascadeContext(view, forecast, whole);
  yield;
  if (forecast.outcome !== 'Refused') {
    const occasion = [...context.occasion()];
    yield;
    yield* Sliced.each(occasion, node => {
      usedBy(context, node);
      cascade(context, node);
    });
    const asked = new Set(occasion.map(({ uid }) => uid));
    yield* Sliced.each(context.follow(), node => {
      if (!asked.has(node.uid)) cascade(context, node);
      alongWith(context, node);
    });
    yield* Sliced.each(context.follow(), node => sharedWith(context, node));
    const gone = new Set(
      [...Forecast.own(forecast.deleted), ...Forecast.own(forecast.terminating)].map(each => each.object.uid),
    );
    for (const { uid } of forecast.action.targets)
      if (context.namesTargets && context.goes(uid)) gone.add(uid);
    yield;
    yield* Sliced.each(gone, uid => {
      const node = view.graph.get(uid);
      if (node !== undefined) recreation(context, node);
    });
    yield* Sliced.each(Forecast.own(forecast.changed), changed => reversion(context, changed));
  }
  return {
    effects: context.effects.toSorted(inOrder),
    unknown: context.unknown,
    wanted: [...context.wanted.values()],
    alarms: handlersTakenAlong(context),
  };
}

function cascade(context: CascadeContext, node: GraphNode): void {
  const { object } = node;
  const rule = object && rules.find(({ of }) => (typeof of === 'string' ? isOfKind(object, of) : of(object)));
  if (object === undefined || rule === undefined) return;
  const by = byTitle(rule.tool, node);
  const json = rule.unread === true ? {} : context.wholeOf(node, by);
  if (json !== undefined) rule.cascade(context, { node, object, by, json });
}

/** Records what the collector and the namespace controller delete along with an object. */
function alongWith(context: CascadeContext, node: GraphNode): void {
  const { view } = context;
  const tell = (found: GraphNode, by: string, because: string, sure = true): void => {
    if (context.goes(found.uid)) return;
    const when = sure ? 'automatically' : 'unknown';
    context.tell({ object: found.identity, by, effect: 'deleted', when, because }, found);
  };
  // The deletion's propagation policy may remove the finalizer (docs/kubernetes.md §4.2).
  const orphans = node.object?.finalizers.includes(ORPHAN_FINALIZER) === true;
  for (const dependent of node.dependents) {
    if (neverCollected(context, dependent) !== undefined) continue;
    const others = dependent.owners.flatMap(({ uid }) => (uid === node.uid ? [] : context.endOf(uid)));
    if (others.includes('stays')) continue;
    const because = orphans
      ? 'their owner is deleted, but may orphan them: it has the finalizer orphan'
      : 'their owners are deleted';
    tell(dependent, 'the garbage collector', because, !orphans && !others.includes('may go'));
  }
  const { apiVersion, kind, name } = node.identity;
  if (kind === 'Namespace' && apiVersion === 'v1') {
    for (const each of view.graph.nodes())
      if (each.object?.namespace === name)
        tell(each, 'the namespace controller', `${objectTitle(node.identity)} is deleted`);
  }
  const facts = node.object?.facts;
  if (facts?.kind === 'CustomResourceDefinition') {
    const type = view.catalog.preferredOf({ group: facts.group, resource: facts.plural });
    for (const each of type === undefined ? [] : view.graph.ofType(type))
      tell(each, 'the API server', `${objectTitle(node.identity)} is deleted`);
  }
}

const effectOrder = ['deleted', 'kept', 'recreated', 'reverted'];

/** Returns the reason that the collector never collects an object, whatever its owners do (docs/kubernetes.md §2.3). */
function neverCollected({ view }: CascadeContext, { object }: GraphNode): string | undefined {
  const owners = object?.owners.map(({ apiVersion, kind }) => view.catalog.resolveKind(apiVersion, kind));
  if (object?.namespace === '' && owners?.some(type => type?.namespaced === true) === true)
    return 'it is cluster-scoped, and something in a namespace cannot own it: it is never collected';
  return owners?.includes(undefined) === true
    ? 'one of its owner references names a kind that is not served: it is never collected'
    : undefined;
}

/** Records dependents that stay, because of another owner or because they are never collected. */
function sharedWith(context: CascadeContext, node: GraphNode): void {
  for (const dependent of node.dependents) {
    if (context.goes(dependent.uid) || context.follows(dependent.uid)) continue;
    const by = 'the garbage collector';
    const because = neverCollected(context, dependent) ?? 'it has other owners, and loses only its reference';
    const effect = { object: dependent.identity, by, effect: 'kept', when: undefined, because } as const;
    context.tell(effect, dependent);
  }
}

function inOrder(a: AssumedEffect, b: AssumedEffect): number {
  return (
    effectOrder.indexOf(a.effect) - effectOrder.indexOf(b.effect) ||
    compareBytes(a.by, b.by) ||
    compareBytes(a.because, b.because) ||
    compareBytes(a.object.kind, b.object.kind) ||
    compareBytes(a.object.namespace, b.object.namespace) ||
    compareBytes(a.object.name, b.object.name)
  );
}
