/** The soak, cut down to a minute: `npm run soak` is the whole of it (docs/conformance.md). */
import { expect, it } from 'vitest';
import { judge, minute } from '../../soak/judge.ts';
import { minutePace, soak } from '../../soak/soak.ts';

it.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'after a minute without rest the screen shows what a fresh one does, and keeps nothing of what has passed',
  async () => {
    const said: string[] = [];
    const say = (line: string): void => void said.push(line);
    const report = await soak({ ...minutePace, seconds: 75, rate: 500, seed: 1, say });
    expect(judge(report, minute), said.join('\n')).toEqual([]);
    // However slow the machine is, these came.
    expect(Object.keys(report.faults)).toEqual(
      expect.arrayContaining(['connections cut', 'watches cut', '410 in every watch', 'stalled terminal']),
    );
    expect(report.real.definitions).toBeGreaterThan(1);
  },
);
