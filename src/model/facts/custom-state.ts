/** The state of a custom resource, read from its status by the conventions of kstatus (sigs.k8s.io/cli-utils, pkg/kstatus/status). */
import { credentials } from '../text/credentials.ts';
import { prose } from '../text/shown.ts';

/** Condition types that report a failure if `True`. */
const bad =
  /(?:^error|^failed|Error|Failed|Failure|Failing|Stalled|Degraded|Blocked|Stuck|Conflict|Invalid|Unavailable|Unhealthy|NotReady|^ACK\.(?:Recoverable|Terminal))$/u;
/** Condition types that report a state if `True`; only the message shows what it means for a deletion. */
const state =
  /(?:Terminating|Deleting|Deletion\w*|Finalizing|Draining|Paused|Suspended|Progressing|Reconciling)$/u;

/** Returns what a condition that is `True` reports, by the name of its type. */
export function reportOf(type: string): 'failure' | 'state' | 'success' {
  return bad.test(type) ? 'failure' : state.test(type) ? 'state' : 'success';
}

/** A condition without its message. */
export interface Sign {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

export interface CustomState {
  /** The generation that the status is about, if it says so. */
  readonly observedGeneration: number | undefined;
  readonly phase: string;
  /** The condition that decides, then `Ready` if that is another one; empty without any. */
  readonly signs: readonly Sign[];
}

interface Status {
  readonly observedGeneration: number | undefined;
  readonly phase: string;
  /** The phase of a kind that has none, such as cert-manager's Challenge. */
  readonly state: string;
  readonly conditions: readonly (Sign & { readonly observedGeneration: number | undefined })[];
}

function stateOf({ phase, state: instead, conditions, ...status }: Status): CustomState {
  const ready = conditions.find(({ type }) => type === 'Ready');
  return {
    observedGeneration: status.observedGeneration ?? ready?.observedGeneration,
    phase: word(phase || instead),
    signs: tellingSigns(conditions, ready),
  };
}

function statusOf({ observedGeneration, phase, signs }: CustomState): Status {
  const conditions = signs.map(sign => ({ ...sign, observedGeneration: undefined }));
  return { observedGeneration, phase, state: '', conditions };
}

/** The lowest decides; undefined says nothing. kstatus decides by the first three (generic.go, core.go). */
function rankOf({ type, status }: Sign): number | undefined {
  const report = reportOf(type);
  if (type === 'Stalled' && status === 'True') return 0;
  if (type === 'Reconciling' && status === 'True') return 1;
  if (type === 'Ready') return 2;
  if (report === 'failure') return status === 'True' ? 3 : undefined;
  if (report === 'state' || type === '') return undefined;
  return status === 'False' ? 4 : status === 'Unknown' ? 5 : status === 'True' ? 6 : undefined;
}

function tellingSigns(conditions: readonly Sign[], ready: Sign | undefined): readonly Sign[] {
  const [first] = conditions
    .flatMap(sign => ({ sign, rank: rankOf(sign) ?? Infinity }))
    .filter(({ rank }) => rank < Infinity)
    .sort((a, b) => a.rank - b.rank);
  if (first === undefined) return [];
  const all = ready === undefined || ready === first.sign ? [first.sign] : [first.sign, ready];
  const signs = all.map(({ type, status, reason }) => ({
    type: word(type),
    status: word(status),
    reason: word(reason),
  }));
  return remembered(shared, JSON.stringify(signs), () => Object.freeze(signs));
}

/** Values to remember before starting anew; a cluster's signs differ by kind, not by object. */
const MOST_SHARED = 4096;
const words = new Map<string, string>();
const shared = new Map<string, readonly Sign[]>();

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MOST_SHARED) known.clear();
  const made = make();
  known.set(key, made);
  return made;
}

/** Characters of a word; a longer one is a sentence, of which the beginning has to do. */
const LONGEST = 128;

/** Returns a foreign word as one short line without credentials. */
function word(text: string): string {
  if (text === '') return text;
  const begin = text.slice(0, 4 * LONGEST);
  return remembered(words, begin, () => credentials.removed(prose(begin)).trim().slice(0, LONGEST));
}

export const CustomState = { of: stateOf, toStatus: statusOf };
