/**
 * What a snapshot cannot show, put into the simulation so that it concludes nothing from it: owners of kinds that
 * cannot be seen are taken to exist, those that a look-up has found do, groups whose discovery fails stay
 * undiscoverable, and so does what a namespace holds by the word of its conditions.
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { deletionCondition, namesOnlyPods } from '../../model/facts/namespace-conditions.ts';
import { getOrInsert } from '../../model/maps.ts';
import {
  FOREGROUND_FINALIZER,
  KubeObject,
  type OwnerReference,
  type ResourceVersion,
  type Uid,
} from '../../model/object.ts';
import { groupResource, joinApiVersion, type ResourceType } from '../../model/types/resource-type.ts';
import {
  CRD_CLEANUP_FINALIZER,
  isUnavailable,
  NAMESPACE_FINALIZER,
} from '../../simulation/api/special-stores.ts';
import { contentsOf, type ReportedResource, reportedBySnapshot, unseenContent } from '../reported-content.ts';
import { lastNewsOf, NAMESPACE_PATIENCE, PATIENCE } from '../under-way.ts';

/** The type, if an owner of it that isn't in the snapshot may exist nevertheless. */
function unseenType(view: ClusterView, owner: OwnerReference, namespace: string): ResourceType | undefined {
  const type = view.catalog.resolveKind(owner.apiVersion, owner.kind);
  if (type === undefined || (type.namespaced && namespace === '')) return undefined;
  return view.seesOwnerAt(type, type.namespaced ? namespace : '', owner.name) ? undefined : type;
}

/**
 * Owners that nobody could see and that may exist, and those that exist and haven't been seen yet, as the references to
 * them describe them: one object for each claim.
 */
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
  return `${groupResource(type)}/${namespace}/${name}/${uid}`;
}

/** `waitingSince`: of one that is being deleted in the foreground. */
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

/** What the API server says to whoever lists a kind whose conversion webhook fails (apiextensions-apiserver pkg/apiserver/conversion, v0.36). */
export function isConversionFailure(reason: string | undefined): reason is string {
  return reason?.includes('conversion webhook for ') === true;
}

/** Kinds that nobody can list, kube-controller-manager neither. */
export function unlistableTypes(view: ClusterView): ResourceType[] {
  const found: ResourceType[] = [];
  for (const { type, state, reason } of view.statuses.values())
    if (state === 'blind' && isConversionFailure(reason) && view.catalog.serves(type)) found.push(type);
  return found;
}

/**
 * A stand-in for each group/version whose discovery failed: nothing of it can be listed, and namespaces that are
 * being deleted cannot finish. `resource` of a blind spot is `*.group`, `*.version.group` or `group/version`; where it
 * tells no version, that of the APIServices that are unavailable counts.
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

/** A kind of which nothing but the name is known: `staticroutes.gateway.kusk.io`. */
function unheardOfType(name: string): ResourceType {
  const [resource = '', ...group] = name.split('.');
  return standIn(group.join('.'), 'v1', { resource });
}

/** No object of a cluster has such a uid. */
const REPORTED = 'reported:';

/** Whether the object stands for what is there and cannot be seen, by the word of a namespace's conditions or of its being late. */
export function isReported({ uid }: Pick<KubeObject, 'uid'>): boolean {
  return uid.startsWith(REPORTED);
}

/**
 * One object for each kind that the conditions of a deleting namespace name and that cannot be seen: the namespace isn't
 * emptied before it is gone, and nobody here knows who lets it go.
 */
export function reportedObjects(view: ClusterView, now: number): KubeObject[] {
  const type = view.catalog.resolveKind('v1', 'Namespace');
  const found: KubeObject[] = [];
  const unheardOf = new Map<string, ResourceType>();
  for (const { object: namespace } of type === undefined ? [] : view.graph.ofType(type)) {
    if (namespace?.deletionTimestamp === undefined) continue;
    const { name, deletionTimestamp } = namespace;
    const { resources, finalizers } = reportedBySnapshot(view, namespace);
    // What cannot be deleted or listed may be of any kind.
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
          // What isn't held is deleted as soon as the namespace controller looks, and it has looked.
          finalizers: finalizers.length > 0 ? finalizers : ['unknown'],
        }),
      );
    }
  }
  return [...found, ...hiddenInstances(view, now)];
}

/**
 * One instance of each definition whose deletion should have ended by now for all that can be seen of its instances: the
 * API server waits for others.
 */
function hiddenInstances(view: ClusterView, now: number): KubeObject[] {
  const definitions = view.catalog.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  const found: KubeObject[] = [];
  for (const { object } of definitions === undefined ? [] : view.graph.ofType(definitions)) {
    const { facts, deletionTimestamp, name, finalizers } = object ?? {};
    if (facts?.kind !== 'CustomResourceDefinition' || deletionTimestamp === undefined) continue;
    if (finalizers?.includes(CRD_CLEANUP_FINALIZER) !== true || now - deletionTimestamp < PATIENCE) continue;
    const type = view.catalog.preferredOf({ group: facts.group, resource: facts.plural });
    if (type === undefined || view.seesAll(type)) continue;
    if ([...view.graph.ofType(type)].some(node => node.object !== undefined)) continue;
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

/** Whether the namespace controller reports that it fails on what is in the namespace, and that cannot be seen. */
function failsUnseen(view: ClusterView, namespace: KubeObject): boolean {
  const { facts } = namespace;
  if (facts?.kind !== 'Namespace') return false;
  const failure = deletionCondition(facts.conditions, 'NamespaceDeletionContentFailure');
  return (
    failure !== undefined && !namesOnlyPods(failure.message) && unseenContent(view, namespace).length > 0
  );
}

/** Whether it should have gone by now for all that can be seen in it. Its controller waits for something else, or doesn't run. */
function staysUnseen(view: ClusterView, namespace: KubeObject, now: number): boolean {
  const { facts, name } = namespace;
  if (facts?.kind !== 'Namespace' || !facts.specFinalizers.includes(NAMESPACE_FINALIZER)) return false;
  if (now - lastNewsOf(namespace) < NAMESPACE_PATIENCE || !contentsOf(view, name).next().done) return false;
  return unseenContent(view, namespace).length > 0;
}

/** `version` is `''` where it isn't told. */
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
    if (facts?.kind === 'APIService' && facts.group === group && isUnavailable(facts))
      versions.push(facts.version);
  }
  return versions.length === 0 ? ['v1'] : versions;
}
