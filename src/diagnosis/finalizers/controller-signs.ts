/** Finds signs of a controller by common names and labels, which prove its presence better than its absence. */
import {
  FinalizerEntry,
  type KubeObject,
  type Labels,
  objectTitle,
  ResourceType,
} from '../../model/index.ts';
import { discoveryGroupOf } from '../cluster/failing-apis.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { belongsTo, domainOf, ownerWord, tellingWords } from './domain.ts';

export interface FoundWorkload {
  readonly object: KubeObject;
  /** The matching part: `its name`, `its label app.kubernetes.io/name`. */
  readonly by: string;
}

export const workloadKinds = [
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
] as const;

const definitionKind = ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'] as const;

const webhookKinds = [
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
] as const;

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

/** Lists unseen resources that could reveal the controller, such as `deployments.apps`. `fits` matches its groups. */
export function unseenSigns(tracked: TrackedView, fits: (group: string) => boolean = () => false): string[] {
  const unseen: string[] = [];
  const kinds: readonly KindName[] = [
    ...workloadKinds,
    ...webhookKinds,
    ...(addedTypes(tracked, fits).length > 0 ? [definitionKind] : []),
  ];
  for (const [apiVersion, kind] of kinds) {
    const type = tracked.type(apiVersion, kind);
    // A partly listed kind may hide the controller in another namespace.
    if (type === undefined) unseen.push(kind);
    else if (!tracked.view.seesAll(type)) unseen.push(ResourceType.groupResource(type));
  }
  return unseen;
}

/** Returns workloads whose name or name label fits a pattern, in the order of the patterns; `*` matches anything. */
export function workloadsNamed(tracked: TrackedView, patterns: readonly string[]): FoundWorkload[] {
  const workloads = allOf(tracked, workloadKinds);
  const found = patterns.map(FinalizerEntry.matcher).flatMap(fits =>
    sorted(
      workloads.flatMap(object => {
        const by = recognised(object, fits);
        return by === undefined ? [] : [{ object, by }];
      }),
    ),
  );
  return found.filter(({ object }, index) => index === found.findIndex(each => each.object === object));
}

export interface DriverSigns {
  readonly workloads: readonly FoundWorkload[];
  readonly others: readonly string[];
  readonly registered: boolean;
  readonly unseen: readonly string[];
}

/** Finds a CSI driver by its CSIDriver and by workloads named after it; `patterns`: names of CSI controllers. */
export function signsOfDriver(
  tracked: TrackedView,
  driver: string,
  patterns: readonly string[] = [],
): DriverSigns {
  const type = tracked.type('storage.k8s.io/v1', 'CSIDriver');
  const registered = type !== undefined && tracked.find(type, '', driver) !== undefined;
  const fits = patterns.map(FinalizerEntry.matcher);
  const names = namesOfDriver(driver).map(FinalizerEntry.matcher);
  const words = wordsOfDriver(driver);
  const found = workloadsWhere(
    tracked,
    'its name',
    workload =>
      recognised(workload, text => names.some(fit => fit(text))) !== undefined ||
      (/\bcsi\b/u.test(workload.name) && haveCommonStart(words, workload.name.split('-'))),
  );
  // A DaemonSet mounts volumes on its nodes; few of them delete volumes as well.
  const { controller = [], node = [] } = Object.groupBy(found, ({ object }) =>
    object.type.kind === 'DaemonSet' ? 'node' : 'controller',
  );
  const named = controller.filter(({ object }) => fits.some(fit => fit(object.name)));
  return {
    workloads: named.length > 0 ? named : controller,
    others: [
      ...(registered ? [`CSIDriver ${driver}`] : []),
      ...(controller.length > 0 ? [] : node.map(({ object }) => objectTitle(object))),
    ],
    registered,
    unseen: registered || tracked.lacks(type, '', driver) ? [] : ['csidrivers.storage.k8s.io'],
  };
}

const common = /^(?:csi|driver|storage|k8s|io|com|net|org|dev|cloud|aws|azure|google|gke|disk|file|block)$/u;

function wordsOfDriver(driver: string): string[] {
  const words = driver.toLowerCase().split(/[.-]/u);
  return words.filter(word => word.length > 1 && !common.test(word));
}

/** Checks for pairs such as `harvesterhci` and `harvester`, or `rbd` and `rbdplugin`. */
function haveCommonStart(words: readonly string[], others: readonly string[]): boolean {
  return words.some(word =>
    others.some(
      other =>
        Math.min(word.length, other.length) > 2 &&
        !common.test(other) &&
        (other.startsWith(word) || word.startsWith(other)),
    ),
  );
}

/** Matches `ebs.csi.aws.com` with workloads such as `ebs-csi-node`. */
function namesOfDriver(driver: string): string[] {
  return wordsOfDriver(driver).flatMap(word => [
    word,
    `${word}-*`,
    `*-${word}`,
    `*-${word}-*`,
    `${word}csi-*`,
  ]);
}

export function workloadsWhere(
  tracked: TrackedView,
  by: string,
  fits: (workload: KubeObject) => boolean,
): FoundWorkload[] {
  return sorted([...allOf(tracked, workloadKinds)].filter(fits).map(object => ({ object, by })));
}

/** Returns workloads with labels of the finalizer's domain, or with its name and a word such as operator. */
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

/**
 * Returns workloads whose name has words of a kind: `redis-enterprise-operator` of RedisEnterpriseDatabase. Empty if
 * workloads of several names have, or the word is one that projects share.
 */
export function workloadsOfKind(tracked: TrackedView, kind: string): FoundWorkload[] {
  const lower = kind.toLowerCase();
  return tracked.once(`workloads of kind ${kind}`, () => {
    const found = workloadsWhere(tracked, 'the words of its name', ({ name }) => {
      const words = name.split('-');
      const telling = words.filter(word => !actors.has(word));
      if (telling.length === words.length) return false;
      return (
        (telling.length > 1 && lower.startsWith(telling.join(''))) ||
        telling.some(word => word.length > 4 && !shared.has(word) && lower.startsWith(word))
      );
    });
    return new Set(found.map(({ object }) => object.name)).size === 1 ? found : [];
  });
}

/** Words that kinds of many projects begin with. */
const shared: ReadonlySet<string> = new Set(
  'access agent alert application backup binding bucket certificate cloud cluster config connection container custom data database deployment events external gateway global group image ingress instance machine managed manager model monitor namespace network nodes object policy project provider proxy queue release remote resource restore route runner scheduled secret server service snapshot storage stream system target tenant topic users virtual volume webhook worker workflow workspace'.split(
    ' ',
  ),
);

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
  // This check is cheaper than splitting each text, and few texts contain any of the words.
  if (!telling.some(word => lower.includes(word))) return false;
  const words = lower.split(/[^a-z0-9]+/);
  const isTelling = (word: string): boolean =>
    telling.includes(word) || telling.some(each => word === `kube${each}`);
  return words.some(word => actors.has(word)) && words.some(isTelling);
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
  /** Groups with only deleting definitions left: their controller is probably gone. */
  readonly leaving: readonly string[];
}

/** Lists added types in matching groups; Kubernetes' own reveal nothing. */
function addedTypes(tracked: TrackedView, fits: (group: string) => boolean): readonly ResourceType[] {
  return tracked.view.catalog.types.filter(
    ({ group }) => group.includes('.') && !group.endsWith('.k8s.io') && fits(group),
  );
}

/** Finds added API groups that fit. Only served ones count, so definitions aren't requested. */
export function groupsOf(tracked: TrackedView, fits: (group: string) => boolean): FoundGroups {
  // Types known only from references prove no controller; an unseen definition may.
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
  for (const type of added) if (!goes.has(ResourceType.groupResource(type))) groups.add(type.group);
  return { served: [...groups].sort(), leaving: [...leaving.difference(groups)].sort() };
}

export function undiscoveredGroups(tracked: TrackedView, fits: (group: string) => boolean): string[] {
  return tracked.view.failedGroups
    .map(({ resource }) => resource)
    .filter(resource => fits(discoveryGroupOf(resource)));
}

/** Describes what carries the domain in its name. `byWord`: also webhooks with just the project's word. */
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

/** Finds silent services too: discovery lists their groups (kube-aggregator v0.36, apiserver/handler_discovery.go). */
function servicesOf(tracked: TrackedView, domain: string): readonly KubeObject[] {
  const fits = (group: string): boolean => belongsTo(group, domain);
  const isKnown =
    undiscoveredGroups(tracked, fits).length > 0 ||
    tracked.view.catalog.types.some(({ group }) => fits(group));
  return isKnown ? allOf(tracked, [['apiregistration.k8s.io/v1', 'APIService']]) : [];
}
