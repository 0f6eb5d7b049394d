/** Stand-ins for unseen owners, groups and content, so the simulation concludes nothing from their absence. */
import type { ClusterView } from '../../graph/index.ts';
import {
  DeletionCondition,
  FOREGROUND_FINALIZER,
  getOrInsert,
  joinApiVersion,
  KubeObject,
  type OwnerReference,
  ResourceType,
  type ResourceVersion,
  type Uid,
} from '../../model/index.ts';
import { specialStores } from '../../simulation/index.ts';
import {
  contentsOf,
  ReportedContent,
  type ReportedResource,
  reportedBySnapshot,
  unseenContent,
} from '../reported-content.ts';
import { patience } from '../under-way.ts';

/** Returns the type if an owner that isn't in the snapshot may still exist. */
function unseenType(view: ClusterView, owner: OwnerReference, namespace: string): ResourceType | undefined {
  const type = view.catalog.resolveKind(owner.apiVersion, owner.kind);
  if (type === undefined || (type.namespaced && namespace === '')) return undefined;
  return view.seesOwnerAt(type, type.namespaced ? namespace : '', owner.name) ? undefined : type;
}

/** Creates owners that may exist unseen, and those look-ups found, one per claim in a reference. */
export function unseenOwners(view: ClusterView, now: number): KubeObject[] {
  const found = new Map<string, KubeObject>();
  for (const owner of view.absences.found()) {
    const type = view.catalog.resolveKind(owner.apiVersion, owner.kind);
    const absence = view.absences.of(owner);
    if (type === undefined || absence.state !== 'found') continue;
    const { namespace, name } = owner;
    const waiting = absence.foreground ? now : undefined;
    const phantom = phantomOf({ type, namespace, name, uid: absence.uid }, waiting);
    found.set(keyOf(phantom), phantom);
  }
  if (view.complete) return [...found.values()];
  for (const node of view.graph.nodes()) {
    if (!node.virtual) continue;
    for (const dependent of node.dependents) {
      const { namespace } = dependent.identity;
      for (const owner of dependent.owners) {
        if (owner.uid !== node.identity.uid) continue;
        const type = unseenType(view, owner, namespace);
        if (type === undefined) continue;
        const { name, uid } = owner;
        const phantom = phantomOf({ type, namespace: type.namespaced ? namespace : '', name, uid });
        const key = keyOf(phantom);
        if (!found.has(key)) found.set(key, phantom);
      }
    }
  }
  return [...found.values()];
}

function keyOf({ type, namespace, name, uid }: KubeObject): string {
  return `${ResourceType.groupResource(type)}/${namespace}/${name}/${uid}`;
}

/** `waitingSince`: start of a foreground deletion. */
function phantomOf(
  object: Pick<KubeObject, 'type' | 'namespace' | 'name' | 'uid'>,
  waitingSince?: number,
): KubeObject {
  const { type, namespace, name, uid } = object;
  return new KubeObject({
    type,
    namespace,
    name,
    uid,
    resourceVersion: '0' as ResourceVersion,
    ...(waitingSince === undefined
      ? {}
      : { deletionTimestamp: waitingSince, finalizers: [FOREGROUND_FINALIZER] }),
  });
}

/** Matches the error of a failing conversion webhook (apiextensions-apiserver pkg/apiserver/conversion, v0.36). */
export function isConversionFailure(reason: string | undefined): reason is string {
  return reason?.includes('conversion webhook for ') === true;
}

/** Finds kinds that not even kube-controller-manager can list. */
export function unlistableTypes(view: ClusterView): ResourceType[] {
  const found: ResourceType[] = [];
  for (const { type, state, reason } of view.statuses.values())
    if (state === 'blind' && isConversionFailure(reason) && view.catalog.serves(type)) found.push(type);
  return found;
}

/**
 * Creates a type per group/version whose discovery failed. `resource` is `*.group`, `*.version.group` or
 * `group/version`; without a version, unavailable APIServices give it.
 */
export function undiscoverableTypes(view: ClusterView): ResourceType[] {
  return view.failedGroups.flatMap(({ resource }) => {
    const { group, version } = groupVersionOf(resource);
    const versions = version === '' ? unavailableVersions(view, group) : [version];
    return versions.map(each => standIn(group, each));
  });
}

function standIn(group: string, version: string, served?: { readonly resource: string }): ResourceType {
  const { resource = '' } = served ?? {};
  return {
    group,
    version,
    apiVersion: joinApiVersion(group, version),
    kind: resource,
    resource,
    singular: '',
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: served === undefined ? [] : ['delete', 'get', 'list', 'watch'],
    preferred: served !== undefined,
  };
}

/** Builds a type from its name alone: `staticroutes.gateway.kusk.io`. */
function unheardOfType(name: string): ResourceType {
  const [resource = '', ...group] = name.split('.');
  return standIn(group.join('.'), 'v1', { resource });
}

/** A prefix no real uid has. */
const REPORTED = 'reported:';

/** Checks if the object stands for unseen content. */
export function isReported({ uid }: Pick<KubeObject, 'uid'>): boolean {
  return uid.startsWith(REPORTED);
}

/** Creates an object per unseen kind that a deleting namespace reports; nothing here shows its handler. */
export function reportedObjects(view: ClusterView, now: number): KubeObject[] {
  const type = view.catalog.resolveKind('v1', 'Namespace');
  const found: KubeObject[] = [];
  const unheardOf = new Map<string, ResourceType>();
  for (const { object: namespace } of type === undefined ? [] : view.graph.ofType(type)) {
    if (namespace?.deletionTimestamp === undefined) continue;
    const { name, deletionTimestamp } = namespace;
    const { resources, finalizers } = reportedBySnapshot(view, namespace);
    // Content that can't be deleted or listed may be of any kind.
    const failing: readonly ReportedResource[] =
      failsUnseen(view, namespace) || staysUnseen(view, namespace, now)
        ? [{ resource: 'content', count: 1, type: undefined }]
        : [];
    for (const { resource, type: known } of [...resources, ...failing]) {
      found.push(
        new KubeObject({
          type: known ?? getOrInsert(unheardOf, resource, () => unheardOfType(resource)),
          namespace: name,
          name: 'reported',
          uid: `${REPORTED}${name}/${resource}` as Uid,
          resourceVersion: '0' as ResourceVersion,
          deletionTimestamp,
          // Without a hold, the namespace controller would have deleted it already.
          finalizers: finalizers.length > 0 ? finalizers : ['unknown'],
        }),
      );
    }
  }
  return [...found, ...hiddenInstances(view, now)];
}

/** Creates an instance of each definition whose deletion is late or reported as failing: unseen instances hold it. */
function hiddenInstances(view: ClusterView, now: number): KubeObject[] {
  const definitions = view.catalog.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const found: KubeObject[] = [];
  for (const { object } of definitions === undefined ? [] : view.graph.ofType(definitions)) {
    const { facts, deletionTimestamp, name, finalizers } = object ?? {};
    if (facts?.kind !== 'CustomResourceDefinition' || deletionTimestamp === undefined) continue;
    if (object === undefined || finalizers?.includes(specialStores.crdFinalizer) !== true) continue;
    const type = view.catalog.preferredOf({ group: facts.group, resource: facts.plural });
    if (type === undefined) continue;
    // Instances can be listed in one version while those stored in another cannot.
    if (ReportedContent.unlistedWords(object) === '') {
      if (now - deletionTimestamp < patience.usual || view.seesAll(type)) continue;
      if ([...view.graph.ofType(type)].some(node => node.object !== undefined)) continue;
    }
    found.push(
      new KubeObject({
        type,
        namespace: type.namespaced ? 'default' : '',
        name: 'reported',
        uid: `${REPORTED}/${name}` as Uid,
        resourceVersion: '0' as ResourceVersion,
        deletionTimestamp,
        finalizers: ['unknown'],
      }),
    );
  }
  return found;
}

function failsUnseen(view: ClusterView, namespace: KubeObject): boolean {
  const { facts } = namespace;
  if (facts?.kind !== 'Namespace') return false;
  const failure = DeletionCondition.of(facts.conditions, 'NamespaceDeletionContentFailure');
  return (
    failure !== undefined &&
    !DeletionCondition.namesOnlyPods(failure.message) &&
    (ReportedContent.unlistedWords(namespace) !== '' || unseenContent(view, namespace).length > 0)
  );
}

/** Checks if it is late without a visible reason: unseen content, or the controller doesn't run. */
function staysUnseen(view: ClusterView, namespace: KubeObject, now: number): boolean {
  const { facts, name } = namespace;
  if (facts?.kind !== 'Namespace' || !facts.specFinalizers.includes(specialStores.namespaceFinalizer))
    return false;
  if (now - patience.begins(namespace) < patience.withNamespaces || !contentsOf(view, name).next().done)
    return false;
  return unseenContent(view, namespace).length > 0;
}

/** `version` is `''` if unknown. */
function groupVersionOf(resource: string): { readonly group: string; readonly version: string } {
  const slash = resource.indexOf('/');
  if (slash >= 0) return { group: resource.slice(0, slash), version: resource.slice(slash + 1) };
  const name = resource.replace(/^\*\.?/u, '');
  const versioned = /^(v\d+(?:(?:alpha|beta)\d+)?)(?:\.(.*))?$/u.exec(name);
  if (versioned !== null) return { group: versioned[2] ?? '', version: versioned[1] ?? '' };
  return { group: name, version: '' };
}

/** Never empty: some version of the group fails. */
function unavailableVersions(view: ClusterView, group: string): readonly string[] {
  const type = view.catalog.resolveKind('apiregistration.k8s.io/v1', 'APIService');
  const versions: string[] = [];
  for (const { object } of type === undefined ? [] : view.graph.ofType(type)) {
    const facts = object?.facts;
    if (facts?.kind === 'APIService' && facts.group === group && specialStores.isUnavailable(facts))
      versions.push(facts.version);
  }
  return versions.length === 0 ? ['v1'] : versions;
}
