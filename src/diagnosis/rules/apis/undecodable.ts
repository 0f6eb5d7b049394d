/**
 * Kinds with an object whose stored bytes are broken or whose encryption key is lost: listing them fails, so they are
 * never collected and keep their namespace from being emptied (docs/kubernetes.md §10 row 51).
 */
import { behaviourOf } from '../../../graph/index.ts';
import {
  behaviours,
  enumerated,
  type KubeObject,
  prose,
  ResourceType,
  type ServerBehaviour,
  serverReleases,
  shownName,
} from '../../../model/index.ts';
import { type Advice, advice, adviceToLook, chainLink, type FindingDraft } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

/** Details that an error gives about unreadable objects. */
export interface Undecodable {
  /** Storage keys, if named: `/registry/configmaps/shop/web`. */
  readonly keys: readonly string[];
  /** Kinds, if named: `configmaps`, `lamps.example.com`. */
  readonly resources: readonly string[];
  /** True if the API server names their kind, as only one that can delete them unread does. */
  readonly isDeletable: boolean;
}

/**
 * Messages of apiserver pkg/storage/etcd3 (errors.go, decoder.go) and the decoders below it, v0.36. Invalid JSON may
 * also be a proxy's page, unless the API server reports it for a list.
 */
const decoderSays =
  /(?:^|[\s,:])(?:proto: (?:illegal|wrong|cannot|negative)|object not decodable)|(?:^\d{3}: |failed to list \*\S+: )invalid character /u;

export function undecodableIn(said: string): Undecodable | undefined {
  const [, listed = ''] = /stored objects cannot be decoded: (.+)$/u.exec(said) ?? [];
  const encrypted = [...said.matchAll(/unable to transform key "([^"]+)"/gu)].map(([, key = '']) => key);
  const keys = [...listed.split(/, | and \d+ more$/u).filter(each => each !== ''), ...encrypted];
  const named = [...said.matchAll(/failed to read one or more (\S+) from the storage/gu)];
  const resources = [...new Set(named.map(([, resource = '']) => resource))];
  if (keys.length + resources.length === 0 && !decoderSays.test(said)) return undefined;
  return { keys, resources, isDeletable: resources.length > 0 || listed !== '' };
}

export function undecodableWords({ keys, resources }: Undecodable, kind: string | undefined): string {
  const of = resources.length > 0 ? ` of ${enumerated(resources.map(shownName))}` : kind ? ` of ${kind}` : '';
  const at = keys.length > 0 ? ` (${enumerated(keys.map(shownName))})` : '';
  return `an object${of} cannot be read from the API server's storage${at}`;
}

/** Builds advice; `list` is the path at which the API server names their keys, undefined if the kind isn't known. */
export function undecodableAdvice(
  { isDeletable }: Undecodable,
  list: string | undefined,
  behaviour: ServerBehaviour,
): Advice[] {
  const restore = advice(
    'restore-object',
    'restore it in etcd from a backup, or the encryption key that it was written with: it can be read again then',
    'caution',
  );
  if (!isDeletable) return [restore, nameUndecodable(behaviour)];
  return [
    ...(list === undefined
      ? []
      : [
          adviceToLook('find-undecodable', 'see which object it is: the API server names its key in etcd', [
            'get',
            '--raw',
            list,
          ]),
        ]),
    restore,
    advice(
      'delete-unread',
      'if it cannot be restored, delete it unread: kubectl delete --raw with ignoreStoreReadErrorWithClusterBreakingPotential: true in its DeleteOptions, which takes the verb unsafe-delete-ignore-read-errors. Its finalizers are not heeded, and what they stood for is left behind',
      'dangerous',
    ),
  ];
}

function nameUndecodable(behaviour: ServerBehaviour): Advice {
  const since = serverReleases.firstSince('unreadDeletion');
  if (behaviour.stageOf('unreadDeletion') === 'Absent')
    return advice(
      'find-undecodable-in-etcd',
      `find and delete it in etcd: kube-apiserver can name such an object and delete it unread from Kubernetes ${since} on, and this one is ${behaviour.release}`,
      'dangerous',
    );
  return advice(
    'name-undecodable',
    `turn on the feature gate ${behaviours.unreadDeletion.gate} of kube-apiserver (on by default from Kubernetes ${serverReleases.defaultSince('unreadDeletion')} on): it names the object then, and can delete it without reading it`,
    'caution',
  );
}

/** Attaches findings on a kind to its group's APIService, which every live cluster has. */
export const undecodableRule: Rule = {
  appliesTo: ({ object: { facts }, deleting }) => !deleting && facts?.kind === 'APIService',
  *judge({ object }, tracked) {
    for (const { type, said, undecodable } of undecodableKinds(tracked))
      if (object.name === `${type.version}.${type.group}`)
        yield kindDraft(object, type, prose(said), undecodable, behaviourOf(tracked.view));
  },
};

interface UndecodableKind {
  readonly type: ResourceType;
  readonly said: string;
  readonly undecodable: Undecodable;
}

function undecodableKinds(tracked: TrackedView): readonly UndecodableKind[] {
  return tracked.once('kinds with undecodable objects', () => {
    const found: UndecodableKind[] = [];
    for (const { type, state, reason: said = '' } of tracked.view.statuses.values()) {
      const undecodable = state === 'blind' ? undecodableIn(said) : undefined;
      if (undecodable !== undefined) found.push({ type, said, undecodable });
    }
    return found;
  });
}

function kindDraft(
  service: KubeObject,
  type: ResourceType,
  said: string,
  undecodable: Undecodable,
  behaviour: ServerBehaviour,
): FindingDraft {
  const resource = ResourceType.groupResource(type);
  const words = undecodableWords(undecodable, resource);
  return {
    code: 'ObjectCannotBeDecoded',
    about: resource,
    message: `No client can list ${resource}, because ${words}. The garbage collector does not see them, and a namespace with such an object in it cannot be emptied.`,
    brief: `${resource} cannot be listed: ${words}`,
    evidence: [`list of ${resource}: ${said}`],
    chain: [chainLink(service, '', words)],
    remedies: () => undecodableAdvice(undecodable, listPath(type), behaviour),
  };
}

function listPath({ group, apiVersion, resource }: ResourceType): string {
  return `/${group === '' ? 'api' : 'apis'}/${apiVersion}/${resource}?limit=1`;
}

export function listPathOf({ view }: TrackedView, [named]: readonly string[]): string | undefined {
  if (named === undefined) return undefined;
  const type = view.catalog.types.find(each => each.preferred && ResourceType.groupResource(each) === named);
  return type && listPath(type);
}
