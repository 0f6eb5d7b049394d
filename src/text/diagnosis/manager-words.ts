/** Managers of an object in words: a sentence, and a table's cell. */
import type { ManagedBy } from '../../diagnosis/index.ts';
import { formatCount, objectTitleIn, shownName } from '../../model/index.ts';
import { releaseLines } from './release-lines.ts';

/** Returns a sanitised `Helm release shop/api` or `Argo CD Application shop`. */
function managerTitle({ tool, called, name, namespace }: ManagedBy): string {
  const place = namespace === undefined || namespace === '' ? '' : `${namespace}/`;
  return shownName(`${tool} ${called} ${place}${name}`);
}

/** Returns a sanitised heading. */
function managerHeading(manager: ManagedBy | undefined): string {
  return manager === undefined ? 'No manager' : managerTitle(manager);
}

/** Returns `4 with what they control`, or `''` if that is the number of rows. */
function managedCount(objects: number, rows: number): string {
  return objects > rows ? `${formatCount(objects)} with what they control` : '';
}

/** Returns `Helm release shop/api through Deployment web (annotation meta.helm.sh/release-name: api)`. */
export function managerSentence(managed: ManagedBy, around: string): string {
  const { through, evidence } = managed;
  const way = through === undefined ? '' : ` through ${objectTitleIn(through, around)}`;
  return `${managerTitle(managed)}${way} (${shownName(evidence)})`;
}

/** Returns `ArgoCD/shop`, without blanks, or `(Helm/api)` if managed through a controller. */
export function managerCell({ tool, name, through }: ManagedBy): string {
  const cell = shownName(`${tool.replaceAll(' ', '')}/${name}`);
  return through === undefined ? cell : `(${cell})`;
}

export const managerWords = {
  count: managedCount,
  heading: managerHeading,
  release: releaseLines,
  title: managerTitle,
};
