/** Sums up a Helm release and its objects in words. */
import type { Identity } from '../../graph/index.ts';
import { counted, enumerated, objectTitleIn, showHidden, shownName } from '../../model/index.ts';
import { kindGroups } from '../plan/plan-words.ts';

interface Release {
  readonly name: string;
  readonly namespace: string;
  readonly revision: number;
  readonly status: string;
}

interface Held {
  readonly held: readonly Identity[];
  readonly deleting: number;
  readonly absent: readonly Named[];
  readonly unseen: readonly Named[];
}

type Named = Pick<Identity, 'kind' | 'namespace' | 'name'>;

export function releaseLines(
  { name, namespace, revision, status }: Release,
  { held, deleting, absent, unseen }: Held,
): string[] {
  const title = `Helm release ${shownName(namespace)}/${shownName(name)}`;
  const states = deleting === 0 ? 'none is being deleted' : `${deleting} of them being deleted`;
  const listed = (objects: readonly Named[]): string =>
    enumerated(objects.map(each => objectTitleIn(each, namespace)));
  const lines = [
    `${title}, revision ${revision} (${shownName(status)}), has ${counted(held.length, 'object')}${unseen.length === 0 ? '' : ' that can be seen'}${held.length === 0 ? '' : `, ${states}`}.`,
    ...kindGroups(held, { namespace, all: false }).map(line => `  ${line}`),
    ...(absent.length === 0 ? [] : [`Its manifest also names objects that don't exist: ${listed(absent)}.`]),
    ...(unseen.length === 0
      ? []
      : [`It is unknown if these exist, because they can't be seen: ${listed(unseen)}.`]),
    `plan uninstall helm/${shownName(name)} forecasts what helm uninstall deletes.`,
  ];
  return [...lines, ''].map(line => showHidden(line));
}
