/**
 * Completes the body of a controller that is created again for the objects that survived it. A forecast has only facts;
 * the pod template is in a ControllerRevision, a ReplicaSet or pods, the name of a StatefulSet's Service in a pod, and the
 * templates of its claims in the claims.
 */
import {
  ActAnswer,
  ActRequest,
  isEqualData,
  type JsonRecord,
  list,
  mapConcurrently,
  type ResourceType,
  record,
  shownName,
  type TypeCatalog,
  text,
} from '../../model/index.ts';
import { templateOfPods } from './template-of-pods.ts';

export interface Reader {
  readonly catalog: TypeCatalog;
  get(type: ResourceType, namespace: string, name: string): Promise<JsonRecord | undefined>;
}

/** Rejects with one line if a part can't be read or has been replaced since the forecast. */
async function completed(requests: readonly ActRequest[], reader: Reader): Promise<readonly ActRequest[]> {
  if (!requests.some(isIncomplete)) return requests;
  const whole: ActRequest[] = [];
  for (const each of requests) whole.push(isIncomplete(each) ? await withParts(each, reader) : each);
  return whole;
}

function isIncomplete({ rebuiltFrom, body }: ActRequest): boolean {
  return rebuiltFrom !== undefined && templateOf(body)['spec'] === undefined;
}

function templateOf(body: unknown): JsonRecord {
  return record(record(record(body)['spec'])['template']);
}

type ReadPart = (apiVersion: string, kind: string, name: string) => Promise<JsonRecord>;

const AT_ONCE = 8;

async function withParts(request: ActRequest, reader: Reader): Promise<ActRequest> {
  const { rebuiltFrom, formerUid, body } = request;
  if (rebuiltFrom === undefined) return request;
  const { kind, names } = rebuiltFrom;
  const { namespace } = ActRequest.placeOf(request.path) ?? { namespace: '' };
  const owner = text(record(body)['kind']);
  const read: ReadPart = (apiVersion, ofKind, name) =>
    readPart(reader, { apiVersion, kind: ofKind, namespace, name, owner });
  const apiVersion = kind === 'Pod' ? 'v1' : 'apps/v1';
  const parts = await mapConcurrently(names, AT_ONCE, name => read(apiVersion, kind, name));
  const [first = {}, ...others] = parts;
  if (record(first['metadata'])['uid'] !== formerUid)
    throw new Error(`${kind} ${shownName(names[0] ?? '')} is another one now`);
  const whole =
    kind === 'ControllerRevision'
      ? await statefulSet(record(body), first, read)
      : kind === 'ReplicaSet'
        ? deployment(record(body), first, others)
        : replicaSet(record(body), [first, ...others]);
  // A simulated cluster keeps no template.
  return templateOf(whole)['spec'] === undefined ? request : { ...request, body: whole };
}

async function statefulSet(body: JsonRecord, revision: JsonRecord, read: ReadPart): Promise<JsonRecord> {
  const spec = record(body['spec']);
  const { $patch: _, ...template } = record(record(record(revision['data'])['spec'])['template']);
  if (template['spec'] === undefined) return body;
  const start = Number(record(spec['ordinals'])['start'] ?? 0);
  const own = `-${text(record(body['metadata'])['name'])}-${start}`;
  const pod = record((await read('v1', 'Pod', own.slice(1)))['spec']);
  const ofTemplate = volumesIn(record(template['spec']));
  const volumeClaimTemplates: JsonRecord[] = [];
  for (const each of list(spec['volumeClaimTemplates']).map(record)) {
    const name = text(record(each['metadata'])['name']);
    // The pod template itself may name such a claim.
    if (ofTemplate.has(name) || volumesIn(pod).get(name) !== name + own) continue;
    const claim = record((await read('v1', 'PersistentVolumeClaim', name + own))['spec']);
    volumeClaimTemplates.push({ ...each, spec: claimSpec(claim) });
  }
  const { subdomain } = pod;
  const service = subdomain === undefined ? {} : { serviceName: subdomain };
  return { ...body, spec: { ...spec, ...service, template, volumeClaimTemplates } };
}

const HASH = 'pod-template-hash';
const DEPLOYMENT_KEYS = 'deployment.kubernetes.io/';
const REVISION = `${DEPLOYMENT_KEYS}revision`;

/** A Deployment copies its annotations to its ReplicaSets, and adds its own (pkg/controller/deployment/util, v1.36). */
function deployment(body: JsonRecord, current: JsonRecord, others: readonly JsonRecord[]): JsonRecord {
  const template = withoutHash(templateOf(current));
  const metadata = record(current['metadata']);
  const annotations = record(metadata['annotations']);
  for (const other of others) {
    const { name, annotations: of } = record(other['metadata']);
    // A ReplicaSet that was created again has no revision yet.
    const title = `ReplicaSet ${shownName(text(name))}`;
    if (Number(record(of)[REVISION]) > Number(annotations[REVISION]))
      throw new Error(
        `${title} is of a newer revision than the one that wants pods, so it isn't known which template the Deployment had`,
      );
    if (template['spec'] !== undefined && isEqualData(withoutHash(templateOf(other)), template))
      throw new Error(`${title} has the same pod template, so the Deployment could choose it`);
  }
  const own = Object.entries(annotations).filter(([key]) => !key.startsWith(DEPLOYMENT_KEYS));
  const { minReadySeconds } = record(current['spec']);
  return {
    ...body,
    metadata: {
      ...record(body['metadata']),
      ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
    },
    spec: { ...record(body['spec']), ...(minReadySeconds !== undefined && { minReadySeconds }), template },
  };
}

function withoutHash({ metadata, ...rest }: JsonRecord): JsonRecord {
  const { labels, ...others } = record(metadata);
  const { [HASH]: _, ...kept } = record(labels);
  return { metadata: { ...others, labels: kept }, ...rest };
}

function replicaSet(body: JsonRecord, pods: readonly [JsonRecord, ...JsonRecord[]]): JsonRecord {
  const spec = record(body['spec']);
  if (pods[0]['spec'] === undefined) return body;
  const { metadata, ...template } = templateOfPods(pods);
  const { labels } = record(templateOf(body)['metadata']);
  return {
    ...body,
    spec: { ...spec, template: { metadata: { ...record(metadata), labels }, ...template } },
  };
}

/** Returns the claims of volumes, by the name of the volume. */
function volumesIn(podSpec: JsonRecord): ReadonlyMap<string, string> {
  return new Map(
    list(podSpec['volumes'])
      .map(record)
      .map(each => [text(each['name']), text(record(each['persistentVolumeClaim'])['claimName'])]),
  );
}

/** Drops the fields that bind a claim to its volume or name the source of its data. */
function claimSpec({ accessModes, resources, storageClassName, volumeMode }: JsonRecord): JsonRecord {
  const { requests } = record(resources);
  return {
    accessModes,
    resources: { requests },
    ...(storageClassName !== undefined && { storageClassName }),
    ...(volumeMode !== undefined && { volumeMode }),
  };
}

interface Part {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The kind that is completed. */
  readonly owner: string;
}

async function readPart(
  reader: Reader,
  { apiVersion, kind, namespace, name, owner }: Part,
): Promise<JsonRecord> {
  const title = `${kind} ${shownName(name)}`;
  const type = reader.catalog.resolveKind(apiVersion, kind);
  if (type === undefined) throw new Error(`${title} can't be read: its kind isn't served`);
  const json = await reader.get(type, namespace, name).catch((error: unknown) => {
    if (ActAnswer.isUnreadable(error))
      throw new Error(`you may not read ${title}, which holds part of the ${owner}`);
    throw error;
  });
  if (json === undefined) throw new Error(`${title} is gone, and held part of the ${owner}`);
  return json;
}

/**
 * Returns why pods would restart: the controller compares templates as the API server stores them, with defaults and what
 * admission adds (EqualRevision in pkg/controller/history/controller_history.go, EqualIgnoreHash in
 * pkg/controller/deployment/util/deployment_util.go, v1.36).
 */
function changedTemplate({ rebuiltFrom, body }: ActRequest, answer: unknown): string | undefined {
  const sent = templateOf(body);
  // A ReplicaSet keeps its pods whatever its template says.
  if (rebuiltFrom === undefined || rebuiltFrom.kind === 'Pod' || sent['spec'] === undefined) return undefined;
  if (isEqualData(sent, templateOf(answer))) return undefined;
  const { kind, names } = rebuiltFrom;
  return `the API server would change the pod template of ${kind} ${shownName(names[0] ?? '')}, so the pods would restart`;
}

export const rebuiltOwner = { completed, changedTemplate };
