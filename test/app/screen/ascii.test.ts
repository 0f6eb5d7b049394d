/** Whatever is opened, a terminal that shows ASCII alone gets nothing else. */
import { expect, test } from 'vitest';
import { screenLines } from '../../../src/app/screen/screen-lines.ts';
import { ScreenDriver } from '../screen-driver.ts';

const yaml = `
- {kind: Deployment, apiVersion: apps/v1, name: api}
- {kind: ReplicaSet, apiVersion: apps/v1, name: api-1, owners: [apps/v1 Deployment api]}
- {kind: ConfigMap, name: held, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}
- {kind: ConfigMap, name: far, namespace: infra}
`;

test.each([
  [[':']],
  [[':', ...'ns ']],
  [[':', ...'why ']],
  [[':', ...'theme ']],
  [[':', ...'sort ']],
  [[':', ...'nothing-like-it']],
  [['?']],
  [['n']],
  [['c']],
  [['y']],
  [['m']],
  [['/', ...'held']],
  [['/', ...'drain']],
  [['d']],
  [['v', 'down']],
  [['tab']],
  [['2']],
  [['3']],
  [['4']],
  [['4', 'f']],
  [['5']],
  [['T']],
  [['t']],
  [['s']],
  [['-']],
  [['%']],
])('after %j', keys => {
  for (const columns of [60, 200]) {
    const driver = ScreenDriver.complete(yaml, { ascii: true, columns });
    driver.press(...keys.map(key => (key === ' ' ? 'space' : key)));
    expect(JSON.stringify(screenLines(driver.state))).toMatch(/^[ -~]*$/u);
  }
});
