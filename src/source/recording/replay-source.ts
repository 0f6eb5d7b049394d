/** A source that shows a recording at one moment. */
import {
  type ReadPlan,
  type ReadScope,
  type ResourceType,
  type SourceBatch,
  TypeCatalog,
} from '../../model/index.ts';
import { type JsonObject, type Source, SourceError, type SourceInfo } from '../source.ts';
import { RecordingHistory } from './history.ts';
import { RecordingFile } from './reader.ts';
import { RecordedTimeline, recordedBatches } from './recording-timeline.ts';

export interface ReplayOptions {
  readonly file: string;
  /** Chooses the moment; the last by default. Throws if the request is invalid. */
  readonly at?: ((range: RecordedRange) => number) | undefined;
}

export interface RecordedRange {
  readonly from: number;
  readonly to: number;
}

export class ReplaySource implements Source {
  readonly #complete = Promise.withResolvers<void>();
  readonly graphComplete = this.#complete.promise;
  readonly factsComplete = this.graphComplete;
  readonly recording: RecordingFile;
  readonly timeline: RecordedTimeline;
  readonly history: RecordingHistory;
  readonly warnings: readonly string[];

  /** Throws a `SourceError` if it is no recording. */
  constructor({ file, at }: ReplayOptions) {
    this.recording = new RecordingFile(file);
    this.history = new RecordingHistory(this.recording);
    const { from, to, cutOff, head } = this.recording;
    this.timeline = new RecordedTimeline(this.recording, at === undefined ? to : at({ from, to }));
    this.warnings = [
      ...(cutOff
        ? [`${file} was cut off, or is still being written: nothing after ${isoTime(to)} is in it.`]
        : []),
      ...(head.redacted === true ? [`names in ${file} are pseudonyms.`] : []),
    ];
    this.graphComplete.catch(() => {});
  }

  get info(): SourceInfo {
    const { head, name, from, to, cutOff } = this.recording;
    return {
      source: 'replay',
      context: head.context ?? name,
      namespace: head.namespace,
      serverVersion: head.serverVersion,
      takenAt: this.timeline.moment,
      recording: { from, to, cutOff },
    };
  }

  start(listener: (batch: SourceBatch) => void, plan: Pick<ReadPlan, 'scope'> = {}): Promise<void> {
    try {
      const batch = recordedBatches.of(this.recording.stateAt(this.timeline.moment));
      const scope = this.#scopeOf(plan, batch);
      listener(scope === undefined ? batch : { ...batch, scope });
      this.#complete.resolve();
      return Promise.resolve();
    } catch (error) {
      this.#complete.reject(error);
      return Promise.reject(error);
    }
  }

  /** Returns the requested scope if it was recorded completely; otherwise gaps are reported. */
  #scopeOf({ scope }: Pick<ReadPlan, 'scope'>, { types = [] }: SourceBatch): ReadScope | undefined {
    const { namespaces: recorded } = this.recording.head;
    const asked = recorded && scope?.(new TypeCatalog(types));
    return asked?.namespaces.every(each => recorded?.includes(each)) === true ? asked : undefined;
  }

  /** Rejects: recordings hold only watched fields, and a partial object would be misleading. */
  get(type: ResourceType, _namespace: string, name: string): Promise<JsonObject | undefined> {
    return Promise.reject(
      new SourceError(
        `a recording has no whole objects, and so not the ${type.kind} ${JSON.stringify(name)} as YAML: it holds what ownership and deletion depend on.`,
      ),
    );
  }

  close(): Promise<void> {
    this.recording.close();
    return Promise.resolve();
  }
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}
