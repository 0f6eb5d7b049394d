/** By what an object is managed beside its owners, in words: a sentence, a cell of a table. */
import type { ManagedBy } from '../../diagnosis/explain/managed-by.ts';
import { shownName } from '../../model/text/shown.ts';
import { counted, objectTitleIn } from '../../model/text/titles.ts';

/** `Helm release shop/api`, `Argo CD Application shop`: sanitised. */
export function managerTitle({ tool, called, name, namespace }: ManagedBy): string {
  const place = namespace === undefined || namespace === '' ? '' : `${namespace}/`;
  return shownName(`${tool} ${called} ${place}${name}`);
}

/** The heading of what it manages: `Helm release shop/web`, `No manager` without one; sanitised. */
export function managerHeading(manager: ManagedBy | undefined): string {
  return manager === undefined ? 'No manager' : managerTitle(manager);
}

/** What stands behind the heading where it isn't the number of rows: `4 objects with what they control`, or nothing. */
export function managedCount(objects: number, rows: number): string {
  return objects > rows ? `${counted(objects, 'object')} with what they control` : '';
}

/** `Helm release shop/api through Deployment web (annotation meta.helm.sh/release-name: api)`; `around` as for names beside it. */
export function managerSentence(managed: ManagedBy, around: string): string {
  const { through, evidence } = managed;
  const way = through === undefined ? '' : ` through ${objectTitleIn(through, around)}`;
  return `${managerTitle(managed)}${way} (${shownName(evidence)})`;
}

/** `ArgoCD/shop`, without the spaces of the tool's name; `(Helm/api)` of what is managed with its controller. */
export function managerCell({ tool, name, through }: ManagedBy): string {
  const cell = shownName(`${tool.replaceAll(' ', '')}/${name}`);
  return through === undefined ? cell : `(${cell})`;
}
