/**
 * The API server in memory as its clients see it: requests by component, each logged. What a request means for
 * what is stored is in `simulation/api/storage.ts`.
 */
import type { KubeObject, Uid } from '../../model/object.ts';
import { groupResource, type ResourceType } from '../../model/types/resource-type.ts';
import type { VirtualClock } from '../runtime/clock.ts';
import type { SimulatedDiscovery } from './discovery.ts';
import { isCustomType } from './special-stores.ts';
import { type ApiServerOptions, ApiStorage, type ChangeRequest, type StoredIdentity } from './storage.ts';
import type { ApiStore, ObjectKey } from './store.ts';
import {
  type ApiAnswer,
  type ApiClient,
  conflict,
  type DeleteOptions,
  describe,
  type ListAnswer,
  type LoggedRequest,
  type ObjectChange,
  type ObjectDraft,
  type PatchOptions,
  refusal,
  type StoreEvent,
  unavailable,
  unlistable,
  type Verb,
  type WriteOptions,
} from './types.ts';

/** A request and the component that makes it. */
interface Caller {
  readonly actor: string;
  readonly because: string | undefined;
}

export class SimulatedApiServer {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  readonly discovery: SimulatedDiscovery;
  readonly log: RequestLog;
  readonly #storage: ApiStorage;

  constructor(options: ApiServerOptions) {
    this.store = options.store;
    this.clock = options.clock;
    this.discovery = options.discovery;
    this.#storage = new ApiStorage(options);
    this.log = new RequestLog(options);
  }

  /** The server as this component sees it. */
  as(actor: string, because?: string): ApiClient {
    const caller: Caller = { actor, because };
    return {
      get: target => this.#get(caller, target),
      list: (type, namespace) => this.#list(caller, type, namespace),
      create: (draft, options) => this.#create(caller, draft, options),
      update: (object, options) => this.#update(caller, object, options),
      patch: (target, change, options) => this.#patch(caller, target, change, options),
      delete: (target, options) => this.#delete(caller, target, options),
      deleteCollection: (type, namespace, options) =>
        this.#deleteCollection(caller, type, namespace, options),
      because: reason => this.as(actor, reason),
    };
  }

  /**
   * Makes uids and resourceVersions in this way, before anything is written: of a simulated cluster that
   * forecasts are made of in their turn.
   */
  identifyAs(identity: StoredIdentity): void {
    this.#storage.identifyAs(identity);
  }

  /** Told of every write at once; informers deliver it later. */
  onWrite(listener: (event: StoreEvent) => void): void {
    this.#storage.onWrite(listener);
  }

  /** Writes past all rules, as a test or a scenario sets up a state. */
  seed(object: KubeObject): void {
    this.#storage.write(object, this.store.byUid(object.uid));
  }

  #get(caller: Caller, target: ObjectKey): ApiAnswer {
    const answer = unavailable(this.discovery, target.type) ?? this.#storage.get(target);
    this.log.read(caller, 'get', target, answer);
    return answer;
  }

  #list(caller: Caller, type: ResourceType, namespace: string | undefined): ListAnswer {
    const refused = unavailable(this.discovery, type) ?? unlistable(this.discovery, type);
    const answer: ListAnswer = refused ?? { ok: true, items: this.#storage.list(type, namespace) };
    const target = { type, namespace, name: '' };
    this.log.read(caller, 'list', target, refused ?? { status: 200 });
    return answer;
  }

  #create(caller: Caller, draft: ObjectDraft, options: WriteOptions = {}): ApiAnswer {
    const answer = this.#storage.create(draft, options);
    const written = changed(answer, undefined, options.dryRun);
    this.log.write(caller, { verb: 'create', target: draft, answer, ...written });
    return answer;
  }

  #update(caller: Caller, object: KubeObject, options: WriteOptions = {}): ApiAnswer {
    const { owners, finalizers, labels, facts, uid, resourceVersion } = object;
    return this.#change(caller, 'update', object, {
      ...options,
      // An update with another uid fails its precondition, a patch changes an immutable field.
      check: current => (current.uid === uid ? undefined : conflict(current, 'the UID does not match')),
      resourceVersion,
      change: () => ({ owners, finalizers, labels, facts }),
    });
  }

  #patch(
    caller: Caller,
    target: ObjectKey,
    change: ObjectChange | ((current: KubeObject) => ObjectChange),
    options: PatchOptions = {},
  ): ApiAnswer {
    const { uid, strategic = false } = options;
    if (strategic && isCustomType(this, target.type)) {
      const answer = refusal(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format');
      this.log.write(caller, { verb: 'patch', target, answer });
      return answer;
    }
    return this.#change(caller, 'patch', target, {
      ...options,
      check: current =>
        uid === undefined || current.uid === uid
          ? undefined
          : refusal(422, 'Invalid', `${describe(current)} is invalid: metadata.uid: field is immutable`),
      change: typeof change === 'function' ? change : () => change,
    });
  }

  #change(caller: Caller, verb: 'update' | 'patch', target: ObjectKey, request: ChangeRequest): ApiAnswer {
    const before = this.store.find(target.type, target.namespace, target.name);
    const answer = this.#storage.change(target, request, before);
    const { subresource, dryRun } = request;
    const written = changed(answer, before, dryRun);
    this.log.write(caller, { verb, target, answer, subresource, ...written });
    return answer;
  }

  #delete(caller: Caller, target: ObjectKey, options: DeleteOptions = {}): ApiAnswer {
    const before = this.store.find(target.type, target.namespace, target.name);
    const answer = this.#storage.delete(target, options, before);
    const written = changed(answer, before, options.dryRun);
    const uid = before?.uid;
    this.log.write(caller, { verb: 'delete', target, answer, options, uid, ...written });
    return answer;
  }

  #deleteCollection(
    caller: Caller,
    type: ResourceType,
    namespace: string,
    options: DeleteOptions = {},
  ): ListAnswer {
    const refused =
      unavailable(this.discovery, type) ??
      (type.verbs.includes('deletecollection')
        ? undefined
        : refusal(405, 'MethodNotAllowed', `deletecollection is not supported on ${groupResource(type)}`));
    const target = { type, namespace, name: '' };
    const answered = refused ?? { status: 200 };
    this.log.write(caller, { verb: 'deletecollection', target, answer: answered, options });
    if (refused !== undefined) return refused;
    const items = this.#storage.list(type, type.namespaced ? namespace : undefined);
    for (const item of items) {
      const answer = this.#delete(caller, item, options);
      if (!answer.ok && answer.status !== 404) return answer;
    }
    return { ok: true, items };
  }
}

/** The object before and after a request, where that changed it. */
function changed(
  answer: ApiAnswer,
  before: KubeObject | undefined,
  dryRun = false,
): Pick<Write, 'before' | 'after'> {
  if (!answer.ok || dryRun || (answer.object === before && !answer.removed)) return {};
  return { before, after: answer.removed ? undefined : answer.object };
}

/** As much of an object's name as a request has. */
type Target = Omit<ObjectKey, 'namespace'> & { readonly namespace?: string | undefined };

interface Write {
  readonly verb: Verb;
  readonly target: Target;
  readonly answer: { readonly status: number } | ApiAnswer;
  readonly uid?: Uid | undefined;
  readonly subresource?: WriteOptions['subresource'];
  readonly options?: DeleteOptions;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
}

export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  readonly #options: ApiServerOptions;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  read(caller: Caller, verb: 'get' | 'list', target: Target, answer: { status: number }): void {
    if (this.#options.logReads === true) this.write(caller, { verb, target, answer });
  }

  write({ actor, because }: Caller, write: Write): void {
    const { verb, target, answer, subresource, options, before, after } = write;
    const { type, namespace = '', name } = target;
    const found = 'object' in answer ? answer.object : undefined;
    const { status } = answer;
    const n = this.entries.length + 1;
    const at = this.#options.clock.now;
    const uid = write.uid ?? found?.uid;
    const request = { n, at, actor, verb, type, namespace, name, uid, subresource, options, status };
    this.entries.push({ ...request, because, before, after });
  }
}
