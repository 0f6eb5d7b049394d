/** Statements by objects on why they don't finish, as lines below an answer. */
import type { Statement } from '../../diagnosis/explain/statements.ts';
import type { Identity } from '../../graph/node.ts';
import { saidHead, shortened } from '../../model/text/said-words.ts';
import { formatCount, objectTitleIn } from '../../model/text/titles.ts';
import { formatDuration } from '../terminal/age.ts';
import { type TextLine, textLine } from '../terminal/text-line.ts';

/** Limits for statements unless the user asks for all. */
const FIRST = 2;
const FIRST_CHARACTERS = 160;

/** Yields `Bucket logs: Synced=False (ReconcileError), 2m ago: cannot delete …`. */
export function* statementLines(
  asked: Identity,
  statements: readonly Statement[],
  { now, whole }: { readonly now: number; readonly whole: boolean },
): Generator<TextLine> {
  for (const said of whole ? statements : statements.slice(0, FIRST)) {
    const { object, message, at, count = 1 } = said;
    const who = object.uid === asked.uid ? '' : `${objectTitleIn(object, asked.namespace)}: `;
    const spec = said.outdated === true ? ', of an older spec' : '';
    const often = count > 1 ? `, ${formatCount(count)} times` : '';
    const when = `${at === undefined ? '' : `, ${formatDuration(Math.max(0, now - at))} ago`}${often}`;
    const words = whole ? message : shortened(message, FIRST_CHARACTERS);
    yield textLine(`  ${who}${saidHead(said)}${when}${spec}${words === '' ? '' : `: ${words}`}`, 'plain', 4);
  }
}
