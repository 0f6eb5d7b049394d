/**
 * The journal of one action, in append-only lines, so that it shows the progress after a kill at any point.
 * docs/install.md#upgrading explains compatibility.
 */
import type { Identity } from '../../graph/index.ts';
import { ActAnswer, type ActRequest, type JsonRecord, record } from '../../model/index.ts';

/** Version of the lines and the backup; raise it only if their meaning changes for older readers. */
export const JOURNAL_FORMAT = 1;

/** An entry in an unknown format, which can't be undone without guessing. */
export class LaterFormatError extends Error {
  override readonly name = 'LaterFormatError';

  constructor(id: string) {
    super(`entry ${id} of the journal was written by a later version of kubectl gc-tree`);
  }
}

export interface Intended {
  readonly step: 'intended';
  /** Missing in entries of early versions, which wrote format 1. */
  readonly format?: number;
  /** `20261121T101500Z-4f1a`: sorts by time. */
  readonly id: string;
  readonly at: number;
  readonly verb: 'delete' | 'unblock' | 'undo';
  /** One line for users: `delete StatefulSet shop/web, foreground`. */
  readonly title: string;
  readonly object: Identity;
  /** The uid of the namespace `kube-system`, which identifies the cluster; `''` if unknown. */
  readonly cluster: string;
  readonly context: string | undefined;
  readonly requests: readonly ActRequest[];
  readonly undoes?: string;
  readonly backup: readonly BackupNote[];
}

export interface BackupNote {
  readonly object: Identity;
  /** File in the entry's folder; undefined if the object couldn't be read. */
  readonly file?: string;
  /** Part missing from the backup: the data of a Secret, or `content` if only metadata could be read. */
  readonly without?: string;
  /** Annotation keys missing from the backup: their values may repeat Secret data. */
  readonly withoutAnnotations?: readonly string[];
}

interface Steps {
  sending: { request: number };
  /** `message` is set if it was refused; `uid` if it created an object. */
  answered: { request: number; status: number; message?: string; uid?: string };
  /** No answer came, so it may have taken effect. */
  unanswered: { request: number; message: string };
  /** The API server never processed it. */
  unsent: { request: number; message: string };
  ended: { outcome: EntryOutcome; because: string };
}

type StepLine = { [S in keyof Steps]: Readonly<{ step: S; at: number } & Steps[S]> }[keyof Steps];

export type JournalLine = Intended | StepLine;

/**
 * - `reached`: the cluster is as forecast. `departed`: it didn't follow the forecast.
 * - `unfinished`: following stopped early.
 * - `refused`: the API server accepted none of the requests, or stopped at one.
 */
export type EntryOutcome = 'reached' | 'departed' | 'unfinished' | 'refused';

export type RequestState =
  | { readonly state: 'notSent' }
  /** Possibly sent; the process was killed or the connection lost. */
  | { readonly state: 'unknown' }
  | { readonly state: 'answered'; readonly status: number; readonly message?: string; readonly uid?: string };

export interface Entry {
  readonly intended: Intended;
  readonly requests: readonly RequestState[];
  /** Undefined if the process ended before it knew. */
  readonly ended?: { readonly at: number; readonly outcome: EntryOutcome; readonly because: string };
}

/** Returns undefined if the first line is torn: usually nothing was sent (`isDamaged`). Throws `LaterFormatError`. */
export function readEntry(source: string): Entry | undefined {
  const { intended, known, ended, damaged } = fold(source);
  if (intended === undefined) return undefined;
  const unsaid: RequestState = { state: damaged ? 'unknown' : 'notSent' };
  const requests = intended.requests.map((_, index) => known.get(index) ?? unsaid);
  return { intended, requests, ...(ended === undefined ? {} : { ended }) };
}

/** Checks if later lines exist without a readable intended line: requests may have been sent. */
export function isDamaged(source: string): boolean {
  const { intended, known, ended, damaged } = fold(source);
  return intended === undefined && (damaged || known.size > 0 || ended !== undefined);
}

function fold(source: string): {
  readonly intended: Intended | undefined;
  readonly known: ReadonlyMap<number, RequestState>;
  readonly ended: Entry['ended'];
  /** True if lines are corrupt; requests that no readable line mentions may have been sent. */
  readonly damaged: boolean;
} {
  let intended: Intended | undefined;
  const known = new Map<number, RequestState>();
  let ended: Entry['ended'];
  let damaged = false;
  for (const text of source.split('\n')) {
    const line = parsed(text);
    if (line === undefined) continue;
    if (line === 'damaged' || !isInOrder(line, intended)) {
      damaged = true;
      continue;
    }
    switch (line.step) {
      case 'intended':
        intended = line;
        break;
      case 'unsent':
        known.set(line.request, { state: 'notSent' });
        break;
      case 'sending':
      case 'unanswered':
        known.set(line.request, { state: 'unknown' });
        break;
      case 'answered': {
        const { step: state, at: _at, request, ...answer } = line;
        known.set(request, { state, ...answer });
        break;
      }
      case 'ended':
        ended = { at: line.at, outcome: line.outcome, because: line.because };
    }
  }
  return { intended, known, ended, damaged };
}

/** Returns undefined for an empty or cut-off line, 'damaged' for any other that can't be used. */
function parsed(text: string): JournalLine | 'damaged' | undefined {
  if (text.trim() === '') return undefined;
  let line: JsonRecord;
  try {
    line = record(JSON.parse(text));
  } catch {
    return torn.test(text) ? undefined : 'damaged';
  }
  const { step, format = JOURNAL_FORMAT, id } = line;
  if (step === 'intended' && Number(format) > JOURNAL_FORMAT) throw new LaterFormatError(String(id));
  return isWhole(line) ? (line as unknown as JournalLine) : 'damaged';
}

/** Matches a line cut off by a kill or a full disk: the start of a line and nothing else. */
const torn = /^\{[^\p{Cc}\ufffd]*$/u;

/** Checks that every field the readers rely on is present. */
function isWhole({ step, id, object, requests, backup, request, status }: JsonRecord): boolean {
  switch (step) {
    case 'intended':
      return (
        typeof id === 'string' &&
        typeof object === 'object' &&
        object !== null &&
        Array.isArray(requests) &&
        requests
          .map(record)
          .every(each => typeof each['method'] === 'string' && typeof each['path'] === 'string') &&
        Array.isArray(backup) &&
        backup.map(record).every(each => isIdentity(record(each['object'])))
      );
    case 'answered':
      return Number.isInteger(request) && typeof status === 'number';
    case 'sending':
    case 'unanswered':
    case 'unsent':
      return Number.isInteger(request);
    default:
      return step === 'ended';
  }
}

function isIdentity({ apiVersion, kind, namespace, name, uid }: JsonRecord): boolean {
  return [apiVersion, kind, namespace, name, uid].every(each => typeof each === 'string');
}

function isInOrder(line: JournalLine, intended: Intended | undefined): boolean {
  if (line.step === 'intended') return intended === undefined;
  if (!('request' in line) || intended === undefined) return true;
  return line.request >= 0 && line.request < intended.requests.length;
}

export type Effect = 'yes' | 'no' | 'perhaps';

export function tookEffect(entry: Entry): Effect {
  const effects = entry.requests.map(effectOf);
  return effects.find(each => each === 'yes') ?? effects.find(each => each === 'perhaps') ?? 'no';
}

export function effectOf(request: RequestState | undefined): Effect {
  if (request === undefined || request.state === 'notSent') return 'no';
  if (request.state === 'unknown') return 'perhaps';
  if (request.status < 300) return 'yes';
  return ActAnswer.leavesOpen(request) ? 'perhaps' : 'no';
}
