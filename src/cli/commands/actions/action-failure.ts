/** Explains in one or two lines why an action is refused or was aborted. */
import { type Ended, type Examination, journalFailure } from '../../../actions/index.ts';
import { failureWords } from '../../../text/index.ts';
import type { ExitReason } from '../../documents/definitions.ts';

/** Exit code 2: refused by permissions, the API server, or changes in the cluster. */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';
  readonly reason: ExitReason;

  constructor(message: string, reason: ExitReason = 'Refused') {
    super(message);
    this.reason = reason;
  }
}

/** Wraps a failure of the journal; undefined for other errors. */
export function withoutJournal(error: unknown): ActionRefused | undefined {
  const failure = journalFailure(error);
  return failure && new ActionRefused(`${failure.because}\n${failure.remedy}`, 'Failed');
}

export function examinationFailure({ denied, refused }: Examination): string | undefined {
  if (denied.length > 0) {
    return `you may not do that: ${failureWords.missing(denied)}.\nNothing was sent.`;
  }
  const [first, ...others] = refused;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? '' : ` (and ${others.length} more refusals)`;
  return `the API server would refuse ${first.request.method} ${first.request.path}${more}: ${failureWords.sentence(first.message)}\nNothing was sent.`;
}

/** Returns undefined if all was sent, or declined. `changed`: `yes` was given for another forecast. */
export function failureOf(ended: Ended, changed: boolean): string | undefined {
  const { state, because, taken, prepared, examination, entries } = ended;
  const [entry] = entries;
  const total = prepared.requests.length;
  const sent =
    taken === 0
      ? failureWords.afterDoubt(ended, 'Nothing was changed.')
      : `The API server accepted ${taken} of the action's requests${entry === undefined ? '' : `: kubectl gc-tree undo -o yaml shows which, under ${entry}`}. ${failureWords.afterDoubt(ended, '')}`.trimEnd();
  switch (state) {
    case 'denied':
      return examination === undefined ? because : examinationFailure(examination);
    case 'refused': {
      const told = examination === undefined || taken > 0 ? undefined : examinationFailure(examination);
      return told ?? `the API server refused: ${failureWords.sentence(because)}\n${sent}`;
    }
    case 'stale':
    case 'moot':
      return `${failureWords.sentence(because)}\n${sent}`;
    case 'cancelled':
      return changed
        ? `the cluster has changed since the forecast, and something else would happen now than --yes was said to.\n${sent} Look at the new forecast above, and run it again.`
        : undefined;
    case 'unfinished':
      return taken < total && ended.progress === undefined
        ? `${failureWords.sentence(because)}\n${sent}`
        : undefined;
    case 'reached':
    case 'departed':
      return undefined;
  }
}

export function exitReason({ state }: Ended, changed: boolean): ExitReason {
  if (state === 'cancelled') return changed ? 'Changed' : 'Declined';
  return exitReasons[state] ?? 'Refused';
}

const exitReasons: Readonly<Partial<Record<Ended['state'], ExitReason>>> = {
  denied: 'Denied',
  stale: 'Stale',
  moot: 'Gone',
  unfinished: 'NoAnswer',
};
