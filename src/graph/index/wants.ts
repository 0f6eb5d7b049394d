/**
 * Reads that a scoped read left out. Rules and forecasts look things up as if all were read; missing objects are noted
 * here, read, and the answer is repeated. No rule needs to know of scopes.
 */
import { ReadScope, ResourceType, type TypeCatalog, type TypeStatus, Want } from '../../model/index.ts';
import type { OwnershipGraph } from '../graph.ts';
import type { Absences } from './absences.ts';

interface Surroundings {
  readonly graph: OwnershipGraph;
  readonly catalog: TypeCatalog;
  readonly absences: Absences;
  readonly scope: ReadScope | undefined;
  statusOf(type: Pick<ResourceType, 'group' | 'resource'>): TypeStatus | undefined;
}

/** Above this many objects of a kind, the kind is listed. */
const MANY = 40;

export class Wants {
  readonly #view: Surroundings;
  readonly #noted = new Map<string, Want>();

  constructor(view: Surroundings) {
    this.#view = view;
  }

  note(want: Want): void {
    if (this.#view.scope === undefined) return;
    const type = this.#view.catalog.preferredOf(want.type);
    if (type === undefined || !ResourceType.isMonitored(type)) return;
    this.#noted.set(Want.key(want), { ...want, type });
  }

  /** Notes other places of a misplaced reference's object: other namespaces, or the cluster scope. */
  noteElsewhere(type: ResourceType, name: string): void {
    const { scope, catalog } = this.#view;
    if (scope === undefined) return;
    if (type.namespaced) this.note({ type, namespace: undefined, name });
    for (const each of catalog.types)
      if (!each.namespaced) this.note({ type: each, namespace: '', name: undefined });
  }

  /** Reports whether an unread type's objects may be readable on demand. */
  canBeRead(type: ResourceType): boolean {
    const { scope, absences } = this.#view;
    if (scope === undefined || this.#view.statusOf(type)?.state !== 'unread') return false;
    return !absences.failedOf(type);
  }

  /** Returns unsettled wants since the last call, merging many objects of a kind into the kind. */
  take(): Want[] {
    const open = [...this.#noted.values()].filter(want => !this.isSettled(want));
    this.#noted.clear();
    const groups = Map.groupBy(open, ({ type, namespace, name }) =>
      name === undefined
        ? Want.key({ type, namespace, name })
        : `${ResourceType.groupResource(type)} in ${namespace ?? ReadScope.anyNamespace}`,
    );
    return [...groups.values()].flatMap(alike => {
      const [{ type, namespace } = { type: undefined, namespace: undefined }] = alike;
      return alike.length < MANY || type === undefined ? alike : [{ type, namespace, name: undefined }];
    });
  }

  isSettled({ type, namespace, name }: Want): boolean {
    const { graph, absences, scope } = this.#view;
    const status = this.#view.statusOf(type);
    // A group whose discovery fails has no status.
    if (scope === undefined || status === undefined || status.state === 'blind' || status.state === 'gone')
      return true;
    if (name !== undefined) {
      if (namespace !== undefined && graph.find(type, namespace, name) !== undefined) return true;
      const { apiVersion, kind } = type;
      const place = namespace ?? ReadScope.anyNamespace;
      if (absences.isAnswered({ of: 'object', apiVersion, kind, namespace: place, name, uid: '' }))
        return true;
    }
    if (status.state !== 'synced') return false;
    const { namespaces, reason } = status;
    // A kind that may not be listed yields nothing more.
    if (name === undefined && reason !== undefined) return true;
    return namespaces === undefined || (namespace !== undefined && namespaces.includes(namespace));
  }
}
