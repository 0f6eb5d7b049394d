/** Finds a finalizer's controller and judges its presence; anything that can't be seen never counts as absent. */

import type { ApplicableRemedy, Risk } from '../../forecast/action.ts';
import { namespaceFlag } from '../../forecast/requests.ts';
import { FOREGROUND_FINALIZER, type KubeObject, labelValue } from '../../model/object.ts';
import { enumerated, objectTitle } from '../../model/text/titles.ts';
import { type Advice, advice, adviceToLook } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { someKinds } from '../engine/words.ts';
import { removeFinalizer, removeForeground } from '../remedies/deletion.ts';
import { type ControllerSigns, type FinalizerEntry, knownFinalizer } from './catalogue.ts';
import {
  type FoundWorkload,
  groupsOf,
  otherSigns,
  undiscoveredGroups,
  unseenSigns,
  workloadsNamed,
  workloadsOf,
} from './controller-signs.ts';
import { belongsTo, domainOf, patternMatcher } from './domain.ts';

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
  /** True if it was deleted with the object it served, and won't return. */
  readonly gone?: boolean;
  /** True if it is assumed to run out of sight: beside the API server or outside the cluster. */
  readonly outside?: boolean;
}

export interface Forbidden {
  readonly account: string;
  /** Username in the API server: `system:serviceaccount:tools:drain-operator`. */
  readonly user: string;
  readonly resource: string;
  /** `''` if cluster-scoped. */
  readonly namespace: string;
}

/** Judges once per API group until the cluster changes; without a group, for all objects. */
export function handlerOf(tracked: TrackedView, finalizer: string, group?: string): Handler {
  const entry = knownFinalizer(finalizer);
  const workloads = group === undefined ? undefined : entry?.workloadsOf?.[group];
  const key = workloads === undefined ? finalizer : `${finalizer} from ${group}`;
  return tracked.once(`handler of ${key}`, () => {
    if (entry === undefined) return { finalizer, entry, ...byDomain(tracked, finalizer) };
    const signs = workloads === undefined ? entry.controller : { ...entry.controller, workloads };
    return { finalizer, entry, ...bySigns(tracked, signs) };
  });
}

type Judged = Omit<Handler, 'finalizer' | 'entry'>;

function bySigns(tracked: TrackedView, { name, runsIn, workloads, groups }: ControllerSigns): Judged {
  if (runsIn === 'API server')
    return { name, presence: 'present', evidence: [], words: `${name} removes it`, workloads: [] };
  if (runsIn === 'control plane') return inControlPlane(tracked, name, workloads);
  const matchers = groups.map(patternMatcher);
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
  });
}

interface Signs {
  readonly name: string;
  readonly whose: string;
  readonly without: string;
  readonly fits: (group: string) => boolean;
  readonly workloads: readonly FoundWorkload[];
  readonly others: readonly string[];
  readonly elsewhere: boolean;
}

function judge(tracked: TrackedView, signs: Signs): Judged {
  const { name, whose, without, fits, workloads, others, elsewhere } = signs;
  const { served, leaving } = groupsOf(tracked, fits);
  const evidence = [
    ...workloadEvidence(workloads),
    ...others,
    ...(served.length > 0 ? [`API group ${enumerated(served)}: known to the API server`] : []),
  ];
  const objects = workloads.map(({ object }) => object);
  const ready = objects.filter(object => readyPods(object) !== 0);
  const rest = objects.filter(object => readyPods(object) === 0);
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
  const [first, ...more] = [...undiscoveredGroups(tracked, fits), ...unseenSigns(tracked, fits)];
  if (first !== undefined) {
    const words = `whether ${name} is there is unknown: ${someKinds([first, ...more])} cannot be seen`;
    const unseen = `not seen: ${enumerated([first, ...more])}`;
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
  const nothing =
    leaving.length === 0
      ? `no API group, webhook configuration or workload of ${whose} found`
      : `no webhook configuration or workload of ${whose} found, and of the API group ${enumerated(leaving)} only definitions that are being deleted`;
  return { ...found, presence: 'absent', evidence: [nothing], words: without };
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
    ['component', 'k8s-app', 'app'].some(key => patterns.includes(labelValue(labels, key) ?? '')) ||
    patterns.some(pattern => name.startsWith(`${pattern}-`))
  );
}

/** Advises fixing the controller, unless it will never act. */
export function handlerAdvice({
  presence,
  name,
  workloads,
  entry,
  finalizer,
  nothingLeft,
  forbidden,
  gone = false,
}: Handler): readonly Advice[] {
  if (nothingLeft !== undefined || gone) return [];
  if (forbidden !== undefined) return [grant(forbidden, finalizer)];
  const [workload] = workloads;
  const who = workload === undefined ? name : objectTitle(workload);
  switch (presence) {
    case 'absent':
      return [advice('bring-back-controller', `bring ${name} back: it finishes, and everything follows`)];
    case 'unhealthy':
      return [
        advice(
          'restore-controller',
          workload === undefined
            ? `see that ${name} runs: it finishes, and everything follows`
            : `get ${who} ready again: it finishes, and everything follows`,
        ),
      ];
    case 'present':
    case 'unknown':
      return [
        workload === undefined && entry === undefined
          ? advice(
              'find-controller',
              `find the controller that handles ${finalizer}, which may be of a kind that cannot be seen here: it removes it by itself`,
            )
          : workload === undefined && presence === 'unknown'
            ? advice(
                'find-controller',
                `find out whether ${who} runs, here or elsewhere: then its log says what it waits for before it removes ${finalizer}`,
              )
            : advice(
                'see-controller',
                `see in the log of ${who} what it waits for: it removes ${finalizer} by itself`,
              ),
      ];
  }
}

function grant({ account, user, resource, namespace }: Forbidden, finalizer: string): Advice {
  const where = namespace === '' ? '' : ` in namespace ${namespace}`;
  return adviceToLook(
    `grant-permission/${account}`,
    `let ServiceAccount ${account} patch and update ${resource}${where} (a rule of its Role or ClusterRole with these verbs is missing, or the binding): then it removes ${finalizer} by itself`,
    ['auth', 'can-i', 'patch', resource, ...namespaceFlag(namespace), `--as=${user}`],
  );
}

export function costOf({ entry, nothingLeft }: Handler): string {
  return nothingLeft?.because ?? entry?.cost ?? 'what it protects is left behind';
}

export function riskOf({ nothingLeft }: Handler): Risk {
  return nothingLeft?.risk ?? 'dangerous';
}

/** Returns the removal by hand, with its cost; empty if the object's metadata lacks the finalizer. */
export function removal(
  tracked: TrackedView,
  object: KubeObject,
  handler: Handler,
): readonly ApplicableRemedy[] {
  const { finalizer } = handler;
  if (!object.finalizers.includes(finalizer)) return [];
  // The cost depends on the object's dependents.
  if (finalizer === FOREGROUND_FINALIZER) return [removeForeground(tracked, object)];
  return [
    removeFinalizer(tracked, object, finalizer, {
      risk: riskOf(handler),
      title: `remove ${finalizer} from ${object.name}: ${costOf(handler)}`,
    }),
  ];
}
