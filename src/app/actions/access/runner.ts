/** Asks the API server what the user may do to an object (SelfSubjectAccessReview), and remembers the answers a while. */
import type { AccessQuestion } from '../../../actions/prepare/permissions.ts';
import type { Uid } from '../../../model/object.ts';
import type { Source } from '../../../source/source.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import type { Cancel, Ports } from '../../session/ports.ts';
import type { Access } from '../../state/state.ts';

/** The cursor passes by most objects. */
const REST_MS = 150;
/** Permissions change now and then. */
const FRESH_MS = 60_000;
const MOST = 2_000;

interface Answer {
  readonly at: number;
  readonly isDenied: boolean;
}

export class AccessRunner {
  readonly #ports: Pick<Ports, 'after' | 'now'>;
  readonly #tell: (access: Access) => void;
  readonly #answers = new Map<string, Answer>();
  #of: Source | undefined;
  #waiting: Cancel | undefined;

  constructor(ports: Pick<Ports, 'after' | 'now'>, tell: (access: Access) => void) {
    this.#ports = ports;
    this.#tell = tell;
  }

  ask(uid: Uid, cluster: ClusterModel, source: Source): void {
    this.stop();
    if (this.#of !== source) this.#answers.clear();
    this.#of = source;
    this.#waiting = this.#ports.after(REST_MS, () => {
      // Without an answer the keys stay as they are, and the action itself asks again.
      void this.#askNow(uid, cluster, source).catch(() => undefined);
    });
  }

  stop(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  async #askNow(uid: Uid, cluster: ClusterModel, source: Source): Promise<void> {
    const object = cluster.node(uid)?.object;
    if (object === undefined || source.act === undefined) return;
    const { accessQuestionsOf } = await import('./questions.ts');
    const { deletion, unblocking } = accessQuestionsOf(object, cluster);
    const [deleting, unblock] = await Promise.all([
      this.#missing(deletion, source),
      this.#missing(unblocking, source),
    ]);
    this.#tell({ uid, delete: deleting, unblock });
  }

  async #missing(questions: readonly AccessQuestion[], source: Source): Promise<string | undefined> {
    const { missingWords } = await import('../../../text/actions/failure.ts');
    const denied: AccessQuestion[] = [];
    for (const question of questions) if (await this.#isDenied(question, source)) denied.push(question);
    return denied.length === 0 ? undefined : missingWords(denied);
  }

  /** Most permissions hold for all objects of a kind in a namespace, so that is asked first. */
  async #isDenied(question: AccessQuestion, source: Source): Promise<boolean> {
    const { aboutAll } = await import('../../../actions/prepare/permissions.ts');
    return (await this.#answer(aboutAll(question), source)) && (await this.#answer(question, source));
  }

  async #answer(question: AccessQuestion, source: Source): Promise<boolean> {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known !== undefined && this.#ports.now() - known.at < FRESH_MS) return known.isDenied;
    const { accessOf, reviewRequest } = await import('../../../actions/prepare/permissions.ts');
    if (source.act === undefined) return false;
    const isDenied = accessOf(await source.act(reviewRequest(question))) === 'denied';
    if (this.#answers.size >= MOST) this.#answers.clear();
    this.#answers.set(key, { at: this.#ports.now(), isDenied });
    return isDenied;
  }
}
