/**
 * Asks the API server, without changing anything, whether it would let an action happen: the permissions that it
 * needs, and each of its requests as a dry run.
 */
import { type ActAnswer, type ActRequest, refusalOf } from '../model/act.ts';
import type { DryRunAnswer, DryRunRequest } from '../model/dry-run.ts';
import { record } from '../model/json.ts';
import type { TypeCatalog } from '../model/type-catalog.ts';
import { type AccessQuestion, aboutAll, accessOf, questionsOf, reviewRequest } from './permissions.ts';

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
  const missing = await missingOf(questionsOf(requests, asking.catalog), asking);
  const denied = missing.filter(({ onlyWith }) => onlyWith === undefined);
  const doubtful = missing.filter(({ onlyWith }) => onlyWith !== undefined);
  // What isn't permitted is refused by the dry run too, in words that say less.
  const refused = denied.length > 0 ? [] : await rehearse(requests, asking);
  return { denied, doubtful, refused };
}

/** So many objects of a kind are asked about one by one; of more, all at once first. */
const FEW = 3;
const AT_ONCE = 8;

async function missingOf(questions: readonly AccessQuestion[], asking: Asking): Promise<AccessQuestion[]> {
  const groups = Map.groupBy(questions, question => JSON.stringify(aboutAll(question)));
  const missing: AccessQuestion[] = [];
  const queue = groups.values();
  const isDenied = async (question: AccessQuestion): Promise<boolean> =>
    accessOf(await asking.ask(reviewRequest(question))) === 'denied';
  const worker = async (): Promise<void> => {
    for (const group of queue) {
      const [first] = group;
      if (first === undefined) continue;
      // Who may do it to all may do it to each; who may not may still be allowed some by name.
      if (group.length > FEW && !(await isDenied(aboutAll(first)))) continue;
      for (const question of group) if (await isDenied(question)) missing.push(question);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return questions.filter(question => missing.includes(question));
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
