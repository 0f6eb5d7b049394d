/** Makes and deletes the objects of relation cases on a control plane. */
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import type { ApiClient, ApiResponse } from '../../harness/api-client.ts';
import { nameOf } from './observed.ts';

interface Served {
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

export class RelationPlane {
  readonly api: ApiClient;
  readonly #kinds: ReadonlyMap<string, Served>;

  private constructor(api: ApiClient, kinds: ReadonlyMap<string, Served>) {
    this.api = api;
    this.#kinds = kinds;
  }

  /** Reads what the API server serves, preferred versions first. */
  static async of(api: ApiClient): Promise<RelationPlane> {
    const groups = list((await api.json<JsonRecord>({ path: '/apis' }))['groups']).map(record);
    const versions = groups.flatMap(({ preferredVersion, versions: all }) => [
      text(record(preferredVersion)['groupVersion']),
      ...list(all).map(each => text(record(each)['groupVersion'])),
    ]);
    const kinds = new Map<string, Served>();
    for (const apiVersion of ['v1', ...new Set(versions)]) {
      const path = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
      const { status, body } = await api.send({ path });
      if (status !== 200) continue;
      for (const each of list((JSON.parse(body) as JsonRecord)['resources']).map(record)) {
        const resource = text(each['name']);
        const [group = ''] = apiVersion === 'v1' ? [] : apiVersion.split('/');
        const key = group === '' ? text(each['kind']) : `${group}/${text(each['kind'])}`;
        if (!resource.includes('/') && !kinds.has(key))
          kinds.set(key, { apiVersion, resource, namespaced: each['namespaced'] === true });
      }
    }
    return new RelationPlane(api, kinds);
  }

  /** The group and kind, from a manifest's `apiVersion` or `group`. */
  #served(object: JsonRecord): Served {
    const apiVersion = text(object['apiVersion']);
    const group = text(object['group']) || (apiVersion.includes('/') ? apiVersion.split('/')[0] : '');
    const key = group ? `${group}/${text(object['kind'])}` : text(object['kind']);
    const served = this.#kinds.get(key);
    if (served === undefined) throw new Error(`${key} is not served`);
    return served;
  }

  pathOf(object: JsonRecord): string {
    return `${this.#listPath(object)}/${nameOf(object)}`;
  }

  #listPath(object: JsonRecord): string {
    const { apiVersion, resource, namespaced } = this.#served(object);
    const place = namespaced ? `/namespaces/${namespaceOf(object)}` : '';
    return `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}${place}/${resource}`;
  }

  /** `deployments.apps/web` */
  targetOf(object: JsonRecord): string {
    const { apiVersion, resource } = this.#served(object);
    const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
    return `${resource}${group}/${nameOf(object)}`;
  }

  /** Creates it, then what only other requests may write: ephemeral containers, and a status that no component writes. */
  async create(object: JsonRecord): Promise<void> {
    const { apiVersion, namespaced } = this.#served(object);
    const { group: _, status, ...rest } = object;
    const { namespace, ...metadata } = record(object['metadata']);
    const { ephemeralContainers, ...spec } = record(object['spec']);
    const body: JsonRecord = {
      ...rest,
      apiVersion,
      metadata: { ...metadata, ...(namespaced && { namespace }) },
      ...(object['spec'] !== undefined && { spec }),
    };
    await this.#send({ method: 'POST', path: this.#listPath(object), body });
    const path = this.pathOf(object);
    if (ephemeralContainers !== undefined)
      await this.#send({
        method: 'PATCH',
        path: `${path}/ephemeralcontainers`,
        contentType: 'application/strategic-merge-patch+json',
        body: { spec: { ephemeralContainers } },
      });
    if (status !== undefined && !['Pod', 'PersistentVolumeClaim'].includes(text(object['kind'])))
      await this.#send({ method: 'PATCH', path: `${path}/status`, contentType: MERGE, body: { status } });
  }

  async #send(request: Parameters<ApiClient['send']>[0], expected = [409]): Promise<void> {
    const { status, body } = await this.api.send(request);
    if (status > 299 && !expected.includes(status))
      throw new Error(`${request.method} ${request.path}: ${status} ${body.slice(0, 600)}`);
  }

  /** Deletes it, and releases a volume that its claim protects. */
  async delete(object: JsonRecord): Promise<void> {
    const path = this.pathOf(object);
    await this.api.json({ method: 'DELETE', path, body: { propagationPolicy: 'Background' } });
    if (object['kind'] !== 'PersistentVolume') return;
    const body = { metadata: { finalizers: null } };
    await this.#send({ method: 'PATCH', path, contentType: MERGE, body }, [404]);
  }

  /** The object as it is; empty if it is not there. */
  async read(object: JsonRecord): Promise<JsonRecord> {
    const { status, body } = await this.api.send({ path: this.pathOf(object) });
    return status === 200 ? (JSON.parse(body) as JsonRecord) : {};
  }

  /** Lists objects of a namespace, such as `/api/v1` and `pods`. */
  async list(group: string, namespace: string, resource: string): Promise<readonly JsonRecord[]> {
    const answer = await this.api.json<JsonRecord>({ path: `${group}/namespaces/${namespace}/${resource}` });
    return list(answer['items']).map(record);
  }

  /** Asks for a ConfigMap without creating it. */
  tryConfigMap(namespace: string, name: string, labels: JsonRecord): Promise<ApiResponse> {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels } };
    const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
    return this.api.send({ method: 'POST', path, body });
  }
}

const MERGE = 'application/merge-patch+json';

export function namespaceOf({ metadata }: JsonRecord): string {
  return text(record(metadata)['namespace']);
}
