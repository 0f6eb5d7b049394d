/** The result of a forecast, source of the Plan document. Lists are sorted, so equal snapshots give equal forecasts. */
import type { Absence, Identity } from '../../graph/index.ts';
import type { KubeObject, ShellCommands, Sliced, Taint, Uid } from '../../model/index.ts';
import type { KubeletState } from '../../podgc/index.ts';
import type { Cascade, Uninstall } from '../action.ts';
import type { FinalizerHandler } from '../finalizer-handlers.ts';
import type { RefusedBy } from '../run-admission.ts';
import type { AssumedEffect } from './assumed-effects.ts';

/**
 * - `Completes`: everything the action asked for has happened at rest.
 * - `Stuck`: something to be deleted still exists at the end, in at least one order.
 * - `Depends`: stuck, unless handlers of finalizers act that exist or may exist, or PodDisruptionBudgets allow more.
 * - `Refused`: the API server accepts no request of the action.
 */
export type Outcome = 'Completes' | 'Stuck' | 'Depends' | 'NoChange' | 'Refused';

/** True if the same happens without the action. */
interface Anyway {
  readonly anyway: boolean;
}

function own<T extends Anyway>(list: readonly T[]): readonly T[] {
  return list.filter(({ anyway }) => !anyway);
}

export interface DeletedObject extends Anyway {
  readonly object: Identity;
  readonly by: string;
  readonly reason: string;
}

/** Stays only because something else is held; deleted once that is released. */
export interface DoomedObject extends DeletedObject {
  /** Held objects that must all be released first, perhaps itself; undefined if it is unknown which ones decide. */
  readonly after: readonly Identity[] | undefined;
}

export interface TerminatingObject extends Anyway {
  readonly object: Identity;
  /** A namespace's `spec.finalizers` come first. */
  readonly finalizers: readonly string[];
  /** One thing each, in words. */
  readonly waitingFor: readonly string[];
  /** The end of the first wait in few words, if known: `example.com/drain holds web-2`. */
  readonly cause?: string | undefined;
  /** Handlers of the finalizers that no simulated controller removes; empty without a judge. */
  readonly handlers: readonly FinalizerHandler[];
}

/** A request about a remaining object that admission always refuses. */
export interface RefusedRequest extends Anyway {
  readonly object: Identity;
  readonly actor: string;
  readonly operation: 'DELETE' | 'UPDATE';
  readonly by: RefusedBy;
  /** A clause: `its Service tools/keep doesn't exist`. */
  readonly because: string;
}

export type HandledEnd = Pick<Forecast, 'deleted' | 'terminating' | 'changed'>;

export interface ChangedObject extends Anyway {
  readonly object: Identity;
  readonly ownerReferencesRemoved: readonly Uid[];
  readonly ownerReferencesLeft: number;
  /** True if only some of several references to one owner were removed. */
  readonly keepsRemovedOwner: boolean;
  readonly ownerReferencesUnblocked: readonly Uid[];
  readonly ownerReferencesAdded: readonly Uid[];
  /** Owners of remaining references that changed in other ways than unblocking. */
  readonly ownerReferencesAltered: readonly Uid[];
  readonly finalizersAdded: readonly string[];
  readonly finalizersRemoved: readonly string[];
}

export interface RecreatedObjects extends Anyway {
  readonly by: Identity | undefined;
  /** The component that creates objects without a controller. */
  readonly actor?: string | undefined;
  /** The controller of `by`, if `by` is new too, with a simulated uid. */
  readonly above?: Identity;
  readonly apiVersion: string;
  readonly kind: string;
  readonly count: number;
  /** Names of objects that an undo creates itself. */
  readonly named?: readonly Pick<Identity, 'namespace' | 'name'>[];
  /** Pods among them that no node accepts. */
  readonly pending: number;
}

/** Identifies a controller and the kind it creates, independent of simulated names. */
function recreationKey({ by, actor, above, apiVersion, kind }: RecreatedObjects): string {
  const creator = above === undefined ? (by?.uid ?? actor) : [above.uid, by?.kind, by?.name];
  return JSON.stringify([creator, apiVersion, kind]);
}

/** Milliseconds since the epoch. Controllers work in periods of unknown phase. */
export interface TimeRange {
  readonly earliest: number;
  readonly latest: number;
}

export interface NodePod {
  readonly pod: Identity;
  readonly node: string;
  readonly fate: 'Deleted' | 'Terminating' | 'Stays';
  /** The component that acted last; undefined if none did. */
  readonly by: string | undefined;
  /** Estimate of its deletion, or of when only finalizers are left; undefined if nothing acts on it. */
  readonly when: TimeRange | undefined;
  readonly because: string;
  readonly heldBy: readonly string[];
}

/** A claim that pods on the node no longer use, so another node can attach its volume. */
export interface FreedVolume {
  readonly claim: Identity;
  /** Name of the PersistentVolume; undefined if unbound or unknown. */
  readonly volume: string | undefined;
  readonly node: string;
  readonly earliest: number;
  readonly because: string;
}

/** A pod replaced without its kubelet's confirmation; its containers may still run. */
export interface TwiceRunning {
  readonly pod: Identity;
  readonly node: string;
  readonly replacedBy: Identity;
  /** The claim used by a replacement with another name; undefined if it has the same name. */
  readonly claim: string | undefined;
  /** `assumed`: the controller's behaviour is unknown, or its object can't be seen. */
  readonly certainty: 'exact' | 'assumed';
  /** Finalizers that keep the name taken until they are removed. */
  readonly heldBy: readonly string[];
  readonly because: string;
}

export interface NodeEffects {
  readonly pods: readonly NodePod[];
  readonly volumes: readonly FreedVolume[];
  readonly couldRunTwice: readonly TwiceRunning[];
}

/**
 * - `Evicted`: accepted at once.
 * - `Waits`: refused at first, or perhaps; kubectl tries again until its budget allows it.
 * - `Refused`: as `Waits`, and nothing that can be seen ends that.
 * - `Blocks`: kubectl evicts nothing from the node because of it.
 * - `Stays`: kubectl leaves it there.
 */
export interface DrainedPod {
  readonly pod: Identity;
  readonly node: string;
  readonly fate: 'Evicted' | 'Waits' | 'Refused' | 'Blocks' | 'Stays';
  /** A phrase: `managed by DaemonSet log`; `''` if nothing is lost. */
  readonly because: string;
  /** The PodDisruptionBudget that allows or refuses it. */
  readonly budget: Identity | undefined;
  /** True if some pods of the budget are evicted at once, and which ones isn't certain. */
  readonly isContended: boolean;
}

export interface DrainEffects {
  readonly pods: readonly DrainedPod[];
  /** Nodes from which kubectl evicts nothing. */
  readonly refusedNodes: readonly string[];
}

export interface PossibleEnd {
  /** `stuck`: still being deleted. */
  readonly end: 'deleted' | 'stuck' | 'kept';
  /** Precise enough to distinguish ends: `kept, without its reference to Deployment api`. */
  readonly words: string;
}

export interface TimingDependentObject extends Anyway {
  readonly object: Identity;
  /** True if only its end after handlers have acted is uncertain. */
  readonly ifHandled: boolean;
  /** True if what it waits for may be recreated without end. */
  readonly mayNotEnd: boolean;
  readonly outcomes: readonly PossibleEnd[];
  readonly because: string;
  readonly handlers: readonly FinalizerHandler[];
}

/** A workload that creates and releases children endlessly; the forecast shows the first. */
export interface FlappingWorkload {
  readonly object: Identity;
  readonly kind: string;
  readonly because: string;
}

export interface PlanStep {
  /** Counts from 1. */
  readonly n: number;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  readonly actor: string;
  readonly verb: string;
  readonly object: Identity;
  /** `DELETE /api/v1/…?propagationPolicy=Background` */
  readonly request: string;
  readonly status: number;
  readonly because: string;
  /** The object before and after the request; not in documents. */
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** Warnings by code; `text/plan/warning-words.ts` has the sentences. */
interface WarningFacts {
  refused: { status: number; message: string };
  /** Helm waits for the former object of a hook, and gives up. */
  hookHeld: { object: Identity; event: 'pre-delete' | 'post-delete' };
  hooksNotSimulated: { hooks: readonly Identity[] };
  /** Objects of a release's manifest that count as gone. */
  unseenManifest: { objects: readonly Identity[] };
  /** Objects without the marks of the release, which Helm 3 deletes and Helm 4 doesn't. */
  unmarkedObjects: { objects: readonly Identity[] };
  /** kubectl gives up waiting after this time, in milliseconds. */
  drainTimeout: { timeout: number; pods: readonly Identity[] };
  /** The connection is lost, or, without a reason, the cluster is being read again. */
  outdated: { reason: string | undefined };
  notListedYet: object;
  /** `hasUsers`: some of them may use what is deleted. */
  unseenKinds: {
    kinds: readonly { readonly resource: string; readonly reason: string }[];
    hasUsers?: boolean;
  };
  notInFiles: object;
  /** Other namespaces weren't read, and may block a foreground deletion (docs/kubernetes.md §3.1). */
  otherNamespaces: { namespaces: readonly string[] };
  /** Other namespaces weren't read, and may hold dependents of a deleted cluster-scoped object. */
  ownsElsewhere: { namespaces: readonly string[]; object: Identity };
  polledKinds: { resources: readonly string[] };
  /** `object` and `others` more stay, because an unseen owner counts as existing; `found`: a look-up confirmed it. */
  unseenOwner: { object: Identity; others: number; owner: KindAndName; found: boolean };
  /** An unlisted owner, or node (`object` undefined), counts as gone. `anyway`: it matters to no effect of the action. */
  unconfirmedAbsence: Anyway & { object: Identity | undefined; absent: KindAndName; absence: Absence };
  /** A namespace already being deleted may contain unseen objects of these kinds. */
  unseenContent: { namespace: string; resources: readonly string[] };
  collectorBehind: { object: Identity };
  /** The lease of kube-controller-manager isn't renewed. */
  managerSilent: { renewedAt: number };
  /** This flag of kube-controller-manager switches the collector off. */
  collectorOff: { flag: string };
  ordersNotTried: { objects: number };
  timingDependent: { objects: number; orders: number };
  /** Pods must leave these nodes later. `fromStart`: counted from the controller manager's start. */
  laterEvictions: { nodes: readonly string[]; fromStart: boolean };
  /** The first later clean-up by age or number, with the number of others. */
  laterDeletions: { object: Identity; when: string; by: string; others: number };
  /** Claims whose devices may have taints, which aren't read, so that their pods may be evicted. */
  deviceTaints: { claims: readonly Identity[] };
  /** Deleted objects that Kubernetes creates again once something starts: `kube-apiserver starts`. */
  createdLater: { objects: readonly Identity[]; after: string };
  /** Effects of a controller of kube-controller-manager that isn't simulated. */
  notSimulated: { objects: readonly Identity[]; by: string; does: string };
  /** Mirrors of static pods, whose containers run on; `kept` of them stay because their kubelet doesn't delete them. */
  staticPods: { pods: readonly Identity[]; nodes: readonly string[]; kept: number };
  /** Budgets that allow no eviction now, and the number of their pods deleted anyway. */
  budgetsPassedOver: { budgets: readonly Identity[]; pods: number };
  /** Secrets the token controller deletes with their ServiceAccounts, if they are tokens. */
  tokensDeleted: { secrets: readonly Identity[]; accounts: readonly Identity[] };
  /** Volumes that new claims get, with the data on them. */
  dataKept: { claims: readonly Identity[]; volumes: readonly string[] };
  dataDeleted: { volumes: readonly string[] };
  /** Claims that stay while something holds them, and are then deleted with their data. */
  dataDeletedLater: { claims: readonly Identity[]; volumes: readonly string[] };
  unknownController: { owner: KindAndName; child: Identity; others: number };
  orphanedWorkload: { kind: string; owner: string };
  /** Webhooks or policies that may refuse or alter requests, and why that is unknown. */
  admission: Anyway & {
    by: RefusedBy;
    requests: readonly { readonly operation: string; readonly object: Identity }[];
    because: string;
  };
  /** Replacements that admission refuses to create. */
  creationRefused: { kind: string; by: RefusedBy; because: string };
  /** A webhook whose backend is deleted. `why`: a predicate of the Service. `chosen`: selectors or conditions apply. */
  webhookLeftBehind: {
    configuration: Identity;
    service: string;
    why: string;
    operations: string;
    kinds: string;
    chosen: boolean;
  };
  flapping: FlappingWorkload;
  neverRests: object;
  machineRuns: {
    node: string;
    kubelet: KubeletState;
    deleted: boolean;
    evicts: boolean;
    taintIgnored: boolean;
  };
  stopUnconfirmed: { node: string; kubelet: KubeletState };
  /** Finalizers keep the node; later its pods are deleted by force (in milliseconds). */
  nodeHeld: {
    node: string;
    finalizers: readonly string[];
    pods: number;
    earliest: number;
    latest: number;
    couldRunTwice: readonly string[];
  };
  alreadyTainted: { node: string; taint: Taint };
  /** PodGC of this release ignores it; `optional`: a feature gate decides. */
  taintIgnored: { version: string; optional: boolean };
  pendingPods: { pods: number };
  fitAssumed: object;
  /** A starting collector of this release does nothing while these kinds can't be listed. */
  collectorWaits: { release: string; kinds: readonly string[] };
  /** A feature gate has an unknown value; the default is assumed, and these objects depend on it. */
  gateAssumed: OtherwiseEnding & { gate: string; program: string; on: boolean; release: string };
  /**
   * The server's version is unknown, or `release` isn't simulated; before `since` these would end differently.
   * `isAskable`: the user can give it.
   */
  versionAssumed: OtherwiseEnding & { since: string; isAskable: boolean; release?: string };
  orderedPods: { set: Identity; created: number; wanted: number };
  jobRetries: { jobs: readonly string[] };
  unseenClaims: object;
  unseenPods: { nodes: readonly string[] };
  /** The action deletes the handler of these. `words`: how, as a clause. `order`: safe commands, if listed here. */
  handlerGoesToo: {
    finalizer: string;
    words: string;
    objects: readonly Identity[];
    order: ShellCommands;
  };
  /** A handler that removes itself by acting on some of these. `words`: how, as a clause. */
  handlerLeaves: { finalizer: string; words: string; objects: readonly Identity[] };
  /** Objects deleted after other handlers acted, which then wait for an uncertain one. `words`: its description. */
  handlerNeededThen: { finalizer: string; words: string; objects: readonly Identity[] };
  runsTwice: TwiceRunning;
  runsUnseen: { pods: readonly string[] };
  /** An effect of a tool that can't be known, and why. */
  cascadeUnknown: { by: string; because: string };
  /** Unread kinds that may use deleted objects, and why they weren't read. */
  unseenUsers: { kinds: readonly string[]; because: string };
}

/** Behaviours forecast both ways if the server's choice is unknown. */
export type DoubtfulBehaviour = 'orderedNamespaceDeletion' | 'leavesNamespacedOwners';

interface OtherwiseEnding {
  readonly behaviour: DoubtfulBehaviour;
  readonly first: Identity;
  readonly others: number;
}

type KindAndName = Pick<Identity, 'kind' | 'name'>;

export type WarningCode = keyof WarningFacts;

export type Warning<C extends WarningCode = WarningCode> = {
  [K in C]: Readonly<{ code: K } & WarningFacts[K]>;
}[C];

/** A user that stays after an object it uses is deleted. */
export interface Break {
  readonly object: Identity;
  /** The topmost controller of its users. */
  readonly user: Identity;
  /** The number of its pods that use it now. */
  readonly pods: number;
  /** A verb phrase with the pronoun `it`: `mounts it as a volume`. */
  readonly how: string;
  readonly when: 'atOnce' | 'nextStart' | 'later' | 'leftBehind';
  /** A clause that names the failure, or why the user no longer has a purpose. */
  readonly because: string;
  /** `assumed` if the object may stay. */
  readonly certainty: 'exact' | 'assumed';
}

export interface Forecast {
  readonly action: {
    readonly verb: 'delete' | 'uninstall' | 'unblock' | 'taint' | 'drain' | 'restart' | 'none';
    readonly cascade?: Cascade;
    /** The Helm release that is uninstalled. */
    readonly release?: { readonly name: string; readonly namespace: string; readonly revision: number };
    readonly remedy?: string;
    readonly taint?: Taint;
    readonly targets: readonly Identity[];
  };
  readonly outcome: Outcome;
  readonly deleted: readonly DeletedObject[];
  readonly terminating: readonly TerminatingObject[];
  readonly changed: readonly ChangedObject[];
  /**
   * Returns what happens anyway to an object that the action can't meet; `terminating` if it may stay. Undefined if `deleted`
   * etc. list that too.
   */
  readonly endElsewhere?: (uid: Uid) => 'deleted' | 'terminating' | undefined;
  /** Refusals by admission, before handlers act. */
  readonly refused: readonly RefusedRequest[];
  /** Objects that depend on doubtful requests (warnings `admission`); empty if the cascade is too large. */
  readonly dependsOnAdmission: readonly Identity[];
  /** The end after all handlers that run or may run have acted; undefined if there are none. */
  readonly ifHandled: HandledEnd | undefined;
  readonly doomed: readonly DoomedObject[];
  readonly recreated: readonly RecreatedObjects[];
  readonly timingDependent: readonly TimingDependentObject[];
  readonly flapping: readonly FlappingWorkload[];
  /** Built on the first call: a large cascade has tens of thousands. */
  steps(): readonly PlanStep[];
  /** Like `steps`, in slices. */
  readonly stepsInSlices: () => Sliced<readonly PlanStep[]>;
  /** Warnings to show first. */
  readonly alarms: readonly Warning[];
  readonly warnings: readonly Warning[];
  /** Undefined if the action deletes or taints no node. */
  readonly nodes: NodeEffects | undefined;
  /** Undefined for other actions than a drain. */
  readonly drain: DrainEffects | undefined;
  /** Undefined for other actions than an uninstallation. */
  readonly uninstall: Uninstall | undefined;
  readonly start: number;
  /** Equivalent commands; empty if kubectl can't do it. */
  readonly kubectl: ShellCommands;
  readonly untouched: readonly Identity[];
  /** Number of orders tried in addition to the first; 0 if the order doesn't matter. */
  readonly ordersTried: number;
  /** Effects of GitOps tools and package managers; undefined if these weren't examined. */
  readonly logical?: readonly AssumedEffect[];
  /** Users of deleted objects that stay, worst first; undefined if not searched for. */
  readonly breaks?: readonly Break[];
}

/** Returns the expected end: after handlers have acted, if it depends on them. */
function expectedEnd(forecast: Forecast): HandledEnd {
  return (forecast.outcome === 'Depends' ? forecast.ifHandled : undefined) ?? forecast;
}

/** Lists everything deleted in any end, including after handlers acted or holds were released. */
function deletedAtMost({ deleted, ifHandled, doomed }: Forecast): readonly DeletedObject[] {
  const known = new Map(deleted.map(each => [each.object.uid, each]));
  for (const each of [...(ifHandled?.deleted ?? []), ...doomed])
    if (!known.has(each.object.uid)) known.set(each.object.uid, each);
  return [...known.values()];
}

/**
 * Returns a check for objects that may be deleted by the action, at the latest once what it holds is released, or anyway, at
 * the latest once handlers have acted.
 */
function deletionCheck(forecast: Forecast): (uid: Uid) => boolean {
  const uncertain = forecast.timingDependent.filter(({ outcomes }) =>
    outcomes.some(({ end }) => end !== 'kept'),
  );
  const { deleted, ifHandled, terminating, doomed } = forecast;
  const lists = [deleted, ifHandled?.deleted ?? [], terminating, own(doomed), uncertain];
  const listed = new Set(lists.flatMap(list => list.map(({ object }) => object.uid)));
  return uid => listed.has(uid) || forecast.endElsewhere?.(uid) !== undefined;
}

/** Returns the held objects that may be deleted once handlers act; the others stay. */
function awaitingHandlers({ ifHandled, timingDependent }: Forecast): ReadonlySet<Uid> {
  const open = timingDependent.filter(each => each.ifHandled);
  return new Set([...(ifHandled?.deleted ?? []), ...open].map(({ object }) => object.uid));
}

/** Checks if the outcome depends on a handler that may not exist. */
function dependsOnUnknown(forecast: Forecast): boolean {
  if (waitingForBudgets(forecast).length > 0) return true;
  return (
    forecast.outcome === 'Depends' &&
    heldHere(forecast).some(({ handlers }) => handlers.some(({ state }) => state === 'unknown'))
  );
}

/** Lists the pods whose eviction a budget refuses at first, or perhaps. */
function waitingForBudgets({ drain }: Pick<Forecast, 'drain'>): readonly DrainedPod[] {
  return drain?.pods.filter(({ fate }) => fate === 'Waits' || fate === 'Refused') ?? [];
}

/** Checks if a budget lets some of its pods go at once, perhaps this one. */
function isContended({ drain }: Pick<Forecast, 'drain'>, { uid }: Identity): boolean {
  return drain?.pods.some(each => each.isContended && each.pod.uid === uid) ?? false;
}

function heldHere({
  terminating,
  timingDependent,
}: Forecast): readonly Pick<TerminatingObject, 'handlers'>[] {
  return [...own(terminating), ...own(timingDependent)];
}

/** Restricts the forecast to the namespace and cluster-scoped objects. Steps keep their numbers. */
function inNamespace(forecast: Forecast, namespace: string): Forecast {
  const here = ({ object }: { readonly object: Identity }): boolean => {
    if (object.kind === 'Namespace' && object.apiVersion === 'v1') return object.name === namespace;
    return object.namespace === namespace || object.namespace === '';
  };
  const deleted = forecast.deleted.filter(here);
  const terminating = forecast.terminating.filter(here);
  const changed = forecast.changed.filter(here);
  const doomed = forecast.doomed.filter(here);
  const refused = forecast.refused.filter(here);
  const timingDependent = forecast.timingDependent.filter(here);
  const dependsOnAdmission = forecast.dependsOnAdmission.filter(object => here({ object }));
  const recreated = forecast.recreated.filter(({ by }) => by === undefined || here({ object: by }));
  const ifHandled = forecast.ifHandled && {
    deleted: forecast.ifHandled.deleted.filter(here),
    terminating: forecast.ifHandled.terminating.filter(here),
    changed: forecast.ifHandled.changed.filter(here),
  };
  const anything = [deleted, terminating, changed, doomed, recreated, timingDependent].some(list =>
    list.some(({ anyway }) => !anyway),
  );
  const left = {
    outcome: forecast.outcome,
    terminating: own(terminating),
    refused,
    ifHandled,
    timingDependent: own(timingDependent),
  };
  const outcome: Outcome = anything ? outcomeOf(left) : 'NoChange';
  return {
    ...forecast,
    outcome,
    deleted,
    terminating,
    changed,
    refused,
    dependsOnAdmission,
    ifHandled,
    doomed,
    timingDependent,
    recreated,
    steps: () => forecast.steps().filter(here),
    *stepsInSlices() {
      return (yield* forecast.stepsInSlices()).filter(here);
    },
  };
}

function outcomeOf({
  outcome,
  terminating,
  refused,
  ifHandled,
  timingDependent,
}: Pick<Forecast, 'outcome' | 'terminating' | 'refused' | 'ifHandled' | 'timingDependent'>): Outcome {
  if (outcome !== 'Stuck' && outcome !== 'Depends') return outcome;
  if (refused.length > 0) return 'Stuck';
  if (timingDependent.some(({ outcomes }) => outcomes.some(({ end }) => end === 'stuck'))) return 'Stuck';
  if (terminating.length === 0) return 'Completes';
  return ifHandled?.terminating.length === 0 ? 'Depends' : 'Stuck';
}

export const RecreatedObjects = { key: recreationKey };

/** Returns the names of PersistentVolumes whose data is deleted, now or later. */
function lostVolumes({ alarms, warnings }: Forecast): ReadonlySet<string> {
  return new Set(
    [...alarms, ...warnings].flatMap(each =>
      each.code === 'dataDeleted' || each.code === 'dataDeletedLater' ? each.volumes : [],
    ),
  );
}

export const Forecast = {
  awaitingHandlers,
  deletedAtMost,
  deletionCheck,
  own,
  expectedEnd,
  dependsOnUnknown,
  waitingForBudgets,
  isContended,
  heldHere,
  inNamespace,
  lostVolumes,
};
