/** What Activity tells of a recording, as it would have been told while it was made. */
import { Activity } from '../../activity/activity.ts';
import type { ActivityEntry } from '../../activity/entry.ts';
import { ClusterView } from '../../graph/cluster-view.ts';
import type { RecordingFile } from '../../source/recording/reader.ts';
import { batchOf, timedBatch } from '../../source/recording/timeline.ts';

export class RecordedActivity {
  readonly #file: RecordingFile;
  readonly #view = new ClusterView();
  readonly #activity: Activity;
  readonly #state: ReturnType<RecordingFile['stateAt']>;
  #moment: number;

  /** From a moment of the recording, in milliseconds since the epoch. */
  constructor(file: RecordingFile, from: number) {
    this.#file = file;
    this.#moment = from;
    this.#view.settings = { ...this.#view.settings, serverVersion: file.head.serverVersion };
    this.#state = file.stateAt(from);
    this.#view.apply(batchOf(this.#state), from);
    this.#activity = new Activity(this.#view);
  }

  /** Called first: what was being deleted then. */
  begin(): readonly ActivityEntry[] {
    return this.#activity.begin(this.#moment);
  }

  /** What was told until a later moment, in that order; an entry that is told again says something else. */
  proceed(to: number): readonly ActivityEntry[] {
    const told: ActivityEntry[] = [];
    this.#file.proceed(this.#state, this.#moment, to, news => {
      const { at, batch } = timedBatch(news);
      this.#activity.offer(batch.changes, at);
      this.#view.apply(batch, at);
      told.push(...this.#activity.take(at));
    });
    told.push(...this.#activity.take(to));
    this.#moment = to;
    return told;
  }

  /** Nothing that comes will say it otherwise. */
  isSettled(entry: ActivityEntry): boolean {
    return this.#activity.isSettled(entry);
  }
}
