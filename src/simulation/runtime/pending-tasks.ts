/**
 * What waits on a virtual clock: tasks that are due, in the order of scheduling, and tasks that come later, first by
 * time. Apart from the clock, which decides when time goes on and what counts as rest.
 */

/**
 * What a pending task means for rest (`run`).
 * - `work`: something will happen; nothing is at rest before it did.
 * - `retry`: an attempt that failed, or a periodic look. It counts as pending until it has run once on the
 *   state as it is now: repeating it again could not turn out otherwise.
 * - `idle`: never keeps the cluster from being at rest, such as the next firing of a schedule.
 */
export type TaskKind = 'work' | 'retry' | 'idle';

export interface Task {
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  readonly sequence: number;
  /** Tasks of one lane run in the order of scheduling, whoever chooses. */
  readonly lane: string;
  readonly kind: TaskKind;
}

export interface PendingTask extends Task {
  readonly run: () => void;
  /** Of the attempt that scheduled a retry; the state has not changed since where it is the current one. */
  readonly epoch: number;
  readonly slow: boolean;
  readonly continues: boolean;
  cancelled: boolean;
}

/** Tasks whose time has come, in the order of scheduling. */
export class DueTasks {
  /** Undefined where a task was taken: what it holds on to is free at once. */
  #tasks: (PendingTask | undefined)[] = [];
  #from = 0;

  push(task: PendingTask): void {
    this.#tasks.push(task);
  }

  take(): PendingTask | undefined {
    while (this.#from < this.#tasks.length) {
      const task = this.#tasks[this.#from];
      this.#tasks[this.#from++] = undefined;
      if (task !== undefined && !task.cancelled) return task;
    }
    this.#tasks = [];
    this.#from = 0;
    return undefined;
  }

  /** Drops what was taken or cancelled. */
  pending(): readonly PendingTask[] {
    const left = this.#tasks
      .slice(this.#from)
      .filter((task): task is PendingTask => task !== undefined && !task.cancelled);
    this.#tasks = left;
    this.#from = 0;
    return left;
  }

  /** After `pending`. */
  remove(task: PendingTask): void {
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
  }
}

/** Tasks whose time is yet to come, the next one first: a heap. */
export class LaterTasks {
  readonly #tasks: PendingTask[] = [];

  push(task: PendingTask): void {
    pushHeap(this.#tasks, task);
  }

  /** The next task that wasn't cancelled. */
  first(): PendingTask | undefined {
    let first = this.#tasks[0];
    while (first?.cancelled) {
      popHeap(this.#tasks);
      first = this.#tasks[0];
    }
    return first;
  }

  /** Takes all tasks of this moment, the next one, in the order of scheduling. */
  take(at: number): PendingTask[] {
    const taken: PendingTask[] = [];
    for (let first = this.first(); first?.at === at; first = this.first()) {
      popHeap(this.#tasks);
      taken.push(first);
    }
    return taken;
  }

  /** In no order. */
  *pending(): Generator<PendingTask> {
    for (const task of this.#tasks) if (!task.cancelled) yield task;
  }

  /** All come so many milliseconds later. */
  postponeAll(milliseconds: number): void {
    // All move alike, so the heap stays one.
    for (const task of this.#tasks) moveTo(task, task.at + milliseconds);
  }

  /** Those that are meant come at this moment, unless they come later anyway. */
  postpone(at: number, isMeant: (task: PendingTask) => boolean): void {
    for (const task of this.#tasks) if (isMeant(task) && task.at < at) moveTo(task, at);
    // In order, an array is a heap.
    this.#tasks.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  }
}

/** The task itself, and no copy: a cancelled one stays cancelled, and whoever cancels one later must find it. */
function moveTo(task: PendingTask, at: number): void {
  Object.assign(task, { at });
}

function isBefore(a: PendingTask, b: PendingTask): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}

function pushHeap(heap: PendingTask[], task: PendingTask): void {
  let index = heap.length;
  heap.push(task);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (parent === undefined || !isBefore(task, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = task;
}

function popHeap(heap: PendingTask[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let childIndex = 2 * index + 1;
    let child = heap[childIndex];
    if (child === undefined) break;
    const right = heap[childIndex + 1];
    if (right !== undefined && isBefore(right, child)) {
      child = right;
      childIndex++;
    }
    if (!isBefore(child, last)) break;
    heap[index] = child;
    index = childIndex;
  }
  heap[index] = last;
}
