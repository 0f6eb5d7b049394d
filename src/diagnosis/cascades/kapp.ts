/**
 * kapp-controller: the deletion of an App, whose status names the label of what it deployed. Sources: `Reconcile` in
 * pkg/app/app_reconcile.go, `delete` in pkg/app/app_deploy.go and `noopDeleteDueToTerminatingNamespaces` of
 * kapp-controller (v0.53), which deletes a paused App too; pkg/kapp/clusterapply/delete_change.go of kapp (v0.62).
 */
import type { GraphNode } from '../../graph/node.ts';
import { record, text, truth } from '../../model/json/json.ts';
import { type KubeObject, labelValue } from '../../model/object.ts';
import { byTitle, type CascadeContext } from './context.ts';
import { finalizerOf, type Recreation } from './parts.ts';

const FINALIZER = 'finalizers.kapp-ctrl.k14s.io/delete';
const DELETE_STRATEGY = 'kapp.k14s.io/delete-strategy';

export function isApp({ type }: KubeObject): boolean {
  return type.group === 'kappctrl.k14s.io' && type.kind === 'App';
}

export function appCascade(context: CascadeContext, node: GraphNode): void {
  const by = byTitle('kapp-controller', node);
  const { object } = node;
  const json = context.wholeOf(node, by);
  if (object === undefined || json === undefined) return;
  const spec = record(json['spec']);
  if (typeof spec['cluster'] === 'object' && spec['cluster'] !== null)
    return context.cannotTell(by, 'spec.cluster: it deploys to another cluster');
  const { label } = record(record(record(record(json['status'])['deploy'])['kapp'])['associatedResources']);
  const [key = '', value = ''] = text(label).split('=', 2);
  if (key === '' || value === '')
    return context.cannotTell(by, 'its status names no label, so what it has deployed is not known');
  const unhandled = context.unhandled(object.uid, FINALIZER);
  const because = `its finalizer ${FINALIZER} has kapp delete what it has deployed`;
  const kept = (why: string) => ({ effect: 'kept', when: undefined, because: why }) as const;
  const stays =
    finalizerOf(object, [FINALIZER]) === undefined
      ? kept(`it has no finalizer ${FINALIZER}`)
      : context.loses(object.uid)
        ? kept(`the action takes off the finalizer ${FINALIZER}, and kapp-controller is not waited for`)
        : truth(spec['noopDelete'])
          ? kept('spec.noopDelete is true')
          : undefined;
  const deleted = {
    effect: 'deleted',
    when: truth(spec['canceled']) ? 'onRequest' : unhandled === undefined ? 'automatically' : 'unknown',
    because: truth(spec['canceled'])
      ? `${because}, once spec.canceled is not true any more`
      : unhandled === undefined
        ? because
        : `${because}, but ${unhandled}`,
  } as const;
  for (const found of context.labelled(key, value)) {
    if (found === node || found.object === undefined) continue;
    // kapp labels only what it applies, which has no owners.
    if (found.owners.length > 0) continue;
    const fate =
      stays ??
      (labelValue(found.object.annotations, DELETE_STRATEGY) === 'orphan'
        ? kept(`the annotation ${DELETE_STRATEGY} says orphan`)
        : isOfSystem(found.object)
          ? kept('kapp never deletes the namespaces of Kubernetes itself')
          : deleted);
    context.tell({ object: found.identity, by, ...fate }, found);
  }
  if (context.unseen !== undefined && stays === undefined) context.cannotTell(by, context.unseen);
}

function isOfSystem({ type, name }: KubeObject): boolean {
  const names = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
  return type.group === '' && type.kind === 'Namespace' && names.includes(name);
}

/** Stays uncertain: the label's value doesn't reveal the App, if any. */
export function redeployed(): Recreation {
  return {
    when: 'unknown',
    because:
      'an App of kapp-controller deploys it again by itself; with kapp alone, only the next kapp deploy does',
    instead: 'remove it from the source, or delete the app with kapp',
  };
}
