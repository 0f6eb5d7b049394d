/**
 * Asks the API server, without changing anything, whether it would let an action happen: the permissions that it
 * needs, and each of its requests as a dry run.
 */
import { type ActAnswer, type ActRequest, refusalOf } from '../model/act.ts';
import type { DryRunAnswer, DryRunRequest } from '../model/dry-run.ts';
import { record } from '../model/json.ts';
import type { TypeCatalog } from '../model/type-catalog.ts';
import { type AccessQuestion, accessOf, questionsOf, reviewRequest } from './permissions.ts';

export interface Asking {
  readonly catalog: TypeCatalog;
  /** Sends a review; rejects where no answer came. */
  ask(request: ActRequest): Promise<ActAnswer>;
  /** Missing where there is no API server to ask. */
  readonly dryRun?: ((request: DryRunRequest) => Promise<DryRunAnswer>) | undefined;
}

export interface Examination {
  /** Permissions that are missing: the action can't be taken. */
  readonly denied: readonly AccessQuestion[];
  /** Missing permissions that only an admission plugin asks for, which is off by default. */
  readonly doubtful: readonly AccessQuestion[];
  /** Requests that the API server would refuse, with its own words, verbatim. */
  readonly refused: readonly Refusal[];
}

export interface Refusal {
  readonly request: ActRequest;
  readonly status: number;
  readonly message: string;
}

export async function examine(requests: readonly ActRequest[], asking: Asking): Promise<Examination> {
  const questions = questionsOf(requests, asking.catalog);
  const answers = await Promise.all(
    questions.map(async question => ({
      question,
      access: accessOf(await asking.ask(reviewRequest(question))),
    })),
  );
  const missing = answers.filter(({ access }) => access === 'denied').map(({ question }) => question);
  const denied = missing.filter(({ onlyWith }) => onlyWith === undefined);
  const doubtful = missing.filter(({ onlyWith }) => onlyWith !== undefined);
  // What isn't permitted is refused by the dry run too, in words that say less.
  const refused = denied.length > 0 ? [] : await rehearse(requests, asking);
  return { denied, doubtful, refused };
}

/**
 * Each request by itself: what an earlier one would change isn't there for a later one. So a later request about
 * an object that an earlier one is about isn't asked.
 */
async function rehearse(requests: readonly ActRequest[], { dryRun }: Asking): Promise<Refusal[]> {
  if (dryRun === undefined) return [];
  const refused: Refusal[] = [];
  const seen = new Set<string>();
  for (const request of requests) {
    if (seen.has(request.path) || (request.method !== 'DELETE' && request.method !== 'PATCH')) continue;
    seen.add(request.path);
    const answer = await dryRun(asDryRun(request, request.method));
    const message = refusalOf(answer);
    if (message !== undefined) refused.push({ request, status: answer.status, message });
  }
  return refused;
}

function asDryRun({ path, contentType, body }: ActRequest, method: 'DELETE' | 'PATCH'): DryRunRequest {
  return {
    method,
    path: `${path}?dryRun=All`,
    contentType,
    body: method === 'DELETE' ? { ...record(body), dryRun: ['All'] } : body,
  };
}
