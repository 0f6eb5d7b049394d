/** Finds a finalizer's controller and judges its presence; anything that can't be seen never counts as absent. */

import type { Certainty } from '../../collector/index.ts';
import type { Risk } from '../../forecast/index.ts';
import { isDeleting } from '../../graph/index.ts';
import {
  enumerated,
  FinalizerEntry,
  type KubeObject,
  Labels,
  objectTitle,
  ResourceType,
  type Uid,
} from '../../model/index.ts';
import type { ChainLink, OfferedRemedy } from '../engine/finding.ts';
import { someKinds } from '../engine/kind-words.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { catalogueOf } from './catalogue.ts';
import {
  type FoundWorkload,
  groupsOf,
  otherSigns,
  signsOfDriver,
  undiscoveredGroups,
  unseenSigns,
  workloadsNamed,
  workloadsOf,
} from './controller-signs.ts';
import { belongsTo, domainOf } from './domain.ts';

/**
 * - `present`: it has a workload with ready pods.
 * - `unhealthy`: some sign of it exists, but no ready workload.
 * - `absent`: every possible sign can be seen, and none exists.
 * - `unknown`: it may run where it can't be seen.
 */
export type Presence = 'present' | 'unhealthy' | 'absent' | 'unknown';

export interface Handler {
  readonly finalizer: string;
  readonly entry: FinalizerEntry | undefined;
  readonly name: string;
  readonly presence: Presence;
  /** Findings and gaps, each with the sign it was recognised by. */
  readonly evidence: readonly string[];
  /** A clause to follow the finalizer: `nothing in this cluster handles example.com`. */
  readonly words: string;
  /** Those with ready pods come first. */
  readonly workloads: readonly KubeObject[];
  /** The reason that it has nothing left to wait for, and the risk of removing it by hand. */
  readonly nothingLeft?: { readonly risk: Risk; readonly because: string };
  /** The permission that its ServiceAccount lacks. */
  readonly forbidden?: Forbidden;
  /** Set if its pods are ready and it does nothing: what ends that. */
  readonly toAct?: OfferedRemedy;
  /** The deletion that takes its workloads away: `Namespace tools`. */
  readonly leavesWith?: string;
  /** True if it was deleted with the object it served, and won't return. */
  readonly gone?: boolean;
  /** True if it is assumed to run unseen, on the control plane or outside the cluster. */
  readonly outside?: boolean;
  /** The wait before it removes the finalizer, if that can be seen. */
  readonly waits?: FollowedWait;
}

export interface Cycle {
  /** `A → B → A: each waits for the next`. */
  readonly words: string;
  readonly members: readonly Uid[];
}

/** A wait, followed to the deciding object. */
export interface FollowedWait {
  /** The handler's wait for the first object, as a clause. */
  readonly brief: string;
  /** From the awaited object to what decides. */
  readonly links: readonly ChainLink[];
  readonly advice: () => readonly OfferedRemedy[];
  /** `assumed` if a general rule found it. */
  readonly certainty: Certainty;
  /** The objects that have to be gone; empty if one that doesn't exist has to come back, undefined if it is a guess. */
  readonly awaits: readonly Uid[] | undefined;
  /** Set if the path returns to an object on it. */
  readonly cycle: Cycle | undefined;
  /** True if nothing that can be seen ends the wait by itself. */
  readonly isStuck: boolean;
}

export interface Forbidden {
  readonly account: string;
  /** Username in the API server: `system:serviceaccount:tools:drain-operator`. */
  readonly user: string;
  readonly verbs: readonly string[];
  readonly resource: string;
  readonly namespace: string;
  /** True if that namespace is being deleted, so that no role can be created in it. */
  readonly isClosed: boolean;
}

/** Judges once per kind until the cluster changes; without a kind, for all objects. */
export function handlerOf(
  tracked: TrackedView,
  finalizer: string,
  type?: Pick<ResourceType, 'group' | 'resource'>,
): Handler {
  const entry = catalogueOf(tracked.view).entryFor(finalizer);
  const workloads =
    type && (entry?.workloadsOf?.[ResourceType.groupResource(type)] ?? entry?.workloadsOf?.[type.group]);
  const key = workloads === undefined ? finalizer : `${finalizer} from ${workloads.join(', ')}`;
  return tracked.once(`handler of ${key}`, () => {
    if (entry === undefined) return { finalizer, entry, ...byDomain(tracked, finalizer) };
    const signs = workloads === undefined ? entry.controller : { ...entry.controller, workloads };
    return { finalizer, entry, ...bySigns(tracked, signs) };
  });
}

/** Judges the driver that has to remove a finalizer of the CSI sidecars from an object of its own. */
export function handlerOfDriver(tracked: TrackedView, finalizer: string, driver: string): Handler {
  const entry = catalogueOf(tracked.view).entryFor(finalizer);
  return tracked.once(`handler of ${finalizer} from driver ${driver}`, () => {
    const { workloads, others, registered, unseen } = signsOfDriver(
      tracked,
      driver,
      entry?.controller.workloads,
    );
    return {
      finalizer,
      entry,
      ...judge(tracked, {
        name: `the CSI driver ${driver}`,
        whose: driver,
        without: `nothing in this cluster looks like the CSI driver ${driver}`,
        fits: () => false,
        workloads,
        others,
        unseen,
        // The nodes run a part of every driver, while providers may run its controller outside.
        elsewhere: registered,
      }),
    };
  });
}

type Judged = Omit<Handler, 'finalizer' | 'entry'>;

function bySigns(
  tracked: TrackedView,
  { name, runsIn, workloads, groups }: FinalizerEntry['controller'],
): Judged {
  if (runsIn === 'API server')
    return { name, presence: 'present', evidence: [], words: `${name} removes it`, workloads: [] };
  if (runsIn === 'control plane') return inControlPlane(tracked, name, workloads);
  const matchers = groups.map(FinalizerEntry.matcher);
  const domains = groups.map(each => each.replace(/^\*\./, ''));
  return judge(tracked, {
    name,
    whose: name,
    without: `no sign of ${name} was found in this cluster`,
    fits: group => matchers.some(matches => matches(group)),
    workloads: workloadsNamed(tracked, workloads),
    others: [...new Set(domains.flatMap(domain => otherSigns(tracked, domain, false)))],
    elsewhere: runsIn === 'elsewhere',
  });
}

function byDomain(tracked: TrackedView, finalizer: string): Judged {
  const domain = domainOf(finalizer);
  const whose = domain === '' ? finalizer : domain;
  return judge(tracked, {
    name: `the controller of ${finalizer}`,
    whose,
    without: `nothing in this cluster handles ${whose}`,
    fits: group => belongsTo(group, domain),
    workloads: workloadsOf(tracked, finalizer),
    others: otherSigns(tracked, domain, true),
    elsewhere: false,
    nameless: domain === '',
  });
}

/** Judges a handler by the workloads that alone remove the finalizer. */
export function withWorkloads(
  tracked: TrackedView,
  handler: Handler,
  workloads: readonly FoundWorkload[],
): Handler {
  const { name, entry } = handler;
  const none = { others: [], fits: () => false, without: `no workload of ${name} was found in this cluster` };
  const elsewhere = entry?.controller.runsIn === 'elsewhere';
  return { ...handler, ...judge(tracked, { name, whose: name, workloads, elsewhere, ...none }) };
}

interface Signs {
  readonly name: string;
  readonly whose: string;
  readonly without: string;
  readonly fits: (group: string) => boolean;
  readonly workloads: readonly FoundWorkload[];
  readonly others: readonly string[];
  /** Further resources that could be a sign and cannot be seen. */
  readonly unseen?: readonly string[];
  readonly elsewhere: boolean;
  /** True if the finalizer names no project by which a controller could be missed. */
  readonly nameless?: boolean;
}

function judge(tracked: TrackedView, signs: Signs): Judged {
  const { name, whose, without, fits, workloads, others, unseen: unlisted = [], elsewhere, nameless } = signs;
  const { served, leaving } = groupsOf(tracked, fits);
  const evidence = [
    ...workloadEvidence(workloads),
    ...others,
    ...(served.length > 0 ? [`API group ${enumerated(served)}: known to the API server`] : []),
  ];
  const objects = workloads.map(({ object }) => object);
  const staying = objects.filter(each => deletionOver(tracked, each) === undefined);
  const [lost] = objects;
  if (lost !== undefined && staying.length === 0) return leavingWith(tracked, lost, { name, evidence });
  const ready = staying.filter(object => readyPods(object) !== 0);
  const rest = staying.filter(object => readyPods(object) === 0);
  const found = { name, evidence, workloads: [...ready, ...rest] };
  const [actor] = ready;
  if (actor !== undefined) {
    const presence = readyPods(actor) === undefined ? 'unknown' : 'present';
    const is = presence === 'present' ? 'running' : 'there';
    return {
      ...found,
      presence,
      words: `${objectTitle(actor)} seems to be the one that removes it, and is ${is}`,
    };
  }
  const [failing] = rest;
  if (failing !== undefined) {
    const isToGo = failing.facts?.kind === 'Workload' && failing.facts.desired === 0;
    const why = isToGo ? 'is scaled to no pods' : 'has no ready pod';
    const words = `${objectTitle(failing)} seems to be the one that removes it, and ${why}`;
    return { ...found, presence: 'unhealthy', words };
  }
  const [first, ...hidden] = [
    ...undiscoveredGroups(tracked, fits),
    ...unlisted,
    ...unseenSigns(tracked, fits),
  ];
  if (first !== undefined) {
    const words = `whether ${name} is there is unknown: ${someKinds([first, ...hidden])} cannot be seen`;
    const unseen = `not seen: ${enumerated([first, ...hidden])}`;
    return { ...found, presence: 'unknown', evidence: [...evidence, unseen], words };
  }
  if (elsewhere) {
    const words = `${name} removes it, which may run outside of the cluster: no workload of it was found inside`;
    return { ...found, presence: 'unknown', words, outside: true };
  }
  if (evidence.length > 0) {
    const what = served.length > 0 ? `the API group ${enumerated(served)}` : enumerated(others);
    const words = `${what} is there, but no workload of ${whose} was found that would remove it`;
    return { ...found, presence: 'unhealthy', words };
  }
  if (nameless)
    return { ...found, presence: 'unknown', words: `its name doesn't show which controller removes it` };
  const nothing =
    leaving.length === 0
      ? `no API group, webhook configuration or workload of ${whose} found`
      : `no webhook configuration or workload of ${whose} found, and of the API group ${enumerated(leaving)} only definitions that are being deleted`;
  return { ...found, presence: 'absent', evidence: [nothing], words: without };
}

/** Returns the workload or its namespace, whichever is being deleted. */
function deletionOver(tracked: TrackedView, workload: KubeObject): KubeObject | undefined {
  const namespace = tracked.findKind('v1', 'Namespace', '', workload.namespace);
  return [namespace, workload].find(each => each !== undefined && isDeleting(each));
}

function leavingWith(
  tracked: TrackedView,
  workload: KubeObject,
  found: Pick<Judged, 'name' | 'evidence'>,
): Judged {
  const deletion = deletionOver(tracked, workload);
  const leavesWith = deletion === undefined || deletion === workload ? 'it' : objectTitle(deletion);
  const words = `${objectTitle(workload)} seems to be the one that removes it, and ${leavesWith} is being deleted`;
  return { ...found, workloads: [workload], presence: 'unhealthy', words, leavesWith };
}

/** Workloads to list: a platform can have dozens under its domain. */
const LISTED = 5;

/** Returns a line for each of the first, ready ones before others, and one for the rest. */
function workloadEvidence(workloads: readonly FoundWorkload[]): string[] {
  const { ready = [], rest = [] } = Object.groupBy(workloads, ({ object }) =>
    readyPods(object) === 0 ? 'rest' : 'ready',
  );
  const shown = workloads.length > LISTED ? [...ready, ...rest].slice(0, LISTED) : workloads;
  const lines = shown.map(
    ({ object, by }) => `${objectTitle(object)}: ${readiness(object)}, recognised by ${by}`,
  );
  const more = workloads.length - shown.length;
  const readyMore = Math.max(0, ready.length - LISTED);
  return more === 0
    ? lines
    : [...lines, `${more} more workloads recognised so, ${readyMore} of them with ready pods`];
}

/** Returns undefined if not known. */
function readyPods({ facts }: KubeObject): number | undefined {
  if (facts?.kind !== 'Workload') return undefined;
  return facts.desired === 0 ? 0 : facts.ready;
}

function readiness(object: KubeObject): string {
  const { facts } = object;
  return facts?.kind === 'Workload' ? `${facts.ready} of ${facts.desired} ready` : 'readiness not known';
}

const controlPlaneNamespaces = [
  'kube-system',
  'openshift-kube-controller-manager',
  'openshift-cloud-controller-manager',
] as const;

function inControlPlane(tracked: TrackedView, name: string, patterns: readonly string[]): Judged {
  const type = tracked.type('v1', 'Pod');
  const evidence: string[] = [];
  let ready = 0;
  for (const pod of controlPlaneNamespaces.flatMap(each => (type ? [...tracked.list(type, each)] : []))) {
    if (!isProgram(pod, patterns)) continue;
    const isReady = pod.facts?.kind === 'Pod' && pod.facts.readyContainers > 0;
    if (isReady) ready += 1;
    evidence.push(`${objectTitle(pod)}: ${isReady ? 'ready' : 'not ready'}`);
  }
  if (ready > 0) return { name, presence: 'present', evidence, words: `${name} removes it`, workloads: [] };
  if (evidence.length > 0) {
    const words = `${name} removes it, and none of its pods is ready`;
    return { name, presence: 'unhealthy', evidence, words, workloads: [] };
  }
  return {
    name,
    presence: 'unknown',
    evidence: [`${name}: no pods of it can be seen`],
    words: `${name} removes it, which cannot be seen from here`,
    workloads: [],
    outside: true,
  };
}

function isProgram({ labels, name }: KubeObject, patterns: readonly string[]): boolean {
  return (
    ['component', 'k8s-app', 'app'].some(key => patterns.includes(Labels.value(labels, key) ?? '')) ||
    patterns.some(pattern => name.startsWith(`${pattern}-`))
  );
}

/** Checks that nothing visible keeps it from removing the finalizer. */
export function mayAct({ presence, nothingLeft, forbidden, gone }: Handler): boolean {
  const isThere = presence === 'present' || presence === 'unknown';
  return isThere && nothingLeft === undefined && forbidden === undefined && gone !== true;
}

export function costOf({ entry, nothingLeft, gone }: Handler): string {
  const once = gone === true ? entry?.standsFor?.cost : undefined;
  return nothingLeft?.because ?? once ?? entry?.cost ?? 'the resources it protects are left behind';
}

export function riskOf({ nothingLeft }: Handler): Risk {
  return nothingLeft?.risk ?? 'dangerous';
}
