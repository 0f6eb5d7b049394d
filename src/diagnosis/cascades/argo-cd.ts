/**
 * Argo CD: the deletion of an Application, and of what one manages. Definitions and objects annotated to be kept stay.
 * Sources: app_deletion.md, auto_sync.md and sync-options.md of Argo CD's user guide; `shouldBeDeleted` and
 * `finalizeApplicationDeletion` in controller/appcontroller.go (v3).
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
  shownName,
  text,
  texts,
} from '../../model/index.ts';
import {
  byTitle,
  type CascadeContext,
  type CascadeRule,
  isOfKind,
  type Located,
  located,
  type Managing,
} from './cascade-context.ts';
import {
  deletedByHandler,
  deletedOnRequest,
  type Fate,
  kept,
  keptWithoutFinalizer,
  maybeDeleted,
} from './fates.ts';
import { finalizerOf, keptByHelm, type Recreation } from './tool-marks.ts';

const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';
const APPROVED = 'argocd.argoproj.io/deletion-approved';
const TRACKING_ID = 'argocd.argoproj.io/tracking-id';
const FINALIZER = 'resources-finalizer.argocd.argoproj.io';
const cascading = [FINALIZER, `${FINALIZER}/foreground`, `${FINALIZER}/background`];
/** Names of Argo CD's own cluster. */
const HERE = new Set(['https://kubernetes.default.svc', 'in-cluster']);

const APPLICATION = 'argoproj.io/Application';

function applicationCascade(context: CascadeContext, { node, object, by, json }: Managing): void {
  const resources = list(record(json['status'])['resources']).map(record);
  const cluster = clusterOf(json);
  const finalizer = finalizerOf(object, cascading);
  const tracked = cluster === undefined ? trackedBy(context, object) : [];
  const objects = [...resources.flatMap(each => listedIn(context, each, cluster)), ...tracked.map(located)];
  const stays = keptWithoutFinalizer(context, object, {
    finalizer: finalizer ?? FINALIZER,
    tool: 'Argo CD',
    called: 'the Application',
  });
  if (objects.length === 0 && stays === undefined)
    context.cannotTell(by, 'its status lists no resources, so what it has deployed is not known');
  const fates = objects.flatMap(located => {
    // A self-managing Application lists itself, which is being deleted.
    if (located.node === node) return [];
    return [{ located, fate: stays ?? fateOf(context, { located, json, object, finalizer }) }];
  });
  const confirming = isApproved(json, object) ? undefined : fates.find(each => confirms(json, each));
  const first = confirming && shownName(objectTitle(confirming.located.identity));
  for (const { located, fate } of fates) {
    const effect =
      first === undefined || fate.effect === 'kept' || fate.when === 'onRequest'
        ? fate
        : {
            ...fate,
            when: 'onRequest' as const,
            because: `${fate.because}, once a user has approved the deletion of ${first}`,
          };
    context.tell({ object: located.identity, by, ...effect, cluster }, located.node);
  }
}

/** Returns true if `Delete=confirm` was approved after the deletion request. */
function isApproved(json: JsonRecord, { deletionTimestamp }: KubeObject): boolean {
  const approval = text(record(record(json['metadata'])['annotations'])[APPROVED]);
  return deletionTimestamp !== undefined && Date.parse(approval) >= deletionTimestamp;
}

/** Returns true if an object needs approval; until then Argo CD deletes nothing at all. */
function confirms(
  json: JsonRecord,
  { located, fate }: { readonly located: Located; readonly fate: Fate },
): boolean {
  if (fate.effect !== 'deleted' || fate.when === 'onRequest') return fate.effect === 'deleted';
  const { kind, namespace, name } = located.identity;
  return list(record(json['status'])['resources']).some(entry => {
    const listed = record(entry);
    if (listed['requiresDeletionConfirmation'] !== true || listed['kind'] !== kind) return false;
    return text(listed['namespace']) === namespace && listed['name'] === name;
  });
}

interface Deployed {
  readonly located: Located;
  readonly json: JsonRecord;
  readonly object: KubeObject;
  readonly finalizer: string | undefined;
}

function fateOf(context: CascadeContext, { located, json, object, finalizer = FINALIZER }: Deployed): Fate {
  const { identity, node } = located;
  if (identity.kind === 'CustomResourceDefinition' && identity.apiVersion.startsWith('apiextensions.k8s.io/'))
    return kept('Argo CD never deletes a definition with its Application');
  const own = node?.object === undefined ? [] : optionsOf(node.object);
  const policy = record(record(json['spec'])['syncPolicy']);
  const option = optionOf('Delete', own, texts(policy['syncOptions']));
  if (option?.value === 'false') return kept(`${option.place} say Delete=false`);
  if (node?.object !== undefined && keptByHelm(node.object))
    return kept('the annotation helm.sh/resource-policy says keep');
  if (option?.value === 'confirm' && !isApproved(json, object))
    return deletedOnRequest(`${option.place} say Delete=confirm: a user has to approve it`);
  const because = `its finalizer ${finalizer} has Argo CD do so`;
  const fate = deletedByHandler(context, object, finalizer, because);
  return located.state === 'there' || fate.when === 'unknown'
    ? fate
    : maybeDeleted(`${because}; ${context.notRead('whether annotations keep them is not known')}`);
}

function listedIn(context: CascadeContext, entry: JsonRecord, cluster: string | undefined): Located | [] {
  const place = {
    group: text(entry['group']),
    kind: text(entry['kind']),
    version: text(entry['version']),
    namespace: text(entry['namespace']),
    name: text(entry['name']),
  };
  return place.kind === '' || place.name === '' ? [] : context.present(place, cluster);
}

/** Finds objects by tracking id, however old the resource list is. */
function trackedBy(context: CascadeContext, { namespace, name }: KubeObject): readonly GraphNode[] {
  const found: GraphNode[] = [];
  for (const [value, nodes] of context.annotations(TRACKING_ID)) {
    for (const node of nodes) {
      const { type, namespace: place = '', name: own = '' } = node.object ?? {};
      // An object with owners isn't a resource, even if marks were copied to it (isRootAppNode in
      // controller/cache/cache.go).
      if (type === undefined || node.owners.length > 0) continue;
      const rest = `:${type.group}/${type.kind}:${place}/${own}`;
      if (value === `${name}${rest}` || value === `${namespace}_${name}${rest}`) found.push(node);
    }
  }
  return found;
}

/** Returns the name of the target cluster; undefined for Argo CD's own. */
function clusterOf(json: JsonRecord): string | undefined {
  const { server, name } = record(record(json['spec'])['destination']);
  const called = text(server) || text(name);
  return called === '' || HERE.has(called) ? undefined : shownName(called);
}

function optionsOf({ annotations }: KubeObject): readonly string[] {
  return (Labels.value(annotations, SYNC_OPTIONS) ?? '').split(',').map(each => each.trim());
}

/** Returns an option's value; the object's annotation wins over the Application's policy. */
function optionOf(
  option: string,
  own: readonly string[],
  policy: readonly string[],
): { readonly value: string; readonly place: string } | undefined {
  const prefix = `${option}=`;
  for (const [options, place] of [
    [own, `its ${SYNC_OPTIONS}`],
    [policy, 'the syncOptions of the Application'],
  ] as const) {
    const found = options.find(each => each.startsWith(prefix));
    if (found !== undefined) return { value: found.slice(prefix.length), place };
  }
  return undefined;
}

export function listsResource(json: JsonRecord, { type, namespace, name }: KubeObject): boolean {
  return list(record(json['status'])['resources']).some(entry => {
    const { group, kind, namespace: place, name: called } = record(entry);
    return text(group) === type.group && kind === type.kind && text(place) === namespace && called === name;
  });
}

export function resync(json: JsonRecord, object: KubeObject): Recreation {
  const instead =
    'remove it from the source of the Application, or delete the Application, with its finalizer if everything is to go';
  if (clusterOf(json) !== undefined)
    return { when: 'unknown', because: 'the Application of that name deploys to another cluster' };
  const policy = record(record(json['spec'])['syncPolicy']);
  const { automated } = policy;
  if (typeof automated !== 'object' || automated === null || record(automated)['enabled'] === false)
    return {
      when: 'onRequest',
      because: 'its automated sync is off: it is recreated when a user syncs it',
      instead,
    };
  if (record(automated)['selfHeal'] !== true)
    return {
      when: 'onRequest',
      because:
        'its automated sync does not heal itself: it is recreated with the next change of its source, or when a user syncs it',
      instead,
    };
  const created = texts(policy['syncOptions']).includes('CreateNamespace=true');
  return {
    when: 'automatically',
    because: 'spec.syncPolicy.automated.selfHeal is on',
    instead: `${instead}; argocd app set ${shownName(text(record(json['metadata'])['name']))} --self-heal=false stops that for a while`,
    ...(created && object.namespace !== '' && { createsNamespace: true }),
  };
}

/** Returns the ApplicationSet that would recreate an Application. */
export function generatorOf(context: CascadeContext, object: KubeObject): GraphNode | undefined {
  const controller = isOfKind(object, APPLICATION) ? controllerOf(object) : undefined;
  if (controller?.kind !== 'ApplicationSet') return undefined;
  const node = context.view.graph.get(controller.uid);
  return node === undefined || node.virtual ? undefined : node;
}

export function generated(set: GraphNode): Recreation & { readonly by: string } {
  return {
    by: byTitle('Argo CD', set),
    when: 'automatically',
    because: `${objectTitle(set.identity)} generates it`,
    instead: 'take its element out of the generators of the ApplicationSet, or delete that',
  };
}

export const argoCdRules: readonly CascadeRule[] = [
  { tool: 'Argo CD', of: APPLICATION, cascade: applicationCascade },
];
