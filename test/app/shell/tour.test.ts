/** Which steps of the tour count: those that are left when the screen has found the tour's object by itself. */
import { expect, test } from 'vitest';
import { tourStart } from '../../../src/app/state/tour.ts';
import { tourLines } from '../../../src/app/tour/tour-lines.ts';
import { ScreenDriver } from '../screen-driver.ts';

const shop = `
- { kind: ConfigMap, name: calm }
- { kind: StatefulSet, name: web, deletionTimestamp: '2026-11-21T11:48:00Z', finalizers: [foregroundDeletion] }
- { kind: Pod, name: web-2, owners: [apps/v1 StatefulSet web web +c +b], deletionTimestamp: '2026-11-21T11:48:00Z',
    deletionGracePeriodSeconds: 0, finalizers: [example.com/drain] }`;

function touring(): ScreenDriver {
  const driver = new ScreenDriver();
  driver.state = { ...driver.state, tour: tourStart };
  return driver;
}

function arrive(driver: ScreenDriver): ScreenDriver {
  driver.list(shop);
  driver.facts();
  driver.judge();
  return driver;
}

function place({ state }: ScreenDriver): string | undefined {
  return /Tour \d of \d/u.exec(tourLines(state).flat()[0]?.text ?? '')?.[0];
}

test('a step that the screen takes by itself is not counted, even after a key', () => {
  expect(place(arrive(touring()))).toBe('Tour 1 of 7');
  expect(place(arrive(touring().press('i')))).toBe('Tour 1 of 7');
});

test('a step that the user takes is counted', () => {
  const driver = arrive(touring()).press('G');
  driver.state = { ...driver.state, tour: tourStart };
  driver.press('i');
  expect(place(driver)).toBe('Tour 1 of 8');
  driver.press('g');
  expect(place(driver)).toBe('Tour 2 of 8');
});
