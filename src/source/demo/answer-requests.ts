import {
  type ActAnswer,
  type ActRequest,
  BuiltInKind,
  controllerOf,
  type Facts,
  factsJson,
  isEqualData,
  type JsonRecord,
  type KubeObject,
  objectJson,
  record,
} from '../../model/index.ts';
import { type LoggedWrite, managedFields, restRequests } from '../../simulation/index.ts';
import type { SimulatedWorld } from './world/simulated-world.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

export async function serve(world: SimulatedWorld, request: ActRequest, dryRun: boolean): Promise<ActAnswer> {
  if (request.path === REVIEWS) {
    return { status: 201, body: { ...record(request.body), status: { allowed: true } } };
  }
  const { cluster } = world;
  if (request.method === 'POST' && !dryRun) {
    const { status, uid } = await world.create(record(request.body));
    const object = uid === undefined ? undefined : { metadata: { uid } };
    return { status, body: object ?? { kind: 'Status', message: `the API server answers ${status}` } };
  }
  return restRequests.playRequest(cluster.as('kubectl-gc-tree'), request, {
    types: cluster.discovery.catalog.types,
    dryRun,
  });
}

export function answeredJson(world: SimulatedWorld, object: KubeObject): JsonRecord {
  const json = fullJson(world, object);
  const { metadata, ...rest } = json;
  const managed = managedFields(object.uid, requestsFor(world, object), each => fullJson(world, each));
  return managed.length === 0 ? json : { metadata: { ...record(metadata), managedFields: managed }, ...rest };
}

/** Initial nodes were registered by their kubelets before anything was logged. */
function requestsFor({ cluster }: SimulatedWorld, object: KubeObject): readonly LoggedWrite[] {
  const own = cluster.api.log.entries.filter(({ uid }) => uid === object.uid);
  const [first] = own;
  if (first !== undefined && first.before === undefined) return own;
  const after = first?.before ?? object;
  const at = after.creationTimestamp;
  const registered = { actor: 'kubelet', verb: 'update', subresource: undefined, at } as const;
  return BuiltInKind.of(after.type) === 'Node' ? [{ ...registered, before: undefined, after }, ...own] : own;
}

/** Merges an object's state over its manifest: the simulation doesn't know images or schedules. */
function fullJson(world: SimulatedWorld, object: KubeObject): JsonRecord {
  const now = objectJson.write(object);
  const manifest = manifestOf(world, object);
  if (manifest === undefined) return now;
  const annotations = record(manifest['metadata'])['annotations'];
  const { status, spec: _spec, ...rest } = manifest;
  const spec = fullSpec(object, record(manifest['spec']), now);
  // Without a simulated controller, the manifest's status stays.
  const isWritten = object.facts === undefined || object.facts.kind === 'CustomResource';
  return {
    ...rest,
    ...now,
    ...(isWritten && status !== undefined && { status }),
    metadata: { ...record(now['metadata']), ...(annotations === undefined ? {} : { annotations }) },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
  };
}

/** Takes each field from the manifest as long as the facts read from it stay true. */
function fullSpec(object: KubeObject, given: JsonRecord, now: JsonRecord): JsonRecord {
  const rendered = record(now['spec']);
  const factsOf = (spec: JsonRecord): Facts | undefined => factsJson.read(object.type, { ...now, spec });
  const isTrue = (spec: JsonRecord): boolean => isEqualData(factsOf(spec), object.facts);
  let spec: JsonRecord = rendered;
  for (const [key, value] of Object.entries(given)) {
    const candidate = { ...spec, [key]: value };
    if (isTrue(candidate)) spec = candidate;
  }
  return spec;
}

function manifestOf(world: SimulatedWorld, object: KubeObject): JsonRecord | undefined {
  const own = world.manifest(object.uid);
  if (own !== undefined || BuiltInKind.of(object.type) !== 'Pod') return own;
  const seen = new Set<string>();
  let owner = controllerOf(object);
  while (owner !== undefined && !seen.has(owner.uid)) {
    seen.add(owner.uid);
    const { template } = record(world.manifest(owner.uid)?.['spec']);
    if (template !== undefined) return record(template);
    const above = world.cluster.store.byUid(owner.uid);
    owner = above && controllerOf(above);
  }
  return undefined;
}
