/** Writes an action's title, forecast, question and outcome. */
import { type Intent, intentTitle } from '../../actions/prepare/intent.ts';
import type { Prepared } from '../../actions/prepare/prepare.ts';
import type { Ended } from '../../actions/run/ports.ts';
import type { Reversal } from '../../actions/undo/undo.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { showHidden, shownName } from '../../model/text/shown.ts';
import { capital } from '../../model/text/titles.ts';
import { afterDoubt, missingWords, sentence } from '../../text/actions/failure.ts';
import { outcomeLines } from '../../text/actions/outcome.ts';
import {
  actionQuestion,
  deletionNotes,
  dependentNotes,
  lossLines,
  requestLines,
  typedQuestion,
} from '../../text/actions/question.ts';
import { besidesLines, planLines } from '../../text/plan/plan.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import type { ActionNews } from './action.ts';

const READABLE = 300;

export function titleOfIntent(intent: Intent): string {
  return capital(showHidden(intentTitle(intent)));
}

export function preparedLines(
  prepared: Prepared,
  view: ClusterView,
  extra: readonly TextLine[],
): readonly TextLine[] {
  // A dialog scrolls, so it shows everything that is still readable.
  const isWhole = prepared.concerned.length <= READABLE;
  const forecast = { ...prepared.forecast, kubectl: [] };
  return [
    ...planLines(forecast, { wide: isWhole, steps: false, besidesInShort: true }),
    ...lossNotes(prepared, view),
    ...(extra.length > 0 ? [emptyLine, ...extra] : []),
    emptyLine,
    ...requestLines(prepared.requests, isWhole),
    ...besidesLines(forecast, isWhole),
  ];
}

export function lossNotes({ intent, forecast, losses }: Prepared, view: ClusterView): readonly TextLine[] {
  const known =
    intent.verb === 'delete'
      ? [...deletionNotes(forecast, intent.targets, view)]
      : intent.verb === 'unblock'
        ? [...dependentNotes(forecast, intent, view)]
        : [];
  const notes = [...known, ...lossLines(losses)];
  return notes.length === 0 ? [] : [emptyLine, ...notes];
}

/** Asks for a key for one object, for a typed word for many or for a dangerous action. */
export function questionOf({ intent, confirmation }: Prepared): {
  readonly question: string;
  readonly word: string | undefined;
} {
  if (confirmation.kind === 'typed') {
    const question = `${typedQuestion(confirmation)} and press enter to confirm:`;
    return { question, word: shownName(confirmation.word) };
  }
  return { question: `${actionQuestion(intent)}? y confirms, Esc cancels.`, word: undefined };
}

export interface EndOptions {
  readonly undoKey: string;
  readonly took: number;
  readonly reversal: Reversal | undefined;
  /** A later command can undo the journal's entry. */
  readonly lasting: boolean;
  readonly afterwards: readonly TextLine[];
}

/** Returns the outcome in one line, and more text below. */
export function endNews(
  ended: Ended,
  { took, reversal, lasting, afterwards, undoKey }: EndOptions,
): ActionNews {
  const failure = failureOf(ended, undoKey);
  if (failure !== undefined) {
    const [first = '', ...more] = failure;
    const isListed = ended.taken > 0 && ended.entries.length > 0;
    const lines = more.map(each => textLine(each, 'warning'));
    return {
      stage: {
        at: 'ended',
        outcome: showHidden(first),
        style: ended.state === 'cancelled' ? 'muted' : 'danger',
        undoable: isListed,
      },
      lines: lines.length === 0 ? [] : [...lines, emptyLine],
    };
  }
  const undo = reversal && {
    reversal,
    key: undoKey,
    command: (entries: readonly string[]) =>
      lasting ? entries.map(entry => ({ words: ['kubectl', 'gc-tree', 'undo', entry] })) : [],
    list: [],
  };
  const [first, ...rest] = [...outcomeLines(ended, { took, undo, followed: true }), ...afterwards];
  const style = first?.spans[0]?.style ?? 'plain';
  const outcome = first?.spans.map(({ text }) => text).join('') ?? '';
  const undoable = reversal !== undefined && reversal.entries.length > 0;
  return { stage: { at: 'ended', outcome, style, undoable }, lines: [...rest, emptyLine] };
}

/** Returns undefined if everything was sent; the first line names the failure. */
function failureOf(ended: Ended, undoKey: string): readonly string[] | undefined {
  const { state, because, taken, prepared, examination, entries } = ended;
  const [entry] = entries;
  const sent =
    taken === 0
      ? afterDoubt(ended, 'Nothing was changed.')
      : `The API server accepted ${taken} of ${prepared.requests.length} requests${entry === undefined ? '' : `; ${undoKey} lists them under ${entry}`}. ${afterDoubt(ended, '')}`.trimEnd();
  switch (state) {
    case 'denied':
      return [`Not permitted: ${missingWords(examination?.denied ?? [])}.`, 'Nothing was sent.'];
    case 'refused': {
      const refusal = taken > 0 ? undefined : examination?.refused[0];
      return refusal === undefined
        ? [`The API server refused: ${sentence(because)}`, sent]
        : [
            `The API server would refuse it: ${sentence(refusal.message)}`,
            `${refusal.request.method} ${refusal.request.path}`,
            'Nothing was sent.',
          ];
    }
    case 'stale':
    case 'moot':
      return [capital(sentence(because)), sent];
    case 'cancelled':
      return ['Nothing was sent.'];
    case 'unfinished':
      return taken < prepared.requests.length && ended.progress === undefined
        ? [capital(sentence(because)), sent]
        : undefined;
    case 'reached':
    case 'departed':
      return undefined;
  }
}
