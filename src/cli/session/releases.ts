/** Finds Helm releases and their objects in the Secrets or ConfigMaps in which Helm stores them. */
import type { ClusterView, GraphNode } from '../../graph/index.ts';
import { type KubeObject, Labels, mapConcurrently, SimilarWord, shownName } from '../../model/index.ts';
import { HelmRelease } from '../../source/index.ts';
import type { CommandContext } from '../runtime/command.ts';
import { UsageError } from '../runtime/errors.ts';
import { type Flags, standingFlag } from '../runtime/flags.ts';
import type { ManifestTarget } from '../targets/manifests.ts';
import type { TargetQuery } from '../targets/targets.ts';
import { unseen } from '../targets/unseen.ts';
import { type ClusterSession, scopeOf, withSession } from './session.ts';

export interface StoredRelease {
  readonly release: HelmRelease;
  /** Secrets or ConfigMaps, oldest first. */
  readonly stored: readonly KubeObject[];
  /** Revisions that Helm can't decode, and therefore leaves (pkg/storage/driver/secrets.go, v3.22). */
  readonly undecoded: readonly KubeObject[];
}

/** Revisions that are read at a time. */
const AT_A_TIME = 4;

/** Reads the newest revision that Helm can decode. Rejects with a `UsageError` if there is no such release. */
async function readStored(session: ClusterSession, name: string, flags: Flags): Promise<StoredRelease> {
  const { source, view } = session;
  const namespace = scopeOf(flags, source);
  const known = await session.answer(() => storedRevisions(view, name, namespace));
  const get = source.getWithData?.bind(source) ?? source.get.bind(source);
  const read = mapConcurrently(known, AT_A_TIME, async object => {
    const { type } = object;
    const found = await get(type, object.namespace, object.name);
    if (found === undefined)
      throw new UsageError(`${type.kind} ${shownName(object.name)} was deleted meanwhile. Try again.`);
    const json = { ...found, kind: type.kind };
    return { object, json, decoded: HelmRelease.decode(json) };
  });
  const revisions = await session.until(read);
  const newest = revisions.findLast(each => each.decoded !== undefined);
  if (newest?.decoded === undefined)
    throw new UsageError(
      `Helm release ${shownName(name)} has no revision that can be decoded, so that helm uninstall fails and deletes nothing.`,
    );
  const release = HelmRelease.read(newest.json, newest.decoded);
  return {
    release: { ...release, name, namespace: newest.object.namespace },
    stored: revisions.flatMap(({ object, decoded }) => (decoded ? object : [])),
    undecoded: revisions.flatMap(({ object, decoded }) => (decoded ? [] : object)),
  };
}

/** Helm's default driver keeps releases in Secrets, another one in ConfigMaps. */
function storedRevisions(view: ClusterView, name: string, namespace: string | undefined): KubeObject[] {
  const others = new Set<string>();
  let hidden: string | undefined;
  for (const kind of ['Secret', 'ConfigMap']) {
    const type = view.catalog.resolveKind('v1', kind);
    if (type === undefined) continue;
    const isSeen = view.sees(type, namespace ?? '') || view.settings.standsStill === true;
    const revisions: KubeObject[] = [];
    for (const node of view.graph.ofType(type)) {
      const release = releaseIn(node, namespace);
      if (release === name && node.object !== undefined) revisions.push(node.object);
      else if (release !== undefined) others.add(release);
    }
    const places = new Set(revisions.map(each => each.namespace));
    if (places.size > 1)
      throw new UsageError(
        `there are Helm releases ${shownName(name)} in ${[...places].sort().slice(0, 3).map(shownName).join(', ')}. Choose one with -n.`,
      );
    if (revisions.length > 0) return revisions.sort((a, b) => revisionOf(a) - revisionOf(b));
    if (!isSeen) hidden ??= unseen(view, type) ?? `${type.resource} cannot be seen.`;
  }
  const where = namespace === undefined ? '' : ` in namespace ${shownName(namespace)}`;
  if (hidden !== undefined)
    throw new UsageError(
      `Helm release ${shownName(name)} not found${where}: Helm keeps releases there, and ${hidden}`,
    );
  throw new UsageError(`Helm release ${shownName(name)} not found${where}.${suggestion(name, [...others])}`);
}

function releaseIn({ object }: GraphNode, namespace: string | undefined): string | undefined {
  if (object === undefined || (namespace !== undefined && object.namespace !== namespace)) return undefined;
  if (!object.name.startsWith('sh.helm.release.v1.')) return undefined;
  return Labels.value(object.labels, 'owner') === 'helm' ? Labels.value(object.labels, 'name') : undefined;
}

function revisionOf({ labels }: KubeObject): number {
  return Number(Labels.value(labels, 'version')) || 0;
}

const NAMED = 5;

function suggestion(name: string, others: readonly string[]): string {
  const near = SimilarWord.closest(name, others);
  if (near.length > 0) return ` Did you mean ${near.map(shownName).join(', ')}?`;
  if (others.length === 0) return ' There is none; helm list -A shows all releases.';
  const more = others.length > NAMED ? ` and ${others.length - NAMED} more` : '';
  return ` Releases there: ${others.toSorted().slice(0, NAMED).map(shownName).join(', ')}${more}.`;
}

/** Reads a cluster in a session of its own: the release decides how much the answer reads. Undefined without a cluster. */
async function storedInCluster(command: CommandContext, name: string): Promise<StoredRelease | undefined> {
  const { flags } = command;
  if (standingFlag(flags) !== undefined || flags.demo !== undefined) return undefined;
  return withSession(command, async session => {
    await session.load(false, { follows: false, scope: () => ({ namespaces: [] }) });
    return readStored(session, name, flags);
  });
}

type NamedObject = Omit<HelmRelease['objects'][number], 'policy'>;

function queryOf(objects: readonly NamedObject[]): TargetQuery {
  return {
    words: objects.map(each => ({ type: each.kind, name: each.name, manifest: manifestOf(each) })),
    matches: undefined,
    fields: undefined,
    readsEverything: false,
    ignoresMissing: true,
  };
}

function manifestOf({ apiVersion, kind, name, namespace }: NamedObject): ManifestTarget {
  const common = { labels: [], place: undefined, enforced: undefined, needsNamespace: false };
  return { apiVersion, kind, name, namespace, ...common };
}

export const Releases = { readStored, storedInCluster, queryOf, manifestOf };
