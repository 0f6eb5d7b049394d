/**
 * Asks the API server, without changing anything, whether it would let an action happen: the permissions that it
 * needs, and each of its requests as a dry run.
 */
import type { Identity } from '../graph/node.ts';
import { type ActAnswer, type ActRequest, refusalOf } from '../model/act.ts';
import type { DryRunAnswer, DryRunRequest } from '../model/dry-run.ts';
import { record } from '../model/json.ts';
import type { TypeCatalog } from '../model/type-catalog.ts';
import { type AccessQuestion, aboutAll, accessOf, questionsOf, reviewRequest } from './permissions.ts';
import type { Prepared } from './prepare.ts';

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
  /** What the user may not read, so that the backup may have its metadata alone. */
  readonly unreadable: readonly Unreadable[];
}

export interface Unreadable {
  /** The permission that is missing. */
  readonly question: AccessQuestion;
  readonly objects: readonly Identity[];
}

export interface Refusal {
  readonly request: ActRequest;
  readonly status: number;
  readonly message: string;
}

/** `concerned`: objects that go into the backup first. */
export async function examine(
  { requests, concerned }: Pick<Prepared, 'requests' | 'concerned'>,
  asking: Asking,
): Promise<Examination> {
  const missing = await missingOf(questionsOf(requests, asking.catalog), asking);
  const denied = missing.filter(({ onlyWith }) => onlyWith === undefined);
  const doubtful = missing.filter(({ onlyWith }) => onlyWith !== undefined);
  // What isn't permitted is refused by the dry run too, in words that say less.
  const refused = denied.length > 0 ? [] : await rehearse(requests, asking);
  const unreadable = denied.length > 0 ? [] : await unreadableOf(concerned, asking);
  return { denied, doubtful, refused, unreadable };
}

/** Objects by the permission that it takes to read them. */
export function byReading(objects: readonly Identity[], catalog: TypeCatalog): readonly Unreadable[] {
  const groups = new Map<string, { readonly question: AccessQuestion; readonly objects: Identity[] }>();
  for (const object of objects) {
    const type = catalog.resolveKind(object.apiVersion, object.kind);
    if (type === undefined) continue;
    const { group, resource } = type;
    const { namespace } = object;
    const question = { verb: 'get', group, resource, subresource: '', namespace, name: '' } as const;
    const key = JSON.stringify(question);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { question, objects: [object] });
    else known.objects.push(object);
  }
  return [...groups.values()];
}

/** Of many objects of a kind in a namespace those that may be read by name alone aren't told apart. */
async function unreadableOf(objects: readonly Identity[], asking: Asking): Promise<readonly Unreadable[]> {
  const groups = byReading(objects, asking.catalog);
  const found = new Map<Unreadable, Unreadable>();
  const kinds = Map.groupBy(groups, ({ question }) =>
    JSON.stringify({ ...question, namespace: '' }),
  ).values();
  const worker = async (): Promise<void> => {
    for (const alike of kinds) {
      const [first] = alike;
      // Who may read them everywhere may do so in each namespace.
      const everywhere = first && { ...first.question, namespace: '' };
      if (everywhere !== undefined && alike.length > FEW && !(await isDenied(everywhere, asking))) continue;
      for (const each of alike) {
        const { question } = each;
        if (!(await isDenied(question, asking))) continue;
        const left: Identity[] = [];
        for (const object of each.objects) {
          const many = each.objects.length > FEW;
          if (many || (await isDenied({ ...question, name: object.name }, asking))) left.push(object);
        }
        if (left.length > 0) found.set(each, { question, objects: left });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return groups.flatMap(each => found.get(each) ?? []);
}

async function isDenied(question: AccessQuestion, asking: Asking): Promise<boolean> {
  return accessOf(await asking.ask(reviewRequest(question))) === 'denied';
}

/** So many objects of a kind are asked about one by one; of more, all at once first. */
const FEW = 3;
const AT_ONCE = 8;

async function missingOf(questions: readonly AccessQuestion[], asking: Asking): Promise<AccessQuestion[]> {
  const groups = Map.groupBy(questions, question => JSON.stringify(aboutAll(question)));
  const missing: AccessQuestion[] = [];
  const queue = groups.values();
  const worker = async (): Promise<void> => {
    for (const group of queue) {
      const [first] = group;
      if (first === undefined) continue;
      // Who may do it to all may do it to each; who may not may still be allowed some by name.
      if (group.length > FEW && !(await isDenied(aboutAll(first), asking))) continue;
      for (const question of group) if (await isDenied(question, asking)) missing.push(question);
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
