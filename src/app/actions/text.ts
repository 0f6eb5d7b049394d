/** What the dialog of an action says: its title, the forecast with its requests, the question, and how it ended. */
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

/** `Delete StatefulSet shop/web, foreground` */
export function titleOfIntent(intent: Intent): string {
  return capital(showHidden(intentTitle(intent)));
}

/** The forecast, what else there is to know, and the requests. */
export function preparedLines(
  prepared: Prepared,
  view: ClusterView,
  extra: readonly TextLine[],
): readonly TextLine[] {
  // A dialog scrolls, so it needn't leave anything out until it is too much to read.
  const isWhole = prepared.concerned.length <= READABLE;
  // The requests say it more exactly.
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

/** Below the forecast, with an empty line above it; nothing where there is nothing to say. */
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

/** A key for one object, the typed word for many or for what is dangerous. */
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
  /** As the user calls the list of what can be undone: `z`. */
  readonly undoKey: string;
  /** Milliseconds since the first request was sent. */
  readonly took: number;
  /** Undefined where nothing takes it back. */
  readonly reversal: Reversal | undefined;
  /** Whether the journal's entry can be taken back by a later command. */
  readonly lasting: boolean;
  readonly afterwards: readonly TextLine[];
}

/** How it ended: one line for the top of the dialog, and what more there is to say below it. */
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

/** Undefined where it was sent in whole; the first line says what failed. */
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
