import { expect, test } from 'vitest';
import { ScreenDriver } from '../screen-driver.ts';

test('a row of the tree has a dash for an age that nobody knows, and cuts no word short', () => {
  const rows = ScreenDriver.complete(`
- { kind: ConfigMap, name: written, creationTimestamp: null }
- { kind: ConfigMap, name: early, creationTimestamp: '2099-01-01T00:00:00Z' }
- { kind: ConfigMap, name: stored }
`).rows();
  expect(rows).toEqual([
    expect.stringMatching(/ConfigMap early +-$/u),
    expect.stringMatching(/ConfigMap stored +60m$/u),
    expect.stringMatching(/ConfigMap written +-$/u),
  ]);
});
