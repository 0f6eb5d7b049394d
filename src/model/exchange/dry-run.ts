/**
 * Requests that are asked for their answer alone: the API server checks and admits them as it would the real one,
 * and stores nothing. Plain data, so that those who make them and those who send them agree on what may pass.
 */
import { list, record } from '../json/json.ts';

export interface DryRunRequest {
  readonly method: 'DELETE' | 'PATCH';
  /** With its query, which holds `dryRun=All`. */
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
}

export interface DryRunAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The parsed JSON: the object as it would become, or a `Status`. Undefined where it is none. */
  readonly body: unknown;
}

/**
 * Whether the API server would store nothing. It reads the options of a DELETE that has a body from the body
 * alone, and those of a PATCH from the query (apiserver pkg/endpoints/handlers/delete.go and patch.go, v0.36).
 */
export function changesNothing({ method, path, body }: DryRunRequest): boolean {
  const question = path.indexOf('?');
  const query = new URLSearchParams(question < 0 ? '' : path.slice(question));
  const asked = query.getAll('dryRun');
  if (asked.length !== 1 || asked[0] !== 'All') return false;
  if (method === 'PATCH') return true;
  const inBody = list(record(body)['dryRun']);
  return inBody.length === 1 && inBody[0] === 'All';
}
