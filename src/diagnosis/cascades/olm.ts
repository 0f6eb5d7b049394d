/**
 * Operator Lifecycle Manager: deleting a Subscription ends upgrades and keeps the operator; deleting a
 * ClusterServiceVersion removes the operator and keeps its definitions. Sources: olm.operatorframework.io
 * docs/tasks/uninstall-operator; `processFinalizer` and `handleClusterServiceVersionDeletion` in
 * pkg/controller/operators/olm/operator.go, and pkg/lib/ownerutil/util.go, of operator-lifecycle-manager (v0.32).
 */

import { BuiltInKind, type KubeObject, Labels, list, record, shownName, text } from '../../model/index.ts';
import { type CascadeContext, type CascadeRule, isOfKind, type Managing } from './cascade-context.ts';
import { deletedByHandler, type Fate, kept, keptIfLost, maybeDeleted } from './fates.ts';

const GROUP = 'operators.coreos.com';
const VERSION = `${GROUP}/ClusterServiceVersion`;
const FINALIZER = 'operators.coreos.com/csv-cleanup';
const COPIED = 'olm.copiedFrom';

function subscriptionCascade(context: CascadeContext, { object: { namespace }, by, json }: Managing): void {
  const name = text(record(json['status'])['installedCSV']);
  if (name === '') return;
  const version = context.locate({ group: GROUP, kind: 'ClusterServiceVersion', namespace, name });
  if (version.state === 'absent' || (version.node !== undefined && context.goes(version.node.uid))) return;
  context.tell(
    {
      object: version.identity,
      by,
      ...kept('deleting a Subscription only ends upgrades: the operator runs on'),
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

function serviceVersionCascade(context: CascadeContext, { node, object, by }: Managing): void {
  const { namespace, name } = object;
  // OLM recreates its copies of a version in watched namespaces.
  if (isCopy(object)) return;
  const fate = cleanup(context, object);
  for (const owned of context.labelled('olm.owner', name)) {
    if (owned.object === undefined || context.goes(owned.uid)) continue;
    const { labels, type } = owned.object;
    const kind = BuiltInKind.of(type);
    if (!CLEANED.has(kind) || Labels.value(labels, 'olm.owner.namespace') !== namespace) continue;
    if (Labels.value(labels, 'olm.owner.kind') !== 'ClusterServiceVersion' && kind !== 'APIService') continue;
    context.tell({ object: owned.identity, by, ...fate }, owned);
  }
  for (const copy of context.labelled(COPIED, namespace)) {
    if (copy.object === undefined || copy.identity.name !== name || !isOfKind(copy.object, VERSION)) continue;
    if (context.goes(copy.uid)) continue;
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
    const stays = kept('OLM leaves definitions and their objects, which nothing manages any longer');
    context.tell({ object: definition.identity, by, ...stays });
  }
}

function isCopy({ labels }: KubeObject): boolean {
  return Labels.value(labels, COPIED) !== undefined;
}

/** Returns the fate of those kinds; before v0.28 versions had no finalizer. */
function cleanup(context: CascadeContext, object: KubeObject): Fate {
  const because = 'OLM removes what it has created for a ClusterServiceVersion, by the label olm.owner';
  if (!object.finalizers.includes(FINALIZER))
    return maybeDeleted(`${because}, and has not set its finalizer ${FINALIZER}`);
  return (
    keptIfLost(context, object.uid, `the finalizer ${FINALIZER}, and OLM`) ??
    deletedByHandler(context, object, FINALIZER, because)
  );
}

export const olmRules: readonly CascadeRule[] = [
  { tool: 'OLM', of: `${GROUP}/Subscription`, cascade: subscriptionCascade },
  { tool: 'OLM', of: VERSION, unread: true, cascade: serviceVersionCascade },
];
