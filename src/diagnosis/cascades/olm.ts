/**
 * Operator Lifecycle Manager: deleting a Subscription ends upgrades and keeps the operator; deleting a
 * ClusterServiceVersion removes the operator and keeps its definitions. Sources: olm.operatorframework.io
 * docs/tasks/uninstall-operator; `processFinalizer` and `handleClusterServiceVersionDeletion` in
 * pkg/controller/operators/olm/operator.go, and pkg/lib/ownerutil/util.go, of operator-lifecycle-manager (v0.32).
 */
import type { AssumedEffect } from '../../forecast/plan/assumed.ts';
import type { GraphNode } from '../../graph/node.ts';
import { list, record, text } from '../../model/json/json.ts';
import { type KubeObject, labelValue } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import { type BuiltInKind, builtInKind } from '../../model/types/resource-type.ts';
import { byTitle, type CascadeContext } from './context.ts';
import { finalizerOf } from './parts.ts';

const GROUP = 'operators.coreos.com';
const TOOL = 'OLM';

const FINALIZER = 'operators.coreos.com/csv-cleanup';
const COPIED = 'olm.copiedFrom';

export function isSubscription({ type }: KubeObject): boolean {
  return type.group === GROUP && type.kind === 'Subscription';
}

export function isServiceVersion({ type }: KubeObject): boolean {
  return type.group === GROUP && type.kind === 'ClusterServiceVersion';
}

export function subscriptionCascade(context: CascadeContext, node: GraphNode): void {
  const by = byTitle(TOOL, node);
  const json = context.wholeOf(node, by);
  if (json === undefined) return;
  const name = text(record(json['status'])['installedCSV']);
  if (name === '') return;
  const { namespace } = node.identity;
  const version = context.locate({ group: GROUP, kind: 'ClusterServiceVersion', namespace, name });
  if (version.state === 'absent' || (version.node !== undefined && context.going.has(version.node.uid)))
    return;
  context.tell(
    {
      object: version.identity,
      by,
      effect: 'kept',
      when: undefined,
      because: 'deleting a Subscription only ends upgrades: the operator runs on',
      instead: `kubectl delete clusterserviceversion ${shownName(name)} -n ${shownName(namespace)}`,
    },
    version.node,
  );
}

/** Kinds that OLM creates outside the namespace, without owner references. */
const CLEANED: ReadonlySet<BuiltInKind | undefined> = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  // An APIService is deleted after the version that provides it.
  'APIService',
]);

export function serviceVersionCascade(context: CascadeContext, node: GraphNode): void {
  const by = byTitle(TOOL, node);
  const { object } = node;
  const { namespace, name } = node.identity;
  // OLM recreates its copies of a version in watched namespaces.
  if (object === undefined || isCopy(object)) return;
  const fate = cleanup(context, object);
  for (const owned of context.labelled('olm.owner', name)) {
    if (owned.object === undefined || context.going.has(owned.uid)) continue;
    const { labels, type } = owned.object;
    const kind = builtInKind(type);
    if (!CLEANED.has(kind) || labelValue(labels, 'olm.owner.namespace') !== namespace) continue;
    if (labelValue(labels, 'olm.owner.kind') !== 'ClusterServiceVersion' && kind !== 'APIService') continue;
    context.tell({ object: owned.identity, by, ...fate }, owned);
  }
  for (const copy of context.labelled(COPIED, namespace)) {
    if (copy.object === undefined || copy.identity.name !== name || !isServiceVersion(copy.object)) continue;
    if (context.going.has(copy.uid)) continue;
    const because = 'it is a copy of the version in a namespace that the operator watches';
    context.tell({ object: copy.identity, by, effect: 'deleted', when: 'automatically', because }, copy);
  }
  const json = context.wholeOf(node, by);
  if (json === undefined) return;
  for (const each of list(record(record(json['spec'])['customresourcedefinitions'])['owned'])) {
    const definition = context.locate({
      group: 'apiextensions.k8s.io',
      kind: 'CustomResourceDefinition',
      namespace: '',
      name: text(record(each)['name']),
    });
    if (text(record(each)['name']) === '' || definition.state === 'absent') continue;
    context.tell({
      object: definition.identity,
      by,
      effect: 'kept',
      when: undefined,
      because: 'OLM leaves definitions and their objects, which nothing looks after any more',
    });
  }
}

function isCopy({ labels }: KubeObject): boolean {
  return labelValue(labels, COPIED) !== undefined;
}

/** Returns the fate of those kinds; before v0.28 versions had no finalizer. */
function cleanup(
  context: CascadeContext,
  object: KubeObject,
): Pick<AssumedEffect, 'effect' | 'when' | 'because'> {
  const because = 'OLM removes what it has created for a ClusterServiceVersion, by the label olm.owner';
  if (finalizerOf(object, [FINALIZER]) === undefined)
    return {
      effect: 'deleted',
      when: 'unknown',
      because: `${because}, and has not set its finalizer ${FINALIZER}`,
    };
  if (context.loses(object.uid))
    return {
      effect: 'kept',
      when: undefined,
      because: `the action takes off the finalizer ${FINALIZER}, and OLM is not waited for`,
    };
  const unhandled = context.unhandled(object.uid, FINALIZER);
  return unhandled === undefined
    ? { effect: 'deleted', when: 'automatically', because }
    : { effect: 'deleted', when: 'unknown', because: `${because}, but ${unhandled}` };
}
