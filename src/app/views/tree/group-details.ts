/** Details of a group in the tree: its objects by kind, and their trouble. */
import { counted, enumerated, formatCount, shownName, wordForms } from '../../../model/index.ts';
import { TextLine } from '../../../text/index.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import type { GroupItem } from '../../cluster/tree/item.ts';
import { kindOf } from '../../cluster/tree/row-keys.ts';
import { followedByBlank } from '../view.ts';

/** Kinds beyond these are only counted. */
const LISTED = 20;

export function groupDetails(cluster: ClusterModel, { group }: GroupItem): readonly TextLine[] {
  const roots = cluster.rows.rootsIn(group);
  const where = group.namespace === '' ? 'cluster-scoped' : `namespace ${shownName(group.namespace)}`;
  const isNamespace = group.of === 'namespace';
  const title = isNamespace
    ? where
    : wordForms.plural(shownName(group.objectKind), roots[0]?.object?.type.resource);
  const hasOwnTitle = cluster.namespaceOf(group) !== undefined;
  const lines = hasOwnTitle ? [] : [TextLine.of(isNamespace ? wordForms.capital(title) : title, 'title')];
  const { errors = 0, warnings = 0 } = cluster.troubleIn(group) ?? {};
  if (errors > 0) lines.push(TextLine.of(`${counted(errors, 'object')} with an error.`, 'danger'));
  if (warnings > 0) lines.push(TextLine.of(`${counted(warnings, 'object')} with a warning.`, 'warning'));
  if (!isNamespace) {
    const alone =
      cluster.namespace === undefined
        ? ''
        : ' They own nothing, nothing owns them, and nothing is wrong with them.';
    return [
      ...lines,
      TextLine.of(`${counted(roots.length, 'object')} that nothing else in view owns.${alone}`),
    ];
  }
  const kinds = new Map<string, { readonly kind: string; count: number }>();
  for (const root of roots) {
    const kind = kindOf(root);
    const known = kinds.get(kind);
    if (known === undefined)
      kinds.set(kind, { kind: wordForms.plural(kind, root.object?.type.resource), count: 1 });
    else known.count += 1;
  }
  const sorted = [...kinds].sort(([a, x], [b, y]) => y.count - x.count || (a < b ? -1 : 1));
  const words = sorted
    .slice(0, LISTED)
    .map(([single, { kind, count }]) => `${formatCount(count)} ${shownName(count === 1 ? single : kind)}`);
  if (sorted.length > LISTED) words.push(counted(sorted.length - LISTED, 'more kind'));
  const all = counted(cluster.objectsIn(group.namespace), 'object');
  lines.push(
    TextLine.of(`${all}, of which ${formatCount(roots.length)} stand at the top: ${enumerated(words)}.`),
  );
  return hasOwnTitle ? followedByBlank(lines) : lines;
}
