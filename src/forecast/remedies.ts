/**
 * The remedies whose requests follow from the object alone, by the ids that commands take:
 * `clear-block/<type>/<name>`, `remove-finalizer/<name>`, `prune-reference/<uid or type/name>` and
 * `redelete/<policy>` (spec §10). Which of them is wise is not for here to say; what each would do is what the
 * forecast is for.
 */
import { ownerStatus } from '../collector/verdict.ts';
import type { ClusterView } from '../graph/cluster-view.ts';
import { isDeleting, isForeground } from '../graph/deletion.ts';
import {
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
} from '../model/object.ts';
import type { Cascade } from './action.ts';
import type { ApplicableRemedy, Remedy } from './remedy.ts';
import { kubectlType, namespaceFlag, objectPath, shellWord } from './requests.ts';

const policies: Readonly<Record<Cascade, string>> = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
};

/** Every remedy for the object as it is now, the harmless ones first. */
export function remediesFor(view: ClusterView, target: KubeObject): ApplicableRemedy[] {
  const found: ApplicableRemedy[] = [];
  if (isForeground(target)) {
    for (const dependent of blockingDependents(view, target)) found.push(clearBlock(view, target, dependent));
  }
  for (const reference of target.owners) {
    const node = view.graph.get(target.uid);
    if (node === undefined) break;
    const status = ownerStatus(view, node, reference);
    if (status !== 'Solid' && status !== 'WaitingForDependents') found.push(prune(view, target, reference));
  }
  if (isDeleting(target)) {
    const { finalizers } = target;
    if (finalizers.includes(FOREGROUND_FINALIZER) || finalizers.includes(ORPHAN_FINALIZER))
      found.push(redelete(view, target, 'background'));
    if (!finalizers.includes(FOREGROUND_FINALIZER)) found.push(redelete(view, target, 'foreground'));
    if (!finalizers.includes(ORPHAN_FINALIZER)) found.push(redelete(view, target, 'orphan'));
  }
  for (const finalizer of foreignFinalizers(target)) found.push(removeFinalizer(view, target, finalizer));
  return found.sort((a, b) => order.indexOf(a.risk) - order.indexOf(b.risk));
}

const order: readonly Remedy['risk'][] = ['safe', 'caution', 'dangerous'];

/** The remedy of this id for the object; undefined where the object gives no cause for it. */
export function remedyFor(view: ClusterView, target: KubeObject, id: string): ApplicableRemedy | undefined {
  const offered = remediesFor(view, target).find(remedy => remedy.id === id);
  if (offered !== undefined) return offered;
  const slash = id.indexOf('/');
  const family = id.slice(0, slash);
  const rest = id.slice(slash + 1);
  if (family === 'redelete') {
    const policy = (['background', 'foreground', 'orphan'] as const).find(each => each === rest);
    return policy === undefined || !isDeleting(target) ? undefined : redelete(view, target, policy);
  }
  if (family === 'remove-finalizer') {
    return target.finalizers.includes(rest) ? removeFinalizer(view, target, rest) : undefined;
  }
  if (family === 'prune-reference') {
    const reference = target.owners.find(each => each.uid === rest || ownerWord(view, each) === rest);
    return reference === undefined ? undefined : prune(view, target, reference, rest);
  }
  if (family !== 'clear-block') return undefined;
  const dependent = blockingDependents(view, target).find(each => isNamed(view, each, rest));
  return dependent === undefined ? undefined : clearBlock(view, target, dependent, rest);
}

function foreignFinalizers({ finalizers }: KubeObject): readonly string[] {
  return finalizers.filter(each => each !== FOREGROUND_FINALIZER && each !== ORPHAN_FINALIZER);
}

function blockingDependents(view: ClusterView, target: KubeObject): KubeObject[] {
  const found: KubeObject[] = [];
  for (const { object } of view.graph.get(target.uid)?.dependents ?? []) {
    if (object?.owners.some(owner => owner.uid === target.uid && owner.blockOwnerDeletion === true))
      found.push(object);
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isNamed(view: ClusterView, object: KubeObject, word: string): boolean {
  const slash = word.lastIndexOf('/');
  if (word.slice(slash + 1) !== object.name) return false;
  const resolved = view.catalog.resolveWord(word.slice(0, slash));
  return (
    resolved.known &&
    resolved.types.some(
      ({ group, resource }) => group === object.type.group && resource === object.type.resource,
    )
  );
}

function ownerWord(view: ClusterView, { apiVersion, kind, name }: OwnerReference): string {
  const type = view.catalog.resolveKind(apiVersion, kind);
  return `${type === undefined ? kind.toLowerCase() : kubectlType(view.catalog, type)}/${name}`;
}

function clearBlock(
  view: ClusterView,
  target: KubeObject,
  dependent: KubeObject,
  word = `${kubectlType(view.catalog, dependent.type)}/${dependent.name}`,
): ApplicableRemedy {
  const itself = dependent.uid === target.uid;
  const owners = dependent.owners.map(owner =>
    owner.uid === target.uid ? { ...owner, blockOwnerDeletion: false } : owner,
  );
  return {
    id: `clear-block/${word}`,
    title: itself
      ? `let ${target.name} go without waiting for itself`
      : `let ${target.name} go without waiting for ${dependent.name}`,
    risk: 'safe',
    effect: itself
      ? `the reference of ${target.name} to itself no longer blocks its deletion`
      : `the reference of ${dependent.type.kind} ${dependent.name} to ${target.name} no longer blocks; ${dependent.name} stays as long as it is held`,
    ...ownersPatch(view, dependent, owners),
    apply: api =>
      api.because(`remedy clear-block/${word}`).patch(dependent, { owners }, { uid: dependent.uid }),
  };
}

function prune(
  view: ClusterView,
  target: KubeObject,
  reference: OwnerReference,
  word: string = reference.uid,
): ApplicableRemedy {
  const owners = target.owners.filter(owner => owner !== reference);
  return {
    id: `prune-reference/${word}`,
    title: `take the reference to ${reference.kind} ${reference.name} off ${target.name}`,
    risk: 'caution',
    effect:
      owners.length === 0
        ? `${target.name} has no owner any more, and the collector leaves it alone`
        : `its other owners decide about ${target.name}`,
    ...ownersPatch(view, target, owners),
    apply: api =>
      api.because(`remedy prune-reference/${word}`).patch(target, { owners }, { uid: target.uid }),
  };
}

/** One JSON Patch that fails unless the object is the very one, with the references that were seen. */
function ownersPatch(
  view: ClusterView,
  object: KubeObject,
  owners: readonly OwnerReference[],
): Pick<Remedy, 'requests' | 'kubectl'> {
  return jsonPatch(view, object, [
    { op: 'test', path: '/metadata/resourceVersion', value: object.resourceVersion },
    owners.length === 0
      ? { op: 'remove', path: '/metadata/ownerReferences' }
      : { op: 'replace', path: '/metadata/ownerReferences', value: owners },
  ]);
}

function removeFinalizer(view: ClusterView, target: KubeObject, finalizer: string): ApplicableRemedy {
  const index = target.finalizers.indexOf(finalizer);
  const finalizers = target.finalizers.filter(each => each !== finalizer);
  const path = `/metadata/finalizers/${index}`;
  return {
    id: `remove-finalizer/${finalizer}`,
    title: `remove ${finalizer} from ${target.name}: what it protects is left behind`,
    risk: 'dangerous',
    effect: `nobody does any more what ${finalizer} was to ensure before ${target.name} goes`,
    ...jsonPatch(view, target, [
      { op: 'test', path, value: finalizer },
      { op: 'remove', path },
    ]),
    apply: api =>
      api.because(`remedy remove-finalizer/${finalizer}`).patch(target, { finalizers }, { uid: target.uid }),
  };
}

function jsonPatch(
  view: ClusterView,
  object: KubeObject,
  operations: readonly object[],
): Pick<Remedy, 'requests' | 'kubectl'> {
  const body = [{ op: 'test', path: '/metadata/uid', value: object.uid }, ...operations];
  const name = `${kubectlType(view.catalog, object.type)} ${shellWord(object.name)}`;
  return {
    requests: [{ verb: 'PATCH', path: objectPath(object), contentType: 'application/json-patch+json', body }],
    kubectl: `kubectl patch ${name}${namespaceFlag(object.namespace)} --type=json -p ${shellWord(JSON.stringify(body))}`,
  };
}

function redelete(view: ClusterView, target: KubeObject, cascade: Cascade): ApplicableRemedy {
  const propagationPolicy = policies[cascade];
  const preconditions = { uid: target.uid };
  const effects: Readonly<Record<Cascade, string>> = {
    background: `${target.name} no longer waits for its dependents; they are collected after it`,
    foreground: `the dependents of ${target.name} are deleted now, and it waits for those that block`,
    orphan: `${target.name} goes and its dependents stay without an owner`,
  };
  const name = `${kubectlType(view.catalog, target.type)} ${shellWord(target.name)}`;
  return {
    id: `redelete/${cascade}`,
    title: `delete ${target.name} again, in the ${cascade === 'orphan' ? 'manner of orphaning' : cascade}`,
    risk: 'caution',
    effect: effects[cascade],
    requests: [
      {
        verb: 'DELETE',
        path: objectPath(target),
        contentType: 'application/json',
        body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, preconditions },
      },
    ],
    kubectl: `kubectl delete ${name}${namespaceFlag(target.namespace)} --cascade=${cascade} --wait=false`,
    apply: api =>
      api.because(`remedy redelete/${cascade}`).delete(target, { propagationPolicy, preconditions }),
  };
}
