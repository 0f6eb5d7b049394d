/**
 * What shows in a cluster that a controller is there: API groups, workloads, webhook configurations, API services.
 * Found by the names and labels that its makers give them, which proves a presence better than an absence.
 */
import type { KubeObject, Labels } from '../../model/object.ts';
import { groupResource, type ResourceType } from '../../model/types/resource-type.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { discoveryGroupOf } from '../rules/apis/apis.ts';
import { belongsTo, domainOf, ownerWord, patternMatcher, tellingWords } from './domain.ts';

/** A workload that seems to run the controller. */
export interface FoundWorkload {
  readonly object: KubeObject;
  /** By what it was recognised: `its name`, `its label app.kubernetes.io/name`. */
  readonly by: string;
}

const workloadKinds = [
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
] as const;

const definitionKind = ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'] as const;

const webhookKinds = [
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
] as const;

/** Labels whose value is a program's name. */
const nameLabels: readonly string[] = [
  'app.kubernetes.io/name',
  'app.kubernetes.io/component',
  'app.kubernetes.io/part-of',
  'app.kubernetes.io/instance',
  'app',
  'k8s-app',
  'component',
  'control-plane',
  'name',
];

type KindName = readonly [apiVersion: string, kind: string];

function allOf(tracked: TrackedView, kinds: readonly KindName[]): readonly KubeObject[] {
  return tracked.once(`all ${kinds.map(([, kind]) => kind).join(', ')}`, () =>
    kinds.flatMap(([apiVersion, kind]) => {
      const type = tracked.type(apiVersion, kind);
      return type === undefined ? [] : [...tracked.all(type)];
    }),
  );
}

/** Kinds that would show a controller, whose API groups `fits` tells, and that cannot be seen: as `deployments.apps`. */
export function unseenSigns(tracked: TrackedView, fits: (group: string) => boolean = () => false): string[] {
  const unseen: string[] = [];
  const kinds: readonly KindName[] = [
    ...workloadKinds,
    ...webhookKinds,
    ...(addedTypes(tracked, fits).length > 0 ? [definitionKind] : []),
  ];
  for (const [apiVersion, kind] of kinds) {
    const type = tracked.type(apiVersion, kind);
    // Listed in some namespaces only, the controller may be in another.
    if (type === undefined) unseen.push(kind);
    else if (!tracked.view.seesAll(type)) unseen.push(groupResource(type));
  }
  return unseen;
}

/** Workloads whose name, or a label that names them, fits one of these patterns; `*` stands for anything. */
export function workloadsNamed(tracked: TrackedView, patterns: readonly string[]): FoundWorkload[] {
  const fits = patterns.map(patternMatcher);
  const found: FoundWorkload[] = [];
  for (const object of allOf(tracked, workloadKinds)) {
    const by = recognised(object, text => fits.some(fit => fit(text)));
    if (by !== undefined) found.push({ object, by });
  }
  return sorted(found);
}

/**
 * Workloads that seem to belong to a finalizer's owner: they carry labels of its domain, or go by its name and call
 * themselves operator, controller or the like.
 */
export function workloadsOf(tracked: TrackedView, finalizer: string): FoundWorkload[] {
  const domain = domainOf(finalizer);
  const owner = ownerWord(domain);
  const telling = [owner, ...tellingWords(finalizer)].filter(word => word.length > 2);
  const found: FoundWorkload[] = [];
  for (const object of allOf(tracked, workloadKinds)) {
    const key = labelKeyOf(object.labels, domain);
    const by =
      key === undefined
        ? recognised(object, text => text === owner || isActor(text, telling))
        : `its label ${key}`;
    if (by !== undefined) found.push({ object, by });
  }
  return sorted(found);
}

const actors: ReadonlySet<string> = new Set([
  'operator',
  'controller',
  'controllers',
  'manager',
  'provisioner',
  'driver',
  'plugin',
]);

function isActor(text: string, telling: readonly string[]): boolean {
  const lower = text.toLowerCase();
  // Few texts hold any of the words at all, and cutting each one up costs more than a look.
  if (!telling.some(word => lower.includes(word))) return false;
  const words = lower.split(/[^a-z0-9]+/);
  return words.some(word => actors.has(word)) && words.some(word => telling.includes(word));
}

function labelKeyOf(labels: Labels, domain: string): string | undefined {
  for (let i = 0; i < labels.length; i += 2) {
    const key = labels[i] ?? '';
    const slash = key.indexOf('/');
    if (slash > 0 && belongsTo(key.slice(0, slash), domain)) return key;
  }
  return undefined;
}

function recognised({ name, labels }: KubeObject, fits: (text: string) => boolean): string | undefined {
  if (fits(name)) return 'its name';
  for (let i = 0; i < labels.length; i += 2) {
    const key = labels[i] ?? '';
    if (nameLabels.includes(key) && fits(labels[i + 1] ?? '')) return `its label ${key}`;
  }
  return undefined;
}

function sorted(found: FoundWorkload[]): FoundWorkload[] {
  const title = ({ object }: FoundWorkload): string => `${object.namespace}/${object.name}`;
  return found.sort((a, b) => (title(a) < title(b) ? -1 : 1));
}

export interface FoundGroups {
  readonly served: readonly string[];
  /** All that is left of them are definitions that are being deleted: whoever made them is more likely gone than there. */
  readonly leaving: readonly string[];
}

/** Types in groups that fit and that somebody has added: Kubernetes' own are there whoever else is. */
function addedTypes(tracked: TrackedView, fits: (group: string) => boolean): readonly ResourceType[] {
  return tracked.view.catalog.types.filter(
    ({ group }) => group.includes('.') && !group.endsWith('.k8s.io') && fits(group),
  );
}

/** API groups that fit and that somebody has added. What isn't served shows nobody, so its definition isn't looked for. */
export function groupsOf(tracked: TrackedView, fits: (group: string) => boolean): FoundGroups {
  // A reference to a kind shows nobody, though its definition may be where nothing is seen.
  const added = addedTypes(tracked, fits).filter(({ referred }) => referred !== true);
  const groups = new Set<string>();
  const leaving = new Set<string>();
  const goes = new Set<string>();
  for (const { facts, name, deletionTimestamp } of added.length === 0
    ? []
    : allOf(tracked, [definitionKind])) {
    if (facts?.kind !== 'CustomResourceDefinition' || !fits(facts.group)) continue;
    if (deletionTimestamp === undefined) groups.add(facts.group);
    else {
      leaving.add(facts.group);
      goes.add(name);
    }
  }
  for (const type of added) if (!goes.has(groupResource(type))) groups.add(type.group);
  return { served: [...groups].sort(), leaving: [...leaving.difference(groups)].sort() };
}

/** Groups whose discovery fails, so that whether they are there isn't known. */
export function undiscoveredGroups(tracked: TrackedView, fits: (group: string) => boolean): string[] {
  return tracked.view.failedGroups
    .map(({ resource }) => resource)
    .filter(resource => fits(discoveryGroupOf(resource)));
}

/**
 * Webhook configurations and API services that carry a domain in their name, in words. `byWord`: also webhooks that
 * only go by the owner's name.
 */
export function otherSigns(tracked: TrackedView, domain: string, byWord: boolean): string[] {
  if (domain === '') return [];
  const signs: string[] = [];
  const word = ownerWord(domain);
  for (const { name, type } of allOf(tracked, webhookKinds)) {
    const named =
      byWord &&
      word.length > 3 &&
      name
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .includes(word);
    if (name.includes(domain) || named) signs.push(`${type.kind} ${name}`);
  }
  for (const { name, facts } of servicesOf(tracked, domain)) {
    if (facts?.kind !== 'APIService' || facts.service === '' || !belongsTo(facts.group, domain)) continue;
    const available = facts.conditions.find(({ type }) => type === 'Available')?.status === 'True';
    signs.push(
      `APIService ${name}, served by ${facts.service}, ${available ? 'available' : 'not available'}`,
    );
  }
  return signs.sort();
}

/** Discovery lists the group of each API service, one that doesn't answer too (kube-aggregator v0.36, apiserver/handler_discovery.go). */
function servicesOf(tracked: TrackedView, domain: string): readonly KubeObject[] {
  const fits = (group: string): boolean => belongsTo(group, domain);
  const isKnown =
    undiscoveredGroups(tracked, fits).length > 0 ||
    tracked.view.catalog.types.some(({ group }) => fits(group));
  return isKnown ? allOf(tracked, [['apiregistration.k8s.io/v1', 'APIService']]) : [];
}
