/** The painted rows of random clusters against the sets that their forecasts name. */
import { expect, test } from 'vitest';
import { paintingOf } from '../../../src/app/painting/make.ts';
import { paintedRow } from '../../../src/app/views/tree/painted-row.ts';
import { Cascade } from '../../../src/forecast/action.ts';
import { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { Glyphs } from '../../../src/text/terminal/glyphs.ts';
import { listedBatch, now } from '../../cli/documents/cluster.ts';
import { planDelete } from '../../forecast/fixtures.ts';
import { viewOf, world } from '../../forecast/random-world.ts';
import { ScreenDriver } from '../screen-driver.ts';

test('every object of a random forecast has a painted row, and no other row has a sign', () => {
  let painted = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed);
    const objects = world(random);
    const driver = new ScreenDriver({ namespace: undefined });
    const batch = listedBatch(objects.map(object => ({ op: 'upsert', object })));
    driver.send({ type: 'batch', batch, now });
    driver.send({ type: 'graphComplete', info: driver.info() });
    driver.press('*');
    const { cluster } = driver.state;
    if (cluster === undefined) throw new Error('no cluster');
    const uid = objects[random.below(objects.length)]?.uid ?? '';
    for (const cascade of Cascade.all) {
      const made = planDelete(cluster.view, uid, cascade);
      cluster.paint(paintingOf(made));
      const signs = new Map<string, string>();
      for (const item of cluster.rows.window(0, 1_000)) {
        const row = item.kind === 'object' ? paintedRow(driver.state, item, Glyphs.unicode) : undefined;
        if (item.kind !== 'object' || row === undefined || row.sign.text.trim() === '') continue;
        if (cluster.painting?.of(item.uid)?.anyway === true) continue;
        signs.set(item.uid, row.sign.text);
      }
      const unsure = made.timingDependent.map(({ object }) => object.uid);
      const certain = (uids: readonly string[]): string[] =>
        uids.filter(each => !unsure.some(other => other === each)).sort();
      const withSign = (sign: string): string[] =>
        [...signs].flatMap(([each, found]) => (found === sign ? [each] : [])).sort();
      const held = Forecast.own(made.terminating).map(({ object }) => object.uid);
      const altered = Forecast.own(made.changed)
        .map(({ object }) => object.uid)
        .filter(each => !held.includes(each));
      const told = `seed ${seed}, ${cascade}`;
      const gone = [...Forecast.own(made.deleted), ...Forecast.own(made.doomed)].map(
        ({ object }) => object.uid,
      );
      expect(withSign('-'), told).toEqual(certain(gone));
      expect(withSign('!'), told).toEqual(certain(held));
      expect(withSign('~'), told).toEqual(certain(altered));
      expect(withSign('?'), told).toEqual([...unsure].sort());
      painted += signs.size;
    }
    cluster.paint(undefined);
    expect(
      cluster.rows.window(0, 1_000).every(item => item.kind === 'group' || !item.uid.startsWith('new/')),
    ).toBe(true);
  }
  expect(painted).toBeGreaterThan(200);
});

test('the last step of a random forecast leaves what the forecast says', () => {
  let [gone, altered] = [0, 0];
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed);
    const objects = world(random);
    const view = viewOf(objects);
    const uid = objects[random.below(objects.length)]?.uid ?? '';
    for (const cascade of Cascade.all) {
      const made = planDelete(view, uid, cascade);
      const steps = paintingOf(made).steps();
      const told = `seed ${seed}, ${cascade}`;
      const deleted = new Set(made.deleted.map(({ object }) => object.uid));
      const unsure = new Set(made.timingDependent.map(({ object }) => object.uid));
      for (const { uid: each } of objects) {
        if (unsure.has(each)) continue;
        expect(steps.progressOf(each, 0), told).toBe('before');
        expect(steps.progressOf(each, steps.length) === 'gone', `${told}, ${each}`).toBe(deleted.has(each));
      }
      for (const { object } of made.changed)
        expect(steps.progressOf(object.uid, steps.length), `${told}, ${object.uid}`).toMatch(
          /altered|deleting/u,
        );
      gone += deleted.size;
      altered += made.changed.length;
    }
  }
  expect(gone).toBeGreaterThan(100);
  expect(altered).toBeGreaterThan(20);
});
