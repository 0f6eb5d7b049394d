/** Judges what `helm uninstall` does with a release, for `plan uninstall`. */
import type { Forecast } from '../../../forecast/index.ts';
import { type ClusterView, compareBytes, type Identity, identityOfObject } from '../../../graph/index.ts';
import { type KubeObject, Labels, shownName, type Uid } from '../../../model/index.ts';
import type { HelmRelease } from '../../../source/index.ts';
import { Releases, type StoredRelease } from '../../session/releases.ts';
import {
  type AbsentManifest,
  absentManifests,
  type SoughtManifest,
  seekManifest,
} from '../../targets/manifests.ts';
import type { TargetQuery } from '../../targets/targets.ts';

type Uninstall = NonNullable<Forecast['uninstall']>;
type ReleaseObject = HelmRelease['objects'][number];
type UninstallHook = Uninstall['hooks'][number];

const { manifestOf, queryOf } = Releases;

export interface UninstallFlags {
  readonly noHooks: boolean;
  readonly keepHistory: boolean;
}

/** Names all objects to which Helm sends a request. */
export function uninstallQuery({ release, stored }: StoredRelease, { noHooks }: UninstallFlags): TargetQuery {
  const hooks = noHooks ? [] : uninstallHooks(release).flatMap(({ objects }) => objects);
  const own = stored.map(({ type, name, namespace }) => ({ ...type, name, namespace }));
  const words = [...(isUninstalled(release) ? [] : [...deletedBy(release), ...hooks]), ...own];
  return queryOf(words);
}

/** Checks if only the history is left, as `helm uninstall --keep-history` leaves it. */
function isUninstalled({ status }: HelmRelease): boolean {
  return status === 'uninstalled';
}

/** Leaves out objects with a resource policy: Helm keeps them whatever it says. */
function deletedBy({ objects }: HelmRelease): ReleaseObject[] {
  return objects.filter(({ policy }) => policy === undefined);
}

const events = ['pre-delete', 'post-delete'] as const;

type EventHook = HelmRelease['hooks'][number] & { readonly event: UninstallHook['event'] };

function uninstallHooks({ hooks }: HelmRelease): EventHook[] {
  return events.flatMap(event =>
    hooks
      .filter(each => each.events.includes(event))
      .sort((a, b) => a.weight - b.weight || compareBytes(a.name, b.name))
      .map(hook => ({ ...hook, event })),
  );
}

export function uninstallOf(
  view: ClusterView,
  { release, stored, undecoded }: StoredRelease,
  flags: UninstallFlags,
): Uninstall {
  const { name, namespace, revision } = release;
  const isOver = isUninstalled(release);
  const sought = isOver
    ? []
    : deletedBy(release).map(object => ({ object, found: seek(view, release, object) }));
  const objects = sought.flatMap(({ found }) => existing(found));
  const hooks = isOver || flags.noHooks ? [] : hooksOf(view, release);
  return {
    release: name,
    namespace,
    revision,
    hooks,
    objects: [...new Set(objects)],
    stored: flags.keepHistory ? [] : stored,
    kept: [
      ...(isOver ? [] : keptOf(view, release)),
      ...undecoded.map(object => ({
        object: identityOfObject(object),
        because: `Helm can't decode this revision; it uninstalls revision ${revision}`,
      })),
    ],
    unseen: sought.flatMap(({ object, found }) => (found.is === 'untold' ? unknownIdentity(object) : [])),
    unmarked: objects.filter(each => !isMarked(each, release)).map(identityOfObject),
    stops: stopOf(view, release, { ...flags, hooks }),
    switches: [...(flags.noHooks ? ['--no-hooks'] : []), ...(flags.keepHistory ? ['--keep-history'] : [])],
  };
}

function seek(view: ClusterView, { namespace }: HelmRelease, object: ReleaseObject): SoughtManifest {
  return seekManifest(view, manifestOf(object), namespace);
}

function existing(sought: SoughtManifest): KubeObject[] {
  return sought.is === 'there' && sought.node.object !== undefined ? [sought.node.object] : [];
}

/** Checks what Helm 4 checks (pkg/action/validate.go, v4.3). */
function isMarked({ labels, annotations }: KubeObject, { name, namespace }: HelmRelease): boolean {
  return (
    Labels.value(labels, 'app.kubernetes.io/managed-by') === 'Helm' &&
    Labels.value(annotations, 'meta.helm.sh/release-name') === name &&
    Labels.value(annotations, 'meta.helm.sh/release-namespace') === namespace
  );
}

function hooksOf(view: ClusterView, release: HelmRelease): UninstallHook[] {
  /** Objects that earlier hooks leave for the next one. */
  const made = new Set<string>();
  return uninstallHooks(release).flatMap(({ event, kind, objects, deletePolicies }) => {
    // Without a policy it counts as before-hook-creation, and no definition is ever deleted.
    const policies = deletePolicies.length === 0 ? ['before-hook-creation'] : deletePolicies;
    const deletes = (policy: string): boolean =>
      kind !== 'CustomResourceDefinition' && policies.includes(policy);
    return objects.map((each): UninstallHook => {
      const sought = seek(view, release, each);
      const [object] = existing(sought);
      const key = JSON.stringify([each.apiVersion, each.kind, each.namespace, each.name]);
      const isThere = object !== undefined || made.has(key);
      const replaces = deletes('before-hook-creation') ? object : undefined;
      const isDeletedThen = deletes('hook-succeeded');
      if (isDeletedThen) made.delete(key);
      else made.add(key);
      return {
        object:
          object === undefined ? { ...unknownIdentity(each), ...placeOf(sought) } : identityOfObject(object),
        event,
        replaces,
        isDeletedThen,
        fails: failureOf(view, each, { sought, isThere: isThere && !deletes('before-hook-creation') }),
      };
    });
  });
}

/** Returns a clause on why Helm can't create a hook. */
function failureOf(
  view: ClusterView,
  hook: ReleaseObject,
  { sought, isThere }: { readonly sought: SoughtManifest; readonly isThere: boolean },
): string | undefined {
  if (sought.is === 'unserved') return unserved(hook);
  const type = view.catalog.resolveKind('v1', 'Namespace');
  const namespace = type && view.find(type, '', hook.namespace);
  if (
    view.catalog.resolveKind(hook.apiVersion, hook.kind)?.namespaced === true &&
    namespace?.deletionTimestamp
  )
    return 'its namespace is being deleted';
  return isThere ? 'it exists already' : undefined;
}

function unknownIdentity({ apiVersion, kind, namespace, name }: ReleaseObject): Identity {
  return { apiVersion, kind, namespace, name, uid: '' as Uid };
}

/** Only the cluster knows if a kind has namespaces. */
function placeOf(sought: SoughtManifest): { readonly namespace?: string } {
  return sought.is === 'absent' ? { namespace: sought.namespace } : {};
}

function unserved({ apiVersion, kind }: Pick<ReleaseObject, 'apiVersion' | 'kind'>): string {
  return `the cluster serves no kind ${shownName(kind)} in ${shownName(apiVersion)}`;
}

function stopOf(
  view: ClusterView,
  release: HelmRelease,
  { hooks, keepHistory }: UninstallFlags & { readonly hooks: readonly UninstallHook[] },
): string | undefined {
  if (isUninstalled(release)) return keepHistory ? 'it is uninstalled already' : undefined;
  const failing = hooks.find(({ event, fails }) => event === 'pre-delete' && fails !== undefined);
  if (failing !== undefined) {
    const { kind, name } = failing.object;
    return `its hook ${shownName(kind)} ${shownName(name)} fails: ${failing.fails ?? ''}`;
  }
  const unknown = missingOf(view, release).find(({ because }) => because === 'unserved');
  return (
    unknown &&
    `${unserved(unknown)} (${shownName(unknown.name)}). Helm remembers kinds for 6 hours; if it still knows this one, it deletes the rest`
  );
}

function keptOf(view: ClusterView, release: HelmRelease): Uninstall['kept'] {
  const others = release.hooks.filter(hook => !events.some(event => hook.events.includes(event)));
  const lists: readonly (readonly [readonly ReleaseObject[], (object: ReleaseObject) => string])[] = [
    [
      release.objects.filter(({ policy }) => policy !== undefined),
      ({ policy }) =>
        policy === 'keep'
          ? 'the annotation helm.sh/resource-policy says keep'
          : 'Helm deletes nothing with the annotation helm.sh/resource-policy',
    ],
    [release.definitions, () => "Helm deletes no definition of a chart's folder crds"],
    [
      others.flatMap(({ objects }) => objects),
      () => 'Helm deletes no hook of an installation, upgrade or test',
    ],
  ];
  return lists.flatMap(([objects, because]) =>
    objects.flatMap(each => {
      const sought = seek(view, release, each);
      if (sought.is === 'absent' || sought.is === 'unserved') return [];
      // Its deletion goes on without Helm.
      if (sought.is === 'there' && sought.node.object?.deletionTimestamp !== undefined) return [];
      const object = sought.is === 'there' ? sought.node.identity : unknownIdentity(each);
      return [{ object, because: because(each) }];
    }),
  );
}

/** Returns the objects that Helm would delete if they existed. */
export function missingOf(view: ClusterView, release: HelmRelease): AbsentManifest[] {
  if (isUninstalled(release)) return [];
  return absentManifests(view, queryOf(deletedBy(release)).words, release.namespace);
}
