/** TokenReviews and SubjectAccessReviews: the server's only requests that aren't reads. Neither is stored. */
import { createHash } from 'node:crypto';
import { ActAnswer, type ActRequest, record, text, texts } from '../../../model/index.ts';
import { BoundedCache } from './bounded-cache.ts';

export interface Caller {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export type Attributes =
  | { readonly nonResourceAttributes: { readonly path: string; readonly verb: string } }
  | {
      readonly resourceAttributes: {
        readonly verb: string;
        readonly group: string;
        readonly resource: string;
        readonly namespace: string;
      };
    };

/** The API server didn't answer a review, or refused it. The message holds no credentials. */
export class ReviewFailed extends Error {
  override readonly name = 'ReviewFailed';
}

const MOST_TOKENS = 1_000;
const MOST_DECISIONS = 20_000;
/** Milliseconds for which a permission is cached; a refusal is cached for less, so that new roles soon take effect. */
const YES_MS = 60_000;
const NO_MS = 10_000;
/** Tokens have a few kilobytes at most; longer ones are rejected. */
const MOST_TOKEN_CHARACTERS = 16_384;
const PATIENCE_MS = 10_000;

export interface ReviewerOptions {
  /** `Source.act`. */
  readonly send: (request: ActRequest, enough: AbortSignal) => Promise<ActAnswer>;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

export class Reviewer {
  readonly #send: ReviewerOptions['send'];
  readonly #callers: BoundedCache<Caller | undefined>;
  readonly #decisions: BoundedCache<boolean>;

  constructor({ send, now }: ReviewerOptions) {
    this.#send = send;
    const keepMs = (value: unknown): number => (value ? YES_MS : NO_MS);
    this.#callers = new BoundedCache<Caller | undefined>({ most: MOST_TOKENS, now, keepMs });
    this.#decisions = new BoundedCache<boolean>({ most: MOST_DECISIONS, now, keepMs });
  }

  /** Returns undefined for an invalid token. Rejects with `ReviewFailed`. */
  callerOf(token: string): Promise<Caller | undefined> {
    if (token === '' || token.length > MOST_TOKEN_CHARACTERS) return Promise.resolve(undefined);
    // Only the token's digest is kept.
    return this.#callers.get(digest(token), () => this.#review(token));
  }

  /** Rejects with `ReviewFailed`. */
  allows(caller: Caller, attributes: Attributes): Promise<boolean> {
    return this.#decisions.get(digest(JSON.stringify([caller, attributes])), async () => {
      const { username: user, uid, groups, extra } = caller;
      const spec = { user, uid, groups, extra, ...attributes };
      const status = await this.#create('authorization.k8s.io', 'SubjectAccessReview', spec);
      return status['allowed'] === true && status['denied'] !== true;
    });
  }

  async #review(token: string): Promise<Caller | undefined> {
    const status = await this.#create('authentication.k8s.io', 'TokenReview', { token });
    const user = record(status['user']);
    const username = text(user['username']);
    if (status['authenticated'] !== true || username === '') return undefined;
    const extra = Object.entries(record(user['extra'])).map(([key, values]) => [key, texts(values)] as const);
    return {
      username,
      uid: text(user['uid']),
      groups: texts(user['groups']),
      extra: Object.fromEntries(extra),
    };
  }

  async #create(group: string, kind: string, spec: unknown): Promise<Readonly<Record<string, unknown>>> {
    const apiVersion = `${group}/v1`;
    const request: ActRequest = {
      method: 'POST',
      path: `/apis/${apiVersion}/${kind.toLowerCase()}s`,
      contentType: 'application/json',
      body: { apiVersion, kind, spec },
    };
    let answer: ActAnswer;
    try {
      answer = await this.#send(request, AbortSignal.timeout(PATIENCE_MS));
    } catch (error) {
      throw new ReviewFailed(`no ${kind} was answered`, { cause: error });
    }
    const refusal = ActAnswer.refusal(answer);
    if (refusal !== undefined) {
      const why = echoes(refusal, text(record(spec)['token'])) ? `status ${answer.status}` : refusal;
      throw new ReviewFailed(`creating a ${kind} was refused: ${why}`);
    }
    return record(record(answer.body)['status']);
  }
}

/** Length from which common characters count as a part of the token. */
const PART = 8;

function echoes(message: string, token: string): boolean {
  const parts = new Set<string>();
  for (let i = 0; i + PART <= token.length; i += 1) parts.add(token.slice(i, i + PART));
  for (let i = 0; i + PART <= message.length; i += 1) if (parts.has(message.slice(i, i + PART))) return true;
  return token !== '' && token.length < PART && message.includes(token);
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}
