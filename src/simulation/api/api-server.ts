/** The in-memory API server: a client for each component, with a request log. */
import {
  getOrInsert,
  type KubeObject,
  ResourceType,
  type ServerBehaviour,
  type Uid,
} from '../../model/index.ts';
import type { VirtualClock } from '../clock.ts';
import { type AdmissionControl, admissionKinds } from './admission/admission-control.ts';
import { type AdmissionOperation, usersOf } from './admission/admission-request.ts';
import type { Objection } from './admission/objections.ts';
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
} from './api-client.ts';
import {
  type Admit,
  type ApiServerOptions,
  ApiStorage,
  type ChangeRequest,
  type StoredIdentity,
} from './api-storage.ts';
import { type EvictionVerdict, evictions } from './eviction.ts';
import type { ApiStore, ObjectKey } from './object-store.ts';
import type { SimulatedDiscovery } from './simulated-discovery.ts';
import { isCustomType } from './special-stores.ts';

interface Caller {
  readonly actor: string;
  readonly because: string | undefined;
}

export class SimulatedApiServer {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  readonly discovery: SimulatedDiscovery;
  readonly behaviour: ServerBehaviour;
  readonly log: RequestLog;
  /** Webhooks and policies that might have refused allowed requests, with the first request of each. */
  readonly doubts = new Map<string, AdmissionDoubt & { readonly uids: Set<Uid> }>();
  readonly #storage: ApiStorage;
  readonly #admission: AdmissionControl | undefined;
  readonly #doubtsRefused: boolean;

  constructor(options: ApiServerOptions) {
    this.#admission = options.admission;
    this.#doubtsRefused = options.doubtsRefused ?? false;
    this.store = options.store;
    this.clock = options.clock;
    this.discovery = options.discovery;
    this.behaviour = options.behaviour;
    this.#storage = new ApiStorage(options);
    this.log = new RequestLog(options);
    const admission = options.admission;
    if (admission !== undefined)
      this.#storage.onWrite(({ object: { type } }) => {
        if (admissionKinds.isGroup(type.group)) admission.changed();
      });
  }

  as(actor: string, because?: string): ApiClient {
    const caller: Caller = { actor, because };
    return {
      get: target => this.#get(caller, target),
      list: (type, namespace) => this.#list(caller, type, namespace),
      create: (draft, options) => this.#create(caller, draft, options),
      update: (object, options) => this.#update(caller, object, options),
      patch: (target, change, options) => this.#patch(caller, target, change, options),
      delete: (target, options) => this.#delete(caller, target, options),
      evict: (pod, options) => this.#evict(caller, pod, options),
      deleteCollection: (type, namespace, options) => {
        const steps = this.#deletingCollection(caller, type, namespace, options);
        for (;;) {
          const { done, value } = steps.next();
          if (done === true) return value;
        }
      },
      deletingCollection: (type, namespace, options) =>
        this.#deletingCollection(caller, type, namespace, options),
      because: reason => this.as(actor, reason),
    };
  }

  /** Sets the scheme of uids and resourceVersions before the first write, for clusters used as a base of forecasts. */
  identifyAs(identity: StoredIdentity): void {
    this.#storage.identifyAs(identity);
  }

  onWrite(listener: (event: StoreEvent) => void): void {
    this.#storage.onWrite(listener);
  }

  /** Writes without any rules, to set up a test or scenario. */
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
    const admit = this.#admit(caller, 'CREATE', { ...draft, namespace: draft.namespace ?? '', name: '' });
    const answer = this.#storage.create(draft, options, admit);
    const written = changed(answer, undefined, options.dryRun);
    this.log.write(caller, { verb: 'create', target: draft, answer, ...written });
    return answer;
  }

  #update(caller: Caller, object: KubeObject, options: WriteOptions = {}): ApiAnswer {
    const { owners, finalizers, labels, facts, uid, resourceVersion } = object;
    return this.#change(caller, 'update', object, {
      ...options,
      // A different uid fails an update's precondition, while a patch would change an immutable field.
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

  #change(
    caller: Caller,
    verb: 'update' | 'patch',
    target: ObjectKey,
    request: Omit<ChangeRequest, 'admit'>,
  ): ApiAnswer {
    const before = this.store.find(target.type, target.namespace, target.name);
    const { subresource, dryRun } = request;
    const operation = subresource === 'binding' ? 'CREATE' : 'UPDATE';
    const admit = this.#admit(caller, operation, target, subresource);
    const answer = this.#storage.change(target, { ...request, admit }, before);
    const written = changed(answer, before, dryRun);
    const uid = before?.uid;
    this.log.write(caller, { verb, target, answer, subresource, uid, ...written });
    return answer;
  }

  #delete(caller: Caller, target: ObjectKey, options: DeleteOptions = {}, isCollection = false): ApiAnswer {
    const before = this.store.find(target.type, target.namespace, target.name);
    const named = isCollection ? { ...target, name: '' } : target;
    const admit = options.unadmitted ? admitted : this.#admit(caller, 'DELETE', named);
    const answer = this.#storage.delete(target, options, before, admit);
    const written = changed(answer, before, options.dryRun);
    const uid = before?.uid;
    this.log.write(caller, { verb: 'delete', target, answer, options, uid, ...written });
    return answer;
  }

  #evict(caller: Caller, target: ObjectKey, options: DeleteOptions = {}): ApiAnswer {
    const before = this.store.find(target.type, target.namespace, target.name);
    const { refused = this.#refusedEviction(caller, target, before), budget } = this.#judgeEviction(before);
    const answer = refused ?? this.#storage.delete(target, options, before, admitted);
    const facts = budget?.facts;
    if (budget !== undefined && answer.ok && facts?.kind === 'PodDisruptionBudget' && !options.dryRun) {
      const disruptionsAllowed = facts.disruptionsAllowed - 1;
      this.#storage.write(budget.with({ facts: { ...facts, disruptionsAllowed } }), budget);
    }
    const written = changed(answer, before, options.dryRun);
    const eviction = { verb: 'delete', subresource: 'eviction', target, answer, options, budget } as const;
    this.log.write(caller, { ...eviction, uid: before?.uid, ...written });
    return answer;
  }

  #judgeEviction(pod: KubeObject | undefined): EvictionVerdict {
    const type = this.discovery.catalog.preferredOf({ group: 'policy', resource: 'poddisruptionbudgets' });
    if (type === undefined || pod === undefined) return evictions.free;
    return evictions.judge(pod, this.#storage.list(type, pod.namespace));
  }

  /** Admission sees an Eviction without labels, and no deletion. */
  #refusedEviction(caller: Caller, target: ObjectKey, pod: KubeObject | undefined): ApiAnswer | undefined {
    const eviction = pod?.with({ labels: [], finalizers: [], owners: [] });
    return (
      this.#storage.refusedByNamespace(target) ??
      this.#admit(caller, 'CREATE', target, 'eviction')(eviction, undefined)
    );
  }

  /** `target` has only the coordinates that the request names. */
  #admit(
    { actor }: Caller,
    operation: AdmissionOperation,
    { type, namespace, name }: ObjectKey,
    subresource: LoggedRequest['subresource'] | '' = '',
  ): Admit {
    const admission = this.#admission;
    if (admission === undefined) return admitted;
    return (object, oldObject) => {
      const users = usersOf(actor, oldObject ?? object);
      const request = { operation, type, subresource, namespace, name, object, oldObject, users };
      const objections = admission.objectionsTo(request);
      const [first] = objections;
      if (first !== undefined && (first.answer === 'refused' || this.#doubtsRefused)) return denial(first);
      const about = oldObject ?? object;
      if (about === undefined) return undefined;
      for (const objection of objections) {
        const { configuration, webhook, because } = objection;
        const key = `${configuration.uid} ${webhook} ${because} ${operation} ${type.resource}`;
        const doubt = getOrInsert(this.doubts, key, () => ({
          objection,
          operation,
          object: about,
          uids: new Set<Uid>(),
        }));
        doubt.uids.add(about.uid);
      }
      return undefined;
    };
  }

  *#deletingCollection(
    caller: Caller,
    type: ResourceType,
    namespace: string,
    options: DeleteOptions = {},
  ): Generator<void, ListAnswer, void> {
    const refused =
      unavailable(this.discovery, type) ??
      (type.verbs.includes('deletecollection')
        ? undefined
        : refusal(
            405,
            'MethodNotAllowed',
            `deletecollection is not supported on ${ResourceType.groupResource(type)}`,
          ));
    const target = { type, namespace, name: '' };
    const answered = refused ?? { status: 200 };
    this.log.write(caller, { verb: 'deletecollection', target, answer: answered, options });
    if (refused !== undefined) return refused;
    const items = this.#storage.list(type, type.namespaced ? namespace : undefined);
    for (const item of items) {
      // Neither the request nor admission names the objects of a collection.
      const answer = this.#delete(caller, item, options, true);
      if (!answer.ok && answer.status !== 404) return answer;
      yield;
    }
    return { ok: true, items };
  }
}

function admitted(): undefined {}

function changed(
  answer: ApiAnswer,
  before: KubeObject | undefined,
  dryRun = false,
): Pick<Write, 'before' | 'after'> {
  if (!answer.ok || dryRun || (answer.object === before && !answer.removed)) return {};
  return { before, after: answer.removed ? undefined : answer.object };
}

export interface AdmissionDoubt {
  readonly objection: Objection;
  readonly operation: AdmissionOperation;
  /** The first of them. */
  readonly object: KubeObject;
  readonly uids: ReadonlySet<Uid>;
}

/** Refuses like webhooks and policies (apiserver pkg/admission, v0.36), with a different wording. */
function denial(objection: Objection): ApiAnswer & { readonly ok: false } {
  const { configuration, webhook, policy, because } = objection;
  if (webhook !== '') {
    const message = `failed calling webhook "${webhook}": ${because} (${configuration.type.kind} ${configuration.name})`;
    return { ...refusal(500, 'InternalError', message), objection };
  }
  const message = `admission policy "${policy}" with binding "${configuration.name}" denied request: ${because}`;
  return { ...refusal(422, 'Invalid', message), objection };
}

type Target = Omit<ObjectKey, 'namespace'> & { readonly namespace?: string | undefined };

interface Write {
  readonly verb: Verb;
  readonly target: Target;
  readonly answer: { readonly status: number } | ApiAnswer;
  readonly uid?: Uid | undefined;
  readonly subresource?: LoggedRequest['subresource'];
  readonly options?: DeleteOptions;
  readonly budget?: KubeObject | undefined;
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
    const { verb, target, answer, subresource, options, budget, before, after } = write;
    const { type, namespace = '', name } = target;
    const found = 'object' in answer ? answer.object : undefined;
    const { status } = answer;
    const n = this.entries.length + 1;
    const at = this.#options.clock.now;
    const uid = write.uid ?? found?.uid;
    const request = { n, at, actor, verb, type, namespace, name, uid, subresource, options, status };
    const objection = 'ok' in answer && !answer.ok ? answer.objection : undefined;
    this.entries.push({ ...request, because, objection, ...(budget && { budget }), before, after });
  }
}
