/** How a control plane shows that a user broke as a sentence says, or why nothing that runs here can. */
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import { nameOf, robotUser } from './observed.ts';
import { namespaceOf, type RelationPlane } from './relation-plane.ts';

/** One user of a used object. */
export interface Shown {
  readonly plane: RelationPlane;
  readonly used: JsonRecord;
  readonly user: JsonRecord;
}

/** Resolves with true if the user is broken. */
export type Show = (shown: Shown) => Promise<boolean>;

/** Shows by the clause on what fails. A text says why there is none. */
export const shows: Readonly<Record<string, Show | string>> = {
  'its next pod waits in ContainerCreating, because the volume cannot be mounted': ofPods(
    waits('ContainerCreating'),
  ),
  'its next container does not start (CreateContainerConfigError)': ofPods(
    waits('CreateContainerConfigError'),
  ),
  'a node without the images has to pull them without it (ImagePullBackOff if that is refused)':
    imagesAreRefused,
  'the API server refuses new pods that name it': newPodsAreRefused,
  'the API server refuses the token': tokenIsRefused,
  'the API server refuses the token until the kubelet renews it, within an hour':
    'random-uses.test.ts deletes default ServiceAccounts, and asks with their tokens',
  'its next pod stays Pending': ofPods(isUnscheduled),
  'it has no endpoints': hasNoEndpoints,
  'the DNS names of its pods are not resolved any more': namesAreGone,
  'it selects no pod any more': selectsNothing,
  'it has nothing to scale any more': scalesNothing,
  'its next pod stays Pending unless a free volume fits': ofPods(isUnscheduled),
  'the claims of further pods stay Pending unless free volumes fit': claimIsPending,
  'it stays Pending unless a free volume fits': lacksClass,
  'it becomes Lost or is never bound, and its pods do not start again': isLost,
  'it grants nothing any more': grantsNothing,
  'it grants fewer rights': grantsFewer,
  'it loses them at once, unless another binding grants them': hasNoRight,
  'a new ServiceAccount of this name would have its rights': newAccountHasRight,
  'the API server refuses every request that it would ask it about (failurePolicy: Fail)': isRefused,
  'the API server goes on without it (failurePolicy: Ignore)': isRefused,
  'the API server refuses every request that it would check with it (parameterNotFoundAction: Deny)':
    isRefused,
  'its policy is skipped (failurePolicy: Ignore)': isNotApplied,
  'its policy is skipped (parameterNotFoundAction: Allow)': isNotApplied,
  'its policy is applied with fewer parameters':
    'breaks.test.ts deletes one of two parameters that a binding selects',
  'it applies nothing any more': isNotApplied,
  'its API is unavailable, and no namespace can be deleted to the end': hasCondition(
    'Available',
    'ServiceNotFound',
  ),
  'objects in another version than the stored one cannot be read': cannotConvert,
  'it is ignored, and its requests match another FlowSchema': hasCondition('Dangling', 'NotFound'),
  'it is not allocated': podSays('resourceClaimName'),
  'claims made from it are not allocated': podSays('resourceClaimTemplateName'),
  // Meanings of a missing reference to any controller.
  'these requests fail': 'no ingress or gateway controller runs here; a Service that is gone has no endpoint',
  'its controller has no certificate for these hosts': 'no ingress controller runs here',
  'its listener has no certificate': 'no gateway controller runs here',
  'it is not served there any more': 'no gateway controller runs here',
  'users are not in the cluster': 'only the loss of a binding is forecast',
  'its reclaim policy decides': 'nothing breaks',
  'it is detached first': 'nothing breaks',
  // Decisions of other programs.
  'its controller may stop serving it': 'no ingress or gateway controller runs here',
  'it may stay Pending': 'a provisioner decides',
  'it may never become ready': 'a snapshot controller decides',
  'it may not be deleted from the storage system': 'a CSI driver decides',
  'its storage may not be deleted': 'a CSI driver decides',
  'the volume may not be mounted the next time': 'a CSI driver decides',
  'the volume may not be expanded': 'a CSI driver decides',
  'new volumes may not be provisioned': 'a CSI driver decides',
  'new volumes may not be attached': 'a CSI driver decides',
  'new volumes may not be mounted': 'a CSI driver decides',
  'new volumes may not be expanded': 'a CSI driver decides',
  'new snapshots may not be taken': 'a CSI driver decides',
  'new snapshots may not become ready': 'a CSI driver decides',
};

/** Sentences that are certain, although no component here decides. */
export const meanings: ReadonlySet<string> = new Set([
  'these requests fail',
  'its controller has no certificate for these hosts',
  'its listener has no certificate',
  'it is not served there any more',
  'users are not in the cluster',
  'its reclaim policy decides',
  'it is detached first',
]);

const CORE = '/api/v1';

/** Checks the pods of a workload, none of which is being deleted; at least one has to be there. */
function ofPods(isBroken: (pod: JsonRecord) => boolean): Show {
  return async shown => {
    const pods = await podsOf(shown);
    return pods.length > 0 && pods.every(isBroken);
  };
}

async function podsOf({ plane, user }: Shown): Promise<readonly JsonRecord[]> {
  const pods = await plane.list(CORE, namespaceOf(user), 'pods');
  return pods.filter(({ metadata }) => {
    const { labels, deletionTimestamp } = record(metadata);
    return deletionTimestamp === undefined && record(labels)['app'] === nameOf(user);
  });
}

function waits(reason: string): (pod: JsonRecord) => boolean {
  return ({ status, spec }) => {
    const { containerStatuses, ephemeralContainerStatuses } = record(status);
    const isEphemeral = list(record(spec)['ephemeralContainers']).length > 0;
    return list(isEphemeral ? ephemeralContainerStatuses : containerStatuses).some(
      each => record(record(record(each)['state'])['waiting'])['reason'] === reason,
    );
  };
}

/** A pod that waits for a claim has no condition yet. */
function isUnscheduled({ spec, status }: JsonRecord): boolean {
  return record(status)['phase'] === 'Pending' && record(spec)['nodeName'] === undefined;
}

function conditionOf({ status }: JsonRecord, type: string): JsonRecord {
  const conditions = list(record(status)['conditions']).map(record);
  return conditions.find(each => each['type'] === type) ?? {};
}

function hasCondition(type: string, reason: string): Show {
  return async ({ plane, user }) => conditionOf(await plane.read(user), type)['reason'] === reason;
}

/** Tries a new pod that names the object, or runs as the ServiceAccount. */
async function imagesAreRefused(shown: Shown): Promise<boolean> {
  const { plane, user, used } = shown;
  if (user['kind'] !== 'ServiceAccount') return ofPods(waits('ImagePullBackOff'))(shown);
  if ((await plane.read(used))['metadata'] !== undefined) return false;
  const containers = [{ name: 'main', image: 'private.example/app' }];
  await tryPod(shown, { serviceAccountName: nameOf(user), containers });
  return ofPods(waits('ImagePullBackOff'))(shown);
}

async function tryPod({ plane, user }: Shown, spec: JsonRecord): Promise<void> {
  const [name, namespace] = [nameOf(user), namespaceOf(user)];
  const containers = [{ name: 'main', image: 'registry.example/app' }];
  const metadata = { name: `tries-${name}`, namespace, labels: { app: name } };
  await plane.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } });
}

async function newPodsAreRefused(shown: Shown): Promise<boolean> {
  const { plane, user } = shown;
  const { status } = conditionOf(await plane.read(user), 'ReplicaFailure');
  return status === 'True' && (await podsOf(shown)).length === 0;
}

const tokens = new Map<string, Promise<JsonRecord>>();

async function tokenIsRefused({ plane, used }: Shown): Promise<boolean> {
  const path = `${plane.pathOf(used)}/token`;
  const version = 'authentication.k8s.io/v1';
  const asked = { apiVersion: version, kind: 'TokenRequest', spec: {} };
  if (!tokens.has(path)) tokens.set(path, plane.api.json({ method: 'POST', path, body: asked }));
  const { token } = record((await tokens.get(path))?.['status']);
  const body = { apiVersion: version, kind: 'TokenReview', spec: { token } };
  const answer = await plane.api.json<JsonRecord>({
    method: 'POST',
    path: `/apis/${version}/tokenreviews`,
    body,
  });
  return record(answer['status'])['authenticated'] !== true;
}

async function endpointsOf(plane: RelationPlane, service: JsonRecord): Promise<readonly JsonRecord[]> {
  const slices = await plane.list('/apis/discovery.k8s.io/v1', namespaceOf(service), 'endpointslices');
  const name = nameOf(service);
  return slices
    .filter(({ metadata }) => record(record(metadata)['labels'])['kubernetes.io/service-name'] === name)
    .flatMap(({ endpoints }) => list(endpoints).map(record));
}

async function hasNoEndpoints({ plane, user }: Shown): Promise<boolean> {
  return (await endpointsOf(plane, user)).length === 0;
}

async function namesAreGone({ plane, used }: Shown): Promise<boolean> {
  return !(await endpointsOf(plane, used)).some(({ hostname }) => hostname !== undefined);
}

/** Reads the count of a budget's controller; a network policy has no status. */
async function selectsNothing({ plane, user, used }: Shown): Promise<boolean> {
  if (user['kind'] === 'PodDisruptionBudget')
    return record((await plane.read(user))['status'])['expectedPods'] === 0;
  const pods = await plane.list(CORE, namespaceOf(user), 'pods');
  const { matchLabels } = record(record((await plane.read(user))['spec'])['podSelector']);
  const { app } = record(matchLabels);
  return (
    app === nameOf(used) && !pods.some(each => record(record(each['metadata'])['labels'])['app'] === app)
  );
}

/** Only the controller of HorizontalPodAutoscalers runs here: of others, the target is missing. */
async function scalesNothing({ plane, user, used }: Shown): Promise<boolean> {
  if (user['kind'] !== 'HorizontalPodAutoscaler') return (await plane.read(used))['metadata'] === undefined;
  const { reason, message } = conditionOf(await plane.read(user), 'AbleToScale');
  return reason === 'FailedGetScale' && text(message).includes('not found');
}

/** Scales a StatefulSet whose class is gone. */
async function claimIsPending({ plane, user, used }: Shown): Promise<boolean> {
  if ((await plane.read(used))['metadata'] !== undefined) return false;
  const path = plane.pathOf(user);
  const contentType = 'application/merge-patch+json';
  await plane.api.json({ method: 'PATCH', path, contentType, body: { spec: { replicas: 2 } } });
  const claims = await plane.list(CORE, namespaceOf(user), 'persistentvolumeclaims');
  const further = claims.find(each => nameOf(each) === `data-${nameOf(user)}-1`);
  return further !== undefined && (await lacksClass({ plane, user: further, used }));
}

/** Reads the events of the controller that provisions volumes. */
async function lacksClass({ plane, user, used }: Shown): Promise<boolean> {
  const events = await plane.list(CORE, namespaceOf(user), 'events');
  const isPending = record((await plane.read({ kind: 'PersistentVolumeClaim', ...user }))['status']);
  return (
    isPending['phase'] === 'Pending' &&
    events.some(
      each =>
        record(each['involvedObject'])['name'] === nameOf(user) &&
        each['reason'] === 'ProvisioningFailed' &&
        text(each['message']).includes(`"${nameOf(used)}" not found`),
    )
  );
}

async function isLost({ plane, user }: Shown): Promise<boolean> {
  return record((await plane.read(user))['status'])['phase'] === 'Lost';
}

async function mayRead(plane: RelationPlane, namespace: string, subject: JsonRecord): Promise<boolean> {
  const version = 'authorization.k8s.io/v1';
  const resourceAttributes = { namespace, verb: 'get', resource: 'configmaps' };
  const body = {
    apiVersion: version,
    kind: 'SubjectAccessReview',
    spec: { ...subject, resourceAttributes },
  };
  const path = `/apis/${version}/subjectaccessreviews`;
  const { status } = await plane.api.json<JsonRecord>({ method: 'POST', path, body });
  return record(status)['allowed'] === true;
}

function subjectOf({ kind, name, namespace }: JsonRecord): JsonRecord {
  if (kind === 'Group') return { user: 'member', groups: [name] };
  return { user: kind === 'ServiceAccount' ? robotUser(text(namespace), text(name)) : name };
}

/** Asks as the first subject of a binding. */
async function grantsNothing({ plane, user }: Shown): Promise<boolean> {
  const [subject] = list(user['subjects']).map(record);
  return !(await mayRead(plane, namespaceOf(user), subjectOf(subject ?? {})));
}

async function hasNoRight({ plane, user, used }: Shown): Promise<boolean> {
  const { name, namespace } = record(user['metadata']);
  return !(await mayRead(plane, namespaceOf(used), subjectOf({ kind: user['kind'], name, namespace })));
}

/** Rights are granted by name, whether a ServiceAccount of that name exists or not. */
async function newAccountHasRight({ plane, user, used }: Shown): Promise<boolean> {
  const isGone = (await plane.read(used))['metadata'] === undefined;
  return isGone && !(await grantsNothing({ plane, user, used }));
}

async function grantsFewer({ plane, user }: Shown): Promise<boolean> {
  return list((await plane.read(user))['rules']).length === 0;
}

/** Webhooks and policies of a case concern the object that has their name. */
async function isRefused({ plane, user, used }: Shown): Promise<boolean> {
  return (await plane.tryConfigMap(namespaceOf(used), nameOf(user), { is: 'good' })).status !== 201;
}

/** A validating policy denies the value of its parameter; a mutating one sets it. */
async function isNotApplied({ plane, user, used }: Shown): Promise<boolean> {
  const answer = await plane.tryConfigMap(namespaceOf(used), nameOf(user), { is: 'value' });
  if (text(user['kind']).startsWith('Validating')) return answer.status === 201;
  const { labels } = record((JSON.parse(answer.body) as JsonRecord)['metadata']);
  return answer.status === 201 && record(labels)['mark'] !== 'value';
}

async function cannotConvert({ plane, user, used }: Shown): Promise<boolean> {
  const { plural, kind } = record(record(user['spec'])['names']);
  const place = (version: string): string =>
    `/apis/example.com/${version}/namespaces/${namespaceOf(used)}/${text(plural)}`;
  const body = { apiVersion: 'example.com/v1', kind, metadata: { name: 'one' } };
  await plane.api.send({ method: 'POST', path: place('v1'), body });
  const [stored, other] = await Promise.all(
    ['v1', 'v2'].map(version => plane.api.send({ path: `${place(version)}/one` })),
  );
  if (stored?.status !== 200) throw new Error(`not stored: ${stored?.body}`);
  return other?.status !== 200;
}

/** Checks that the scheduler allocates nothing of the absent class to a new pod. */
function podSays(key: string): Show {
  return async shown => {
    const { plane, user, used } = shown;
    if ((await plane.read(used))['metadata'] !== undefined) return false;
    await tryPod(shown, { resourceClaims: [{ name: 'device', [key]: nameOf(user) }] });
    const pods = await podsOf(shown);
    return pods.some(each => {
      const { status, message } = conditionOf(each, 'PodScheduled');
      return status === 'False' && text(message).includes(`${nameOf(used)}`);
    });
  };
}
