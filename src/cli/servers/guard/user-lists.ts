/** Reads whole objects for the users of what is deleted, by small lists: the server may list, and not get. */
import type { CascadeReads } from '../../../diagnosis/index.ts';
import { getOrInsert, type ResourceType, record } from '../../../model/index.ts';
import { wholeReads } from '../../../source/index.ts';
import type { ClusterSession } from '../../session/session.ts';

type Ports = ConstructorParameters<typeof CascadeReads>[0];

/** Objects of a kind in the scope of a list; larger lists aren't read. */
const MOST_OBJECTS = 2_000;
const late = { state: 'unread', reason: 'no answer in time' } as const;
const secret = { state: 'unread', reason: 'the data of Secrets is never read' } as const;
const tooMany = { state: 'unread', reason: 'too many would have to be read' } as const;

/** `until`: by `performance.now()`; what isn't read by then is unread. */
export function listPorts({ source, view }: Pick<ClusterSession, 'source' | 'view'>, until: number): Ports {
  const { list: read = () => Promise.resolve(late) } = wholeReads(source);
  const isSmall = (type: ResourceType, namespace: string | undefined): boolean => {
    const { graph } = view;
    const nodes = namespace === undefined ? graph.ofType(type) : graph.inNamespace(type, namespace);
    return Iterator.from(nodes).drop(MOST_OBJECTS).next().done === true;
  };
  const lists = new Map<string, ReturnType<NonNullable<Ports['list']>>>();
  const list: NonNullable<Ports['list']> = kind => {
    const key = JSON.stringify([kind.type.apiVersion, kind.type.resource, kind.namespace]);
    return getOrInsert(lists, key, () => {
      if (kind.type.resource === 'secrets') return Promise.resolve(secret);
      if (!isSmall(kind.type, kind.namespace)) return Promise.resolve(tooMany);
      const { promise, resolve } = Promise.withResolvers<typeof late>();
      setTimeout(() => resolve(late), Math.max(0, until - performance.now())).unref();
      return Promise.race([read(kind), promise]);
    });
  };
  return {
    view,
    list,
    async read({ type, namespace, name }) {
      const answer = await list({ type, namespace: type.namespaced ? namespace : undefined });
      if (answer.state === 'unread') return answer;
      const json = answer.items.find(each => record(each['metadata'])['name'] === name);
      return json === undefined ? { state: 'absent' } : { state: 'read', json };
    },
  };
}
