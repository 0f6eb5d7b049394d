/** Finds users of objects among whole objects, which are read by kind, and in one namespace if they can be nowhere else. */
import { type ClusterView, compareBytes, type Identity } from '../../graph/index.ts';
import {
  getOrInsert,
  type JsonRecord,
  type KubeObject,
  labelRules,
  list,
  mapConcurrently,
  ResourceType,
  record,
  text,
  type Uid,
} from '../../model/index.ts';
import { isParameterized, policiesOf, withParamKind } from './parameters.ts';
import { canBeReferred, hasReferences, isOfProject, References } from './references.ts';
import {
  ANY_KIND,
  hasAll,
  kindOf,
  mayUse,
  type Relation,
  relationsTo,
  type Use,
  usesIn,
} from './relations.ts';

/** Whole objects of a kind; `namespace` is undefined for all of them. */
interface ListedKind {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
}

export type ListAnswer =
  | { readonly state: 'read'; readonly items: readonly JsonRecord[] }
  | { readonly state: 'unread'; readonly reason: string };

/** A read's result: the object, `absent`, or the reason it wasn't read. */
export type WholeObject =
  | { readonly state: 'read'; readonly json: JsonRecord }
  | { readonly state: 'absent' }
  | { readonly state: 'unread'; readonly reason: string };

export interface UserPorts {
  read(place: Pick<Identity, 'namespace' | 'name'> & { readonly type: ResourceType }): Promise<WholeObject>;
  /** Missing if the source can't list: the objects in the view are read. */
  readonly list?: ((kind: ListedKind) => Promise<ListAnswer>) | undefined;
}

/** A user whose controllers speak for it, and how it uses the object. */
export interface FoundUse {
  readonly used: Identity;
  /** The topmost controller, or the user itself. */
  readonly user: Identity;
  readonly how: string;
  readonly relation: Relation;
  readonly optional: boolean;
  /** True if the user needs the object no longer. */
  readonly over: boolean;
  /** True if the user needs it only for a rollback. */
  readonly older: boolean;
  /** Pods among the users. */
  readonly pods: ReadonlySet<Uid>;
  readonly selector: JsonRecord | undefined;
}

export type NamedUse = Pick<FoundUse, 'used' | 'how' | 'optional' | 'relation'>;

/** Kinds that couldn't be read, whose objects may be users. */
export interface UnseenUsers {
  readonly kinds: readonly string[];
  /** Such as `issuers.cert-manager.io`. */
  readonly resources: readonly string[];
  readonly because: string;
}

export interface UsersOfObjects {
  readonly uses: readonly FoundUse[];
  readonly unseen: readonly UnseenUsers[];
  /** True if users name the objects, so that none is a statement. */
  readonly byName: boolean;
}

/** Limit on the lists of one answer. */
const MOST_LISTS = 40;
/** Limit on kinds outside of the scope, which may have no objects: some projects define hundreds. */
const MOST_UNREAD = 20;
const tooMany = { state: 'unread', reason: 'too many would have to be read' } as const;
/** Limits on objects of a kind that are read one by one, and at a time. */
const MOST_SINGLE = 5_000;
const AT_A_TIME = 16;
export const MOST_OWNERS = 8;

const RBAC = 'rbac.authorization.k8s.io';

/** Subjects of bindings that are no objects. */
const subjects: Readonly<Record<string, Pick<ResourceType, 'apiVersion' | 'kind' | 'namespaced'>>> =
  Object.fromEntries(
    ['User', 'Group'].map(kind => [`${RBAC}/${kind}`, { apiVersion: `${RBAC}/v1`, kind, namespaced: false }]),
  );

export class Users {
  readonly #view: ClusterView;
  readonly #ports: UserPorts;
  readonly #lists = new Map<string, Promise<ListAnswer>>();
  #types:
    | {
        readonly of: readonly ResourceType[];
        readonly byKind: ReadonlyMap<string, ResourceType>;
        readonly references: References;
      }
    | undefined;

  constructor(view: ClusterView, ports: UserPorts) {
    this.#view = view;
    this.#ports = ports;
  }

  static canBeUsed({ type }: KubeObject): boolean {
    return relationsTo(kindOf(type)).length > 0;
  }

  static canUse({ type }: KubeObject): boolean {
    return mayUse(kindOf(type)) || hasReferences(type);
  }

  /**
   * Lists objects that lose something with the deleted one, from the list of its kind; nothing if that can't be read.
   * Rejects if a read rejects.
   */
  async losersBy(object: KubeObject): Promise<readonly NamedUse[]> {
    const { type, namespace, name } = object;
    if (!mayUse(kindOf(type), ({ lost }) => lost !== undefined)) return [];
    const answer = await this.#read({ type, namespace: type.namespaced ? namespace : undefined });
    const json = answer.state === 'read' && answer.items.find(each => metadataOf(each).name === name);
    return json ? this.usedIn(object, json) : [];
  }

  /** Lists what the object, as JSON, uses by name, without uids. */
  usedIn({ type, namespace: own }: KubeObject, json: JsonRecord): readonly NamedUse[] {
    const found = new Map<string, NamedUse>();
    for (const { kind, namespace, name, selector, relation, optional } of this.#usesIn(type, json)) {
      const used = this.#typeOf(kind) ?? subjects[kind];
      if (used === undefined || selector !== undefined) continue;
      const place = { namespace: used.namespaced ? namespace || own : '', name, uid: '' as Uid };
      const use = { used: identityOf(used, place), how: relation.how, optional, relation };
      found.set(JSON.stringify(use), use);
    }
    return [...found.values()];
  }

  /**
   * Reads the kinds that may use the objects, except in `gone` namespaces, where no user stays. Rejects if a read
   * rejects.
   */
  async of(objects: readonly KubeObject[], gone: ReadonlySet<string> = new Set()): Promise<UsersOfObjects> {
    const wanted = new Map<string, ListedKind>();
    const { inside, outside } = this.#listsOf(objects);
    const isRead = outside.length <= MOST_UNREAD;
    for (const kind of [...inside, ...(isRead ? outside : [])])
      if (kind.namespace === undefined || !gone.has(kind.namespace)) wanted.set(keyOfList(kind), kind);
    const reads = [...wanted.values()].map(async (kind, i) => ({
      type: kind.type,
      answer: i < MOST_LISTS ? await this.#readUsers(kind) : tooMany,
    }));
    const answers = await Promise.all(reads);
    if (!isRead) for (const { type } of outside) answers.push({ type, answer: tooMany });
    // Sources list in orders of their own.
    const users = answers.flatMap(({ type, answer }) =>
      answer.state === 'read' ? answer.items.map(json => this.#userOf(type, json)).sort(compareUsers) : [],
    );
    const unread = answers.flatMap(({ type, answer }) =>
      answer.state === 'unread' ? { type, because: answer.reason } : [],
    );
    const asked = new Set(objects.flatMap(({ type }) => relationsTo(kindOf(type))));
    return {
      uses: new UseIndex(this.#view, users, (type, json) => this.#usesIn(type, json, asked)).of(objects),
      unseen: unseenOf(unread),
      byName: objects.some(isNamed),
    };
  }

  /** Counts the known objects that `of` would read. */
  sizeOf(objects: readonly KubeObject[]): number {
    const read = new Map(this.#listsOf(objects).inside.map(each => [keyOfList(each), each]));
    return [...read.values()].reduce((sum, each) => sum + this.#known(each).length, 0);
  }

  /** Like `of`, by object; objects that nothing can use are left out. */
  async byObject(objects: readonly KubeObject[]): Promise<ReadonlyMap<Uid, UsersOfObjects>> {
    const used = objects.filter(each => Users.canBeUsed(each));
    const { uses, unseen } = await this.of(used);
    const byUsed = Map.groupBy(uses, each => each.used.uid);
    const referring = this.#referringTypes.map(({ kind }) => kind);
    return new Map(
      used.map(object => {
        const users = new Set([
          ...relationsTo(kindOf(object.type)).map(({ by }) => by.split('/').at(-1)),
          ...(canBeReferred(object.type) ? referring : []),
        ]);
        const unread = unseen.flatMap(({ kinds, ...each }) => {
          const own = kinds.filter(kind => users.has(kind));
          return own.length > 0 ? [{ ...each, kinds: own }] : [];
        });
        return [object.uid, { uses: byUsed.get(object.uid) ?? [], unseen: unread, byName: isNamed(object) }];
      }),
    );
  }

  /** Lists the pods of a namespace; undefined if they can't be read. */
  async pods(namespace: string): Promise<readonly Pick<User, 'json' | 'uid'>[] | undefined> {
    const type = this.#typeOf('Pod');
    if (type === undefined) return undefined;
    const answer = await this.#read({ type, namespace });
    return answer.state === 'read' ? answer.items.map(json => this.#userOf(type, json)) : undefined;
  }

  /** Lists kinds that may use the objects, some of them twice, then those that the scope leaves out. */
  #listsOf(objects: readonly KubeObject[]): Readonly<Record<'inside' | 'outside', readonly ListedKind[]>> {
    const places = [...placesOf(objects)];
    const [known = [], outside = []] = this.#listsOfReferences(places);
    return { inside: [...places.flatMap(each => this.#listsFor(each)), ...known], outside };
  }

  #listsFor({ type, namespace }: ListedPlace): ListedKind[] {
    return relationsTo(kindOf(type)).flatMap(({ by, anywhere }) => {
      const user = this.#typeOf(by);
      if (user === undefined || user.resource === 'secrets') return [];
      const isWide = anywhere === true || !user.namespaced || !type.namespaced;
      return { type: user, namespace: isWide ? undefined : namespace };
    });
  }

  /**
   * Lists kinds of custom resources with objects where references may be: in the namespace, cluster-scoped, or in other
   * namespaces if they are of the referred kind's project. Then lists those kinds that the scope leaves out.
   */
  #listsOfReferences(places: readonly ListedPlace[]): readonly ListedKind[][] {
    const referred = places.filter(({ type }) => canBeReferred(type));
    if (referred.length === 0) return [];
    const all = this.#referringTypes.flatMap(type => {
      const isWide =
        !type.namespaced || referred.some(each => each.namespace === '' || isOfProject(type, each.type));
      // Without the right to list the kind everywhere, its own namespace may still be read.
      const isOwn = type.namespaced && !(isWide && this.#view.reads(type, ''));
      const own = isOwn ? new Set(referred.map(({ namespace }) => namespace)) : [];
      return [...(isWide ? [undefined] : []), ...own].map(namespace => ({ type, namespace }));
    });
    const isOutside = ({ type, namespace }: ListedKind): boolean =>
      namespace === undefined && this.#isUnread(type);
    return [all.filter(each => !isOutside(each) && this.#known(each).length > 0), all.filter(isOutside)];
  }

  /** Checks for a kind outside of the scope, which isn't known to be unreadable. */
  #isUnread(type: ResourceType): boolean {
    return !this.#view.reads(type, '') && this.#view.visibility(type) !== 'blind';
  }

  get #referringTypes(): readonly ResourceType[] {
    return this.#view.catalog.types.filter(each => each.preferred && hasReferences(each));
  }

  #usesIn(type: ResourceType, json: JsonRecord, asked?: ReadonlySet<Relation>): readonly Use[] {
    return hasReferences(type) ? this.#kinds.references.in(type, json) : usesIn(kindOf(type), json, asked);
  }

  /** Manifests have no uid; the view gives them one. */
  #userOf(type: ResourceType, json: JsonRecord): User {
    const metadata = metadataOf(json);
    const { namespace, name } = metadata;
    const uid = metadata.uid || this.#view.graph.find(type, namespace, name)?.uid || metadata.uid;
    return { type, json, ...metadata, uid };
  }

  /** Completes the parameters of admission policies. */
  async #readUsers(kind: ListedKind): Promise<ListAnswer> {
    const answer = await this.#read(kind);
    if (answer.state === 'unread' || !answer.items.some(isParameterized)) return answer;
    const policies = this.#typeOf(policiesOf(kindOf(kind.type)) ?? '');
    if (policies === undefined) return answer;
    const read = await this.#read({ type: policies, namespace: undefined });
    if (read.state === 'unread') return read;
    return { state: 'read', items: answer.items.map(each => withParamKind(each, read.items)) };
  }

  #read(kind: ListedKind): Promise<ListAnswer> {
    return getOrInsert(this.#lists, keyOfList(kind), async (): Promise<ListAnswer> => {
      const known = this.#known(kind);
      const isNone = known.length === 0 && this.#view.reads(kind.type, kind.namespace ?? '');
      if (isNone) return { state: 'read', items: [] };
      return this.#ports.list?.(kind) ?? this.#readEach(kind, known);
    });
  }

  #known({ type, namespace }: ListedKind): readonly KubeObject[] {
    const { graph } = this.#view;
    const nodes = namespace === undefined ? graph.ofType(type) : graph.inNamespace(type, namespace);
    return [...nodes].flatMap(({ object }) => object ?? []);
  }

  async #readEach({ type }: ListedKind, known: readonly KubeObject[]): Promise<ListAnswer> {
    if (known.length > MOST_SINGLE) return tooMany;
    const answers = await mapConcurrently(known, AT_A_TIME, ({ namespace, name }) =>
      this.#ports.read({ type, namespace, name }),
    );
    const failed = answers.find(each => each.state === 'unread');
    return (
      failed ?? { state: 'read', items: answers.flatMap(each => (each.state === 'read' ? [each.json] : [])) }
    );
  }

  #typeOf(kind: string): ResourceType | undefined {
    return this.#kinds.byKind.get(kind);
  }

  get #kinds() {
    const { types } = this.#view.catalog;
    if (this.#types?.of !== types) {
      const byKind = new Map(types.filter(each => each.preferred).map(each => [kindOf(each), each]));
      this.#types = { of: types, byKind, references: new References(types) };
    }
    return this.#types;
  }
}

function unseenOf(
  unread: readonly { readonly type: ResourceType; readonly because: string }[],
): UnseenUsers[] {
  return [...Map.groupBy(unread, ({ because }) => because)].map(([because, alike]) => ({
    because,
    kinds: [...new Set(alike.map(({ type }) => type.kind))],
    resources: [...new Set(alike.map(({ type }) => ResourceType.groupResource(type)))],
  }));
}

/** Checks that users name an object of its kind, and don't only select it. */
function isNamed({ type }: KubeObject): boolean {
  return relationsTo(kindOf(type)).some(
    each => each.selects === undefined && each.uses !== ANY_KIND && each.when !== 'leftBehind',
  );
}

type ListedPlace = Pick<KubeObject, 'type' | 'namespace'>;

/** Lists kinds and namespaces once each: many objects share them. */
function placesOf(objects: readonly KubeObject[]): Iterable<ListedPlace> {
  return new Map(objects.map(each => [keyOfList(each), each])).values();
}

function keyOfList({ type, namespace }: ListedKind): string {
  return JSON.stringify([type.group, type.resource, namespace]);
}

interface User {
  readonly type: ResourceType;
  readonly json: JsonRecord;
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid;
}

function compareUsers(a: User, b: User): number {
  return compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
}

function metadataOf(json: JsonRecord): Omit<User, 'type' | 'json'> {
  const { namespace, name, uid } = record(json['metadata']);
  return {
    namespace: text(namespace),
    name: text(name),
    uid: text(uid) as Uid,
  };
}

class UseIndex {
  readonly #view: ClusterView;
  readonly #users: readonly User[];
  readonly #usesIn: typeof References.prototype.in;
  readonly #byUid: ReadonlyMap<Uid, User>;

  constructor(view: ClusterView, users: readonly User[], usesIn: typeof References.prototype.in) {
    this.#view = view;
    this.#users = users;
    this.#usesIn = usesIn;
    this.#byUid = new Map(users.map(each => [each.uid, each]));
  }

  of(objects: readonly KubeObject[]): readonly FoundUse[] {
    const named = new Map<string, KubeObject>();
    const byKind = Map.groupBy(objects, ({ type }) => kindOf(type));
    for (const object of objects)
      named.set(keyOfUsed(kindOf(object.type), object.namespace, object.name), object);
    const found = new Map<string, FoundUse & { readonly pods: Set<Uid> }>();
    for (const user of this.#users) {
      if (!isAtWork(user.json)) continue;
      for (const use of this.#usesIn(user.type, user.json))
        for (const used of usedBy(user, use, named, byKind))
          if (used.uid !== user.uid) this.#add(found, user, use, used);
    }
    // A described relation is more precise than a field's name.
    const known = new Set([...found.values()].flatMap(each => (each.relation.assumed ? [] : pairOf(each))));
    return [...found.values()].filter(each => !each.relation.assumed || !known.has(pairOf(each)));
  }

  #add(
    found: Map<string, FoundUse & { readonly pods: Set<Uid> }>,
    user: User,
    { relation, optional, selector }: Use,
    used: KubeObject,
  ): void {
    const root = this.#root(user);
    const older = this.#isOldRevision(user);
    const { then, over } = relation;
    const how = older ? `${relation.how} in an older revision` : relation.how;
    // One object stands for all that a selector matches.
    const of = selector === undefined ? used.uid : used.namespace;
    const key = JSON.stringify([of, root.uid || root.name, how, then, optional]);
    const isPod = kindOf(user.type) === 'Pod';
    const isOver =
      (over !== undefined && hasAll(user.json, over)) ||
      (relation.onlyNew === true && root.uid === user.uid && isPod && phaseOf(user.json) === 'Running');
    const before = found.get(key);
    const made = {
      used: before?.used ?? identityOf(used.type, used),
      user: root,
      how,
      relation,
      optional,
      older,
      selector,
      over: isOver && before?.over !== false,
      pods: before?.pods ?? new Set<Uid>(),
    };
    if (isPod) made.pods.add(user.uid);
    found.set(key, made);
  }

  /** Checks for a ReplicaSet that its Deployment has replaced. */
  #isOldRevision(user: User): boolean {
    const owners = list(record(user.json['metadata'])['ownerReferences']).map(record);
    const owner = this.#byUid.get(text(owners.find(each => each['controller'] === true)?.['uid']) as Uid);
    const isIdle = user.type.kind === 'ReplicaSet' && record(user.json['spec'])['replicas'] === 0;
    return isIdle && owner !== undefined && revisionOf(owner) !== revisionOf(user);
  }

  /** Climbs to the topmost controller, in the lists or in the view. */
  #root({ type, json, ...place }: User): Identity {
    let identity = identityOf(type, place);
    let owners: readonly Owner[] = list(record(json['metadata'])['ownerReferences']).map(record);
    for (let steps = 0; steps < MOST_OWNERS; steps += 1) {
      const owner = owners.find(each => each['controller'] === true);
      if (owner === undefined) return identity;
      const uid = text(owner['uid']) as Uid;
      const listed = this.#byUid.get(uid);
      const seen = this.#view.graph.get(uid)?.object;
      identity = {
        apiVersion: text(owner['apiVersion']),
        kind: text(owner['kind']),
        namespace: identity.namespace,
        name: text(owner['name']),
        uid,
      };
      owners = listed
        ? list(record(listed.json['metadata'])['ownerReferences']).map(record)
        : (seen?.owners ?? []).map(each => ({ ...each }));
    }
    return identity;
  }
}

type Owner = JsonRecord;

function pairOf({ used, user }: FoundUse): string {
  return JSON.stringify([used.uid, user.uid || [user.kind, user.name]]);
}

function usedBy(
  user: User,
  { relation, kind, namespace, name, selector }: Use,
  named: ReadonlyMap<string, KubeObject>,
  byKind: ReadonlyMap<string, readonly KubeObject[]>,
): readonly KubeObject[] {
  const place = namespace || user.namespace;
  // Without a namespace, a policy takes its parameters from that of each request.
  const isAnywhere = relation.uses === ANY_KIND && place === '';
  if (selector !== undefined || isAnywhere)
    return (byKind.get(kind) ?? []).filter(
      each =>
        (isAnywhere || each.namespace === place) &&
        (selector === undefined
          ? each.name === name
          : labelRules.selects(labelRules.selectorIn(selector), each.labels)),
    );
  const found = named.get(keyOfUsed(kind, place, name)) ?? named.get(keyOfUsed(kind, '', name));
  return found === undefined ? [] : [found];
}

function keyOfUsed(kind: string, namespace: string, name: string): string {
  return JSON.stringify([kind, namespace, name]);
}

function identityOf(
  { apiVersion, kind }: Pick<ResourceType, 'apiVersion' | 'kind'>,
  { namespace, name, uid }: Pick<Identity, 'namespace' | 'name' | 'uid'>,
): Identity {
  return { apiVersion, kind, namespace, name, uid };
}

function phaseOf(json: JsonRecord): string {
  return text(record(json['status'])['phase']);
}

/** Returns the revision of a Deployment, or of a ReplicaSet that it made. */
function revisionOf({ json }: User): unknown {
  return record(record(json['metadata'])['annotations'])['deployment.kubernetes.io/revision'];
}

/** Checks that an object isn't being deleted, and isn't a finished pod or Job, which starts no container again. */
export function isAtWork(json: JsonRecord): boolean {
  const isDeleting = record(json['metadata'])['deletionTimestamp'] !== undefined;
  const conditions = list(record(json['status'])['conditions']).map(record);
  const isFinished = conditions.some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return !isDeleting && !isFinished && !['Succeeded', 'Failed'].includes(phaseOf(json));
}
