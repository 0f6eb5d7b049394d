/** Asks the API server if it would allow an action: its permissions, and each request as a dry run. */
import { compareBytes, type Identity } from '../../graph/index.ts';
import {
  ActAnswer,
  ActRequest,
  type DryRunAnswer,
  type DryRunRequest,
  getOrInsert,
  mapConcurrently,
  record,
  type TypeCatalog,
  text,
} from '../../model/index.ts';
import { AccessQuestion, type PermissionReview } from './access-questions.ts';
import type { Prepared } from './prepare.ts';
import { rebuiltOwner } from './rebuilt-owner.ts';

export interface Asking {
  readonly catalog: TypeCatalog;
  /** Sends a review; rejects if no answer came. */
  ask(request: ActRequest): Promise<ActAnswer>;
  /** Missing if there is no API server to ask. */
  readonly dryRun?: ((request: DryRunRequest) => Promise<DryRunAnswer>) | undefined;
}

export interface Examination {
  /** All reviews with their answers; one without a name is about all objects of its kind. */
  readonly reviews: readonly Review[];
  /** All dry runs; empty if there is no API server to ask. */
  readonly dryRuns: readonly DryRun[];
  /** Requests that can't be tried before an earlier one has created or removed something. */
  readonly untried: readonly Untried[];
  readonly denied: readonly AccessQuestion[];
  /** Missing permissions that only an admission plugin checks; it is off by default. */
  readonly doubtful: readonly AccessQuestion[];
  /** Requests that the API server would refuse, with its words verbatim. */
  readonly refused: readonly ExaminationRefusal[];
  /** Objects the user can't read; the backup may hold only their metadata. */
  readonly unreadable: readonly Unreadable[];
}

export interface Review {
  readonly question: AccessQuestion;
  readonly access: PermissionReview;
}

export interface DryRun {
  readonly request: ActRequest;
  readonly status: number;
  /** The API server's refusal, verbatim, or why its answer rules the request out. */
  readonly refusal: string | undefined;
}

export interface Untried {
  /** `CustomResourceDefinition widgets.example.com is there`, with names verbatim. */
  readonly before: string;
  readonly requests: readonly ActRequest[];
}

interface Unreadable {
  readonly question: AccessQuestion;
  readonly objects: readonly Identity[];
}

export interface ExaminationRefusal {
  readonly request: ActRequest;
  readonly status: number;
  readonly message: string;
}

/** `concerned`: objects to back up first. */
export async function examine(
  { requests, concerned }: Pick<Prepared, 'requests' | 'concerned'>,
  asking: Asking,
): Promise<Examination> {
  const reviewer = new Reviewer(asking);
  const missing = await missingOf(AccessQuestion.of(requests, asking.catalog), reviewer);
  const denied = missing.filter(({ onlyWith }) => onlyWith === undefined);
  const doubtful = missing.filter(({ onlyWith }) => onlyWith !== undefined);
  // The dry run refuses forbidden requests too, but explains less.
  const { dryRuns, untried } =
    denied.length > 0 ? { dryRuns: [], untried: [] } : await rehearse(requests, asking);
  const refused = dryRuns.flatMap(({ request, status, refusal }) =>
    refusal === undefined ? [] : { request, status, message: refusal },
  );
  const unreadable =
    denied.length > 0 ? [] : await unreadableOf(byReading(concerned, asking.catalog), reviewer);
  return { reviews: reviewer.reviews(), dryRuns, untried, denied, doubtful, refused, unreadable };
}

export function byReading(objects: readonly Identity[], catalog: TypeCatalog): readonly Unreadable[] {
  const groups = Map.groupBy(objects, ({ apiVersion, kind, namespace }) => {
    const type = catalog.resolveKind(apiVersion, kind);
    return type && `${type.group} ${type.resource} ${namespace}`;
  });
  return [...groups].flatMap(([key, alike]) => {
    if (key === undefined) return [];
    const [group = '', resource = '', namespace = ''] = key.split(' ');
    return {
      question: { verb: 'get', group, resource, subresource: '', namespace, name: '' },
      objects: alike,
    };
  });
}

/** Finds unreadable objects. For many of one kind in a namespace, permissions by name aren't checked. */
async function unreadableOf(
  groups: readonly Unreadable[],
  reviewer: Reviewer,
): Promise<readonly Unreadable[]> {
  const found = new Map<Unreadable, Unreadable>();
  const kinds = Map.groupBy(groups, ({ question }) => JSON.stringify({ ...question, namespace: '' }));
  await mapConcurrently([...kinds.values()], AT_ONCE, async alike => {
    const [first] = alike;
    // Permission for all namespaces covers each one.
    const everywhere = first && { ...first.question, namespace: '' };
    if (everywhere !== undefined && alike.length > FEW && !(await reviewer.isDenied(everywhere))) return;
    for (const each of alike) {
      const { question } = each;
      if (!(await reviewer.isDenied(question))) continue;
      const left: Identity[] = [];
      for (const object of each.objects) {
        const many = each.objects.length > FEW;
        if (many || (await reviewer.isDenied({ ...question, name: object.name }))) left.push(object);
      }
      if (left.length > 0) found.set(each, { question, objects: left });
    }
  });
  return groups.flatMap(each => found.get(each) ?? []);
}

class Reviewer {
  readonly #asking: Asking;
  readonly #answered: Review[] = [];

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  async isDenied(question: AccessQuestion): Promise<boolean> {
    const access = AccessQuestion.access(await this.#asking.ask(AccessQuestion.review(question)));
    this.#answered.push({ question, access });
    return access === 'denied';
  }

  /** Sorts the reviews, because answers come in any order. */
  reviews(): readonly Review[] {
    const keyed = this.#answered.map(review => ({ key: JSON.stringify(review.question), review }));
    return keyed.sort((a, b) => compareBytes(a.key, b.key)).map(({ review }) => review);
  }
}

/** Up to this many objects of a kind are asked about one by one; above, all at once first. */
const FEW = 3;
const AT_ONCE = 8;

async function missingOf(
  questions: readonly AccessQuestion[],
  reviewer: Reviewer,
): Promise<AccessQuestion[]> {
  const groups = Map.groupBy(questions, question => JSON.stringify(AccessQuestion.aboutAll(question)));
  const missing: AccessQuestion[] = [];
  await mapConcurrently([...groups.values()], AT_ONCE, async group => {
    const [first] = group;
    // Permission for all covers each; without it, some may be allowed by name.
    if (
      first !== undefined &&
      group.length > FEW &&
      !(await reviewer.isDenied(AccessQuestion.aboutAll(first)))
    )
      return;
    for (const question of group) if (await reviewer.isDenied(question)) missing.push(question);
  });
  return questions.filter(question => missing.includes(question));
}

/** Tries each request alone. Skips those that depend on an earlier one: on its object, or on one that it creates or removes. */
async function rehearse(
  requests: readonly ActRequest[],
  { dryRun }: Asking,
): Promise<Pick<Examination, 'dryRuns' | 'untried'>> {
  if (dryRun === undefined) return { dryRuns: [], untried: [] };
  const dryRuns: DryRun[] = [];
  const waiting = new Map<string, ActRequest[]>();
  const seen = new Set<string>();
  const namespaces = new Set<string>();
  for (const request of requests) {
    const { method, path, body } = request;
    const created = method === 'POST' ? text(record(record(body)['metadata'])['name']) : '';
    const key = `${path}/${created}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const namespace = ActRequest.placeOf(path)?.namespace ?? '';
    const before = awaitedBy(request, namespaces.has(namespace) ? namespace : undefined);
    if (before !== undefined) {
      getOrInsert(waiting, before, () => []).push(request);
      continue;
    }
    if (created !== '' && path === NAMESPACES) namespaces.add(created);
    const answer = await dryRun(asDryRun(request));
    const refusal = ActAnswer.refusal(answer) ?? rebuiltOwner.changedTemplate(request, answer.body);
    dryRuns.push({ request, status: answer.status, refusal });
  }
  const untried = [...waiting].map(([before, requestsOfIt]) => ({ before, requests: requestsOfIt }));
  return { dryRuns, untried };
}

function awaitedBy(
  { definition, replaces, body }: ActRequest,
  newNamespace: string | undefined,
): string | undefined {
  if (definition !== undefined) return `CustomResourceDefinition ${definition} is there`;
  if (newNamespace !== undefined) return `Namespace ${newNamespace} is there`;
  const { kind, metadata } = record(body);
  return replaces === true ? `${text(kind)} ${text(record(metadata)['name'])} is gone` : undefined;
}

const NAMESPACES = '/api/v1/namespaces';

export function asDryRun({ method, path, contentType, body }: ActRequest): DryRunRequest {
  return {
    method,
    path: `${path}?dryRun=All`,
    contentType,
    body: method === 'DELETE' ? { ...record(body), dryRun: ['All'] } : body,
  };
}
