import { credentials, showHidden } from '../../model/index.ts';
import { EndSignal } from '../../platform/index.ts';

/** The message says what to do; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An interruption or a request to end, without a message; the exit code is the signal's. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly exitCode: number;

  constructor(signal: EndSignal) {
    super('interrupted');
    this.exitCode = EndSignal.endings[signal];
  }
}

export const EXIT_DONE = 0;
/** `check` found something at or above the threshold. */
export const EXIT_FOUND = 1;
export const EXIT_WRONG = 2;
/** Exit code of a process that SIGPIPE ended: with success, scripts would take half an answer for the whole. */
export const EXIT_READER_GONE = 141;

/** Returns at most two lines for standard error, plus the stack from `-v=6`. */
export function describeFailure(error: unknown, verbosity: number): string {
  const message = credentials.removed(error instanceof Error ? error.message || error.name : String(error));
  const lines = message
    .split('\n')
    .map(line => showHidden(line).trim())
    .filter(line => line !== '');
  const text = `kubectl gc-tree: ${lines.slice(0, 2).join('\n')}\n`;
  if (verbosity < 6 || !(error instanceof Error) || error.stack === undefined) return text;
  return `${text}${credentials.removed(error.stack).split('\n').map(showHidden).join('\n')}\n`;
}

/** Parses a flag's value. Throws a `UsageError` for anything else than a whole number in the range. */
export function wholeNumber(
  flag: string,
  text: string | undefined,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d{1,6}$/u.test(text) || number < least || number > most)
    throw new UsageError(`${flag}: ${text} is no whole number from ${least} to ${most}.`);
  return number;
}
