/** `tree --by=manager`: prints the screen's Managers view once. */
import type { ManagerGroup } from '../../../text/index.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printManagedNames, printManagers } from '../../documents/print/print-managers.ts';
import type { TextOptions } from '../../documents/print/text.ts';
import { managerGroups, managerListDocument } from '../../documents/tree/manager-list.ts';
import { treeContext } from '../../documents/tree/ownership-tree.ts';
import type { TreeOrder } from '../../documents/tree/selection.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import { type DocumentFormat, type FormatOf, isPicture } from '../../runtime/output-formats.ts';
import type { ClusterSession } from '../../session/session.ts';
import { findTargets, selectsAll, type TargetQuery } from '../../targets/targets.ts';

/** Returns undefined by owner. Throws a `UsageError` for flags and formats that only apply to owners. */
export function formatByManager(
  { by, watch, flat, includeTypes, excludeTypes }: Flags,
  format: FormatOf<'tree'>,
): DocumentFormat | undefined {
  if (by !== 'manager') return undefined;
  const refused =
    (watch === true ? '--watch' : undefined) ??
    (flat === true ? '--flat' : undefined) ??
    (includeTypes && '--include-types') ??
    (excludeTypes && '--exclude-types');
  if (refused !== undefined) throw new UsageError(`${refused} is for owners. Leave out --by=manager.`);
  if (isPicture(format))
    throw new UsageError(`--by=manager cannot be drawn as ${format}. Use -o text, wide, json, yaml or name.`);
  return format;
}

export interface ManagersRun {
  readonly session: ClusterSession;
  readonly query: TargetQuery;
  readonly namespace: string | undefined;
  readonly order: TreeOrder | undefined;
}

export function groupByManager({
  session: { view },
  query,
  namespace,
  order,
}: ManagersRun): readonly ManagerGroup[] {
  if (selectsAll(query)) return managerGroups(view, { namespace }, order);
  const found = findTargets(view, query, namespace);
  return managerGroups(view, { selected: new Set([...found].filter(({ virtual }) => !virtual)) }, order);
}

export function printByManager(
  { session, namespace }: ManagersRun,
  groups: readonly ManagerGroup[],
  format: DocumentFormat,
  text: TextOptions,
): Iterable<string> {
  const context = treeContext(session.view);
  switch (format) {
    case 'text':
    case 'wide':
      return printManagers(groups, context, text);
    case 'name':
      return printManagedNames(groups, namespace);
    case 'json':
    case 'yaml':
      return printDocument(managerListDocument(session.basis(), groups, context, session.now()), format);
  }
}
