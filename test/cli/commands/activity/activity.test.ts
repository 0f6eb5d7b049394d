import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ActivityEntry } from '../../../../src/cli/documents/definitions.ts';
import { command, type Setting, SmallSource } from '../../console.ts';
import { now, objects } from '../../documents/cluster.ts';
import { schemaOf } from '../../documents/schema.ts';

const stuck = `
- {kind: Namespace, name: shop, namespace: "", status: {phase: Active}}
- {kind: Deployment, name: api, finalizers: [foregroundDeletion], deletionTimestamp: "2026-11-21T11:50:00Z"}
- {kind: ReplicaSet, name: api-1, finalizers: [example.com/keep], deletionTimestamp: "2026-11-21T11:50:01Z", owners: [apps/v1 Deployment api api +c +b]}
- {kind: ConfigMap, name: elsewhere, namespace: infra, finalizers: [example.com/keep], deletionTimestamp: "2026-11-20T11:59:58Z"}
- {kind: ConfigMap, name: settings}
- {kind: Secret, name: token, owners: [v1 ConfigMap settings]}
`;

const validate = new Ajv2020({ strict: true }).compile(schemaOf('ActivityEntry'));

function run(words: string, setting: Setting = {}) {
  return command(words, { source: new SmallSource(stuck), ...setting });
}

function documentsOf(out: string): readonly ActivityEntry[] {
  return out
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as ActivityEntry);
}

/** With a clock that runs, and what happens once the first answer stands there. */
async function watched(words: string, happens: (source: SmallSource) => void, until: string) {
  const source = new SmallSource(stuck);
  let time = now;
  let begun = false;
  const setting: Setting = {
    source,
    now: () => (time += 10),
    onOutput: (text, interrupt) => {
      if (!begun) {
        begun = true;
        setImmediate(() => happens(source));
      }
      if (text.includes(until)) interrupt();
    },
  };
  return command(words, setting);
}

describe('activity', () => {
  test('tells what is being deleted in the namespace, each below what it follows from', async () => {
    const { out, err, exitCode } = await run('activity');
    expect([err, exitCode]).toEqual(['', 0]);
    expect(out).toBe(`TIME         WHAT       OBJECT: WHY
11:50:00.0Z  held       Deployment shop/api: by a request with the policy foreground; waits for 1 dependent, ReplicaSet api-1
11:50:01.0Z  held         ReplicaSet shop/api-1: its owner Deployment api is being deleted in the foreground; waits for finalizer example.com/keep
`);
  });

  test('takes all namespaces, a target with what follows from it, and kinds of entries', async () => {
    expect((await run('activity -A --no-headers')).out.split('\n')[0]).toBe(
      '24h ago      held       ConfigMap infra/elsewhere: by a request; waits for finalizer example.com/keep',
    );
    expect((await run('activity deploy/api')).out).toBe((await run('activity')).out);
    expect((await run('activity rs')).out).toContain('Deployment shop/api, held 11:50:00.0Z:\n');
    const nothing = await run('activity --what collected');
    expect([nothing.out, nothing.err]).toEqual([
      '',
      'None of the requested objects is being deleted in namespace shop.\n',
    ]);
  });

  test('refuses kinds and types that there are not', async () => {
    expect((await run('activity --what Colected')).err).toBe(
      'kubectl gc-tree: --what: no kind of entry "Colected". Did you mean Collected?\n',
    );
    expect((await run('activity nosuch')).exitCode).toBe(2);
    expect((await run('activity -l app=web')).err).toContain('unknown flag for activity: --selector');
  });

  test('prints a document on each line, as the schema says', async () => {
    const { out } = await run('activity -A -o json');
    const found = documentsOf(out);
    expect(found).toHaveLength(3);
    for (const document of found) expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    const yaml = await run('activity -A -o yaml');
    const parsed = parseAllDocuments(yaml.out).map(document => document.toJS() as ActivityEntry);
    expect(parsed).toEqual(found);
    expect(found[2]).toMatchObject({
      what: 'Held',
      object: { kind: 'ReplicaSet', name: 'api-1' },
      by: ['garbage-collector'],
      certainty: 'assumed',
      reason: {
        code: 'OwnersWait',
        owners: [{ object: { name: 'api' }, state: 'WaitingForDependents', at: '2026-11-21T11:50:00.000Z' }],
      },
      waitsFor: { finalizers: ['example.com/keep'], dependents: [] },
      action: { id: 2, what: 'Held', object: { name: 'api' } },
      causedBy: 2,
    });
  });

  test('--watch follows with what changes, in whatever order the kinds report it', async () => {
    const [, , , , settings, token] = objects(stuck);
    const { out, exitCode } = await watched(
      'activity -w',
      source => {
        for (const change of [token, settings])
          if (change?.op === 'upsert') {
            const { uid, type } = change.object;
            const version = change === settings ? '11' : '12';
            source.emit({ changes: [{ op: 'delete', uid, type, resourceVersion: version as never }] });
          }
      },
      'Secret shop/token',
    );
    expect(exitCode).toBe(130);
    const lines = out.split('\n').map(line => line.replace(/^\S+Z/u, 'TIME'));
    expect(lines).toContain('TIME  deleted    ConfigMap shop/settings: by a request');
    expect(lines).toContain(
      'TIME  collected    Secret shop/token: its only owner ConfigMap settings was deleted just before',
    );
  });

  test('--watch prints the end of a deletion after its beginning, which may still be explained', async () => {
    const [, , , , , token] = objects(stuck);
    const { out } = await watched(
      'activity -w',
      source => {
        if (token?.op !== 'upsert') return;
        const { uid, type } = token.object;
        const marked = token.object.with({ deletionTimestamp: now, finalizers: ['example.com/keep'] });
        source.emit({ changes: [{ op: 'upsert', object: marked }] });
        source.emit({ changes: [{ op: 'delete', uid, type }] });
      },
      'deleted  ',
    );
    const kinds = out
      .split('\n')
      .flatMap(line => /(?<what>\w+) +Secret shop\/token/u.exec(line)?.groups?.['what'] ?? []);
    expect(kinds).toEqual(['marked', 'deleted']);
  });

  test('--watch prints a change that nothing explains once nothing can come any more', async () => {
    const [, , , , , token] = objects(stuck);
    const { out } = await watched(
      'activity -w -o json',
      source => {
        if (token?.op !== 'upsert') return;
        const { uid, type } = token.object;
        source.emit({ changes: [{ op: 'delete', uid, type }] });
      },
      '"name":"token"',
    );
    const last = documentsOf(out).at(-1);
    expect(validate(last), JSON.stringify(validate.errors)).toBe(true);
    expect(last).toMatchObject({
      what: 'Deleted',
      by: [],
      certainty: 'exact',
      because: 'by a request: its owner ConfigMap settings is there',
    });
  });
});
