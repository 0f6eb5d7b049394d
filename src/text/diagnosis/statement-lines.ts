/** Statements by objects on why they don't finish, as lines below an answer. */
import type { Statement } from '../../diagnosis/index.ts';
import type { Identity } from '../../graph/index.ts';
import { formatCount, objectTitleIn, saidWords, withoutDifference } from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import { TextLine } from '../terminal/text-line.ts';

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
    const { object, at, count = 1 } = said;
    const message = withoutDifference(said.message);
    const who = object.uid === asked.uid ? '' : `${objectTitleIn(object, asked.namespace)}: `;
    const spec = said.outdated === true ? ', of an older spec' : '';
    const often = count > 1 ? `, ${formatCount(count)} times` : '';
    const when = `${at === undefined ? '' : `, ${timeText.duration(Math.max(0, now - at))} ago`}${often}`;
    const words = whole ? message : saidWords.shortened(message, FIRST_CHARACTERS);
    yield TextLine.of(
      `  ${who}${saidWords.head(said)}${when}${spec}${words === '' ? '' : `: ${words}`}`,
      'plain',
      4,
    );
  }
}
