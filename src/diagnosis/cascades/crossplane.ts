/**
 * Crossplane: the deletion of a claim, which has no owner reference to its composite, of a composite, or of a managed
 * resource, which represents something outside the cluster. Sources: the reconcilers of claims, composites and usages
 * below internal/controller of crossplane (v1.20, v2), and pkg/reconciler/managed/reconciler.go and policies.go of
 * crossplane-runtime: what is paused keeps its finalizer.
 */

import type { GraphNode } from '../../graph/index.ts';
import {
  controllerOf,
  type JsonRecord,
  type KubeObject,
  Labels,
  list,
  objectTitle,
  record,
  texts,
} from '../../model/index.ts';
import { type CascadeContext, type CascadeRule, type Managing } from './cascade-context.ts';
import { deletedByHandler, deletedOnRequest, type Fate, kept, keptIfLost, maybeDeleted } from './fates.ts';
import { type Recreation, referred } from './tool-marks.ts';

const CLAIM = 'finalizer.apiextensions.crossplane.io';
const COMPOSITE = 'composite.apiextensions.crossplane.io';
const MANAGED = 'finalizer.managedresource.crossplane.io';
const IN_USE = 'crossplane.io/in-use';
const PAUSED = 'crossplane.io/paused';
const EXTERNAL = 'external resource';

/** Records the composite, which Crossplane deletes; the collector deletes what that owns. */
function claimCascade(context: CascadeContext, { node, by, json }: Managing): void {
  const composite = referred(context, record(json['spec'])['resourceRef'], '');
  if (composite === undefined) return context.cannotTell(by, 'spec.resourceRef names no composite resource');
  if (composite.state === 'absent') return;
  const stays = keptIfLost(context, node.uid, `the finalizer ${CLAIM}, and Crossplane`);
  if (stays !== undefined) return context.tell({ object: composite.identity, by, ...stays });
  const foreground = record(json['spec'])['compositeDeletePolicy'] === 'Foreground';
  const because = `its finalizer ${CLAIM} has Crossplane delete the composite resource of the claim${foreground ? ', in the foreground (spec.compositeDeletePolicy)' : ''}`;
  const fate = unlessPaused(context, node, CLAIM, because);
  context.tell({ object: composite.identity, by, ...fate }, composite.node);
  if (composite.state === 'unread')
    context.cannotTell(
      by,
      `${objectTitle(composite.identity)} was not read${context.view.scope === undefined ? '' : ' (-A reads everything)'}: what it composes is deleted with it`,
    );
}

/** Records what a composite names but doesn't own, and so leaves. */
function compositeCascade(context: CascadeContext, { node, object, by, json }: Managing): void {
  const spec = record(json['spec']);
  const references = [...list(record(spec['crossplane'])['resourceRefs']), ...list(spec['resourceRefs'])];
  for (const reference of references) {
    const composed = referred(context, reference, object.namespace);
    if (composed === undefined || composed.state === 'absent') continue;
    const { identity, node: found } = composed;
    if (found?.owners.some(({ uid }) => uid === node.uid) === true) continue;
    const unread = 'whether they have an owner reference to it, by which they are deleted, is not known';
    const fate =
      found === undefined
        ? maybeDeleted(`it composes them; ${context.notRead(unread)}`)
        : kept('it composes them, but they have no owner reference to it');
    context.tell({ object: identity, by, ...fate });
  }
}

function managedResourceCascade(context: CascadeContext, { node, json }: Managing): void {
  const leaves = leftOutside(json);
  const because = `the finalizer ${MANAGED} has the provider delete what they stand for`;
  const fate =
    keptIfLost(context, node.uid, `the finalizer ${MANAGED}, and the provider`) ??
    (leaves === undefined ? unlessPaused(context, node, MANAGED, because) : kept(leaves));
  context.tell({ object: node.identity, by: "Crossplane's provider", part: EXTERNAL, ...fate });
}

/** Judges the handler of a finalizer: a paused object keeps it, as does one whose controller doesn't run. */
function unlessPaused(context: CascadeContext, node: GraphNode, finalizer: string, because: string): Fate {
  const until = `once the annotation ${PAUSED} is taken off: until then the finalizer stays`;
  return node.object !== undefined && isPaused(node.object)
    ? deletedOnRequest(`${because}, ${until}`)
    : deletedByHandler(context, node, finalizer, because);
}

function isPaused({ annotations }: KubeObject): boolean {
  return Labels.value(annotations, PAUSED) === 'true';
}

function leftOutside(json: JsonRecord): string | undefined {
  const spec = record(json['spec']);
  const { managementPolicies } = spec;
  const policies = texts(managementPolicies);
  if (Array.isArray(managementPolicies) && !policies.includes('*') && !policies.includes('Delete'))
    return `spec.managementPolicies are ${policies.length === 0 ? 'empty, which pauses it, so that its finalizer stays' : policies.filter(each => /^[A-Za-z]+$/u.test(each)).join(', ')}${policies.length === 0 ? '' : ', without Delete'}`;
  return spec['deletionPolicy'] === 'Orphan' && (policies.length === 0 || policies.includes('*'))
    ? 'spec.deletionPolicy is Orphan'
    : undefined;
}

/** Notes that a webhook refuses the deletion while a Usage protects the object. */
export function usedBy(context: CascadeContext, { object, identity }: GraphNode): void {
  if (object === undefined || Labels.value(object.labels, IN_USE) !== 'true') return;
  context.cannotTell(
    'Crossplane',
    `${objectTitle(identity)} has the label ${IN_USE}: as long as a Usage protects it, the webhook of Crossplane refuses its deletion`,
  );
}

export function composerOf(context: CascadeContext, object: KubeObject): GraphNode | undefined {
  if (Labels.value(object.labels, 'crossplane.io/composite') === undefined) return undefined;
  const controller = controllerOf(object);
  const node = controller && context.view.graph.get(controller.uid);
  return node === undefined ||
    node.virtual ||
    node.object?.name !== Labels.value(object.labels, 'crossplane.io/composite')
    ? undefined
    : node;
}

export function recomposed(composite: GraphNode): Recreation {
  const title = objectTitle(composite.identity);
  const instead = `delete ${title}, or take it out of its composition`;
  if (composite.object !== undefined && isPaused(composite.object))
    return { when: 'onRequest', because: `${title} is paused (annotation ${PAUSED})`, instead };
  return { when: 'automatically', because: 'it creates again what it composes', instead };
}

export const crossplaneRules: readonly CascadeRule[] = [
  { tool: 'Crossplane', of: ({ finalizers }) => finalizers.includes(CLAIM), cascade: claimCascade },
  { tool: 'Crossplane', of: ({ finalizers }) => finalizers.includes(COMPOSITE), cascade: compositeCascade },
  {
    tool: 'Crossplane',
    of: ({ finalizers }) => finalizers.includes(MANAGED),
    cascade: managedResourceCascade,
  },
];
