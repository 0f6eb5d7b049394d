import { describe, expect, it } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { ActingSource } from '../../../src/actions/run/run-ports.ts';
import { record } from '../../../src/model/json/json.ts';
import { SourceError } from '../../../src/source/source.ts';
import { ActingWorld } from '../acting-world.ts';

const namespace = `
- {kind: Namespace, name: old, uid: ns, namespace: '', labels: {team: shop}, finalizers: [example.com/hold], deletionTimestamp: "2026-11-21T11:48:00Z", spec: {finalizers: [example.com/audit, example.org/copy]}, status: {phase: Terminating}}`;
const AUDIT = 'finalize/example.com/audit';

/** What is read of the Namespace has more than the product knows of it. */
function withAnnotations({ source }: ActingWorld): ActingSource {
  return {
    ...source,
    get: async (...asked) => {
      const json = record(await source.get(...asked));
      return { ...json, metadata: { ...record(json['metadata']), annotations: { note: 'keep me' } } };
    },
  };
}

describe('a Namespace that is finalized', () => {
  it('is sent as a whole, with what only the API server knows of it', async () => {
    const world = await ActingWorld.of(namespace);
    const prepared = world.unblock('ns', AUDIT);
    expect(prepared.confirmation).toMatchObject({ kind: 'typed', word: 'old' });
    expect(prepared.requests).toMatchObject([{ method: 'PUT', path: '/api/v1/namespaces/old/finalize' }]);
    const { resourceVersion } = world.object('ns');
    const ended = await actionRun.perform(prepared, world.ports({ source: withAnnotations(world) }));
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    expect(world.sent).toMatchObject([
      {
        body: {
          metadata: {
            uid: 'ns',
            resourceVersion,
            labels: { team: 'shop' },
            finalizers: ['example.com/hold'],
            annotations: { note: 'keep me' },
          },
          spec: { finalizers: ['example.org/copy'] },
        },
      },
    ]);
    expect(world.object('ns').finalizers).toEqual(['example.com/hold']);
    const [entry] = await world.journal.list();
    expect(entry?.intended.requests).toEqual(world.sent);
  });

  it('is forecast anew where it has changed since, and never sent at an old version', async () => {
    const world = await ActingWorld.of(namespace);
    const prepared = world.unblock('ns', AUDIT);
    const versions: unknown[] = [];
    world.intercept = ({ method, body }) => {
      if (method !== 'PUT') return undefined;
      versions.push(record(record(body)['metadata'])['resourceVersion']);
      if (versions.length === 1) world.touch('ns');
      return undefined;
    };
    const before = world.object('ns').resourceVersion;
    const ended = await actionRun.perform(prepared, world.ports());
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    expect(versions).toHaveLength(2);
    expect(versions[0]).toBe(before);
    expect(versions[1]).not.toBe(before);
    expect(world.object('ns').labels).toContain('touched');
  });

  it('isn’t touched where it turns out that it cannot be read', async () => {
    const world = await ActingWorld.of(namespace);
    const { source } = world;
    const get: ActingSource['get'] = (type, ...place) =>
      type.kind === 'Namespace'
        ? Promise.reject(new SourceError('cannot read Namespace', { status: 403 }))
        : source.get(type, ...place);
    await expect(
      actionRun.perform(world.unblock('ns', AUDIT), world.ports({ source: { ...source, get } })),
    ).rejects.toThrow('Namespace old cannot be read, and what replaces it has to hold all of it');
    expect(world.sent).toEqual([]);
  });
});
