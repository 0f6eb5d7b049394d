/**
 * Who removes a finalizer, and whether that controller is there: from the catalogue for finalizers that are widely
 * known, else from the finalizer's domain. What cannot be seen is never taken to be absent.
 */

import type { ApplicableRemedy, Risk } from '../../forecast/action.ts';
import { type KubeObject, labelValue } from '../../model/object.ts';
import { objectTitle } from '../../model/text/titles.ts';
import { type Advice, advice } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { enumerated, someKinds } from '../engine/words.ts';
import { removeFinalizer } from '../remedies/deletion.ts';
import catalogue from './catalogue.json' with { type: 'json' };
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

/** Where a controller runs, and what shows that it is there; `catalogue.yaml` says what each field means. */
export interface ControllerSigns {
  /** `kube-controller-manager`, `Argo CD`: as it stands in a sentence. */
  readonly name: string;
  readonly runsIn: 'API server' | 'control plane' | 'cluster' | 'elsewhere';
  readonly workloads: readonly string[];
  readonly groups: readonly string[];
}

/** What is known of a finalizer, or of several that are alike. */
export interface FinalizerEntry {
  readonly names: readonly string[];
  readonly controller: ControllerSigns;
  readonly carriedBy: string;
  readonly protects: string;
  readonly cost: string;
  /** The object without which nobody removes it, however well its controller runs. */
  readonly standsFor?: {
    readonly group: string;
    readonly resource: string;
    /** What stands before its name in the finalizer's. */
    readonly after: string;
    /** `downstream cluster` */
    readonly called: string;
  };
}

/** An entry of `catalogue.yaml`. */
export interface CatalogueEntry {
  readonly controller: string;
  readonly runsIn: ControllerSigns['runsIn'];
  readonly workloads?: readonly string[];
  readonly groups?: readonly string[];
  readonly finalizers: readonly Omit<FinalizerEntry, 'controller'>[];
}

export function finalizersIn(entries: readonly CatalogueEntry[]): FinalizerEntry[] {
  return entries.flatMap(({ controller: name, runsIn, workloads = [], groups = [], finalizers }) =>
    finalizers.map(each => ({ ...each, controller: { name, runsIn, workloads, groups } })),
  );
}

/** Where several fit, an exact name counts, then the first. */
const exact = new Map<string, FinalizerEntry>();
const patterns: { readonly fits: (finalizer: string) => boolean; readonly entry: FinalizerEntry }[] = [];
for (const entry of finalizersIn(catalogue as readonly CatalogueEntry[]))
  for (const name of entry.names)
    if (name.includes('*')) patterns.push({ fits: patternMatcher(name), entry });
    else exact.set(name, entry);

/** What is known of a finalizer; undefined where it isn't in the catalogue. */
export function knownFinalizer(finalizer: string): FinalizerEntry | undefined {
  return exact.get(finalizer) ?? patterns.find(({ fits }) => fits(finalizer))?.entry;
}

/**
 * - `present`: a workload of it is there, with ready pods.
 * - `unhealthy`: something of it is there, but no ready workload.
 * - `absent`: everything that could show it can be seen, and nothing of it is there.
 * - `unknown`: it may run where it cannot be seen.
 */
export type Presence = 'present' | 'unhealthy' | 'absent' | 'unknown';

export interface Handler {
  readonly finalizer: string;
  readonly entry: FinalizerEntry | undefined;
  /** As it stands in a sentence: `Argo CD`, `the controller of example.com/drain`. */
  readonly name: string;
  readonly presence: Presence;
  /** What was found and what couldn't be seen, each with how it was recognised. */
  readonly evidence: readonly string[];
  /** A clause about it, to stand after the finalizer: `nothing in this cluster handles example.com`. */
  readonly words: string;
  /** Its workloads, those with ready pods first. */
  readonly workloads: readonly KubeObject[];
  /** What it waited for is over, and why: removing it by hand costs no more than the risk says. */
  readonly nothingLeft?: { readonly risk: Risk; readonly because: string };
  /** It went with the object that it was for, and doesn't come back. */
  readonly gone?: boolean;
}

/** Judged once for all objects until the cluster changes. */
export function handlerOf(tracked: TrackedView, finalizer: string): Handler {
  return tracked.once(`handler of ${finalizer}`, () => {
    const entry = knownFinalizer(finalizer);
    const judged = entry === undefined ? byDomain(tracked, finalizer) : bySigns(tracked, entry.controller);
    return { finalizer, entry, ...judged };
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
  /** Whose signs these are: `example.com`, `Argo CD`. */
  readonly whose: string;
  /** A clause for when there are none. */
  readonly without: string;
  /** Whether an API group is one of its own. */
  readonly fits: (group: string) => boolean;
  readonly workloads: readonly FoundWorkload[];
  readonly others: readonly string[];
  readonly elsewhere: boolean;
}

function judge(tracked: TrackedView, signs: Signs): Judged {
  const { name, whose, without, fits, workloads, others, elsewhere } = signs;
  const served = groupsOf(tracked, fits);
  const evidence = [
    ...workloads.map(({ object, by }) => `${objectTitle(object)}: ${readiness(object)}, recognised by ${by}`),
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
    const words = `${objectTitle(failing)} seems to be the one that removes it, and has no ready pod`;
    return { ...found, presence: 'unhealthy', words };
  }
  const [first, ...more] = [...undiscoveredGroups(tracked, fits), ...unseenSigns(tracked)];
  if (first !== undefined) {
    const words = `whether ${name} is there is unknown: ${someKinds([first, ...more])} cannot be seen`;
    const unseen = `not seen: ${enumerated([first, ...more])}`;
    return { ...found, presence: 'unknown', evidence: [...evidence, unseen], words };
  }
  if (elsewhere) {
    const words = `${name} removes it, which may run outside of the cluster: no workload of it was found inside`;
    return { ...found, presence: 'unknown', words };
  }
  if (evidence.length > 0) {
    const what = served.length > 0 ? `the API group ${enumerated(served)}` : enumerated(others);
    const words = `${what} is there, but no workload of ${whose} was found that would remove it`;
    return { ...found, presence: 'unhealthy', words };
  }
  const nothing = `no API group, webhook configuration or workload of ${whose} found`;
  return { ...found, presence: 'absent', evidence: [nothing], words: without };
}

/** Ready pods; undefined while they aren't known. */
function readyPods({ facts }: KubeObject): number | undefined {
  return facts?.kind === 'Workload' ? facts.ready : undefined;
}

function readiness(object: KubeObject): string {
  const { facts } = object;
  return facts?.kind === 'Workload' ? `${facts.ready} of ${facts.desired} ready` : 'readiness not known';
}

/** Namespaces in which control planes show their own pods, where they do. */
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
  };
}

function isProgram({ labels, name }: KubeObject, patterns: readonly string[]): boolean {
  return (
    ['component', 'k8s-app', 'app'].some(key => patterns.includes(labelValue(labels, key) ?? '')) ||
    patterns.some(pattern => name.startsWith(`${pattern}-`))
  );
}

/** To have its controller remove it; none where that has nothing left to do and hasn't done it, or never comes back. */
export function handlerAdvice({
  presence,
  name,
  workloads,
  entry,
  finalizer,
  nothingLeft,
  gone = false,
}: Handler): readonly Advice[] {
  if (nothingLeft !== undefined || gone) return [];
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
              `find out what handles ${finalizer}, with permission to list what cannot be seen here: it removes it by itself`,
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

/** What a removal by hand costs, as a clause: the same wherever it is offered. */
export function costOf({ entry, nothingLeft }: Handler): string {
  return nothingLeft?.because ?? entry?.cost ?? 'what it protects is left behind';
}

/** How much. */
export function riskOf({ nothingLeft }: Handler): Risk {
  return nothingLeft?.risk ?? 'dangerous';
}

/** Removing the finalizer by hand, with what that costs. None where the object doesn't carry it in its metadata. */
export function removal(
  tracked: TrackedView,
  object: KubeObject,
  handler: Handler,
): readonly ApplicableRemedy[] {
  const { finalizer } = handler;
  if (!object.finalizers.includes(finalizer)) return [];
  return [
    removeFinalizer(tracked, object, finalizer, {
      risk: riskOf(handler),
      title: `remove ${finalizer} from ${object.name}: ${costOf(handler)}`,
    }),
  ];
}
