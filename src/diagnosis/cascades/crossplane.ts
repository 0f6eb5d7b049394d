/**
 * Crossplane: the deletion of a claim, which has no owner reference to its composite, of a composite, or of a managed
 * resource, which represents something outside the cluster. Sources: the reconcilers of claims, composites and usages
 * below internal/controller of crossplane (v1.20, v2), and pkg/reconciler/managed/reconciler.go and policies.go of
 * crossplane-runtime: what is paused keeps its finalizer.
 */
import type { AssumedEffect } from '../../forecast/plan/assumed.ts';
import type { GraphNode } from '../../graph/node.ts';
import { type JsonRecord, list, record, texts } from '../../model/json/json.ts';
import { controllerOf, type KubeObject, labelValue } from '../../model/object.ts';
import { objectTitle } from '../../model/text/titles.ts';
import { byTitle, type CascadeContext } from './context.ts';
import { finalizerOf, type Recreation, referred } from './parts.ts';

const CLAIM = 'finalizer.apiextensions.crossplane.io';
const COMPOSITE = 'composite.apiextensions.crossplane.io';
const MANAGED = 'finalizer.managedresource.crossplane.io';
const IN_USE = 'crossplane.io/in-use';
const PAUSED = 'crossplane.io/paused';
const EXTERNAL = 'external resource';

export function isClaim(object: KubeObject): boolean {
  return finalizerOf(object, [CLAIM]) !== undefined;
}

export function isComposite(object: KubeObject): boolean {
  return finalizerOf(object, [COMPOSITE]) !== undefined;
}

export function isManagedResource(object: KubeObject): boolean {
  return finalizerOf(object, [MANAGED]) !== undefined;
}

/** Records the composite, which Crossplane deletes; the collector deletes what that owns. */
export function claimCascade(context: CascadeContext, node: GraphNode): void {
  const by = byTitle('Crossplane', node);
  const json = context.wholeOf(node, by);
  if (json === undefined) return;
  const composite = referred(context, record(json['spec'])['resourceRef'], '');
  if (composite === undefined) return context.cannotTell(by, 'spec.resourceRef names no composite resource');
  if (composite.state === 'absent') return;
  if (context.loses(node.uid)) {
    const because = `the action takes off the finalizer ${CLAIM}, and Crossplane is not waited for`;
    return context.tell({ object: composite.identity, by, effect: 'kept', when: undefined, because });
  }
  const foreground = record(json['spec'])['compositeDeletePolicy'] === 'Foreground';
  const because = `its finalizer ${CLAIM} has Crossplane delete the composite resource of the claim${foreground ? ', in the foreground (spec.compositeDeletePolicy)' : ''}`;
  context.tell(
    { object: composite.identity, by, effect: 'deleted', ...sureness(context, node, CLAIM, because) },
    composite.node,
  );
  if (composite.state === 'unread')
    context.cannotTell(
      by,
      `${objectTitle(composite.identity)} was not read${context.view.scope === undefined ? '' : ' (-A reads everything)'}: what it composes is deleted with it`,
    );
}

/** Records what a composite names but doesn't own, and so leaves. */
export function compositeCascade(context: CascadeContext, node: GraphNode): void {
  const by = byTitle('Crossplane', node);
  const { object } = node;
  const json = context.wholeOf(node, by);
  if (object === undefined || json === undefined) return;
  const spec = record(json['spec']);
  const references = [...list(record(spec['crossplane'])['resourceRefs']), ...list(spec['resourceRefs'])];
  for (const reference of references) {
    const composed = referred(context, reference, object.namespace);
    if (composed === undefined || composed.state === 'absent') continue;
    const { identity, node: found } = composed;
    if (found === undefined)
      context.tell({
        object: identity,
        by,
        effect: 'deleted',
        when: 'unknown',
        because: `it composes them; ${context.notRead('whether they have an owner reference to it, by which they are deleted, is not known')}`,
      });
    else if (!found.owners.some(({ uid }) => uid === node.uid))
      context.tell({
        object: identity,
        by,
        effect: 'kept',
        when: undefined,
        because: 'it composes them, but they have no owner reference to it',
      });
  }
}

export function managedResourceCascade(context: CascadeContext, node: GraphNode): void {
  const json = context.wholeOf(node, byTitle('Crossplane', node));
  if (json === undefined) return;
  const by = "Crossplane's provider";
  const object = node.identity;
  const kept = { object, by, effect: 'kept', when: undefined, part: EXTERNAL } as const;
  if (context.loses(node.uid))
    return context.tell({
      ...kept,
      because: `the action takes off the finalizer ${MANAGED}, and the provider is not waited for`,
    });
  const leaves = leftOutside(json);
  if (leaves !== undefined) return context.tell({ ...kept, because: leaves });
  const because = `the finalizer ${MANAGED} has the provider delete what they stand for`;
  context.tell({ ...kept, effect: 'deleted', ...sureness(context, node, MANAGED, because) });
}

/** Judges the handler of a finalizer: a paused object keeps it, as does one whose controller doesn't run. */
function sureness(
  context: CascadeContext,
  { uid, object }: GraphNode,
  finalizer: string,
  because: string,
): Pick<AssumedEffect, 'when' | 'because'> {
  if (object !== undefined && isPaused(object))
    return {
      when: 'onRequest',
      because: `${because}, once the annotation ${PAUSED} is taken off: until then the finalizer stays`,
    };
  const unhandled = context.unhandled(uid, finalizer);
  return unhandled === undefined
    ? { when: 'automatically', because }
    : { when: 'unknown', because: `${because}, but ${unhandled}` };
}

function isPaused({ annotations }: KubeObject): boolean {
  return labelValue(annotations, PAUSED) === 'true';
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
  if (object === undefined || labelValue(object.labels, IN_USE) !== 'true') return;
  context.cannotTell(
    'Crossplane',
    `${objectTitle(identity)} has the label ${IN_USE}: as long as a Usage protects it, the webhook of Crossplane refuses its deletion`,
  );
}

export function composerOf(context: CascadeContext, object: KubeObject): GraphNode | undefined {
  if (labelValue(object.labels, 'crossplane.io/composite') === undefined) return undefined;
  const controller = controllerOf(object);
  const node = controller && context.view.graph.get(controller.uid);
  return node === undefined ||
    node.virtual ||
    node.object?.name !== labelValue(object.labels, 'crossplane.io/composite')
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
