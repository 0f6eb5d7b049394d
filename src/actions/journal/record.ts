/**
 * What the journal says of one action, as lines that are only ever appended: a kill between any two steps leaves
 * a journal that says how far it came. Reading is a fold over the lines; a torn last line counts as not written.
 */
import type { Identity } from '../../graph/node.ts';
import { type ActRequest, leavesOpen } from '../../model/exchange/act.ts';

/** Written, and on the disk, before anything is sent. */
export interface Intended {
  readonly step: 'intended';
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
  /** `message` where it was refused. */
  answered: { request: number; status: number; message?: string };
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
  | { readonly state: 'answered'; readonly status: number; readonly message?: string };

export interface Entry {
  readonly intended: Intended;
  readonly requests: readonly RequestState[];
  /** Undefined where its process ended before it knew. */
  readonly ended?: { readonly at: number; readonly outcome: EntryOutcome; readonly because: string };
}

/** Undefined where not even the first line is whole: nothing was sent. */
export function readEntry(source: string): Entry | undefined {
  let intended: Intended | undefined;
  let requests: RequestState[] = [];
  let ended: Entry['ended'];
  for (const text of source.split('\n')) {
    const line = parsed(text);
    if (line === undefined) continue;
    switch (line.step) {
      case 'intended':
        intended = line;
        requests = line.requests.map(() => ({ state: 'notSent' }));
        break;
      case 'unsent':
        requests[line.request] = { state: 'notSent' };
        break;
      case 'sending':
      case 'unanswered':
        requests[line.request] = { state: 'unknown' };
        break;
      case 'answered': {
        const { step: state, at: _at, request, ...answer } = line;
        requests[request] = { state, ...answer };
        break;
      }
      case 'ended':
        ended = { at: line.at, outcome: line.outcome, because: line.because };
    }
  }
  if (intended === undefined) return undefined;
  return { intended, requests, ...(ended === undefined ? {} : { ended }) };
}

function parsed(text: string): JournalLine | undefined {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as JournalLine;
  } catch {
    // Torn by a kill in the middle of a write, or by a disk that was full.
    return undefined;
  }
}

/** Whether a request of the entry took effect, as far as the journal tells. */
export function tookEffect(entry: Entry): 'yes' | 'no' | 'perhaps' {
  if (entry.requests.some(each => each.state === 'answered' && each.status < 300)) return 'yes';
  const isOpen = (each: RequestState): boolean =>
    each.state === 'unknown' || (each.state === 'answered' && leavesOpen(each));
  return entry.requests.some(isOpen) ? 'perhaps' : 'no';
}
