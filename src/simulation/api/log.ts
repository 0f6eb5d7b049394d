/** The requests that the simulated API server took, for forecasts' steps and for tests. */
import type { KubeObject, Uid } from '../../model/object.ts';
import type { ObjectKey } from './store.ts';
import type { ApiAnswer, DeleteOptions, LoggedRequest, Verb, WriteOptions } from './types.ts';

interface Caller {
  readonly actor: string;
  readonly because: string | undefined;
}

/** As much of an object's name as a request has. */
type Target = Omit<ObjectKey, 'namespace'> & { readonly namespace?: string | undefined };

interface Write {
  readonly verb: Verb;
  readonly target: Target;
  readonly answer: { readonly status: number } | ApiAnswer;
  readonly uid?: Uid | undefined;
  readonly subresource?: WriteOptions['subresource'];
  readonly options?: DeleteOptions;
  readonly before?: KubeObject | undefined;
  readonly after?: KubeObject | undefined;
}

export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  readonly #reads: boolean;

  constructor(reads: boolean) {
    this.#reads = reads;
  }

  read(at: number, caller: Caller, verb: 'get' | 'list', target: Target, answer: { status: number }): void {
    if (this.#reads) this.write(at, caller, { verb, target, answer });
  }

  write(at: number, caller: Caller, write: Write): void {
    const { target, answer, before, after } = write;
    const found = 'object' in answer ? answer.object : undefined;
    this.entries.push({
      n: this.entries.length + 1,
      at,
      actor: caller.actor,
      verb: write.verb,
      type: target.type,
      namespace: target.namespace ?? '',
      name: target.name,
      uid: write.uid ?? found?.uid,
      subresource: write.subresource,
      options: write.options,
      status: answer.status,
      because: caller.because,
      before,
      after,
    });
  }
}
