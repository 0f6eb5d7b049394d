/** Which parts of the product's own code ran, by V8's precise coverage: what a fuzzer is guided by. */
import { Session } from 'node:inspector';

interface CoverageRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Whether what ran since the last call has anything that never ran before, or never as often. */
  hasNews(): boolean {
    let isNews = false;
    // The inspector of the own thread answers at once.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error;
      for (const { scriptId, url, functions } of result) {
        if (!url.includes('/src/')) continue;
        for (const { ranges } of functions)
          for (const range of ranges) isNews = this.#add(scriptId, range) || isNews;
      }
    });
    return isNews;
  }

  stop(): void {
    this.#session.disconnect();
  }

  #add(script: string, { startOffset, endOffset, count }: CoverageRange): boolean {
    if (count === 0) return false;
    const before = this.#seen.size;
    this.#seen.add(`${script}:${startOffset}:${endOffset}:${Math.min(Math.floor(Math.log2(count)), 5)}`);
    return this.#seen.size > before;
  }
}
