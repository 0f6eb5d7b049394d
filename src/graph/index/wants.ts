/**
 * What answers need and a scoped read left out. Rules and forecasts look things up as if everything were read; what they
 * miss is noted here, read, and the answer is made again. So it costs what it rests on, and no rule has to know of scopes.
 */
import type { TypeStatus } from '../../model/exchange/changes.ts';
import { ANY_NAMESPACE, keyOfWant, type ReadScope, type Want } from '../../model/exchange/reads.ts';
import { groupResource, isMonitored, type ResourceType } from '../../model/types/resource-type.ts';
import type { TypeCatalog } from '../../model/types/type-catalog.ts';
import type { OwnershipGraph } from '../graph.ts';
import type { Absences } from './absences.ts';

/** The view, as far as it matters here. */
interface Surroundings {
  readonly graph: OwnershipGraph;
  readonly catalog: TypeCatalog;
  readonly absences: Absences;
  readonly scope: ReadScope | undefined;
  statusOf(type: Pick<ResourceType, 'group' | 'resource'>): TypeStatus | undefined;
}

/** From so many objects of a kind on, one list is read in place of them. */
const MANY = 40;

export class Wants {
  readonly #view: Surroundings;
  readonly #noted = new Map<string, Want>();

  constructor(view: Surroundings) {
    this.#view = view;
  }

  /** Does nothing where everything is read. */
  note(want: Want): void {
    if (this.#view.scope === undefined) return;
    const type = this.#view.catalog.preferredOf(want.type);
    if (type === undefined || !isMonitored(type)) return;
    this.#noted.set(keyOfWant(want), { ...want, type });
  }

  /**
   * Notes where else an object may be that isn't where a reference has it: under this name in another namespace, or
   * outside of all of them.
   */
  noteElsewhere(type: ResourceType, name: string): void {
    const { scope, catalog } = this.#view;
    if (scope === undefined) return;
    if (type.namespaced) this.note({ type, namespace: undefined, name });
    for (const each of catalog.types)
      if (!each.namespaced) this.note({ type: each, namespace: '', name: undefined });
  }

  /** Whether each object of a type that wasn't read is read once it is wanted, as far as is known. */
  canBeRead(type: ResourceType): boolean {
    const { scope, absences } = this.#view;
    if (scope === undefined || this.#view.statusOf(type)?.state !== 'unread') return false;
    return !absences.failedOf(type);
  }

  /** What was noted since the last call and isn't settled, many objects of one kind as the whole kind. */
  take(): Want[] {
    const open = [...this.#noted.values()].filter(want => !this.isSettled(want));
    this.#noted.clear();
    const groups = Map.groupBy(open, ({ type, namespace, name }) =>
      name === undefined
        ? keyOfWant({ type, namespace, name })
        : `${groupResource(type)} in ${namespace ?? ANY_NAMESPACE}`,
    );
    return [...groups.values()].flatMap(alike => {
      const [{ type, namespace } = { type: undefined, namespace: undefined }] = alike;
      return alike.length < MANY || type === undefined ? alike : [{ type, namespace, name: undefined }];
    });
  }

  /** Whether it was read, or cannot be. */
  isSettled({ type, namespace, name }: Want): boolean {
    const { graph, absences, scope } = this.#view;
    const status = this.#view.statusOf(type);
    // A group whose discovery fails has no status.
    if (scope === undefined || status === undefined || status.state === 'blind' || status.state === 'gone')
      return true;
    if (name !== undefined) {
      if (namespace !== undefined && graph.find(type, namespace, name) !== undefined) return true;
      const { apiVersion, kind } = type;
      const place = namespace ?? ANY_NAMESPACE;
      if (absences.isAnswered({ of: 'object', apiVersion, kind, namespace: place, name, uid: '' }))
        return true;
    }
    if (status.state !== 'synced') return false;
    const { namespaces, reason } = status;
    // Where it may not be listed, there is no more to come.
    if (name === undefined && reason !== undefined) return true;
    return namespaces === undefined || (namespace !== undefined && namespaces.includes(namespace));
  }
}
