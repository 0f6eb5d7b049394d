/**
 * Completes the body of a StatefulSet that is created again for its pods. Forecasts know facts alone; the pod template is
 * in its ControllerRevision, the name of its Service in a pod, and the templates of its claims in the claims.
 */
import {
  ActAnswer,
  ActRequest,
  isEqualData,
  type JsonRecord,
  list,
  type ResourceType,
  record,
  shownName,
  type TypeCatalog,
  text,
} from '../../model/index.ts';

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

function isIncomplete({ revision, body }: ActRequest): boolean {
  return revision !== undefined && templateOf(body)['spec'] === undefined;
}

function templateOf(body: unknown): JsonRecord {
  return record(record(record(body)['spec'])['template']);
}

async function withParts(request: ActRequest, reader: Reader): Promise<ActRequest> {
  const body = record(request.body);
  const spec = record(body['spec']);
  const { namespace } = ActRequest.placeOf(request.path) ?? { namespace: '' };
  const read = (apiVersion: string, kind: string, name: string): Promise<JsonRecord> =>
    readPart(reader, { apiVersion, kind, namespace, name });
  const revision = await read('apps/v1', 'ControllerRevision', request.revision ?? '');
  if (record(revision['metadata'])['uid'] !== request.formerUid)
    throw new Error(`ControllerRevision ${shownName(request.revision ?? '')} is another one now`);
  const { $patch: _, ...template } = record(record(record(revision['data'])['spec'])['template']);
  // A simulated cluster keeps no template.
  if (template['spec'] === undefined) return request;
  const start = Number(record(spec['ordinals'])['start'] ?? 0);
  const own = `-${text(record(body['metadata'])['name'])}-${start}`;
  const pod = record((await read('v1', 'Pod', own.slice(1)))['spec']);
  const ofTemplate = volumesIn(record(template['spec']));
  const claimTemplates: JsonRecord[] = [];
  for (const each of list(spec['volumeClaimTemplates']).map(record)) {
    const name = text(record(each['metadata'])['name']);
    // The pod template itself may name such a claim.
    if (ofTemplate.has(name) || volumesIn(pod).get(name) !== name + own) continue;
    const claim = record((await read('v1', 'PersistentVolumeClaim', name + own))['spec']);
    claimTemplates.push({ ...each, spec: claimSpec(claim) });
  }
  const { subdomain } = pod;
  return {
    ...request,
    body: {
      ...body,
      spec: {
        ...spec,
        ...(subdomain !== undefined && { serviceName: subdomain }),
        template,
        volumeClaimTemplates: claimTemplates,
      },
    },
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

/** Drops what binds a claim to its volume or names where its data came from. */
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
}

async function readPart(reader: Reader, { apiVersion, kind, namespace, name }: Part): Promise<JsonRecord> {
  const title = `${kind} ${shownName(name)}`;
  const type = reader.catalog.resolveKind(apiVersion, kind);
  if (type === undefined) throw new Error(`${title} can't be read: its kind isn't served`);
  const json = await reader.get(type, namespace, name).catch((error: unknown) => {
    if (ActAnswer.isUnreadable(error))
      throw new Error(`you may not read ${title}, which holds part of the StatefulSet`);
    throw error;
  });
  if (json === undefined) throw new Error(`${title} is gone, and held part of the StatefulSet`);
  return json;
}

/**
 * Returns why pods would restart: the controller compares templates as the API server stores them, with defaults and what
 * admission adds (EqualRevision in pkg/controller/history/controller_history.go, v1.36).
 */
function changedTemplate({ revision, body }: ActRequest, answer: unknown): string | undefined {
  const sent = templateOf(body);
  if (revision === undefined || sent['spec'] === undefined || isEqualData(sent, templateOf(answer)))
    return undefined;
  return `the API server would change the pod template of ControllerRevision ${revision}, so the pods would restart`;
}

export const rebuiltSet = { completed, changedTemplate };
