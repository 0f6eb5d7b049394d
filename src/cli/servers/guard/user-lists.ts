/** Reads whole objects for the users of what is deleted, by small lists: the server may list, and not get. */
import type { CascadeReads } from '../../../diagnosis/index.ts';
import { record } from '../../../model/index.ts';
import { wholeReads } from '../../../source/index.ts';
import type { ClusterSession } from '../../session/session.ts';
import { BoundedCache } from '../http/bounded-cache.ts';

type Ports = ConstructorParameters<typeof CascadeReads>[0];
type List = NonNullable<Ports['list']>;
type ListAnswer = Awaited<ReturnType<List>>;

/** Objects of a kind in the scope of a list; larger lists aren't read. */
const MOST_OBJECTS = 2_000;
/** Lists in memory, and objects in each. */
const MOST_KEPT = 16;
const MOST_KEPT_OBJECTS = 200;
/** Milliseconds for which a list is used again while none of its objects changed. */
const KEEP_MS = 60_000;
const late = { state: 'unread', reason: 'no answer in time' } as const;
const secret = { state: 'unread', reason: 'the data of Secrets is never read' } as const;
const tooMany = { state: 'unread', reason: 'too many would have to be read' } as const;

export class UserLists {
  readonly #session: Pick<ClusterSession, 'source' | 'view'>;
  readonly #lists = new BoundedCache<ListAnswer>({
    most: MOST_KEPT,
    now: () => performance.now(),
    keepMs: answer => (answer.state === 'read' && answer.items.length <= MOST_KEPT_OBJECTS ? KEEP_MS : 0),
  });

  constructor(session: Pick<ClusterSession, 'source' | 'view'>) {
    this.#session = session;
  }

  /** `until`: by `performance.now()`; what isn't read by then is unread. */
  ports(until: number): Ports {
    const list: List = async kind => {
      const { promise, resolve } = Promise.withResolvers<ListAnswer>();
      const timer = setTimeout(() => resolve(late), Math.max(0, until - performance.now())).unref();
      return Promise.race([this.#list(kind), promise]).finally(() => clearTimeout(timer));
    };
    return {
      view: this.#session.view,
      list,
      async read({ type, namespace, name }) {
        const answer = await list({ type, namespace: type.namespaced ? namespace : undefined });
        if (answer.state === 'unread') return answer;
        const json = answer.items.find(each => record(each['metadata'])['name'] === name);
        return json === undefined ? { state: 'absent' } : { state: 'read', json };
      },
    };
  }

  async #list(kind: Parameters<List>[0]): Promise<ListAnswer> {
    const { type, namespace } = kind;
    const { list = () => Promise.resolve(late) } = wholeReads(this.#session.source);
    if (type.resource === 'secrets') return secret;
    const { count, latest } = this.#stateOf(kind);
    if (count > MOST_OBJECTS) return tooMany;
    // Only a kind that is read whole shows its changes.
    if (!this.#session.view.reads(type, namespace ?? '')) return list(kind);
    const key = JSON.stringify([type.apiVersion, type.resource, namespace, count, latest]);
    return this.#lists.get(key, () => list(kind));
  }

  /** Any change alters the number of objects or their latest version. */
  #stateOf({ type, namespace }: Parameters<List>[0]): { readonly count: number; readonly latest: number } {
    const { graph } = this.#session.view;
    let count = 0;
    let latest = 0;
    for (const { object } of namespace === undefined
      ? graph.ofType(type)
      : graph.inNamespace(type, namespace)) {
      count += 1;
      if (count > MOST_OBJECTS) break;
      latest = Math.max(latest, Number(object?.resourceVersion ?? 0));
    }
    return { count, latest };
  }
}
