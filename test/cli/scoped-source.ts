/**
 * A cluster that stands still and is read as a live one is: all of it, or a scope and what is wanted beside. What was
 * read can be told, so that a test sees that no more was.
 */
import type {
  AnsweredLookUp,
  Content,
  LookUp,
  SourceBatch,
  TypeStatus,
} from '../../src/model/exchange/changes.ts';
import { type ReadPlan, ReadScope, type Want } from '../../src/model/exchange/reads.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { TypeCatalog } from '../../src/model/types/type-catalog.ts';
import type { JsonObject, Source, SourceInfo } from '../../src/source/source.ts';

/** Namespaces of a type that are read; `*` for all of them. */
const EVERYWHERE = '*';

export class ScopedSource implements Source {
  readonly info: SourceInfo;
  readonly graphComplete = Promise.resolve();
  readonly factsComplete = Promise.resolve();
  readonly #whole: SourceBatch;
  readonly #contentOf: ((object: KubeObject) => Content | undefined) | undefined;
  readonly #types: readonly ResourceType[];
  readonly #objects: KubeObject[];
  readonly #read = new Map<string, Set<string>>();
  readonly #single = new Set<KubeObject>();
  #scope: ReadScope | undefined;
  #listener: (batch: SourceBatch) => void = () => {};
  /** What was asked for beside the scope. */
  readonly wanted: Want[] = [];

  /** `whole`: everything that a source of the cluster would deliver at once. `contentOf`: what `content` look-ups read. */
  constructor(
    whole: SourceBatch,
    namespace: string,
    contentOf?: (object: KubeObject) => Content | undefined,
  ) {
    this.#whole = whole;
    this.#contentOf = contentOf;
    this.#types = (whole.types ?? []).filter(ResourceType.isMonitored);
    this.#objects = whole.changes.flatMap(change => (change.op === 'upsert' ? [change.object] : []));
    this.info = { source: 'cluster', context: 'test', namespace, serverVersion: 'v1.36.3' };
  }

  get scope(): ReadScope | undefined {
    return this.#scope;
  }

  start(listener: (batch: SourceBatch) => void, reading: ReadPlan = {}): Promise<void> {
    this.#listener = listener;
    const scope = reading.scope?.(new TypeCatalog(this.#whole.types ?? []));
    this.#scope = scope;
    if (scope === undefined) {
      listener(this.#whole);
      return Promise.resolve();
    }
    for (const type of this.#types)
      this.#read.set(ResourceType.groupResource(type), new Set(type.namespaced ? scope.namespaces : []));
    const namespaces = this.#objects.filter(
      ({ type, name }) => type.kind === 'Namespace' && scope.namespaces.includes(name),
    );
    for (const each of namespaces) this.#single.add(each);
    const { types, failedGroups } = this.#whole;
    listener({
      ...(types && { types }),
      ...(failedGroups && { failedGroups }),
      scope,
      statuses: this.#types.map(type => this.#statusOf(type)),
      changes: this.#objects
        .filter(each => this.#isRead(each.type, each.namespace) || this.#single.has(each))
        .map(object => ({ op: 'upsert', object })),
      connection: { state: 'live' },
    });
    return Promise.resolve();
  }

  want(wants: Iterable<Want>): void {
    const batches = [...wants].map(want => {
      this.wanted.push(want);
      return this.#answer(want);
    });
    // As from a server: never before the call is over.
    setImmediate(() => batches.forEach(batch => this.#listener(batch)));
  }

  /** Somebody creates it while the source is read. */
  create(object: KubeObject): void {
    this.#objects.push(object);
    if (this.#isRead(object.type, object.namespace)) this.#listener({ changes: [{ op: 'upsert', object }] });
  }

  #answer({ type, namespace, name }: Want): SourceBatch {
    if (name !== undefined && namespace === undefined) return this.#namesakes(type, name);
    if (name !== undefined && namespace !== undefined) {
      const { apiVersion, kind } = type;
      return this.#lookedUp({ of: 'object', apiVersion, kind, namespace, name, uid: '' });
    }
    const place = namespace === undefined || !type.namespaced ? EVERYWHERE : namespace;
    this.#read.get(ResourceType.groupResource(type))?.add(place);
    const objects = this.#objects.filter(
      each =>
        ResourceType.groupResource(each.type) === ResourceType.groupResource(type) &&
        this.#isRead(type, each.namespace),
    );
    return {
      changes: objects.map(object => ({ op: 'upsert', object })),
      statuses: [this.#statusOf(type)],
    };
  }

  #namesakes(type: ResourceType, name: string): SourceBatch {
    const found = this.#objects.filter(
      each =>
        ResourceType.groupResource(each.type) === ResourceType.groupResource(type) && each.name === name,
    );
    const { apiVersion, kind } = type;
    const lookUp: LookUp = {
      of: 'object',
      apiVersion,
      kind,
      namespace: ReadScope.anyNamespace,
      name,
      uid: '',
    };
    const [first] = found;
    const answer: AnsweredLookUp['answer'] =
      first === undefined ? { state: 'absent' } : { state: 'found', uid: first.uid, foreground: false };
    return {
      changes: found.map(object => ({ op: 'upsert', object })),
      lookUps: [{ lookUp, answer }],
    };
  }

  lookUp(wanted: Iterable<LookUp>): void {
    const batches = [...wanted].map(each => this.#lookedUp(each));
    if (batches.length > 0) setImmediate(() => batches.forEach(batch => this.#listener(batch)));
  }

  #lookedUp(lookUp: LookUp): SourceBatch {
    const { of, apiVersion, kind, namespace, name, uid } = lookUp;
    const answered = (answer: AnsweredLookUp['answer']): AnsweredLookUp[] => [{ lookUp, answer }];
    if (of === 'dependents') {
      const uids = this.#objects.filter(
        each => this.#isRead(each.type, each.namespace) && each.owners.some(owner => owner.uid === uid),
      );
      return {
        changes: [],
        lookUps: answered({ state: 'dependents', uids: uids.map(each => each.uid) }),
      };
    }
    if (of === 'content' && this.#contentOf !== undefined) {
      const object = this.#objects.find(each => each.uid === uid);
      const content = object && this.#contentOf(object);
      return {
        changes: [],
        lookUps: answered(
          content === undefined ? { state: 'unknown', reason: '' } : { state: 'content', content },
        ),
      };
    }
    const type = new TypeCatalog(this.#types).resolveKind(apiVersion, kind);
    const status = this.#whole.statuses?.find(
      each => type && ResourceType.groupResource(each.type) === ResourceType.groupResource(type),
    );
    if (status?.state === 'blind')
      return { changes: [], lookUps: answered({ state: 'unknown', reason: status.reason ?? '' }) };
    const found = this.#objects.find(
      each =>
        type !== undefined &&
        ResourceType.groupResource(each.type) === ResourceType.groupResource(type) &&
        each.namespace === namespace &&
        each.name === name,
    );
    if (found === undefined) return { changes: [], lookUps: answered({ state: 'absent' }) };
    const foreground =
      found.deletionTimestamp !== undefined && found.finalizers.includes('foregroundDeletion');
    return {
      changes: [{ op: 'upsert', object: found }],
      lookUps: answered({ state: 'found', uid: found.uid, foreground }),
    };
  }

  #isRead(type: ResourceType, namespace: string): boolean {
    const places = this.#read.get(ResourceType.groupResource(type));
    return places !== undefined && (places.has(EVERYWHERE) || (namespace !== '' && places.has(namespace)));
  }

  #statusOf(type: ResourceType): TypeStatus {
    const whole = this.#whole.statuses?.find(
      each => ResourceType.groupResource(each.type) === ResourceType.groupResource(type),
    );
    const base = { type, count: 0, facts: true };
    if (whole?.state === 'blind') {
      const { reason = '' } = whole;
      return { ...base, state: 'blind', facts: false, reason };
    }
    const places = this.#read.get(ResourceType.groupResource(type)) ?? new Set();
    if (places.has(EVERYWHERE)) return { ...base, state: 'synced' };
    return places.size === 0
      ? { ...base, state: 'unread', facts: false }
      : { ...base, state: 'synced', namespaces: [...places] };
  }

  get(_type: ResourceType, _namespace: string, _name: string): Promise<JsonObject | undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
