/**
 * One caller's part of the followed cluster as a source. Commands use it like the caller's own connection: no document
 * contains hidden objects, and each basis lists what is hidden.
 */
import { type ClusterView, objectDeletion } from '../../../graph/index.ts';
import type {
  AnsweredLookUp,
  Change,
  LookUp,
  LookUpAnswer,
  ResourceType,
  SourceBatch,
  TypeStatus,
} from '../../../model/index.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo } from '../../../source/index.ts';
import type { Permissions } from './caller-permissions.ts';

/** Milliseconds between checks for the server's own answers, and the number of checks. */
const LOOK_MS = 200;
const MOST_LOOKS = 10;

const FORBIDDEN = '403';

export class RestrictedSource implements Source {
  readonly info: SourceInfo;
  readonly graphComplete = Promise.resolve();
  readonly factsComplete = Promise.resolve();
  readonly #view: ClusterView;
  readonly #permissions: Permissions;
  #listener: (batch: SourceBatch) => void = () => {};
  #wanted: LookUp[] = [];
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(view: ClusterView, info: SourceInfo, permissions: Permissions) {
    this.#view = view;
    this.#permissions = permissions;
    this.info = { ...info, namespace: permissions.namespace ?? info.namespace };
  }

  start(listener: (batch: SourceBatch) => void): Promise<void> {
    this.#listener = listener;
    listener(this.visible);
    return Promise.resolve();
  }

  /** Everything that the caller may see. */
  get visible(): SourceBatch {
    const { catalog, failedGroups, statuses, connection } = this.#view;
    const changes: Change[] = [];
    const shown = [...statuses.values()].map(status => this.#shown(status, changes));
    return { types: catalog.types, failedGroups, statuses: shown, changes, connection };
  }

  /** Returns a kind's visible status and adds its visible objects to `changes`. */
  #shown(status: TypeStatus, changes: Change[]): TypeStatus {
    const { type } = status;
    const extent = this.#permissions.extentOf(type);
    const { namespace = '' } = this.#permissions;
    if (extent === 'none')
      return status.state === 'gone'
        ? { type, state: 'gone', count: 0, facts: false }
        : { type, state: 'blind', count: 0, facts: false, reason: FORBIDDEN };
    const before = changes.length;
    const nodes =
      extent === 'all' ? this.#view.graph.ofType(type) : this.#view.graph.inNamespace(type, namespace);
    for (const { object } of nodes) if (object !== undefined) changes.push({ op: 'upsert', object });
    if (extent === 'all') return status;
    const { namespaces, ...rest } = status;
    const here = { ...rest, count: changes.length - before };
    if (status.state !== 'synced') return here;
    // The server itself may only see other namespaces.
    if (namespaces?.includes(namespace) === false)
      return { ...here, state: 'blind', reason: status.reason ?? FORBIDDEN };
    return { ...here, reason: FORBIDDEN, namespaces: [namespace] };
  }

  /** Answers from the server's own look-ups, limited to what the caller may see. */
  lookUp(wanted: Iterable<LookUp>): void {
    this.#wanted = [...wanted];
    this.#looks = 0;
    clearTimeout(this.#timer);
    // The caller starts to wait after this returns.
    if (this.#wanted.length > 0) this.#timer = setTimeout(() => this.#look(), 0);
  }

  #look(): void {
    const isLast = ++this.#looks > MOST_LOOKS;
    const answered: AnsweredLookUp[] = [];
    const open: LookUp[] = [];
    for (const lookUp of this.#wanted) {
      const answer =
        this.#answer(lookUp) ??
        (isLast ? ({ state: 'unknown', reason: 'no answer came in time' } as const) : undefined);
      if (answer === undefined) open.push(lookUp);
      else answered.push({ lookUp, answer });
    }
    this.#wanted = open;
    if (open.length > 0) this.#timer = setTimeout(() => this.#look(), LOOK_MS);
    if (answered.length > 0) this.#listener({ changes: [], lookUps: answered });
  }

  #answer(lookUp: LookUp): LookUpAnswer | undefined {
    const { absences, graph, catalog } = this.#view;
    const type = catalog.resolveKind(lookUp.apiVersion, lookUp.kind);
    if (type === undefined) return { state: 'unknown', reason: `${lookUp.kind} is no longer served` };
    if (!this.#maySee(type, lookUp.namespace)) return { state: 'unknown', reason: 'reading it is forbidden' };
    if (lookUp.of !== 'object') return this.#answerWhole(lookUp);
    const there = graph.find(type, lookUp.namespace, lookUp.name)?.object;
    if (there !== undefined)
      return { state: 'found', uid: there.uid, foreground: objectDeletion.isForeground(there) };
    const absence = absences.of(lookUp);
    if (absence.state === 'confirmed') return { state: 'absent' };
    if (absence.state === 'found') return absence;
    return absence.reason === undefined ? undefined : { state: 'unknown', reason: absence.reason };
  }

  /** Answers only for callers who may see everything: answers contain any kind and other users' permissions. */
  #answerWhole(lookUp: LookUp): LookUpAnswer | undefined {
    if (!this.#permissions.everything)
      return { state: 'unknown', reason: 'this server reveals it only to callers who may list everything' };
    const { absences, graph } = this.#view;
    if (lookUp.of === 'permission') {
      const state = absences.permission(lookUp);
      return state === 'unknown' ? { state, reason: 'the API server could not decide' } : state && { state };
    }
    if (lookUp.of === 'content') {
      const content = lookUp.uid === '' ? undefined : absences.contentOf(lookUp.uid);
      return content && { state: 'content', content };
    }
    const absence = absences.ofDependents(lookUp as Parameters<typeof absences.ofDependents>[0]);
    if (absence.state === 'assumed')
      return absence.reason === undefined ? undefined : { state: 'unknown', reason: absence.reason };
    const dependents = lookUp.uid === '' ? undefined : graph.get(lookUp.uid)?.dependents;
    return { state: 'dependents', uids: [...(dependents ?? [])].map(({ uid }) => uid) };
  }

  #maySee(type: ResourceType, namespace: string): boolean {
    const extent = this.#permissions.extentOf(type);
    return extent === 'all' || (extent === 'namespace' && namespace === this.#permissions.namespace);
  }

  /** Always rejects: a whole object may hold more than was listed. */
  get(type: ResourceType, _namespace: string, _name: string): Promise<JsonObject | undefined> {
    return Promise.reject(
      new SourceError(`${type.resource} are not read one by one by kubectl gc-tree serve`, { status: 403 }),
    );
  }

  close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#listener = () => {};
    return Promise.resolve();
  }
}
