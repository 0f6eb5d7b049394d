/** What diagnosis says of random clusters, held against the objects, the forecasts and what comes of its remedies. */
import { describe, expect, test } from 'vitest';
import { prospectOf } from '../../src/diagnosis/explain/prospect.ts';
import type { Uid } from '../../src/model/object.ts';
import { arrive } from '../conformance/truth/state.ts';
import { hold, type Subject } from '../conformance/truth/truth.ts';
import { truthScenario } from '../conformance/truth/worlds.ts';

interface Round {
  readonly subject: Subject;
  readonly from: number;
  readonly count: number;
  readonly does: string;
}

const agreements = Number(process.env['GC_TREE_AGREEMENT'] ?? 40);

// Few, because each is played many times; more of them: `node scripts/truth.ts --rounds 1000`, and
// of agreement `GC_TREE_AGREEMENT=2000` with this test.
const rounds: readonly Round[] = [
  { subject: 'said', from: 1, count: 80, does: 'explains whatever goes, and cries no wolf' },
  {
    subject: 'agreement',
    from: 100,
    count: agreements,
    does: 'and the forecast have one verdict on each object',
  },
  { subject: 'actionable', from: 1, count: 150, does: 'leaves nobody without something to do' },
  { subject: 'blind', from: 1, count: 60, does: 'calls nothing exact that the unseen could change' },
  { subject: 'chains', from: 1, count: 40, does: 'names what decides: removing it frees the object' },
  { subject: 'remedies', from: 285, count: 12, does: 'offers what does as it says' },
  { subject: 'recommended', from: 1, count: 60, does: 'has u propose what is safe and its own' },
  { subject: 'chains', from: 3093, count: 1, does: 'comes to rest among attempts that repeat themselves' },
];

describe('of random clusters an hour after they came to rest, diagnosis', () => {
  test.each(rounds)('$does', { timeout: 600_000 + 1000 * agreements }, async ({ subject, from, count }) => {
    const { violations, restless, findings, deleting } = await hold({ from, count, subjects: [subject] });
    expect(violations.map(({ seed, rule, what }) => `${seed} ${rule}: ${what}`)).toEqual([]);
    // Clusters without anything to say would prove nothing.
    expect(findings).toBeGreaterThan(count);
    expect(deleting).toBeGreaterThan(count / 4);
    expect(restless).toEqual([]);
  });
});

/**
 * The collector has overlooked the pod of this cluster: it saw it after its owner, which waited for its dependents by then. At
 * a restart it sees both anew, in whatever order.
 */
test('what was overlooked once may be overlooked again, so a restart is not said to end it', async () => {
  const { diagnosis, view, player, restarted, calm } = await arrive(truthScenario(1712));
  const [uid] = [...player.naming.made].find(([, name]) => name === 'Pod b/o1') ?? [];
  const node = uid === undefined ? undefined : view.graph.get(uid as Uid);
  if (node === undefined) throw new Error('no pod');
  const [overdue] = diagnosis.of(node.uid);
  expect(overdue).toMatchObject({ code: 'CollectionOverdue' });
  expect(overdue?.message).toMatch(/which a restart of kube-controller-manager may fix\.$/u);
  const prospects = { ifNobodyActs: () => calm, afterRestart: () => restarted };
  expect(prospectOf(diagnosis.tracked, node, prospects)).toEqual([
    expect.stringMatching(
      /it stays as it is\. What a restart of kube-controller-manager makes of it is not certain: o1 ends in one of several ways: deleted, or kept, because/u,
    ),
  ]);
});
