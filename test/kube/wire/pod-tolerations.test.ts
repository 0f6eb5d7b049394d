/** The tolerations of pods, of which most say the same: shared, and told apart where they differ by one byte. */
import { PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { Cursor } from '../../../src/kube/wire/cursor.ts';
import { PodFactsReader } from '../../../src/kube/wire/pod-facts-reader.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import type { PodFacts } from '../../../src/model/facts/facts.ts';

interface Given {
  readonly key: string;
  readonly seconds?: number;
}

/** A PodSpec; `between` is a field of another kind after so many tolerations. */
function spec(tolerations: readonly Given[], between = -1): Buffer {
  const pbf = new PbfWriter();
  pbf.writeStringField(10, 'node-1');
  for (const [index, { key, seconds }] of tolerations.entries()) {
    if (index === between) pbf.writeStringField(24, 'class');
    const write = (_: undefined, inner: PbfWriter): void => {
      inner.writeStringField(1, key);
      inner.writeStringField(2, 'Exists');
      inner.writeStringField(4, 'NoExecute');
      if (seconds !== undefined) inner.writeVarintField(5, seconds);
    };
    pbf.writeMessage(22, write, undefined);
  }
  pbf.writeStringField(24, 'class');
  const outer = new PbfWriter();
  outer.writeBytes(pbf.finish());
  return Buffer.from(outer.finish());
}

/** The facts of pods, read one after the other. */
function read(...specs: readonly Buffer[]): readonly PodFacts[] {
  const reader = new PodFactsReader(new Pool());
  return specs.map(bytes => {
    reader.begin();
    reader.read(2, new Cursor(bytes), bytes.length, { name: 'web' });
    return reader.finish();
  });
}

const usual: readonly Given[] = [
  { key: 'node.kubernetes.io/not-ready', seconds: 300 },
  { key: 'node.kubernetes.io/unreachable', seconds: 300 },
];
const said = (facts: PodFacts | undefined) =>
  facts?.tolerations.map(each => [each.key, each.tolerationSeconds]);
const keys = (given: readonly Given[]) => given.map(({ key, seconds }) => [key, seconds]);

describe('the tolerations of a pod', () => {
  it('are one list, and one set of facts, for all pods that have the same', () => {
    const [first, second] = read(spec(usual), spec(usual));
    expect(said(first)).toEqual(keys(usual));
    expect(first?.tolerations[0]).toMatchObject({ operator: 'Exists', effect: 'NoExecute', value: '' });
    expect(second).toBe(first);
  });

  it('are told from those of the pod before: fewer, more, others, none', () => {
    const given = [
      usual,
      usual.slice(0, 1),
      usual,
      [...usual, { key: 'example.com/more' }],
      usual,
      [{ key: 'node.kubernetes.io/not-ready', seconds: 301 }],
      [],
      usual.toReversed(),
    ];
    const facts = read(...given.map(each => spec(each)));
    expect(facts.map(said)).toEqual(given.map(keys));
    // All else is equal, so that nothing else tells them apart.
    expect(new Set(facts).size).toBe(6);
  });

  it('are one list where another encoder split them, or a field follows', () => {
    const [whole, split] = read(spec(usual), spec(usual, 1));
    expect(said(split)).toEqual(keys(usual));
    expect(split?.tolerations).toBe(whole?.tolerations);
  });

  it('may be many', () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ key: `example.com/taint-${index}` }));
    const [first, second] = read(spec(many), spec(many));
    expect(said(first)).toEqual(keys(many));
    expect(second?.tolerations).toBe(first?.tolerations);
  });
});
