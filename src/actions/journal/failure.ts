/** A journal that cannot be kept or read, for whoever was about to act: then nothing was sent. */
import { isDiskFailure } from '../../disk/failure.ts';
import { NotPrivateError } from '../../disk/person.ts';
import { LaterFormatError } from './record.ts';

export interface JournalFailure {
  /** Begins in lower case, unlike the rest. */
  readonly because: string;
  readonly remedy: string;
}

/** Undefined for other errors. */
export function journalFailure(error: unknown): JournalFailure | undefined {
  if (error instanceof NotPrivateError)
    return {
      because: `the journal cannot be trusted, so nothing was sent: ${error.message}.`,
      remedy: 'Correct that, or point XDG_STATE_HOME to a folder that only you can change.',
    };
  if (error instanceof LaterFormatError)
    return {
      because: `the journal cannot be used, so nothing was sent: ${error.message}.`,
      remedy: 'Use that version, or point XDG_STATE_HOME to another folder.',
    };
  if (!isDiskFailure(error)) return undefined;
  return {
    because: `the journal cannot be read or written, so nothing was sent: ${error.message}.`,
    remedy: 'Free space or correct the permissions there, or point XDG_STATE_HOME to another folder.',
  };
}
