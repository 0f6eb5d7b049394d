/** What Events tell of an object that is gone. */
import { describe, expect, test } from 'vitest';
import type { Said } from '../../../../src/model/exchange/said.ts';
import { type GoneSubject, SourceError, type ToldEvent } from '../../../../src/source/source.ts';
import { command, SmallSource } from '../../console.ts';

const said = (reason: string, message: string, at: string): Said => ({
  from: 'event',
  type: 'Normal',
  status: '',
  reason,
  message,
  at: Date.parse(at),
  count: 1,
  failing: false,
});

const events: readonly ToldEvent[] = [
  {
    about: { namespace: 'shop', kind: 'StatefulSet', name: 'web' },
    said: said('SuccessfulDelete', 'delete Pod web-1 in StatefulSet web successful', '2026-11-21T11:50:00Z'),
  },
  {
    about: { namespace: 'shop', kind: 'Pod', name: 'web-1' },
    said: said('Killing', 'Stopping container \u001b[31mmain', '2026-11-21T11:50:01Z'),
  },
];

class EventSource extends SmallSource {
  readonly asked: GoneSubject[] = [];
  readonly #answer: () => Promise<readonly ToldEvent[]>;

  constructor(answer: () => Promise<readonly ToldEvent[]>) {
    super('- {kind: Pod, name: web-0}\n- {kind: Namespace, name: shop}');
    this.#answer = answer;
  }

  eventsOfGone(object: GoneSubject): Promise<readonly ToldEvent[]> {
    this.asked.push(object);
    return this.#answer();
  }
}

describe('why of an object that is gone', () => {
  test('tells what Events still say, and what would tell more', async () => {
    const source = new EventSource(() => Promise.resolve(events));
    const { out, err, exitCode } = await command('why pod/web-1', { source });
    expect([err, exitCode]).toEqual(['', 0]);
    expect(source.asked).toEqual([{ namespace: 'shop', kind: 'Pod', name: 'web-1' }]);
    expect(out).toMatch(/^Pod shop\/web-1 isn't there\. What Events still tell of it:\n/u);
    expect(out).toMatch(
      /2026-11-21T11:50:00Z {2}SuccessfulDelete of StatefulSet web: delete Pod web-1 in StatefulSet web successful\n.*Killing of Pod web-1/u,
    );
    expect(out).not.toContain('\u001b');
    expect(out).toContain('--audit-log FILE');
  });

  test.each([
    ['where no Event does', () => Promise.resolve([]), ''],
    ['where they may not be read', () => Promise.reject(new SourceError('no', { status: 403 })), ''],
    ['as a document', () => Promise.resolve(events), ' -o json'],
  ])('says that it is not there %s', async (_, answer, format) => {
    const source = new EventSource(answer);
    const { out, err, exitCode } = await command(`why pod/web-1${format}`, { source });
    expect([out, exitCode]).toEqual(['', 2]);
    expect(err).toContain('pod "web-1" not found in namespace shop');
  });

  test('asks nothing about what is there, and of several', async () => {
    const source = new EventSource(() => Promise.resolve(events));
    await command('why pod/web-0', { source });
    await command('why pod/web-1 pod/web-2', { source });
    expect(source.asked).toEqual([]);
  });
});
