/** What a Helm release holds, in words. */
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
  readonly absent: readonly Pick<Identity, 'kind' | 'namespace' | 'name'>[];
}

export function releaseLines(
  { name, namespace, revision, status }: Release,
  { held, deleting, absent }: Held,
): string[] {
  const title = `Helm release ${shownName(namespace)}/${shownName(name)}`;
  const states = deleting === 0 ? 'none is being deleted' : `${deleting} of them being deleted`;
  const gone = absent.map(each => objectTitleIn(each, namespace));
  const lines = [
    `${title}, revision ${revision} (${shownName(status)}), has ${counted(held.length, 'object')}${held.length === 0 ? '' : `, ${states}`}.`,
    ...kindGroups(held, { namespace, all: false }).map(line => `  ${line}`),
    ...(gone.length === 0 ? [] : [`Its manifest also names what doesn't exist: ${enumerated(gone, 5)}.`]),
    `plan uninstall helm/${shownName(name)} forecasts what helm uninstall deletes.`,
  ];
  return [...lines, ''].map(line => showHidden(line));
}
