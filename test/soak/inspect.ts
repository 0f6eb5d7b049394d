/** Looks into a running process through Node's inspector: its heap after a collection, and how many objects of a kind live. */
import { setTimeout as sleep } from 'node:timers/promises';
import { list, record, text } from '../../src/model/json/json.ts';

export interface Insight {
  /** MB of live objects, after a full collection. */
  readonly heap: number;
  /** MB outside of the heap that objects hold: buffers above all. */
  readonly external: number;
  /** Of what tends to leak, of listeners, and of what keeps the event loop going by type. */
  readonly counts: Readonly<Record<string, number>>;
  /** Live objects by the name of their class, those of which there are the most. */
  readonly classes: Readonly<Record<string, number>>;
}

/**
 * Of all objects that live: how many there are of what tends to leak, how many listeners those have that can be listened
 * to, and how many objects there are by class. Subclasses count with their classes in the former.
 */
const countObjects = `function () {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  const classes = {
    AbortSignal,
    EventTarget,
    EventEmitter: process.getBuiltinModule('node:events'),
    Timeout: timer.constructor,
    Promise,
  };
  const counts = { listeners: 0 };
  for (const name of Object.keys(classes)) counts[name] = 0;
  const byClass = new Map();
  for (const each of this) {
    for (const name of Object.keys(classes)) if (each instanceof classes[name]) counts[name]++;
    if (each instanceof EventTarget) {
      const symbol = Object.getOwnPropertySymbols(each).find(({ description }) => description === 'kEvents');
      for (const { size } of each[symbol]?.values() ?? []) counts.listeners += size ?? 0;
    } else if (each instanceof classes.EventEmitter)
      for (const name of Reflect.ownKeys(each._events ?? {}))
        counts.listeners += typeof each._events[name] === 'function' ? 1 : (each._events[name]?.length ?? 0);
    const constructor = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(each), 'constructor')?.value;
    const name = typeof constructor === 'function' ? constructor.name : '';
    byClass.set(name, (byClass.get(name) ?? 0) + 1);
  }
  for (const resource of process.getActiveResourcesInfo())
    counts['active ' + resource] = (counts['active ' + resource] ?? 0) + 1;
  const most = [...byClass].sort((a, b) => b[1] - a[1]).slice(0, 100);
  return { counts, classes: Object.fromEntries(most) };
}`;

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
    const { counts, classes } = await this.#count();
    return {
      heap: megabytes('usedSize'),
      external: megabytes('backingStorageSize') + megabytes('embedderHeapUsedSize'),
      counts: counts as Insight['counts'],
      classes: classes as Insight['classes'],
    };
  }

  close(): void {
    this.#socket.close();
  }

  /** One search of the heap for all of them: each begins with several collections, which the process stands still for. */
  async #count(): Promise<Record<string, unknown>> {
    const objectGroup = 'soak';
    const evaluated = record(
      await this.#send('Runtime.evaluate', { expression: 'Object.prototype', objectGroup }),
    );
    const prototypeObjectId = record(evaluated['result'])['objectId'];
    const found = record(await this.#send('Runtime.queryObjects', { prototypeObjectId, objectGroup }));
    const { objectId } = record(found['objects']);
    const call = { objectId, functionDeclaration: countObjects, returnByValue: true };
    const { result, exceptionDetails } = record(await this.#send('Runtime.callFunctionOn', call));
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    await this.#send('Runtime.releaseObjectGroup', { objectGroup });
    return { ...record(record(result)['value']) };
  }

  #send(method: string, params: object): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
