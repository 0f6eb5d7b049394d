/** Finds losses that neither a backup nor a controller restores. They decide the strength of the confirmation. */
import { Forecast } from '../../forecast/index.ts';
import { type ClusterView, type Identity, identityOfObject, isDeleting } from '../../graph/index.ts';
import {
  BuiltInKind,
  controllerOf,
  type KubeObject,
  type OwnerReference,
  objectState,
  ResourceType,
  Sliced,
  secretValues,
  shownName,
  type Uid,
  type VolumeClaimFacts,
} from '../../model/index.ts';
import { Intent } from './action-intent.ts';
import { defaultCreator, isAlwaysRecreated, isCreatedFor, isCustomGroup } from './built-in-controllers.ts';

export interface Loss {
  readonly object: Identity;
  /** Follows "cannot bring back": `the data of Secret key`. Names from the cluster are verbatim. */
  readonly what: string;
}

export interface LossOptions {
  readonly secretData: boolean;
}

/** `view` is the state before the action. Yields at most one loss per object, in the forecast's order. */
export function* lossesOf(
  intent: Intent,
  forecast: Forecast,
  { view, secretData }: LossOptions & { readonly view: ClusterView },
): Sliced<Loss[]> {
  const going = new Going(forecast, view);
  yield;
  const losses: Loss[] = [];
  const lose = (object: KubeObject, what: string | undefined): void => {
    if (what !== undefined) losses.push({ object: identityOfObject(object), what });
  };
  const kept = new Set(forecast.warnings.flatMap(each => (each.code === 'dataKept' ? each.volumes : [])));
  yield* Sliced.each(going.gone(), object => {
    const { facts } = object;
    if (going.isOfNamespace(object)) return;
    if (facts?.kind === 'PersistentVolumeClaim' && kept.has(facts.volumeName)) return;
    const isMade = going.isRecreated(object);
    lose(
      object,
      lossOfKind(object, { view, secretData, isMade }) ??
        going.notRecreated(object) ??
        going.leftReferring(object),
    );
  });
  yield* Sliced.each(going.held(), object => lose(object, `${titleOf(object)} while its deletion lasts`));
  const lost = new Set(losses.map(({ object }) => object.uid));
  yield* Sliced.each(unseenOwners(intent), object => {
    if (!lost.has(object.uid)) lose(object, unseenBelow(object, view));
    lost.add(object.uid);
  });
  return losses;
}

export interface KindOptions extends LossOptions {
  readonly view: ClusterView;
  readonly isMade: boolean;
}

/** Returns the loss for an object of this kind that a backup doesn't hold, if any. */
export function lossOfKind(
  object: KubeObject,
  { view, secretData, isMade }: KindOptions,
): string | undefined {
  const { type, facts } = object;
  const title = titleOf(object);
  if (secretValues.isSecret(type)) return secretData ? undefined : `the data of ${title}`;
  switch (`${type.group}/${type.kind}`) {
    case '/Pod':
      if (isMade) return undefined;
      return objectState.isFinished(object) ? `the logs of ${title}` : `the processes of ${title}`;
    case '/PersistentVolumeClaim':
      return claimLoss(title, facts?.kind === 'PersistentVolumeClaim' ? facts : undefined, view);
    case '/PersistentVolume':
      return facts?.kind === 'PersistentVolume' && facts.reclaimPolicy === 'Retain'
        ? undefined
        : `the storage behind ${title}, if it is deleted with it`;
    case 'batch/Job':
      return facts?.kind === 'Workload' && facts.current === 0
        ? undefined
        : `the progress of ${title}: recreated, it starts from the beginning`;
    case '/ServiceAccount':
      // Tokens name the uid of their account (pkg/serviceaccount/claims.go, v1.36).
      return `the tokens of ${title}: recreated, it has another uid`;
    case '/Service':
      return `the cluster IP of ${title}, and its load balancer if it has one`;
    case '/Namespace':
      return namespaceLoss(object, view);
    case 'apiextensions.k8s.io/CustomResourceDefinition':
      return definitionLoss(object, view);
    case 'certificates.k8s.io/CertificateSigningRequest':
      return `the certificate of ${title}`;
    default:
      return undefined;
  }
}

/** A recreated claim has another uid, and the volume refers to the former (spec.claimRef.uid). */
function claimLoss(
  title: string,
  facts: VolumeClaimFacts | undefined,
  view: ClusterView,
): string | undefined {
  if (facts?.volumeName === '') return undefined;
  const type = view.catalog.resolveKind('v1', 'PersistentVolume');
  const volume = facts && type && view.find(type, '', facts.volumeName);
  return volume?.facts?.kind === 'PersistentVolume' && volume.facts.reclaimPolicy === 'Retain'
    ? `the binding of ${title}: PersistentVolume ${volume.name} keeps the data, and has to be released by hand`
    : `the data behind ${title}, if its volume is deleted with it`;
}

function namespaceLoss({ name }: KubeObject, view: ClusterView): string {
  const unseen = view.catalog.types.filter(
    type => type.preferred && type.namespaced && ResourceType.isMonitored(type) && !view.sees(type, name),
  );
  const more = unseen.length === 0 ? '' : `, such as ${unseenWords(unseen)} that cannot be seen here`;
  return `what else there is in Namespace ${name}${more}`;
}

/** Visible instances are in the backup, and return with their definition. */
function definitionLoss(definition: KubeObject, view: ClusterView): string | undefined {
  const { facts } = definition;
  const served =
    facts?.kind === 'CustomResourceDefinition'
      ? view.catalog.preferredOf({ group: facts.group, resource: facts.plural })
      : undefined;
  return served !== undefined && view.seesAll(served)
    ? undefined
    : `the objects that ${titleOf(definition)} defines, which cannot be seen here`;
}

const NAMED = 3;

/** Listed first: no manifest restores their content. */
const worst: readonly string[] = ['secrets', 'persistentvolumeclaims'];

function unseenWords(types: readonly ResourceType[]): string {
  const all = types.map(ResourceType.groupResource).sort();
  const names = [...worst.filter(each => all.includes(each)), ...all.filter(each => !worst.includes(each))];
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more kinds` : names.join(' and ');
}

/** Skips pods: they own claims at most, and the forecast knows those by name. */
function unseenOwners(intent: Intent): readonly KubeObject[] {
  if (intent.verb === 'delete' && intent.cascade === 'orphan') return [];
  return intent.verb === 'undo'
    ? []
    : Intent.targets(intent).filter(({ type }) => BuiltInKind.of(type) !== 'Pod');
}

/** Names unseen dependents that could not be restored. */
function unseenBelow(object: KubeObject, view: ClusterView): string | undefined {
  const unseen = ['Secret', 'PersistentVolumeClaim'].flatMap(kind => {
    const type = view.catalog.resolveKind('v1', kind);
    return type === undefined || view.sees(type, object.namespace) ? [] : [type];
  });
  return unseen.length === 0
    ? undefined
    : `what ${titleOf(object)} owns among ${unseenWords(unseen)}, which cannot be seen here`;
}

class Going {
  readonly #forecast: Forecast;
  readonly #view: ClusterView;
  readonly #uids: Set<Uid>;
  readonly #altered: ReadonlySet<Uid>;
  readonly #makers: ReadonlySet<string>;

  constructor(forecast: Forecast, view: ClusterView) {
    this.#forecast = forecast;
    this.#view = view;
    const { changed, recreated, terminating, timingDependent } = forecast;
    this.#altered = new Set(changed.map(({ object }) => object.uid));
    this.#makers = new Set(
      recreated.flatMap(({ by, kind, anyway }) => (anyway || by === undefined ? [] : [`${by.uid} ${kind}`])),
    );
    this.#uids = new Set(
      [...Forecast.deletedAtMost(forecast), ...terminating, ...timingDependent].map(
        ({ object }) => object.uid,
      ),
    );
  }

  *gone(): IterableIterator<KubeObject> {
    const { timingDependent } = this.#forecast;
    const deleted = Forecast.deletedAtMost(this.#forecast);
    const uncertain = timingDependent.filter(({ outcomes }) => outcomes.some(({ end }) => end === 'deleted'));
    for (const { object } of [...Forecast.own(deleted), ...uncertain]) {
      const seen = this.#view.graph.get(object.uid)?.object;
      if (seen !== undefined) yield seen;
    }
  }

  *held(): IterableIterator<KubeObject> {
    for (const { object, anyway } of this.#forecast.terminating) {
      const seen = anyway ? undefined : this.#view.graph.get(object.uid)?.object;
      if (seen !== undefined && !isDeleting(seen)) yield seen;
    }
  }

  /** Checks if every namespace has such an object: its users are deleted with the namespace. */
  isOfNamespace(object: KubeObject): boolean {
    if (defaultCreator(this.#view, object) === undefined) return false;
    const type = this.#view.catalog.resolveKind('v1', 'Namespace');
    const namespace = type && this.#view.graph.find(type, '', object.namespace)?.object;
    return namespace !== undefined && this.#uids.has(namespace.uid);
  }

  /** Checks if its controller stays, or returns after an undo, and recreates the object. */
  isRecreated(object: KubeObject): boolean {
    const controller = this.#maker(object);
    if (controller === undefined) return false;
    if (this.#uids.has(controller.uid) || isAlwaysRecreated(controller, object.type)) return true;
    return this.#makers.has(`${controller.uid} ${object.type.kind}`);
  }

  /** Covers objects an undo leaves to a controller that no longer wants them. */
  notRecreated(object: KubeObject): string | undefined {
    const controller = this.#maker(object);
    if (
      controller === undefined ||
      defaultCreator(this.#view, object) !== undefined ||
      this.isRecreated(object)
    )
      return undefined;
    const { apiVersion, kind, name } = controller;
    return isCustomGroup(apiVersion)
      ? `${titleOf(object)}, unless ${kind} ${name} recreates it`
      : `${titleOf(object)}, which ${kind} ${name} does not recreate`;
  }

  /** Finds dependents that keep a reference to the former uid. */
  leftReferring(object: KubeObject): string | undefined {
    const left = [...(this.#view.graph.get(object.uid)?.dependents ?? [])].filter(
      ({ identity }) => !this.#uids.has(identity.uid) && !this.#altered.has(identity.uid),
    );
    const [first, ...others] = left;
    if (first === undefined) return undefined;
    const { kind, name } = first.identity;
    return others.length === 0
      ? `the uid of ${titleOf(object)}, to which ${kind} ${name} refers`
      : `the uid of ${titleOf(object)}, to which ${kind} ${name} and ${others.length} more refer`;
  }

  /** Returns the controller to which an undo leaves the object. */
  #maker(object: KubeObject): OwnerReference | undefined {
    const reference = controllerOf(object);
    if (reference === undefined || this.#view.graph.get(reference.uid)?.object === undefined)
      return undefined;
    return isCustomGroup(reference.apiVersion) || isCreatedFor(reference, object.type)
      ? reference
      : undefined;
  }
}

function titleOf({ type, name }: KubeObject): string {
  return `${shownName(type.kind)} ${shownName(name)}`;
}
