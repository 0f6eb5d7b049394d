/** Replays a recording's activity as it was reported live. */

import { Activity, type ActivityEntry } from '../../activity/index.ts';
import { ClusterView } from '../../graph/index.ts';
import { type RecordingFile, recordedBatches } from '../../source/index.ts';

export class RecordedActivity {
  readonly #file: RecordingFile;
  readonly #view = new ClusterView();
  readonly #activity: Activity;
  readonly #state: ReturnType<RecordingFile['stateAt']>;
  #moment: number;

  /** `from`: a moment of the recording. */
  constructor(file: RecordingFile, from: number) {
    this.#file = file;
    this.#moment = from;
    this.#view.settings = { ...this.#view.settings, serverVersion: file.head.serverVersion };
    this.#state = file.stateAt(from);
    this.#view.apply(recordedBatches.of(this.#state), from);
    this.#activity = new Activity(this.#view);
  }

  begin(): readonly ActivityEntry[] {
    return this.#activity.begin(this.#moment);
  }

  /** Returns entries in order; a repeated entry has changed. */
  proceed(to: number): readonly ActivityEntry[] {
    const told: ActivityEntry[] = [];
    this.#file.proceed(this.#state, this.#moment, to, news => {
      const { at, batch } = recordedBatches.timed(news);
      this.#activity.offer(batch.changes, at);
      this.#view.apply(batch, at);
      told.push(...this.#activity.take(at));
    });
    told.push(...this.#activity.take(to));
    this.#moment = to;
    return told;
  }

  isSettled(entry: ActivityEntry): boolean {
    return this.#activity.isSettled(entry);
  }
}
