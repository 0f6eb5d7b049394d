/** Writes an action's title, forecast, question and outcome. */
import { type Ended, Intent, type Prepared, type Reversal } from '../../actions/index.ts';
import type { ClusterView } from '../../graph/index.ts';
import { objectTitle, showHidden, shownName, wordForms } from '../../model/index.ts';
import { failureWords, outcomeWords, planWords, questionWords, TextLine } from '../../text/index.ts';
import type { ActionNews } from '../state/action-dialog.ts';

const READABLE = 300;

export function titleOfIntent(intent: Intent): string {
  return wordForms.capital(showHidden(Intent.title(intent)));
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
    ...dangerLines(prepared.intent),
    ...planWords.lines(forecast, { wide: isWhole, steps: false, anywayInShort: true }),
    ...lossNotes(prepared, view),
    ...(extra.length > 0 ? [TextLine.empty, ...extra] : []),
    TextLine.empty,
    ...questionWords.requests(prepared.requests, isWhole),
    ...planWords.anyway(forecast, isWhole),
  ];
}

/** Says what a dangerous remedy leaves behind, which the title has no room for. */
function dangerLines(intent: Intent): readonly TextLine[] {
  if (intent.verb !== 'unblock' || intent.remedy.risk !== 'dangerous') return [];
  return [TextLine.of(`${wordForms.capital(intent.remedy.title)}.`, 'danger'), TextLine.empty];
}

export function lossNotes({ intent, forecast, losses }: Prepared, view: ClusterView): readonly TextLine[] {
  const known =
    intent.verb === 'delete'
      ? [...questionWords.deletionNotes(forecast, intent.targets, view)]
      : intent.verb === 'unblock'
        ? [...questionWords.unblockNotes(forecast, intent, view)]
        : [];
  const notes = [...known, ...questionWords.losses(losses)];
  return notes.length === 0 ? [] : [TextLine.empty, ...notes];
}

/** Asks for a key for one object, for a typed word for many or for a dangerous action. */
export function questionOf({ intent, confirmation }: Prepared): {
  readonly question: string;
  readonly word: string | undefined;
} {
  if (confirmation.kind === 'typed') {
    const question = `${questionWords.typed(confirmation)} and press enter to confirm:`;
    return { question, word: shownName(confirmation.word) };
  }
  return { question: `${questionWords.question(intent)}? y confirms, Esc cancels.`, word: undefined };
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
    const lines = more.map(each => TextLine.of(each, 'warning'));
    return {
      stage: {
        at: 'ended',
        outcome: showHidden(first),
        style: ended.state === 'cancelled' ? 'muted' : 'danger',
        undoable: isListed,
      },
      lines: lines.length === 0 ? [] : [...lines, TextLine.empty],
    };
  }
  const undo = reversal && {
    reversal,
    key: undoKey,
    command: (entries: readonly string[]) =>
      lasting ? entries.map(entry => ({ words: ['kubectl', 'gc-tree', 'undo', entry] })) : [],
    list: [],
  };
  const [first, ...rest] = [...outcomeWords.lines(ended, { took, undo, followed: true }), ...afterwards];
  const style = first?.spans[0]?.style ?? 'plain';
  const outcome = first?.spans.map(({ text }) => text).join('') ?? '';
  const undoable = reversal !== undefined && reversal.entries.length > 0;
  return {
    stage: { at: 'ended', outcome, style, undoable },
    lines: [...rest, ...stillHeld(ended.prepared), TextLine.empty],
  };
}

/** Names what a remedy took out of the way, and which is itself still held. */
function stillHeld({ forecast: { terminating, changed } }: Prepared): readonly TextLine[] {
  const altered = new Set(changed.map(({ object }) => object.uid));
  return terminating
    .filter(({ object, anyway }) => anyway && altered.has(object.uid))
    .map(({ object }) =>
      TextLine.of(`${objectTitle(object)} is still held: u on it proposes what frees it.`, 'warning'),
    );
}

/** Returns undefined if everything was sent; the first line names the failure. */
function failureOf(ended: Ended, undoKey: string): readonly string[] | undefined {
  const { state, because, taken, prepared, examination, entries } = ended;
  const [entry] = entries;
  const sent =
    taken === 0
      ? failureWords.afterDoubt(ended, 'Nothing was changed.')
      : `The API server accepted ${taken} of ${prepared.requests.length} requests${entry === undefined ? '' : `; ${undoKey} lists them under ${entry}`}. ${failureWords.afterDoubt(ended, '')}`.trimEnd();
  switch (state) {
    case 'denied':
      return [`Not permitted: ${failureWords.missing(examination?.denied ?? [])}.`, 'Nothing was sent.'];
    case 'refused': {
      const refusal = taken > 0 ? undefined : examination?.refused[0];
      return refusal === undefined
        ? [`The API server refused: ${failureWords.sentence(because)}`, sent]
        : [
            `The API server would refuse it: ${failureWords.sentence(refusal.message)}`,
            `${refusal.request.method} ${refusal.request.path}`,
            'Nothing was sent.',
          ];
    }
    case 'stale':
    case 'moot':
      return [wordForms.capital(failureWords.sentence(because)), sent];
    case 'cancelled':
      return ['Nothing was sent.'];
    case 'unfinished':
      return taken < prepared.requests.length && ended.progress === undefined
        ? [wordForms.capital(failureWords.sentence(because)), sent]
        : undefined;
    case 'reached':
    case 'departed':
      return undefined;
  }
}
