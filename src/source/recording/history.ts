import type { SourceBatch } from '../../model/index.ts';
import type { RecordedEvent, RecordingFile } from './reader.ts';

export class RecordingHistory {
  readonly #file: RecordingFile;

  constructor(file: RecordingFile) {
    this.#file = file;
  }

  get from(): number {
    return this.#file.from;
  }

  get to(): number {
    return this.#file.to;
  }

  get serverVersion(): string | undefined {
    return this.#file.head.serverVersion;
  }

  /** Returns the state at a moment. Throws a `SourceError` if the recording is damaged. */
  stateAt(moment: number): SourceBatch {
    const state = this.#file.stateAt(moment);
    return {
      ...state.surroundings,
      changes: state.objects().map(object => ({ op: 'upsert', object })),
    };
  }

  changes(
    after: number,
    until: number,
  ): readonly (RecordedEvent & { readonly around: Omit<SourceBatch, 'changes'> })[] {
    const found: (RecordedEvent & { readonly around: Omit<SourceBatch, 'changes'> })[] = [];
    this.#file.replay(after, until, (event, { surroundings }) =>
      found.push({ ...event, around: surroundings }),
    );
    return found;
  }
}
