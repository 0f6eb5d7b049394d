/**
 * kapp-controller: the deletion of an App, whose status names the label of what it deployed. Sources: `Reconcile` in
 * pkg/app/app_reconcile.go, `delete` in pkg/app/app_deploy.go and `noopDeleteDueToTerminatingNamespaces` of
 * kapp-controller (v0.53), which deletes a paused App too; pkg/kapp/clusterapply/delete_change.go of kapp (v0.62).
 */

import { type KubeObject, Labels, record, text, truth } from '../../model/index.ts';
import type { CascadeContext, CascadeRule, Managing } from './cascade-context.ts';
import { deletedByHandler, deletedOnRequest, kept, keptWithoutFinalizer } from './fates.ts';
import type { Recreation } from './tool-marks.ts';

const FINALIZER = 'finalizers.kapp-ctrl.k14s.io/delete';
const DELETE_STRATEGY = 'kapp.k14s.io/delete-strategy';

function appCascade(context: CascadeContext, { node, object, by, json }: Managing): void {
  const spec = record(json['spec']);
  if (typeof spec['cluster'] === 'object' && spec['cluster'] !== null)
    return context.cannotTell(by, 'spec.cluster: it deploys to another cluster');
  const { label } = record(record(record(record(json['status'])['deploy'])['kapp'])['associatedResources']);
  const [key = '', value = ''] = text(label).split('=', 2);
  if (key === '' || value === '')
    return context.cannotTell(by, 'its status names no label, so what it has deployed is not known');
  const because = `its finalizer ${FINALIZER} has kapp delete what it has deployed`;
  const stays =
    keptWithoutFinalizer(context, object, { finalizer: FINALIZER, tool: 'kapp-controller' }) ??
    (truth(spec['noopDelete']) ? kept('spec.noopDelete is true') : undefined);
  const deleted = truth(spec['canceled'])
    ? deletedOnRequest(`${because}, once spec.canceled is not true any more`)
    : deletedByHandler(context, object, FINALIZER, because);
  for (const found of context.labelled(key, value)) {
    if (found === node || found.object === undefined) continue;
    // kapp labels only what it applies, which has no owners.
    if (found.owners.length > 0) continue;
    const fate =
      stays ??
      (Labels.value(found.object.annotations, DELETE_STRATEGY) === 'orphan'
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

export const kappRules: readonly CascadeRule[] = [
  { tool: 'kapp-controller', of: 'kappctrl.k14s.io/App', cascade: appCascade },
];
