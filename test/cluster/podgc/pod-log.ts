/** What happens to the pods of a cluster, and when, as a watch of the test's own tells it. */
import type { ApiClient, WatchEvent } from '../../harness/api-client.ts';
import { eventually } from '../eventually.ts';

interface PodEventObject {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  };
}

export interface PodEvent {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** In the order in which the API server wrote. */
  readonly version: number;
  readonly type: WatchEvent<unknown>['type'];
  readonly deleting: boolean;
  readonly phase: string;
  /** `Type/Reason` of every condition that is True. */
  readonly conditions: readonly string[];
}

/** By the names of pods, which have to differ between namespaces. */
export class PodLog {
  readonly #events = new Map<string, PodEvent[]>();
  readonly #end: () => void;

  constructor(api: ApiClient) {
    this.#end = api.watch<PodEventObject>('/api/v1/pods?watch=1', ({ type, object }) => {
      const { metadata, status } = object;
      const events = this.#events.get(metadata.name) ?? [];
      this.#events.set(metadata.name, events);
      events.push({
        at: Date.now(),
        version: Number(metadata.resourceVersion),
        type,
        deleting: metadata.deletionTimestamp !== undefined,
        phase: status?.phase ?? '',
        conditions: (status?.conditions ?? [])
          .filter(condition => condition.status === 'True')
          .map(condition => `${condition.type}/${condition.reason ?? ''}`),
      });
    });
  }

  of(name: string): readonly PodEvent[] {
    return this.#events.get(name) ?? [];
  }

  names(): string[] {
    return [...this.#events.keys()];
  }

  /** The first event that is so. */
  first(name: string, isSo: (event: PodEvent) => boolean): PodEvent | undefined {
    return this.of(name).find(isSo);
  }

  /** Whether it is there and in a phase that is final. */
  isFinished(name: string): boolean {
    const phase = this.of(name).at(-1)?.phase;
    return !this.isGone(name) && (phase === 'Failed' || phase === 'Succeeded');
  }

  isGone(name: string): boolean {
    return this.of(name).at(-1)?.type === 'DELETED';
  }

  /** Resolves with the first event that is so, once it came; rejects where it doesn't come. */
  until(name: string, isSo: (event: PodEvent) => boolean): Promise<PodEvent> {
    return eventually(() => {
      const event = this.first(name, isSo);
      if (event === undefined)
        throw new Error(`${name}: ${JSON.stringify(this.of(name).at(-1) ?? 'unheard of')}`);
      return event;
    });
  }

  stop(): void {
    this.#end();
  }
}
