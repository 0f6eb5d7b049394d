/** Custom resources are read whole for their state only where it is printed; with -A, that is `-o wide` and documents. */
import { expect, test } from 'vitest';
import type { SourceBatch } from '../../../../src/model/exchange/changes.ts';
import type { ReadPlan } from '../../../../src/model/exchange/reads.ts';
import { command, SmallSource } from '../../console.ts';

class WatchedSource extends SmallSource {
  reading: ReadPlan | undefined;

  override start(listener: (batch: SourceBatch) => void, reading?: ReadPlan): Promise<void> {
    this.reading = reading;
    return super.start(listener);
  }
}

test.each([
  ['-n shop', true],
  ['-A', false],
  ['-A -o wide', true],
  ['-A -o json', true],
  ['-A -o name', false],
  ['-n shop -o name', false],
])('tree %s reads states: %s', async (words, states) => {
  const source = new WatchedSource('- { kind: Namespace, name: shop, namespace: "" }');
  await command(`tree ${words}`, { source });
  expect(source.reading?.states).toBe(states);
});
