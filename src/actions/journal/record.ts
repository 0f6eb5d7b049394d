/**
 * What the journal says of one action, as lines that are only ever appended: a kill between any two steps leaves
 * a journal that says how far it came. Reading is a fold over the lines. A torn line counts as not written; behind one that
 * a damaged disk has left, what no other line speaks of may have been sent.
 * docs/upgrading.md says what becomes of it between versions.
 */
import type { Identity } from '../../graph/node.ts';
import { type ActRequest, leavesOpen } from '../../model/exchange/act.ts';
import { type JsonRecord, record } from '../../model/json/json.ts';

/** Of the lines and of the backup; another one only where they no longer mean the same to who reads them by this one. */
export const JOURNAL_FORMAT = 1;

/** An entry that means something else than is known here; to take back what it doesn't say would be a guess. */
export class LaterFormatError extends Error {
  override readonly name = 'LaterFormatError';

  constructor(id: string) {
    super(`entry ${id} of the journal was written by a later version of kubectl gc-tree`);
  }
}

/** Written, and on the disk, before anything is sent. */
export interface Intended {
  readonly step: 'intended';
  /** Left out by early versions, which wrote the first. */
  readonly format?: number;
  /** `20261121T101500Z-4f1a`: sorts by time. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly verb: 'delete' | 'unblock' | 'undo';
  /** One line for people: `delete StatefulSet shop/web, foreground`. */
  readonly title: string;
  /** The object that it is about, the first of several. */
  readonly object: Identity;
  /** The uid of the cluster's namespace `kube-system`, which stands for the cluster; `''` where unknown. */
  readonly cluster: string;
  readonly context: string | undefined;
  readonly requests: readonly ActRequest[];
  /** For an undo: the entry that it takes back. */
  readonly undoes?: string;
  /** Objects in the backup. */
  readonly backup: readonly BackupNote[];
}

/** One object of the backup; the object itself is in a file of its own. */
export interface BackupNote {
  readonly object: Identity;
  /** File in the entry's folder; undefined where the object could not be read. */
  readonly file?: string;
  /**
   * What the backup lacks and the object needs: the data of a Secret; `content` where it holds nothing but metadata,
   * because the user may not read the object.
   */
  readonly without?: string;
  /** Annotations that the backup lacks, by key: their values may repeat that data. */
  readonly withoutAnnotations?: readonly string[];
}

/** What follows, by step. `request` is an index. */
interface Steps {
  /** It is about to be sent. */
  sending: { request: number };
  /** `message` where it was refused; `uid` of an object that it has created. */
  answered: { request: number; status: number; message?: string; uid?: string };
  /** No answer came, so it may have taken effect. */
  unanswered: { request: number; message: string };
  /** The API server didn't look at it. */
  unsent: { request: number; message: string };
  ended: { outcome: EntryOutcome; because: string };
}

type StepLine = { [S in keyof Steps]: Readonly<{ step: S; at: number } & Steps[S]> }[keyof Steps];

export type JournalLine = Intended | StepLine;

/**
 * - `reached`: the cluster is where the forecast said.
 * - `departed`: it did not follow the forecast.
 * - `unfinished`: nobody waited any longer.
 * - `refused`: the API server took none of the requests, or stopped at one.
 */
export type EntryOutcome = 'reached' | 'departed' | 'unfinished' | 'refused';

/** What is known of one request. */
export type RequestState =
  | { readonly state: 'notSent' }
  /** Sent, perhaps; whoever sent it was killed, or the connection was lost. */
  | { readonly state: 'unknown' }
  | { readonly state: 'answered'; readonly status: number; readonly message?: string; readonly uid?: string };

export interface Entry {
  readonly intended: Intended;
  readonly requests: readonly RequestState[];
  /** Undefined where its process ended before it knew. */
  readonly ended?: { readonly at: number; readonly outcome: EntryOutcome; readonly because: string };
}

/** Undefined where not even the first line is whole: as a rule nothing was sent, see `isDamaged`. Throws a `LaterFormatError`. */
export function readEntry(source: string): Entry | undefined {
  const { intended, known, ended, damaged } = fold(source);
  if (intended === undefined) return undefined;
  const unsaid: RequestState = { state: damaged ? 'unknown' : 'notSent' };
  const requests = intended.requests.map((_, index) => known.get(index) ?? unsaid);
  return { intended, requests, ...(ended === undefined ? {} : { ended }) };
}

/** Whether what was intended cannot be read, though more than that was written: something may have been sent. */
export function isDamaged(source: string): boolean {
  const { intended, known, ended, damaged } = fold(source);
  return intended === undefined && (damaged || known.size > 0 || ended !== undefined);
}

function fold(source: string): {
  readonly intended: Intended | undefined;
  readonly known: ReadonlyMap<number, RequestState>;
  readonly ended: Entry['ended'];
  /** There are lines that nobody wrote like that. */
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

/** Undefined for one that counts as not written. */
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

/** Cut off by a kill in the middle of a write, or by a disk that was full: the beginning of a line and nothing else. */
const torn = /^\{[^\p{Cc}\ufffd]*$/u;

/** What everything else is read by is there. */
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

/** One line says what is intended, and others speak of its requests. */
function isInOrder(line: JournalLine, intended: Intended | undefined): boolean {
  if (line.step === 'intended') return intended === undefined;
  if (!('request' in line) || intended === undefined) return true;
  return line.request >= 0 && line.request < intended.requests.length;
}

/** Whether something took effect, as far as the journal tells. */
export type Effect = 'yes' | 'no' | 'perhaps';

/** Whether a request of the entry took effect. */
export function tookEffect(entry: Entry): Effect {
  const effects = entry.requests.map(effectOf);
  return effects.find(each => each === 'yes') ?? effects.find(each => each === 'perhaps') ?? 'no';
}

export function effectOf(request: RequestState | undefined): Effect {
  if (request === undefined || request.state === 'notSent') return 'no';
  if (request.state === 'unknown') return 'perhaps';
  if (request.status < 300) return 'yes';
  return leavesOpen(request) ? 'perhaps' : 'no';
}
