/** `tree`: the ownership trees of targets or of a whole scope, printed once or followed by changes. */

import { measure, type TextOptions } from '../../../documents/print/text.ts';
import { treeContext } from '../../../documents/tree/ownership-tree.ts';
import { byName, type NodeOrder } from '../../../documents/tree/selection.ts';
import { compareBytes } from '../../../graph/node.ts';
import { glyphsFor, useColour } from '../../output/appearance.ts';
import { nothingSelected } from '../../output/empty.ts';
import { type TreeFormat, treeFormat } from '../../output/format.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { type Flags, filesFlag, type SortKey } from '../../runtime/flags.ts';
import type { Io } from '../../runtime/io.ts';
import { say } from '../../runtime/say.ts';
import { openSession, scopeOf } from '../../session/session.ts';
import { requireKnownScope } from '../../targets/known-scope.ts';
import { findTargets, parseTargets } from '../../targets/targets.ts';
import { confirmAbsences, inNamespaces, surroundingsOf } from '../actions/confirm.ts';
import { printTree, reservationLines, selectTree, type TreeRun } from './run.ts';
import { watchTree, watchWidths } from './watch.ts';

const orders: Readonly<Record<SortKey, NodeOrder>> = {
  name: (a, b) => compareBytes(a.identity.name, b.identity.name) || byName(a, b),
  kind: (a, b) => compareBytes(a.identity.kind, b.identity.kind) || byName(a, b),
  namespace: byName,
  // As kubectl sorts by creationTimestamp: the oldest first.
  age: (a, b) => (a.object?.creationTimestamp ?? 0) - (b.object?.creationTimestamp ?? 0) || byName(a, b),
};

function textOptions(flags: Flags, format: TreeFormat, io: Io, now: number): Omit<TextOptions, 'marks'> {
  return {
    wide: format === 'wide',
    headers: flags.headers,
    labels: flags.showLabels === true,
    colour: useColour(flags, io),
    glyphs: glyphsFor(flags),
    width: io.columns(),
    now,
  };
}

export async function tree(command: TargetCommand): Promise<number> {
  const { flags, io, services, output, targets } = command;
  const query = parseTargets(targets, flags);
  const format = treeFormat(flags.output);
  const watch = flags.watch === true;
  if (watch && (format === 'dot' || format === 'mermaid'))
    throw new UsageError(`--watch cannot be drawn as ${format}. Use -o text, json, yaml or name.`);
  if (watch && flags.failOnEmpty === true)
    throw new UsageError('--watch waits for what comes: leave --fail-on-empty out.');
  if (watch && filesFlag(flags) !== undefined)
    throw new UsageError("--watch needs something that changes: files don't.");
  const tabular = format === 'text' || format === 'wide';
  const document = format === 'json' || format === 'yaml';
  const flat = flags.flat === true;
  if (flat && !document) throw new UsageError('--flat is for documents. Use it with -o json or -o yaml.');
  const session = await openSession(flags, io, services);
  try {
    // Both tell how objects run, and fields may be of that.
    await session.load(tabular || document || flags.fieldSelector !== undefined);
    const namespace = scopeOf(flags, session.source);
    const isWhole = query.words.length === 0 && query.matches === undefined;
    const scope = isWhole
      ? inNamespaces(namespace)
      : surroundingsOf(session, findTargets(session.view, query, namespace));
    await confirmAbsences(session, scope);
    const pending = session.holdStill(watch);
    // Not with --watch, for which a namespace may come.
    if (query.words.length === 0 && !watch) requireKnownScope(session, namespace);
    const asked: TreeRun = {
      session,
      io,
      query,
      namespace,
      order: orders[flags.sortBy ?? 'namespace'],
      format,
      text: { ...textOptions(flags, format, io, session.now()), marks: !isWhole },
      flat,
    };
    const selection = selectTree(asked, 'fail');
    // With --watch others may come.
    const marks = asked.text.marks && (watch || selection.hasOthers);
    const run: TreeRun = { ...asked, text: { ...asked.text, marks } };
    const widths = tabular
      ? measure(selection, treeContext(session.view), run.text, watch ? watchWidths(selection, run.text) : [])
      : undefined;
    if (selection.size > 0 || document) await output.write(printTree(run, selection, widths));
    // Documents say it in their basis.
    if (!document) say(io, reservationLines(session).join(''));
    const isEmpty = selection.size === 0;
    const exitCode = isEmpty ? nothingSelected({ flags, io, namespace, isDocument: document }) : EXIT_DONE;
    if (watch) await watchTree({ run, selection, output, pending, widths: widths ?? [], scope });
    return exitCode;
  } finally {
    await session.close();
  }
}
