/** Adds to a forecast which users stay without what the action deletes. */
import { Forecast } from '../../forecast/index.ts';
import { type ClusterView, type Identity, identityOfObject, isDeleting } from '../../graph/index.ts';
import {
  type JsonRecord,
  type KubeObject,
  type LabelSelector,
  labelRules,
  list,
  objectState,
  podFacts,
  record,
  type Uid,
} from '../../model/index.ts';
import { claimsLeft } from './claims-left.ts';
import { ANY_KIND } from './relations.ts';
import { type FoundUse, isAtWork, MOST_OWNERS, type Users, type UsersOfObjects } from './users.ts';

type Break = NonNullable<Forecast['breaks']>[number];

const order: readonly Break['when'][] = ['atOnce', 'nextStart', 'later', 'leftBehind'];

/** Reads the kinds that may use the deleted objects. Rejects if a read rejects. */
export async function addBreaks(forecast: Forecast, view: ClusterView, users: Users): Promise<Forecast> {
  const end = new End(forecast, view);
  const { uses, unseen } = await users.of(end.objects, end.namespaces);
  const staying = uses.filter(each => end.isLeft(each));
  const breaks: Break[] = [];
  for (const use of staying) {
    const found = await breakOf(use, end, users);
    if (found !== undefined) breaks.push(found);
  }
  for (const object of end.objects) breaks.push(...(await lossesBy(object, end, users)));
  breaks.push(...claimsLeft(view, end));
  return {
    ...forecast,
    breaks: breaks
      .filter(each => !failsAnyway(each, breaks))
      .sort((a, b) => order.indexOf(a.when) - order.indexOf(b.when)),
    warnings: withUnseen(forecast.warnings, unseen),
  };
}

/** Adds kinds that couldn't be read to a warning that says the same of others. */
function withUnseen(warnings: Forecast['warnings'], unseen: UsersOfObjects['unseen']): Forecast['warnings'] {
  const hasWarning = warnings.some(({ code }) => code === 'unseenKinds');
  if (unseen.length === 0 || !hasWarning)
    return [...warnings, ...unseen.map(each => ({ ...each, code: 'unseenUsers' as const }))];
  return warnings.map(each => {
    if (each.code !== 'unseenKinds') return each;
    const known = new Set(each.kinds.map(({ resource }) => resource));
    const more = unseen.flatMap(({ resources, because }) =>
      resources.filter(resource => !known.has(resource)).map(resource => ({ resource, reason: because })),
    );
    return { ...each, kinds: [...each.kinds, ...more], hasUsers: true };
  });
}

/** Checks that a user left behind fails at once for another reason: a binding without its role grants no rights. */
function failsAnyway({ user, when }: Break, breaks: readonly Break[]): boolean {
  const isSame = ({ kind, namespace, name }: Identity): boolean =>
    kind === user.kind && namespace === user.namespace && name === user.name;
  return (
    when === 'leftBehind' &&
    breaks.some(each => each.when === 'atOnce' && each.certainty === 'exact' && isSame(each.user))
  );
}

/** Lists objects that lose what the deleted object gave them. */
async function lossesBy(object: KubeObject, end: End, users: Users): Promise<readonly Break[]> {
  const losers = await users.losersBy(object);
  return losers.flatMap(({ used, relation: { lost } }) => {
    if (lost === undefined || end.goesAt(used)) return [];
    const certainty = end.isSure(object.uid) ? 'exact' : 'assumed';
    const fields = { object: identityOfObject(object), user: used, pods: 0, how: lost.how };
    return { ...fields, when: 'atOnce', because: lost.then, certainty };
  });
}

async function breakOf(use: FoundUse, end: End, users: Users): Promise<Break | undefined> {
  const { relation, used, user, how, selector, older } = use;
  const { when, then, renewed = '', fewer = '' } = relation;
  if (when === 'never') return undefined;
  const isParameter = relation.uses === ANY_KIND;
  const ofPods = used.kind === 'Pod' && !isParameter ? selector : undefined;
  const others = selector !== undefined && isParameter ? end.staying(used, selector) : 'none';
  const isReplaced = ofPods !== undefined && end.isReplaced(used);
  if (isReplaced && when === 'leftBehind') return undefined;
  if (ofPods !== undefined && !(await isLast(use, end, users, ofPods))) return undefined;
  return {
    object: used,
    user,
    pods: [...use.pods].filter(uid => !end.goes(uid)).length,
    how,
    when: older ? 'later' : when,
    because: end.isPutBack(used)
      ? renewed
      : older
        ? 'a rollback to that revision fails'
        : isReplaced
          ? `${then} until a new pod is ready`
          : others === 'some'
            ? fewer
            : thenFor(user, then),
    certainty: relation.assumed !== true && others !== 'unseen' && end.isSure(used.uid) ? 'exact' : 'assumed',
  };
}

/** Checks that pods of a selector that count for the user are deleted, and none stays. */
async function isLast(
  { relation: { when }, used }: FoundUse,
  end: End,
  users: Users,
  selector: JsonRecord,
): Promise<boolean> {
  const rules = labelRules.selectorIn(selector);
  const seen = end.podsOf(used, rules);
  if (seen !== undefined) {
    const counted = seen.filter(
      each => !isDeleting(each) && !objectState.isFinished(each) && (when !== 'atOnce' || isReady(each)),
    );
    return counted.length > 0 && counted.every(({ uid }) => end.goes(uid));
  }
  const pods = await users.pods(used.namespace);
  if (pods === undefined) return true;
  const counted = pods.filter(({ json }) => {
    const { labels } = record(json['metadata']);
    const isSelected = isAtWork(json) && labelRules.selects(rules, labelRules.labelsIn(labels));
    return isSelected && (when !== 'atOnce' || !isUnready(json));
  });
  return counted.length > 0 && counted.every(({ uid }) => end.goes(uid));
}

/** A pod without a controller has no successor. */
function thenFor({ kind }: Identity, then: string): string {
  return kind === 'Pod' ? then.replace('its next pod', 'it') : then;
}

/** Like `isUnready`, a pod that says nothing of it counts as ready. */
function isReady(pod: KubeObject): boolean {
  return podFacts(pod)?.conditions.some(({ type, status }) => type === 'Ready' && status !== 'True') !== true;
}

function isUnready(json: JsonRecord): boolean {
  const conditions = list(record(json['status'])['conditions']).map(record);
  return conditions.some(({ type, status }) => type === 'Ready' && status !== 'True');
}

/** The objects that the action takes away. */
class End {
  /** Those that it deletes, at the latest once they are released. */
  readonly objects: readonly KubeObject[];
  readonly namespaces: ReadonlySet<string>;
  readonly goes: (uid: Uid) => boolean;
  readonly #sure: ReadonlySet<string>;
  readonly #forecast: Forecast;
  readonly #view: ClusterView;

  constructor(forecast: Forecast, view: ClusterView) {
    const atMost = [...Forecast.deletedAtMost(forecast), ...forecast.terminating];
    const targets = new Set(forecast.action.targets.map(({ uid }) => uid));
    this.goes = Forecast.deletionCheck(forecast);
    this.#sure = new Set(forecast.deleted.map(({ object }) => object.uid));
    this.#forecast = forecast;
    this.#view = view;
    this.objects = atMost
      .filter(({ anyway, object }) => !anyway || targets.has(object.uid))
      .flatMap(({ object }) => view.graph.get(object.uid)?.object ?? []);
    this.namespaces = new Set(
      atMost.flatMap(({ object }) => (object.kind === 'Namespace' ? object.name : [])),
    );
  }

  goesAt({ kind, namespace, name }: Identity): boolean {
    return (
      this.namespaces.has(namespace) ||
      this.objects.some(each => each.type.kind === kind && each.namespace === namespace && each.name === name)
    );
  }

  /** Reports if objects stay that the selector matches, of the kind and in the namespace of one that doesn't. */
  staying({ apiVersion, kind, namespace }: Identity, selector: JsonRecord): 'some' | 'none' | 'unseen' {
    const { catalog, graph } = this.#view;
    const type = catalog.resolveKind(apiVersion, kind);
    if (type === undefined) return 'unseen';
    const rules = labelRules.selectorIn(selector);
    const stays = [...graph.inNamespace(type, namespace)].some(
      ({ object }) =>
        object !== undefined && !this.goes(object.uid) && labelRules.selects(rules, object.labels),
    );
    if (stays) return 'some';
    return this.#view.reads(type, namespace) ? 'none' : 'unseen';
  }

  /** Lists the pods of a selector; undefined unless all of them and their facts are known. */
  podsOf(
    { apiVersion, kind, namespace }: Identity,
    rules: LabelSelector | undefined,
  ): KubeObject[] | undefined {
    const { catalog, graph } = this.#view;
    const type = catalog.resolveKind(apiVersion, kind);
    if (type === undefined || !this.#view.reads(type, namespace)) return undefined;
    const pods = [...graph.inNamespace(type, namespace)].flatMap(({ object }) =>
      object !== undefined && labelRules.selects(rules, object.labels) ? object : [],
    );
    return pods.every(each => podFacts(each) !== undefined) ? pods : undefined;
  }

  isSure(uid: Uid): boolean {
    return this.#sure.has(uid);
  }

  /** Checks that the user stays, and needs what it uses. */
  isLeft({ user, used, optional, over, older, relation }: FoundUse): boolean {
    if (optional || over || this.goes(user.uid) || this.namespaces.has(user.namespace)) return false;
    if (this.#isTold(user)) return false;
    return !this.isPutBack(used) || (relation.renewed !== undefined && !older);
  }

  /** Checks if a controller creates the pod again. */
  isReplaced({ uid }: Identity): boolean {
    const creators = new Set(
      Forecast.own(this.#forecast.recreated).flatMap(({ by, above }) => [by?.uid, above?.uid]),
    );
    let node = this.#view.graph.get(uid);
    for (let steps = 0; node?.object !== undefined && steps < MOST_OWNERS; steps += 1) {
      const owner = node.object.owners.find(({ controller }) => controller === true);
      if (owner === undefined) return false;
      if (creators.has(owner.uid)) return true;
      node = this.#view.graph.get(owner.uid);
    }
    return false;
  }

  isPutBack({ kind, namespace, name }: Identity): boolean {
    return this.#forecast.recreated.some(
      each =>
        each.actor !== undefined &&
        each.kind === kind &&
        each.named?.some(one => one.namespace === namespace && one.name === name) === true,
    );
  }

  /** A warning reports a webhook whose backend is deleted in more detail. */
  #isTold({ uid }: Identity): boolean {
    const { warnings, alarms } = this.#forecast;
    return [...alarms, ...warnings].some(
      each => each.code === 'webhookLeftBehind' && each.configuration.uid === uid,
    );
  }
}
