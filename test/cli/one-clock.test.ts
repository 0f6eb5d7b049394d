/** Every command judges and tells by the API server's clock, however far from it this machine's clock is. */
import { describe, expect, test } from 'vitest';
import type { ActAnswer } from '../../src/model/exchange/act.ts';
import { command, SmallSource } from './console.ts';
import { now } from './documents/cluster.ts';

const HOUR = 3_600_000;
const at = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** By the server's clock it is three hours later than here: the pod is 4 h old and deleting for 3 h 30. */
class AheadSource extends SmallSource {
  override readonly info = {
    source: 'cluster',
    context: 'test',
    namespace: 'shop',
    serverVersion: 'v1.36.3',
    clockOffset: 3 * HOUR,
  } as const;

  /** Every permission is granted. */
  act(): Promise<ActAnswer> {
    return Promise.resolve({ status: 201, body: { status: { allowed: true } } });
  }
}

const pod = `
- kind: Pod
  name: web-0
  creationTimestamp: ${at(now - HOUR)}
  deletionTimestamp: ${at(now - HOUR / 2)}
  deletionGracePeriodSeconds: 0
  finalizers: [example.com/drain]
`;

describe('with an API server that is three hours ahead', () => {
  test.each([
    'tree',
    'check',
    'why pod/web-0',
    'plan',
    'plan delete pod/web-0',
    'podgc',
    'delete pod/web-0 --dry-run=client --cascade=background',
    'unblock pod/web-0',
  ])('%s is as of its clock', async words => {
    const { out, err } = await command(`${words} -o json`, { source: new AheadSource(pod) });
    expect(JSON.parse(out), err).toMatchObject({ basis: { takenAt: `${at(now + 3 * HOUR).slice(0, 19)}Z` } });
  });

  test('ages are, too', async () => {
    const { out } = await command('tree', { source: new AheadSource(pod) });
    expect(out).toMatch(/ 4h\n/u);
    expect((await command('why pod/web-0', { source: new AheadSource(pod) })).out).toContain(
      'deleting for 3h',
    );
  });
});
