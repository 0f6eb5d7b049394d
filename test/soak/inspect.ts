/** Looks into a running process through Node's inspector: its heap after a collection, and how many objects of a kind live. */
import { setTimeout as sleep } from 'node:timers/promises';
import { list, record, text } from '../../src/model/json/json.ts';

export interface Insight {
  /** MB of live objects, after a full collection. */
  readonly heap: number;
  /** MB outside of the heap that objects hold: buffers above all. */
  readonly external: number;
  /** Live objects by class, and what keeps the event loop going by type. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Prototypes by name. Subclasses count with their classes. */
const counted: Readonly<Record<string, string>> = {
  AbortSignal: 'AbortSignal.prototype',
  Timeout: 'Object.getPrototypeOf(setTimeout(() => {}, 0))',
  EventTarget: 'EventTarget.prototype',
  EventEmitter: 'Object.getPrototypeOf(Object.getPrototypeOf(Object.getPrototypeOf(process.stdin)))',
  Promise: 'Promise.prototype',
};

/** For the command line of Node: nothing of it is printed. */
export function inspectorFlags(port: number): string[] {
  return [`--inspect=127.0.0.1:${port}`, '--inspect-publish-uid=http'];
}

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #next = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const answer = record(JSON.parse(String(data)));
      const waiting = this.#waiting.get(Number(answer['id']));
      this.#waiting.delete(Number(answer['id']));
      if (answer['error'] === undefined) waiting?.resolve(answer['result']);
      else waiting?.reject(new Error(JSON.stringify(answer['error'])));
    });
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the inspected process has ended'));
      this.#waiting.clear();
    });
  }

  static async connect(port: number): Promise<Inspector> {
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
        const url = text(record(list(await answer.json())[0])['webSocketDebuggerUrl']);
        const socket = new WebSocket(url);
        await new Promise<void>((resolve, reject) => {
          socket.addEventListener('open', () => resolve(), { once: true });
          socket.addEventListener('error', () => reject(new Error('no inspector')), { once: true });
        });
        return new Inspector(socket);
      } catch (error) {
        if (attempt === 100) throw error;
        await sleep(100);
      }
    }
  }

  async look(): Promise<Insight> {
    await this.#send('HeapProfiler.collectGarbage', {});
    const usage = record(await this.#send('Runtime.getHeapUsage', {}));
    const megabytes = (name: string): number => Number(usage[name] ?? 0) / 1024 / 1024;
    const counts: Record<string, number> = {};
    for (const [name, prototype] of Object.entries(counted)) counts[name] = await this.#count(prototype);
    const active = await this.#evaluate('process.getActiveResourcesInfo().join()', true);
    for (const resource of text(active['value']).split(','))
      counts[`active ${resource}`] = (counts[`active ${resource}`] ?? 0) + 1;
    return {
      heap: megabytes('usedSize'),
      external: megabytes('backingStorageSize') + megabytes('embedderHeapUsedSize'),
      counts,
    };
  }

  close(): void {
    this.#socket.close();
  }

  async #count(prototype: string): Promise<number> {
    const { objectId } = await this.#evaluate(prototype, false);
    const group = { objectGroup: 'soak' };
    const found = record(await this.#send('Runtime.queryObjects', { prototypeObjectId: objectId, ...group }));
    const { description } = record(found['objects']);
    await this.#send('Runtime.releaseObjectGroup', group);
    return Number(/\((\d+)\)/u.exec(text(description))?.[1] ?? Number.NaN);
  }

  async #evaluate(expression: string, returnByValue: boolean): Promise<Record<string, unknown>> {
    const answer = await this.#send('Runtime.evaluate', { expression, returnByValue, objectGroup: 'soak' });
    return { ...record(record(answer)['result']) };
  }

  #send(method: string, params: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
