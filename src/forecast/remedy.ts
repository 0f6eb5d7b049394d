/**
 * A remedy as forecasts, findings and documents share it. Which remedies there are is diagnosis' business; a
 * forecast only tries the one that it is handed.
 */
import type { ShellCommands } from '../model/text/shell-line.ts';
import type { ApiAnswer, ApiClient } from '../simulation/api/types.ts';

/** A request to the API server, as documents print it (docs/documents.md). */
export interface RemedyRequest {
  readonly verb: 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

/**
 * - `safe`: takes nothing away that its finding doesn't already give up.
 * - `caution`: does what it says, which may be more than was wanted.
 * - `dangerous`: something is lost or left behind that nobody brings back (docs/kubernetes.md §10, unsafe).
 */
export type Risk = 'safe' | 'caution' | 'dangerous';

export interface Remedy {
  readonly id: string;
  /** What it does, for a list: `let web go without waiting for web-2`. */
  readonly title: string;
  readonly risk: Risk;
  /** What follows, from a forecast; `''` until one was made. */
  readonly effect: string;
  readonly requests: readonly RemedyRequest[];
  /** The same as commands to paste; none for what kubectl cannot do. */
  readonly kubectl: ShellCommands;
}

/** A remedy that can be tried on a simulated cluster. */
export interface ApplicableRemedy extends Remedy {
  /** Several answers where it takes several requests; nothing else happens between these. */
  apply(api: ApiClient): ApiAnswer | readonly ApiAnswer[];
}
