/** What is made of a forecast of many objects pauses again and again, so that no key waits for all of them. */
import { expect, test } from 'vitest';
import { lossesOf } from '../../../src/actions/prepare/losses.ts';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import { policiesShown } from '../../../src/app/actions/intent.ts';
import { ClusterModel } from '../../../src/app/cluster/model.ts';
import { cascadesOf } from '../../../src/diagnosis/cascades/tool-effects.ts';
import type { Cascade } from '../../../src/forecast/action.ts';
import type { Sliced } from '../../../src/model/slices.ts';
import { listedBatch, objects } from '../../cli/documents/cluster.ts';
import { now, objectOf } from '../../forecast/fixtures.ts';

const MANY = 3_000;
/** Objects between two pauses. */
const MOST = 500;

/** The cluster of one object that owns so many others, each held by a finalizer where `held`. */
function viewOf(held: boolean) {
  const finalizers = held ? ', finalizers: [example.com/hold]' : '';
  const parts = Array.from(
    { length: MANY },
    (_, i) => `- {kind: ConfigMap, name: part-${i}, owners: [v1 ConfigMap top top]${finalizers}}`,
  );
  const model = new ClusterModel({ namespace: undefined });
  model.view.apply(listedBatch(objects(['- {kind: ConfigMap, name: top}', ...parts].join('\n'))), 0);
  return model.view;
}

function pausesOf(work: Sliced<unknown>): number {
  let pauses = 0;
  while (work.next().done !== true) pauses += 1;
  return pauses;
}

function preparation(view: ReturnType<typeof viewOf>, cascade: Cascade) {
  const intent = { verb: 'delete', cascade, targets: [objectOf(view, 'top')] } as const;
  return [intent, { view, now: () => now, secretData: false }] as const;
}

test.each([
  { held: false, with: 'nothing that holds them' },
  { held: true, with: 'a finalizer on each' },
])('losses, what tools do and the texts of the policies, with $with', ({ held }) => {
  const view = viewOf(held);
  const [background, foreground, orphan] = (['background', 'foreground', 'orphan'] as const).map(each =>
    actionRun.prepare(...preparation(view, each)),
  );
  if (background === undefined || foreground === undefined || orphan === undefined) throw new Error('none');
  const { intent, forecast } = background;
  expect(background.concerned).toHaveLength(MANY + 1);
  const pauses = MANY / MOST;
  expect(pausesOf(lossesOf(intent, forecast, { view, secretData: false }))).toBeGreaterThanOrEqual(pauses);
  // Once for what the tools do with it, once for who recreates it.
  expect(pausesOf(cascadesOf(view, forecast, new Map()))).toBeGreaterThanOrEqual(2 * pauses);
  const shown = policiesShown({ background, foreground, orphan }, { view, width: 80, whole: true });
  expect(pausesOf(shown)).toBeGreaterThan(20);
});
