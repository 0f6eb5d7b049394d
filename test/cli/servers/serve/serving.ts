/** `serve` on a small cluster without a process, with users and what they may list. */

import { runCommandLine } from '../../../../src/cli/run-command-line.ts';
import type { ActAnswer, ActRequest } from '../../../../src/model/exchange/act.ts';
import type { SourceBatch } from '../../../../src/model/exchange/changes.ts';
import { record, text, texts } from '../../../../src/model/json/json.ts';
import { consoleFor, SmallSource } from '../../console.ts';

/** Of a user, as `RESOURCE.GROUP` in a namespace, or in `*`; `path /metrics` for a path. */
export type Rules = Readonly<Record<string, readonly string[]>>;

/** A cluster whose users are those of `rules`; a user's token is `token-` and the name. */
export class ReviewingSource extends SmallSource {
  /** The kinds of the reviews that were sent, with what they were about. */
  readonly reviews: string[] = [];
  /** In place of any answer. */
  fails: ActAnswer | undefined;
  #rules: Rules;

  constructor(yaml: string, rules: Rules, extra: Partial<SourceBatch> = {}) {
    super(yaml, extra);
    this.#rules = rules;
  }

  readonly act = (request: ActRequest): Promise<ActAnswer> => {
    const spec = record(record(request.body)['spec']);
    const isToken = request.path.endsWith('/tokenreviews');
    this.reviews.push(isToken ? 'token' : `access ${this.#asked(spec)}`);
    return Promise.resolve(
      this.fails ?? { status: 201, body: { status: isToken ? this.#whose(spec) : this.#may(spec) } },
    );
  };

  #whose(spec: Readonly<Record<string, unknown>>): unknown {
    const name = text(spec['token']).replace(/^token-/u, '');
    if (this.#rules[name] === undefined) return { authenticated: false };
    return { authenticated: true, user: { username: name, groups: ['system:authenticated'] } };
  }

  #asked(spec: Readonly<Record<string, unknown>>): string {
    const path = record(spec['nonResourceAttributes']);
    if (path['path'] !== undefined) return `path ${text(path['path'])}`;
    const { resource, group, namespace } = record(spec['resourceAttributes']);
    return `${text(resource)}.${text(group)} in ${text(namespace) || '*'}`;
  }

  #may(spec: Readonly<Record<string, unknown>>): unknown {
    const rules = this.#rules[text(spec['user'])] ?? [];
    const isKnown = texts(spec['groups']).includes('system:authenticated');
    return { allowed: isKnown && rules.includes(this.#asked(spec)) };
  }
}

export interface Serving {
  readonly url: string;
  /** Standard error so far. */
  said(): string;
  /** As a request to end; resolves with the exit code. */
  end(): Promise<number>;
}

/** Serves until `end`; `words` are further flags. */
export async function startServing(source: SmallSource, words: readonly string[] = []): Promise<Serving> {
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  const { io, services, interrupt } = consoleFor({
    source,
    onError: text => {
      said = text;
      const [, address] = /Serving on (\S+),/u.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    },
  });
  // Time passes as it does: nothing here waits for it.
  const patient = { ...io, pause: (ms: number, signal?: AbortSignal) => pause(ms, signal) };
  const ended = runCommandLine(['serve', '--port=0', ...words], patient, services);
  void ended.then(code => reject(new Error(`serve ended with ${code}: ${said}`)));
  return {
    url: await url,
    said: () => said,
    end: () => {
      interrupt();
      return ended;
    },
  };
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, Math.min(milliseconds, 20));
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** With a bearer token, or without one. */
export async function ask(
  { url }: Serving,
  path: string,
  token?: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}${path}`, { headers });
  return { status: response.status, body: await response.text() };
}
