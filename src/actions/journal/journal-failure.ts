/** A journal that can't be kept or read. The action stops before anything is sent. */
import { isDiskFailure, NotPrivateError } from '../../disk/index.ts';
import { LaterFormatError } from './journal-entry.ts';

export interface JournalFailure {
  /** Begins in lower case, unlike `remedy`. */
  readonly because: string;
  readonly remedy: string;
}

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
