/**
 * What a forecast says, in the product's own types; the Plan document is made from it. Every
 * list is sorted, so that equal snapshots give equal forecasts.
 */
import type { Absence } from '../../graph/index/absences.ts';
import type { Identity } from '../../graph/node.ts';
import type { Taint } from '../../model/facts/facts.ts';
import type { Uid } from '../../model/object.ts';
import type { ShellCommands } from '../../model/text/shell-line.ts';
import type { KubeletState } from '../../podgc/passes/nodes.ts';
import type { Cascade } from '../action.ts';
import type { RefusedBy } from '../admission.ts';
import type { FinalizerHandler } from '../handlers.ts';
import type { AssumedEffect } from './assumed.ts';

/**
 * - `Completes`: everything that the action asked for has happened when nothing moves any more.
 * - `Stuck`: something that was to go still exists at the end, in one possible order at least.
 * - `Depends`: the same, but everything goes if handlers of finalizers do their work that are there, or may be.
 * - `NoChange`: nothing happens.
 * - `Refused`: the API server takes no request of the action.
 */
export type Outcome = 'Completes' | 'Stuck' | 'Depends' | 'NoChange' | 'Refused';

/** Set where the same happens if nobody acts. */
interface Anyway {
  readonly anyway: boolean;
}

/** What only the action brings about. */
export function own<T extends Anyway>(list: readonly T[]): readonly T[] {
  return list.filter(({ anyway }) => !anyway);
}

export interface DeletedObject extends Anyway {
  readonly object: Identity;
  /** The component that asked for its deletion; for one that was being deleted before, that removed it. */
  readonly by: string;
  readonly reason: string;
}

/** Stays at the end only because something else is held, and is deleted once that is released. */
export interface DoomedObject extends DeletedObject {
  /**
   * What has to be released first: all of these. It may hold itself once its deletion begins. Undefined if nobody can
   * tell which of the held objects decide: then all of them.
   */
  readonly after: readonly Identity[] | undefined;
}

export interface TerminatingObject extends Anyway {
  readonly object: Identity;
  /** Of the metadata; a namespace's `spec.finalizers` come first. */
  readonly finalizers: readonly string[];
  /** In words, each naming one thing. */
  readonly waitingFor: readonly string[];
  /** Who has to remove those of the finalizers that no simulated controller removes; none where nobody was asked. */
  readonly handlers: readonly FinalizerHandler[];
}

/** A request that admission refuses whenever it is sent, about something that is there at the end. */
export interface RefusedRequest extends Anyway {
  readonly object: Identity;
  /** The component that sends it. */
  readonly actor: string;
  readonly operation: 'DELETE' | 'UPDATE';
  readonly by: RefusedBy;
  /** A clause: `its Service tools/keep doesn't exist`. */
  readonly because: string;
}

/** What is there at the end where handlers have done their work: in place of the lists of the same names. */
export type HandledEnd = Pick<Forecast, 'deleted' | 'terminating' | 'changed'>;

export interface ChangedObject extends Anyway {
  readonly object: Identity;
  readonly ownerReferencesRemoved: readonly Uid[];
  /** How many are left at the end. */
  readonly ownerReferencesLeft: number;
  /** Of several references to one owner some were removed and some are left. */
  readonly keepsRemovedOwner: boolean;
  readonly ownerReferencesUnblocked: readonly Uid[];
  readonly ownerReferencesAdded: readonly Uid[];
  /** Still there, and saying something else than that they no longer block. */
  readonly ownerReferencesAltered: readonly Uid[];
  readonly finalizersAdded: readonly string[];
  readonly finalizersRemoved: readonly string[];
}

export interface RecreatedObjects extends Anyway {
  /** The controller of the new objects. */
  readonly by: Identity | undefined;
  /** The controller of `by`, where that is created as well: its uid is the simulation's then. */
  readonly above?: Identity;
  readonly apiVersion: string;
  readonly kind: string;
  readonly count: number;
  /** What no controller creates, and has the name that it is asked for with: an undo's own requests. */
  readonly named?: readonly Pick<Identity, 'namespace' | 'name'>[];
  /** Of these, pods that no node takes: they stay Pending. */
  readonly pending: number;
}

/** The same for what the same controller creates of the same kind, whatever the simulation calls its new objects. */
export function recreationKey({ by, above, apiVersion, kind }: RecreatedObjects): string {
  const creator = above === undefined ? by?.uid : [above.uid, by?.kind, by?.name];
  return JSON.stringify([creator, apiVersion, kind]);
}

/** A span of time in milliseconds since the epoch: controllers work in periods whose phase nobody outside knows. */
export interface TimeRange {
  readonly earliest: number;
  readonly latest: number;
}

/** A pod on a node that the action takes away or taints. */
export interface NodePod {
  readonly pod: Identity;
  readonly node: string;
  /** `Terminating`: still there at the end, and being deleted. */
  readonly fate: 'Deleted' | 'Terminating' | 'Stays';
  /** The component that removes it, or that acted last on what stays; undefined for what nobody touches. */
  readonly by: string | undefined;
  /** An estimate of when it is deleted, or only its finalizers are left; undefined for what nobody touches. */
  readonly when: TimeRange | undefined;
  readonly because: string;
  /** Finalizers of a pod that is still there, deleting. */
  readonly heldBy: readonly string[];
}

/** A claim that pods on such a node used, and none there does any more, so that another node can attach its volume. */
export interface FreedVolume {
  readonly claim: Identity;
  /** Name of the PersistentVolume; undefined while the claim isn't bound, or isn't known. */
  readonly volume: string | undefined;
  readonly node: string;
  /** An estimate of when it is detached at the earliest, in milliseconds since the epoch. */
  readonly earliest: number;
  readonly because: string;
}

/** A pod that is deleted without its kubelet's word and replaced, while its containers may still run. */
export interface TwiceRunning {
  readonly pod: Identity;
  readonly node: string;
  /** The controller that creates the replacement. */
  readonly replacedBy: Identity;
  /** The replacement has another name and uses the same claim; undefined where it has the same name. */
  readonly claim: string | undefined;
  /** `assumed`: what the controller does isn't known, or its object cannot be seen. */
  readonly certainty: 'exact' | 'assumed';
  /** Finalizers that keep the name taken: only when they are removed is it recreated. */
  readonly heldBy: readonly string[];
  readonly because: string;
}

/** What an action on nodes does to what runs there. */
export interface NodeEffects {
  readonly pods: readonly NodePod[];
  readonly volumes: readonly FreedVolume[];
  readonly couldRunTwice: readonly TwiceRunning[];
}

/** How an object ends in one order of work. */
export interface PossibleEnd {
  /** `stuck`: still there, being deleted. */
  readonly end: 'deleted' | 'stuck' | 'kept';
  /** Precise enough to tell two ends apart: `kept, without its reference to Deployment api`. */
  readonly words: string;
}

export interface TimingDependentObject {
  readonly object: Identity;
  /** Only its end once handlers have done their work: how it is held before is certain, and in the other lists. */
  readonly ifHandled: boolean;
  readonly outcomes: readonly PossibleEnd[];
  readonly because: string;
  /** Who has to remove its finalizers where it is held in the order that the rest is told of. */
  readonly handlers: readonly FinalizerHandler[];
}

/** A workload whose controller creates children and releases them without end; the forecast shows the first of them. */
export interface FlappingWorkload {
  readonly object: Identity;
  /** Kind of the children. */
  readonly kind: string;
  readonly because: string;
}

export interface PlanStep {
  /** From 1. */
  readonly n: number;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  readonly actor: string;
  readonly verb: string;
  readonly object: Identity;
  /** `DELETE /api/v1/…?propagationPolicy=Background` */
  readonly request: string;
  /** HTTP's. */
  readonly status: number;
  readonly because: string;
}

/** What a forecast warns of, by code; `text/plan/warnings.ts` makes the sentences. */
interface WarningFacts {
  /** The API server's answer to a request of the action. */
  refused: { status: number; message: string };
  /** The connection is lost for a reason, or the cluster is being read again. */
  outdated: { reason: string | undefined };
  notListedYet: object;
  unseenKinds: { kinds: readonly { readonly resource: string; readonly reason: string }[] };
  notInFiles: object;
  /** Only these namespaces were read, and something else could hold up a foreground deletion (docs/kubernetes.md §3.1). */
  otherNamespaces: { namespaces: readonly string[] };
  /** Only these namespaces were read, and a cluster-scoped object goes whose dependents may be in others. */
  ownsElsewhere: { namespaces: readonly string[]; object: Identity };
  polledKinds: { resources: readonly string[] };
  /** The object and so many others stay, because an owner is taken to exist; `found`: a look-up has found it. */
  unseenOwner: { object: Identity; others: number; owner: KindAndName; found: boolean };
  /** An owner, or a node (`object` undefined), that isn't listed is taken to be gone. */
  unconfirmedAbsence: { object: Identity | undefined; absent: KindAndName; absence: Absence };
  /** A deletion that a running collector would have finished. */
  /** A namespace that is being deleted already; in it may be objects of these kinds, which cannot be seen. */
  unseenContent: { namespace: string; resources: readonly string[] };
  collectorBehind: { object: Identity };
  /** Nobody renews the lease of kube-controller-manager, by which its replicas agree on the one that works. */
  managerSilent: { renewedAt: number };
  /** The collector is switched off by this flag of kube-controller-manager. */
  collectorOff: { flag: string };
  /** So many objects are contested, too many to try other orders of work. */
  ordersNotTried: { objects: number };
  timingDependent: { objects: number; orders: number };
  /** Pods have to leave these nodes later on. `fromStart`: their time counts from the controller manager's start. */
  laterEvictions: { nodes: readonly string[]; fromStart: boolean };
  /** What others clean up by age or number later on: the first of it, with how many there are. */
  laterDeletions: { object: Identity; when: string; by: string; others: number };
  /** Budgets that let no pod be evicted now, and how many pods of theirs are deleted all the same. */
  budgetsPassedOver: { budgets: readonly Identity[]; pods: number };
  /** Secrets that the token controller deletes with their ServiceAccounts, where their type is that of a token. */
  tokensDeleted: { secrets: readonly Identity[]; accounts: readonly Identity[] };
  dataDeleted: { volumes: readonly string[] };
  unknownController: { owner: KindAndName; child: Identity; others: number };
  orphanedWorkload: { kind: string; owner: string };
  /** Who may refuse or alter requests of this forecast: what each is asked about, and why nobody can tell. */
  admission: {
    by: RefusedBy;
    requests: readonly { readonly operation: string; readonly object: Identity }[];
    because: string;
  };
  /** Of creations: nothing comes in the place of what is deleted. */
  creationRefused: { kind: string; by: RefusedBy; because: string };
  /**
   * What answers for a webhook goes, and the webhook stays. `why`: a predicate of the Service. `chosen`: selectors or
   * conditions decide which requests it is about.
   */
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
  /** A node is deleted or tainted whose machine runs; what becomes of its pods and volumes then. */
  machineRuns: {
    node: string;
    kubelet: KubeletState;
    deleted: boolean;
    evicts: boolean;
    taintIgnored: boolean;
  };
  stopUnconfirmed: { node: string; kubelet: KubeletState };
  /** Finalizers keep the node; later its pods are deleted by force in so many milliseconds. */
  nodeHeld: {
    node: string;
    finalizers: readonly string[];
    pods: number;
    earliest: number;
    latest: number;
    couldRunTwice: readonly string[];
  };
  alreadyTainted: { node: string; taint: Taint };
  /** By the PodGC of this release of Kubernetes; `optional`: a feature gate decides. */
  taintIgnored: { version: string; optional: boolean };
  pendingPods: { pods: number };
  fitAssumed: object;
  /** A collector of this release that starts does nothing while these kinds cannot be listed. */
  collectorWaits: { release: string; kinds: readonly string[] };
  /** A feature gate that nothing shows is taken to be as by default; set otherwise, these would end otherwise. */
  gateAssumed: OtherwiseEnding & { gate: string; program: string; on: boolean; release: string };
  /** The server's version isn't known, and taken to be one that does it; before `since` these would end otherwise. `isAskable`: whoever asks can give it. */
  versionAssumed: OtherwiseEnding & { since: string; isAskable: boolean };
  orderedPods: { set: Identity; created: number; wanted: number };
  jobRetries: { jobs: readonly string[] };
  unseenClaims: object;
  unseenPods: { nodes: readonly string[] };
  /**
   * The action takes away who has to remove the finalizer from these. `words`: how, as a clause. `order`: commands that
   * delete in an order that works; none where they stand at another one, or would be too many.
   */
  handlerGoesToo: {
    finalizer: string;
    words: string;
    objects: readonly Identity[];
    order: ShellCommands;
  };
  /**
   * A handler takes itself away by removing its finalizer from some of these: for the others it may come too late. `words`:
   * how, as a clause.
   */
  handlerLeaves: { finalizer: string; words: string; objects: readonly Identity[] };
  /**
   * These are deleted only once other handlers have done their work, and wait then for one of which nobody knows that it
   * runs. `words`: who it is.
   */
  handlerNeededThen: { finalizer: string; words: string; objects: readonly Identity[] };
  /** Of a pod that is deleted by force. */
  runsTwice: TwiceRunning;
  runsUnseen: { pods: readonly string[] };
  /** What a tool that manages objects does after the action, beside the control plane, and why that cannot be told. */
  cascadeUnknown: { by: string; because: string };
}

/** What a forecast is made again for, where nothing tells whether the server does it. */
export type DoubtfulBehaviour = 'orderedNamespaceDeletion';

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

export interface Forecast {
  readonly action: {
    readonly verb: 'delete' | 'unblock' | 'taint' | 'restart' | 'none';
    readonly cascade?: Cascade;
    readonly remedy?: string;
    readonly taint?: Taint;
    readonly targets: readonly Identity[];
  };
  readonly outcome: Outcome;
  readonly deleted: readonly DeletedObject[];
  readonly terminating: readonly TerminatingObject[];
  readonly changed: readonly ChangedObject[];
  /** What admission stops; without handlers' work. */
  readonly refused: readonly RefusedRequest[];
  /** What ends otherwise where requests are refused that are taken to pass (the warnings `admission`); none where a cascade is too large to try it. */
  readonly dependsOnAdmission: readonly Identity[];
  /** With every handler doing its work that is running, runs outside or may run; undefined where there is none. */
  readonly ifHandled: HandledEnd | undefined;
  /** Neither deleted nor being deleted at the end, and deleted once what is held has been released. */
  readonly doomed: readonly DoomedObject[];
  readonly recreated: readonly RecreatedObjects[];
  readonly timingDependent: readonly TimingDependentObject[];
  readonly flapping: readonly FlappingWorkload[];
  /** Built at the first call: a large cascade has tens of thousands. */
  steps(): readonly PlanStep[];
  /** To be read before anything else. */
  readonly alarms: readonly Warning[];
  readonly warnings: readonly Warning[];
  /** Undefined where the action takes no node away and taints none. */
  readonly nodes: NodeEffects | undefined;
  /** The moment that the forecast starts from, in milliseconds since the epoch. */
  readonly start: number;
  /** The same as commands to paste; none where kubectl cannot do it. */
  readonly kubectl: ShellCommands;
  /** Of the objects below the targets, those that stay as they are. */
  readonly untouched: readonly Identity[];
  /** Orders that were tried beside the first one; 0 where nothing depends on the order. */
  readonly ordersTried: number;
  /**
   * What GitOps tools and package managers do beside: added by whoever can read their objects, undefined where nobody did.
   */
  readonly logical?: readonly AssumedEffect[];
}

/** The end that is to be expected: where it depends on handlers, the one in which they do their work. */
export function expectedEnd(forecast: Forecast): HandledEnd {
  return (forecast.outcome === 'Depends' ? forecast.ifHandled : undefined) ?? forecast;
}

/** Everything that is deleted in one of the ends: by handlers' work alone, or once what is held has been released. */
export function deletedAtMost({ deleted, ifHandled, doomed }: Forecast): readonly DeletedObject[] {
  const known = new Map(deleted.map(each => [each.object.uid, each]));
  for (const each of [...(ifHandled?.deleted ?? []), ...doomed])
    if (!known.has(each.object.uid)) known.set(each.object.uid, each);
  return [...known.values()];
}

/** Whether it depends on a handler of which nobody knows that it is there. */
export function dependsOnUnknown(forecast: Forecast): boolean {
  return (
    forecast.outcome === 'Depends' &&
    heldHere(forecast).some(({ handlers }) => handlers.some(({ state }) => state === 'unknown'))
  );
}

/** What waits for handlers by the action, in whatever other ways it may end. */
export function heldHere({
  terminating,
  timingDependent,
}: Forecast): readonly Pick<TerminatingObject, 'handlers'>[] {
  return [...own(terminating), ...timingDependent];
}

/**
 * Only what concerns objects in the namespace, the namespace itself and cluster-scoped objects that are none. The outcome
 * is that of what is left; steps elsewhere are left out, and the others keep their numbers.
 */
export function inNamespace(forecast: Forecast, namespace: string): Forecast {
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
  const anything =
    timingDependent.length > 0 ||
    [deleted, terminating, changed, doomed, recreated].some(list => list.some(({ anyway }) => !anyway));
  const left = {
    outcome: forecast.outcome,
    terminating: own(terminating),
    refused,
    ifHandled,
    timingDependent,
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
