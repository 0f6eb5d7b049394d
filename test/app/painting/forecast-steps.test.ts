/** A forecast played step by step on the tree, by keys alone. */
import { describe, expect, test } from 'vitest';
import { paintingOf } from '../../../src/app/painting/make.ts';
import { NOTHING_PAINTED } from '../../../src/app/painting/painting.ts';
import { screenLines } from '../../../src/app/screen/screen-lines.ts';
import { spokenText } from '../../../src/app/screen/spoken.ts';
import type { ActionNews } from '../../../src/app/state/action-dialog.ts';
import { layoutOf } from '../../../src/app/state/layout.ts';
import { Cascade } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { Uid } from '../../../src/model/object.ts';
import { deployment, nodes } from '../../forecast/fixtures.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const yaml = `
- {kind: Deployment, apiVersion: apps/v1, name: api}
- {kind: ReplicaSet, apiVersion: apps/v1, name: api-1, owners: [apps/v1 Deployment api]}
- {kind: ConfigMap, name: held, finalizers: [example.com/drain], owners: [apps/v1 ReplicaSet api-1]}
- {kind: ConfigMap, name: shared, owners: [apps/v1 ReplicaSet api-1, v1 ConfigMap keeper]}
- {kind: ConfigMap, name: keeper}
`;

function forecastOf({ state: { cluster, now } }: ScreenDriver, uid: string, cascade: Cascade): Forecast {
  const target = cluster?.node(uid as Uid)?.object;
  if (cluster === undefined || target === undefined) throw new Error(`no ${uid}`);
  return Forecaster.create(cluster.view, { now }).forecast({ verb: 'delete', cascade, targets: [target] });
}

function choosing(driver: ScreenDriver, uid: string): ActionNews {
  const choices = Cascade.all.map(id => ({ id, label: id, hint: '', style: 'plain' as const, lines: [] }));
  return {
    stage: { at: 'choosing', question: 'Which policy?', as: 'row', choices, cursor: 0 },
    paintings: new Map(Cascade.all.map(each => [each, paintingOf(forecastOf(driver, uid, each))])),
  };
}

function onObject(text: string, uid: string, options: DriverOptions = {}): ScreenDriver {
  const driver = ScreenDriver.complete(text, { columns: 200, ...options });
  for (let left = 50; left > 0; left -= 1) {
    const { selected } = driver.state.tree;
    if (selected?.kind === 'object' && selected.uid === uid) break;
    driver.press('down');
  }
  driver.press('d');
  driver.send({ type: 'action', number: driver.state.actions, news: choosing(driver, uid) });
  return driver;
}

function row(driver: ScreenDriver, name: string): string {
  return driver.rows().find(line => line.includes(name)) ?? '';
}

function strip(driver: ScreenDriver): string {
  const lines = screenLines(driver.state);
  if (lines.kind !== 'drawn') throw new Error('nothing is drawn');
  return (lines.timeline ?? []).map(({ text }) => text).join('');
}

/** Step and sentence without the rule before them. */
function told(driver: ScreenDriver): string {
  return strip(driver).replace(/^ [─●@-]+ /u, '');
}

function answer(driver: ScreenDriver, news: ActionNews): void {
  driver.send({ type: 'action', number: driver.state.actions, news });
}

describe('the steps of a forecast', () => {
  test('go on with . and back with , one request each, and end where they began', () => {
    const driver = onObject(yaml, 'api');
    const whole = driver.rows();
    expect(strip(driver)).toBe('');
    driver.press('.');
    expect(told(driver)).toMatch(/^step 1 of \d+: the user deletes Deployment shop\/api/u);
    expect(row(driver, 'Deployment api')).toMatch(/ gone/u);
    expect(row(driver, 'ReplicaSet api-1')).toMatch(/ would be deleted/u);
    driver.press('.');
    expect(told(driver)).toMatch(
      /^step 2 of \d+: the garbage collector deletes ReplicaSet shop\/api-1: owner/u,
    );
    expect(row(driver, 'ReplicaSet api-1')).toMatch(/ gone/u);
    expect(row(driver, 'ConfigMap shared')).not.toMatch(/done/u);
    driver.press(',', ',', ',');
    expect(told(driver)).toMatch(/^step 1 of /u);
    driver.press(')');
    expect(strip(driver)).toBe('');
    expect(driver.rows()).toEqual(whole);
  });

  test('go back from the end to the last one, which agrees with the forecast', () => {
    const driver = onObject(yaml, 'api').press(',');
    const [, n, length] = /^step (\d+) of (\d+)/u.exec(told(driver)) ?? [];
    expect(n).toBe(length);
    expect(row(driver, 'Deployment api')).toMatch(/ gone/u);
    expect(row(driver, 'ReplicaSet api-1')).toMatch(/ gone/u);
    expect(row(driver, 'ConfigMap held')).toMatch(/^!.* deleting, held by example\.com\/drain /u);
    expect(row(driver, 'ConfigMap shared')).toMatch(/ done: loses an owner reference/u);
    expect(row(driver, 'ConfigMap keeper')).toMatch(/^ /u);
    expect(driver.press('.').press('(').press('.').rows()).not.toEqual([]);
    expect(told(driver)).toMatch(/^step 2 of /u);
  });

  test('of many objects are made in slices, after which the key does what it says', () => {
    const many = Array.from(
      { length: 3_000 },
      (_, i) => `\n- {kind: ConfigMap, name: c${i}, owners: [v1 ConfigMap top]}`,
    );
    const driver = onObject(`\n- {kind: ConfigMap, name: top}${many.join('')}`, 'top').press('.');
    expect(strip(driver)).toBe('');
    expect(driver.banner()).toContain('Making the steps of the forecast.');
    const asked = driver.effects.at(-1);
    if (asked?.type !== 'makeSteps') throw new Error(`it asked for ${asked?.type ?? 'nothing'}`);
    let slices = 0;
    while (asked.making.next().done !== true) slices += 1;
    expect(slices).toBeGreaterThan(10);
    driver.send({ type: 'stepsMade', key: asked.key });
    expect(told(driver)).toMatch(/^step 1 of [\d,]+: the user deletes ConfigMap shop\/top/u);
    expect(driver.banner()).not.toContain('Making');
    expect(told(driver.press('.'))).toMatch(/^step 2 of /u);
  });

  test('are left with Esc, which closes the panel only after that', () => {
    const driver = onObject(yaml, 'api').press('.', '.', 'escape');
    expect(strip(driver)).toBe('');
    expect(driver.state.dialog?.kind).toBe('action');
    expect(driver.press('escape').state.dialog).toBeUndefined();
  });

  test('are those of the chosen policy', () => {
    const driver = onObject(yaml, 'api').press('.', '3');
    expect(strip(driver)).toBe('');
    driver.press('.');
    expect(row(driver, 'Deployment api')).toMatch(/ deleting/u);
  });

  test('end with the answer, after which rows show the cluster', () => {
    const driver = onObject(yaml, 'api').press(',', '1');
    expect(strip(driver)).not.toBe('');
    answer(driver, { stage: { at: 'following', progress: '0 of 2 done', done: 0, total: 2 } });
    expect(strip(driver)).toBe('');
    expect(row(driver, 'Deployment api')).not.toMatch(/ gone/u);
  });

  test('go with the arrows while a word is typed, which may contain the keys', () => {
    const driver = onObject(yaml, 'api');
    const painting = paintingOf(forecastOf(driver, 'api', 'background'));
    answer(driver, {
      stage: { at: 'asking', question: 'Delete it?', word: 'a.b', typed: '' },
      paintings: new Map([['', painting]]),
    });
    driver.press('a', '.');
    expect(driver.state.dialog).toMatchObject({ stage: { typed: 'a.' } });
    expect(strip(driver)).toBe('');
    expect(told(driver.press('right'))).toMatch(/^step 1 of /u);
    expect(told(driver.press('left'))).toMatch(/^step 1 of /u);
    expect(driver.state.dialog).toMatchObject({ stage: { typed: 'a.' } });
  });

  test('are missing if nothing happens, or without a forecast so far, and a notice says so', () => {
    const driver = onObject(yaml, 'api');
    answer(driver, {
      stage: { at: 'choosing', question: '', as: 'row', choices: [], cursor: 0 },
      paintings: new Map(),
    });
    expect(driver.press('.').banner()).toContain('The forecast is not there yet.');
    const { cluster, now } = driver.state;
    if (cluster === undefined) throw new Error('no cluster');
    const nothing = paintingOf(Forecaster.create(cluster.view, { now }).forecast({ verb: 'none' }));
    answer(driver, {
      stage: { at: 'asking', question: '', word: undefined, typed: '' },
      paintings: new Map([['', nothing]]),
    });
    expect(driver.press('.').banner()).toContain('there are no steps');
    expect(strip(driver)).toBe('');
  });

  test('leave an object whose end is uncertain as it is', () => {
    const driver = onObject(
      `
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a]}
- {kind: ConfigMap, name: c, owners: [v1 ConfigMap b, v1 ConfigMap d]}
- {kind: ConfigMap, name: d}
`,
      'a',
    );
    const painting = paintingOf(forecastOf(driver, 'a', 'background'));
    const uncertain = {
      group: 'uncertain',
      sign: '?',
      style: 'warning',
      words: 'deleted or stays',
      anyway: false,
    } as const;
    answer(driver, {
      stage: { at: 'asking', question: '', word: undefined, typed: '' },
      paintings: new Map([['', { ...painting, of: uid => (uid === 'b' ? uncertain : painting.of(uid)) }]]),
    });
    driver.press(',');
    expect(row(driver, 'ConfigMap a')).toMatch(/ gone/u);
    expect(row(driver, 'ConfigMap b')).toMatch(/^\?.* deleted or stays/u);
  });

  test('count below a folded row what is gone by then', () => {
    const driver = onObject(yaml, 'api');
    driver.press('escape', 'escape');
    const { cluster } = driver.state;
    const api = cluster?.rows.find('api' as Uid);
    if (api === undefined || cluster === undefined) throw new Error('no row');
    driver.press('d');
    driver.send({ type: 'action', number: driver.state.actions, news: choosing(driver, 'api') });
    cluster.rows.setExpanded(api, false);
    expect(row(driver, 'Deployment api')).toContain('-1 ⚠1 ~1');
    driver.press('.', '.');
    expect(row(driver, 'Deployment api')).toContain('⚠1 ~1 1 gone');
    expect(row(driver.press(','), 'Deployment api')).toContain('-1 ⚠1 ~1');
  });
});

describe('objects to be created', () => {
  test('are counted as far as the step has come', () => {
    const driver = onObject(`${nodes}${deployment('api', 2)}`, 'api-h-0');
    expect(row(driver, '1 new Pod')).toMatch(/ created by ReplicaSet/u);
    expect(row(driver.press('.'), '1 new Pod')).toMatch(/ 0 of 1 created by ReplicaSet/u);
    expect(row(driver.press(','), '1 new Pod')).toMatch(/ 0 of 1 created/u);
    while (!strip(driver).includes('creates Pod')) {
      expect(row(driver, '1 new Pod')).toMatch(/ 0 of 1 created/u);
      driver.press('.');
    }
    expect(row(driver, '1 new Pod')).toMatch(/ {2}created by ReplicaSet/u);
  });
});

describe('the line of the steps', () => {
  test.each([
    [60, 15],
    [80, 24],
    [200, 50],
  ])('fits, and takes the last row above the footer, at %i by %i', (columns, rows) => {
    const driver = onObject(yaml, 'api', { columns, rows }).press('.');
    const { timeline, body, details } = layoutOf(driver.state);
    expect(timeline).toBe(rows - 2);
    expect(body.top + body.height).toBe(rows - 2);
    expect((details?.top ?? 0) + (details?.height ?? 0)).toBeLessThanOrEqual(rows - 2);
    expect(strip(driver).length).toBeLessThan(columns);
    expect(strip(driver)).toContain('step 1 of ');
  });

  test('goes to the step that is clicked, and is spoken', () => {
    const driver = onObject(yaml, 'api').press('.');
    const { timeline = 0 } = layoutOf(driver.state);
    const last = strip(driver).search(/ step/u) - 1;
    driver.send({ type: 'click', column: last, row: timeline });
    const [, n, length] = /^step (\d+) of (\d+)/u.exec(told(driver)) ?? [];
    expect([n, Number(n)]).toEqual([length, Number(length)]);
    driver.send({ type: 'drag', column: 0, row: timeline });
    expect(told(driver)).toMatch(/^step 1 of /u);
    expect(spokenText(driver.state).lines.join('\n')).toContain(
      'The tree is at step 1 of 4: the user deletes Deployment shop/api',
    );
  });

  test('is named in the footer with its keys', () => {
    const driver = onObject(yaml, 'api');
    expect(driver.footer()).toContain('. step by step');
    driver.press('.');
    expect(driver.footer()).toMatch(/Esc end of the steps.*\. step on.*, step back/u);
  });

  test('says that the steps have ended, until one is shown again', () => {
    const driver = onObject(yaml, 'api').press(')', ',');
    expect(told(driver)).toMatch(/^step 4 of 4/u);
    expect(driver.banner()).toBe('');
    expect(driver.press('.').banner()).toBe(' The steps have ended: the tree shows the whole forecast.');
    expect(driver.footer()).toContain('. step by step');
    expect(driver.press('.').banner()).toBe('');
    expect(told(driver)).toMatch(/^step 1 of 4/u);
  });

  test('is not offered without a forecast, as for a choice not yet looked at and for advice', () => {
    const driver = onObject(yaml, 'api');
    const painting = paintingOf(forecastOf(driver, 'api', 'background'));
    const paintings = new Map([
      ['advice', NOTHING_PAINTED],
      ['delete', painting],
    ]);
    const choices = [...paintings.keys()].map(id => ({
      id,
      label: id,
      hint: '',
      style: 'plain' as const,
      lines: [],
    }));
    const list = (cursor: number): string => {
      answer(driver, {
        stage: { at: 'choosing', question: 'Which remedy?', as: 'list', choices, cursor },
        paintings,
      });
      return driver.footer();
    };
    expect(list(-1)).not.toContain('step by step');
    expect(list(0)).not.toContain('step by step');
    expect(list(1)).toContain('. step by step');
  });
});
