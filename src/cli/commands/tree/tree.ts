/** `tree`: the ownership trees of targets or a scope, printed once or followed. */

import { compareBytes } from '../../../graph/index.ts';
import { counted } from '../../../model/index.ts';
import { measure, type TextOptions } from '../../documents/print/text.ts';
import { treeContext, treeNodeHead } from '../../documents/tree/ownership-tree.ts';
import { byNamespaceAndKind, firstPlaces, type TreeOrder } from '../../documents/tree/selection.ts';
import { printsOf, type TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError, wholeNumber } from '../../runtime/errors.ts';
import type { Flags, SortKey } from '../../runtime/flags.ts';
import { glyphsFor, useColour } from '../../runtime/format.ts';
import {
  type DocumentFormat,
  type FormatOf,
  formatOf,
  isDocument,
  isPicture,
  isText,
} from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { answerScope, confirmAbsences } from '../../session/confirm.ts';
import { nothingSelected, requireKnownScope } from '../../session/known-scope.ts';
import { readingFor } from '../../session/reading.ts';
import { type ClusterSession, scopeOf, withSession } from '../../session/session.ts';
import { refuseWatch, reservationLines } from '../../session/watch.ts';
import { parseTargets, selectsAll } from '../../targets/targets.ts';
import { contextOf, printTree, readColumns, readUsers, selectTree } from './run-tree.ts';
import { formatByManager, groupByManager, type ManagersRun, printByManager } from './tree-managers.ts';
import { type TreeWatch, watchTree, watchWidths } from './watch-tree.ts';

const orders: Readonly<Record<SortKey, TreeOrder>> = {
  name: (a, b) => compareBytes(a.identity.name, b.identity.name) || byNamespaceAndKind(a, b),
  kind: (a, b) => compareBytes(a.identity.kind, b.identity.kind) || byNamespaceAndKind(a, b),
  namespace: byNamespaceAndKind,
  // The oldest comes first, as when kubectl sorts by creationTimestamp.
  age: (a, b) =>
    (a.object?.creationTimestamp ?? 0) - (b.object?.creationTimestamp ?? 0) || byNamespaceAndKind(a, b),
};

export function tree(command: TargetCommand): Promise<number> {
  const { flags, output, targets } = command;
  const query = parseTargets(targets, flags);
  const format = formatOf('tree', flags.output);
  const watch = flags.watch === true;
  if (watch && isPicture(format))
    throw new UsageError(`--watch cannot be drawn as ${format}. Use -o text, json, yaml or name.`);
  refuseWatch(flags);
  const tabular = isText(format);
  const document = isDocument(format);
  const flat = flags.flat === true;
  const byManager = formatByManager(flags, format);
  const depth = wholeNumber('--depth', flags.depth, { least: 0, most: 10_000 });
  if (depth !== undefined && byManager !== undefined)
    throw new UsageError('--depth counts levels of owners and dependents. Leave --by=manager out.');
  refuseUsers(flags, format);
  // A wrong flag is reported before anything is read.
  labelKeys(flags);
  const limits = { depth, include: flags.includeTypes, exclude: flags.excludeTypes };
  if (flat && !document) throw new UsageError('--flat is for documents. Use it with -o json or -o yaml.');
  return withSession(command, async session => {
    // Text, documents and field selectors need facts.
    const facts = tabular || document || flags.fieldSelector !== undefined;
    // Custom resources of the whole cluster are read whole only for columns and fields of their own.
    const states = document || format === 'wide' || (tabular && flags.allNamespaces !== true);
    await session.load(facts, { ...readingFor(session, { query, flags }), states });
    const namespace = scopeOf(flags, session.source, query);
    const order = orders[flags.sortBy ?? 'namespace'];
    const scope = await session.answer(async () => {
      const asked = answerScope(session, query, namespace);
      await confirmAbsences(session, asked);
      // With --watch, the namespace may appear later.
      if (query.words.length === 0 && !watch) requireKnownScope(session, namespace);
      const context = treeContext(session.view);
      const shown = firstPlaces(selectTree({ session, query, namespace, order, limits }, 'skip'));
      for (const place of shown) treeNodeHead(context, place, session.now());
      return asked;
    });
    const pending = session.holdStill(watch);
    if (byManager !== undefined)
      return writeByManager(command, { session, query, namespace, order: flags.sortBy && order }, byManager);
    const selection = selectTree({ session, query, namespace, order, limits }, 'fail');
    const users = flags.with === 'users' ? await readUsers(session, selection) : undefined;
    const formats = printsOf(command).map(each => formatOf('tree', each.flags.output));
    // Later lines of --watch have the columns of the first ones, so no more than the state.
    const columns =
      !formats.some(isText) || (watch && formats.includes('wide'))
        ? undefined
        : await readColumns(session, selection, { wide: formats.includes('wide') });
    const marks = !selectsAll(query) && (watch || selection.hasOthers);
    const runOf = (each: TargetCommand): Pick<TreeWatch, 'run' | 'widths'> => {
      const as = formatOf('tree', each.flags.output);
      const text = {
        ...textOptions(each, session, { wide: as === 'wide', marks }),
        ...(columns && { columns }),
      };
      const run = { session, io: each.io, query, namespace, order, limits, format: as, text, flat, users };
      if (!isText(as)) return { run, widths: [] };
      const own = watch ? watchWidths(selection, text) : [];
      return { run, widths: measure(selection, contextOf(run), text, own) };
    };
    const first = runOf(command);
    for (const each of printsOf(command)) {
      const { run, widths } = each === command ? first : runOf(each);
      const isForPrograms = isDocument(run.format);
      if (selection.size > 0 || isForPrograms) await each.output.write(printTree(run, selection, widths));
      // Documents have reservations in their basis.
      if (!isForPrograms) say(each.io, reservationLines(session).join(''));
    }
    if (selection.hiddenSize > 0)
      say(command.io, `${counted(selection.hiddenSize, 'object')} of hidden types.\n`);
    const exitCode = selection.size === 0 ? nothingSelected(command, namespace) : EXIT_DONE;
    if (watch) await watchTree({ ...first, selection, output, pending, scope });
    return exitCode;
  });
}

function refuseUsers({ with: added, watch, by }: Flags, format: FormatOf<'tree'>): void {
  const isDrawn = isText(format) || isDocument(format);
  const refused =
    watch === true ? '--watch' : by === 'manager' ? '--by=manager' : isDrawn ? undefined : `-o ${format}`;
  if (added !== undefined && refused !== undefined)
    throw new UsageError(`--with=${added} can't be combined with ${refused}.`);
}

async function writeByManager(
  command: TargetCommand,
  run: ManagersRun,
  format: DocumentFormat,
): Promise<number> {
  const { session, namespace } = run;
  const groups = groupByManager(run);
  const text = textOptions(command, session, { wide: format === 'wide', marks: false });
  if (groups.length > 0 || isDocument(format))
    await command.output.write(printByManager(run, groups, format, text));
  if (!isDocument(format)) say(command.io, reservationLines(session).join(''));
  return groups.length === 0 ? nothingSelected(command, namespace) : EXIT_DONE;
}

function labelKeys({ labelColumns = [] }: Flags): readonly string[] {
  const keys = labelColumns.flatMap(list => list.split(','));
  if (keys.includes('')) throw new UsageError('--label-columns has an empty label. Write -L app,tier.');
  return keys;
}

function textOptions(
  { flags, io }: TargetCommand,
  session: ClusterSession,
  look: Pick<TextOptions, 'wide' | 'marks'>,
): TextOptions {
  return {
    ...look,
    headers: flags.headers,
    labels: flags.showLabels === true,
    labelColumns: labelKeys(flags),
    colour: useColour(flags, io),
    glyphs: glyphsFor(flags),
    width: io.columns(),
    now: session.now(),
  };
}
