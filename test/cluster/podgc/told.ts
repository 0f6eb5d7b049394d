/**
 * One played story of PodGC as its tests ask for it: what was said at each of its moments, and what then came of it.
 * Apart from them, because they stand in files by what they show and look at one run, which takes over a minute.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import type { PodGCCandidate } from '../../../src/cli/documents/definitions.ts';
import type { PodEvent, PodLog } from './pod-log.ts';
import { type Answer, PodGcStory, type Said as SaidOf, SECOND } from './story.ts';

export type Said = SaidOf<Answer>;

export const CYCLE = 20 * SECOND;
/** Times in documents are whole seconds, and watches take a moment. */
const ROUNDED = 2 * SECOND;

/** Plays the story before the tests of a file, and ends it after them. */
export function toldPodGc(): Told {
  let story: PodGcStory | undefined;
  beforeAll(async () => {
    story = await PodGcStory.play();
  });
  afterAll(async () => {
    await story?.stop();
  });
  return new Told(() => {
    if (story === undefined)
      throw new Error('The story is played before the tests, not before they are named.');
    return story;
  });
}

export class Told {
  readonly #played: () => PodGcStory;

  constructor(played: () => PodGcStory) {
    this.#played = played;
  }

  get story(): PodGcStory {
    return this.#played();
  }

  get log(): PodLog {
    return this.story.log;
  }

  get cycles(): readonly number[] {
    return this.story.cycles;
  }

  /**
   * Milliseconds by which something may come late, or be seen late: on a machine on which one request took long, each of
   * those that PodGC sends in a cycle may have.
   */
  get slack(): number {
    return ROUNDED + 4 * this.story.slowest;
  }

  /** When a node was lost, and others were silent with terminating pods. */
  get lost(): Said {
    return this.#at('lost');
  }

  /** After the first cycle: when nodes were tainted, pods had finished, and unscheduled ones were deleted. */
  get tainted(): Said {
    return this.#at('tainted');
  }

  /** When the second cycle was over. */
  get ended(): Said {
    return this.#at('ended');
  }

  /** When one more pod had finished, before the third cycle. */
  get late(): Said {
    return this.#at('late');
  }

  get all(): readonly Said[] {
    return [this.lost, this.tainted, this.ended, this.late];
  }

  /** When PodGC acted on a pod: the patch of its status, or where it had finished the deletion. */
  actOn(name: string, said: Said): PodEvent | undefined {
    const before = this.log.of(name).findLast(({ at }) => at <= said.asked);
    const wasFinished = before?.phase === 'Failed' || before?.phase === 'Succeeded';
    return this.log.first(
      name,
      event => event.at > said.asked && (wasFinished ? event.deleting : event.phase === 'Failed'),
    );
  }

  expectOnTime(said: Said, name: string): void {
    const { dueAt, dueBy, because } = item(said, name) ?? {};
    // The middle of the span, which is a cycle longer where nobody saw the node being deleted.
    const isUnseen = because?.includes('it was not seen since when') === true;
    const at = this.actOn(name, said)?.at ?? Number.NaN;
    expect(Date.parse(dueBy ?? ''), `${name} is taken at the latest by`).toBeGreaterThanOrEqual(
      at - this.slack,
    );
    if (dueAt === undefined)
      expect(at - said.asked, `${name} is taken within`).toBeLessThan(CYCLE + this.slack);
    else
      expect(Math.abs(Date.parse(dueAt) - at), `${name} is taken around`).toBeLessThanOrEqual(
        (isUnseen ? 2 : 1) * CYCLE + this.slack,
      );
  }

  #at(moment: string): Said {
    const said = this.story.said.get(moment);
    if (said === undefined) throw new Error(`nothing was said when it was ${moment}`);
    return said;
  }
}

export function item({ answer }: Said, name: string): PodGCCandidate | undefined {
  return answer.items.find(({ pod }) => pod.name === name);
}

export function due({ answer }: Said): PodGCCandidate[] {
  return answer.items.filter(each => each.due !== 'no');
}

export function names(items: readonly PodGCCandidate[]): string[] {
  return items.map(({ pod }) => pod.name);
}
