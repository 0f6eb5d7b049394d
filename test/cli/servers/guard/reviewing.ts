/** AdmissionReviews as an API server sends them. */
import { parse } from 'yaml';
import { type JsonRecord, list, record, texts } from '../../../../src/model/json/json.ts';
import type { ResourceType } from '../../../../src/model/types/resource-type.ts';
import type { JsonObject } from '../../../../src/source/source.ts';
import { ask, ReviewingSource, type Rules, type Serving, startServing } from '../serve/serving.ts';

/** A cluster whose objects can be listed whole. */
export class ListingSource extends ReviewingSource {
  readonly #briefs: readonly JsonRecord[];

  constructor(yaml: string, rules: Rules) {
    super(yaml, rules);
    this.#briefs = list(parse(yaml)).map(record);
  }

  readonly list = (type: ResourceType, namespace: string | undefined): Promise<readonly JsonObject[]> =>
    Promise.resolve(
      this.#briefs
        .filter(
          each =>
            each['kind'] === type.kind &&
            (namespace === undefined || (each['namespace'] ?? 'shop') === namespace),
        )
        .map(each => ({
          ...each,
          apiVersion: type.apiVersion,
          metadata: { name: each['name'], uid: each['name'], namespace: 'shop' },
        })),
    );
}

/** Resolves once everything is listed; `words` are flags of `serve`. */
export async function startListed(
  source: ReviewingSource,
  words: readonly string[] = ['--guard'],
): Promise<Serving> {
  const serving = await startServing(source, words);
  while ((await ask(serving, '/readyz')).body.includes('listed yet'));
  return serving;
}

export interface Asked {
  readonly kind: string;
  readonly name: string;
  /** `apps/v1`; `v1` unless told. */
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly options?: JsonRecord;
  /** Metadata; the uid is the name unless told, and of the resource version there is none. */
  readonly before?: JsonRecord;
  readonly after?: JsonRecord;
  /** In place of an object that is like `before`. */
  readonly object?: JsonRecord;
}

export function reviewOf(asked: Asked): JsonRecord {
  const { kind, name, apiVersion = 'v1', namespace = 'shop', operation = 'DELETE' } = asked;
  const { subresource = '', user = 'alice', groups = ['system:authenticated'], options } = asked;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const resource = { group, version, resource: `${kind.toLowerCase()}s` };
  const metadata = { name, namespace, uid: name, ...asked.before };
  const after = operation === 'UPDATE' ? { metadata: { ...metadata, ...asked.after } } : undefined;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: `review-${name}`,
      kind: { group, version, kind },
      resource,
      subResource: subresource,
      name,
      namespace,
      operation,
      userInfo: { username: user, groups },
      object: asked.object ?? after ?? null,
      oldObject: operation === 'CREATE' ? null : { metadata },
      options: options ?? null,
    },
  };
}

export async function post(
  { url }: Pick<Serving, 'url'>,
  body: string,
  method = 'POST',
): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`${url}/admission?timeout=2s`, method === 'GET' ? {} : { method, body });
  return { status: response.status, body: await response.text() };
}

export interface Verdict {
  readonly uid: unknown;
  readonly allowed: unknown;
  readonly warnings: readonly string[];
  readonly message: unknown;
}

export async function judge(serving: Pick<Serving, 'url'>, asked: Asked): Promise<Verdict> {
  const { status, body } = await post(serving, JSON.stringify(reviewOf(asked)));
  if (status !== 200) throw new Error(`${status} ${body}`);
  const response = record(record(JSON.parse(body))['response']);
  return {
    uid: response['uid'],
    allowed: response['allowed'],
    warnings: texts(list(response['warnings'])),
    message: record(response['status'])['message'],
  };
}

export async function warningsFor(serving: Pick<Serving, 'url'>, asked: Asked): Promise<readonly string[]> {
  const { allowed, warnings } = await judge(serving, asked);
  if (allowed !== true) throw new Error('it was refused');
  return warnings;
}
