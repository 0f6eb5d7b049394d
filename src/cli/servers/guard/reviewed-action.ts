/** The action that a reviewed request stands for, and the requests about which nothing is said. */
import { type Action, Cascade, type DeleteAction } from '../../../forecast/index.ts';
import type { ClusterView } from '../../../graph/index.ts';
import { integer, type KubeObject, ResourceType, record, text, type Uid } from '../../../model/index.ts';
import { deleteRules } from '../../../simulation/index.ts';
import type { Review } from './admission-review.ts';

/** Components of the control plane, whose deletions follow from those of others. */
const components: ReadonlySet<string> = new Set([
  'system:apiserver',
  'system:kube-controller-manager',
  'system:kube-scheduler',
]);
const SYSTEM_ACCOUNTS = 'system:serviceaccount:kube-system:';
const NODES = 'system:nodes';
const ACCOUNTS = 'system:serviceaccounts';

export const unaskedUsers = { components: [...components], SYSTEM_ACCOUNTS, NODES, ACCOUNTS };

/** Controllers remove their own finalizers and references, so only people are told what an update releases. */
export function isUnasked({ caller, operation, resource, subresource }: Review): boolean {
  const { username, groups } = caller;
  if (components.has(username) || username.startsWith(SYSTEM_ACCOUNTS) || groups.includes(NODES)) return true;
  if (resource.resource === 'events' || resource.group === 'coordination.k8s.io') return true;
  if (operation === 'CREATE') return resource.resource !== 'pods' || subresource !== 'eviction';
  if (operation === 'UPDATE') return subresource !== '' || groups.includes(ACCOUNTS);
  return operation !== 'DELETE' || subresource !== '';
}

/** `behind`: the followed cluster doesn't hold the object as the API server has it. `unasked`: nothing would happen. */
export function actionOf(review: Review, view: ClusterView): Action | 'behind' | 'unasked' {
  const { operation, oldObject, options } = review;
  const object = operation === 'CREATE' ? evictedPod(review, view) : knownObject(review, view);
  if (object === undefined) return 'behind';
  if (operation === 'UPDATE') return updateOf(review, object);
  const { uid, resourceVersion } = record(options['preconditions']);
  const isOther =
    (text(uid) !== '' && text(uid) !== object.uid) ||
    (text(resourceVersion) !== '' && text(resourceVersion) !== (oldObject ?? object).resourceVersion);
  return isOther ? 'unasked' : deletionOf(review, object);
}

/** Finds the object by its uid, which only those know who may read it. */
function knownObject({ oldObject }: Review, view: ClusterView): KubeObject | undefined {
  const object = oldObject && view.graph.get(oldObject.uid as Uid)?.object;
  return object?.resourceVersion === oldObject?.resourceVersion ? object : undefined;
}

function evictedPod({ namespace, name }: Review, view: ClusterView): KubeObject | undefined {
  const type = view.catalog.resolveKind('v1', 'Pod');
  return type && view.graph.find(type, namespace, name)?.object;
}

function deletionOf({ resource, kind, operation, options }: Review, object: KubeObject): DeleteAction {
  const { group, version } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const seconds = integer(options['gracePeriodSeconds']);
  const { propagationPolicy, orphanDependents } = options;
  const asked = {
    ...(typeof propagationPolicy === 'string' ? { propagationPolicy } : {}),
    ...(typeof orphanDependents === 'boolean' ? { orphanDependents } : {}),
  };
  const requested = operation === 'CREATE' ? object.type : { apiVersion, kind, group };
  const pod = object.facts?.kind === 'Pod' ? object.facts : undefined;
  // The API server fills in a pod's own before it asks.
  const isOwn = pod === undefined || seconds === deleteRules.podGracePeriod(pod, undefined);
  return {
    verb: 'delete',
    cascade: Cascade.ofRequest(object, requested, asked),
    targets: [object],
    ...(seconds === undefined || isOwn ? {} : { gracePeriodSeconds: seconds }),
  };
}

/** Only what is taken from the object is told. */
function updateOf({ object: after, oldObject: before }: Review, target: KubeObject): Action | 'unasked' {
  if (after === undefined || before === undefined) return 'unasked';
  const finalizers = target.finalizers.filter(each => after.finalizers.includes(each));
  const owners = target.owners.filter(({ uid }) => after.owners.includes(uid));
  if (finalizers.length === target.finalizers.length && owners.length === target.owners.length)
    return 'unasked';
  const { uid } = target;
  return {
    verb: 'unblock',
    target,
    remedy: {
      id: 'update',
      title: `update ${ResourceType.groupResource(target.type)}`,
      risk: 'caution',
      effect: '',
      requests: [],
      kubectl: [],
      apply: api => api.patch(target, { finalizers, owners }, { uid }),
    },
  };
}
