/**
 * Others act between an action's forecast and its requests: nothing but what was agreed to is deleted, and a new
 * forecast is made and asked about.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Question, RunPorts } from '../../../src/actions/run/run-ports.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';
import { type Actor, deleting, openActor } from './acting.ts';

describe('an action while others act', () => {
  let cluster: Cluster;
  let actor: Actor;
  let other: Actor;
  let names = 0;
  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    const kubeconfig = await cluster.kubeconfig();
    const folder = await mkdtemp(join(tmpdir(), 'gc-tree-journal-'));
    guardFolder(folder);
    actor = await openActor({ kubeconfig, folder });
    // Two tools of one person share their journal.
    other = await openActor({ kubeconfig, folder });
  });
  afterAll(async () => {
    await actor?.close();
    await other?.close();
    await cluster?.stop();
  });

  const maps = '/api/v1/namespaces/default/configmaps';

  interface Manifest {
    readonly owner?: { readonly name: string; readonly uid: string };
    readonly finalizers?: readonly string[];
  }

  async function make(name: string, { owner, finalizers = [] }: Manifest = {}): Promise<string> {
    const ownerReferences =
      owner === undefined
        ? []
        : [{ apiVersion: 'v1', kind: 'ConfigMap', ...owner, blockOwnerDeletion: true }];
    const { metadata } = await cluster.api.json<{ metadata: { uid: string } }>({
      method: 'POST',
      path: maps,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences, finalizers } },
    });
    return metadata.uid;
  }

  async function remove(name: string): Promise<void> {
    await cluster.api.send({ method: 'DELETE', path: `${maps}/${name}` });
  }

  async function label(name: string, value: string): Promise<void> {
    const { status } = await cluster.api.send({
      method: 'PATCH',
      path: `${maps}/${name}`,
      body: { metadata: { labels: { value } } },
      contentType: 'application/merge-patch+json',
    });
    expect(status).toBe(200);
  }

  async function uidOf(name: string): Promise<string | undefined> {
    const { status, body } = await cluster.api.send({ path: `${maps}/${name}` });
    if (status === 404) return undefined;
    return (JSON.parse(body) as { metadata: { uid: string } }).metadata.uid;
  }

  /** A name for one test. */
  function fresh(): string {
    names += 1;
    return `race-${names}`;
  }

  /** Answers the questions in order; what is asked beyond them is declined. */
  function answering(...answers: readonly (() => Promise<boolean>)[]): {
    readonly questions: Question[];
    readonly confirm: RunPorts['confirm'];
  } {
    const questions: Question[] = [];
    return {
      questions,
      confirm: async question => {
        questions.push(question);
        return (await answers[questions.length - 1]?.()) ?? false;
      },
    };
  }

  it('asks again, and deletes nothing, where the object was made anew under its name meanwhile', async () => {
    const name = fresh();
    const before = await make(name);
    const target = await actor.find('ConfigMap', 'default', name);
    expect(target.uid).toBe(before);
    const { questions, confirm } = answering(async () => {
      await remove(name);
      await make(name);
      return true;
    });
    const ended = await actor.act(actor.prepare(deleting('background', target)), { confirm });
    const now = await uidOf(name);
    expect(now).toBeDefined();
    expect(now).not.toBe(before);
    expect(ended.state).toBe('cancelled');
    expect(ended.entries).toEqual([]);
    expect(questions).toHaveLength(2);
    expect(questions[1]?.before?.forecast.action.targets).toMatchObject([{ uid: before }]);
    expect(questions[1]?.prepared.forecast.action.targets).toMatchObject([{ uid: now }]);
  });

  it('deletes the new object where that was agreed to', async () => {
    const name = fresh();
    await make(name);
    const target = await actor.find('ConfigMap', 'default', name);
    const { questions, confirm } = answering(
      async () => {
        await remove(name);
        await make(name);
        return true;
      },
      () => Promise.resolve(true),
    );
    const ended = await actor.act(actor.prepare(deleting('background', target)), { confirm });
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    expect(questions).toHaveLength(2);
    expect(await uidOf(name)).toBeUndefined();
  });

  it('has nothing to do where the object went meanwhile', async () => {
    const name = fresh();
    await make(name);
    const target = await actor.find('ConfigMap', 'default', name);
    const { questions, confirm } = answering(async () => {
      await remove(name);
      return true;
    });
    const ended = await actor.act(actor.prepare(deleting('background', target)), { confirm });
    expect(ended).toMatchObject({ state: 'moot', taken: 0, entries: [] });
    expect(questions).toHaveLength(1);
  });

  it('goes on with a new forecast where a change alters nothing that was promised', async () => {
    const name = fresh();
    await make(name);
    const target = await actor.find('ConfigMap', 'default', name);
    const { questions, confirm } = answering(async () => {
      await label(name, 'changed');
      return true;
    });
    const told = actor.events.length;
    const ended = await actor.act(actor.prepare(deleting('background', target)), { confirm });
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    expect(questions).toHaveLength(1);
    expect(actor.events.slice(told)).toContainEqual(
      expect.objectContaining({ event: 'changed', same: true }),
    );
    // Sent once, with the resourceVersion of the new forecast.
    expect(ended.entries).toHaveLength(1);
  });

  it('asks again where a dependent has turned up that would go too', async () => {
    const name = fresh();
    const uid = await make(name);
    const target = await actor.find('ConfigMap', 'default', name);
    const { questions, confirm } = answering(async () => {
      await make(`${name}-child`, { owner: { name, uid } });
      await actor.find('ConfigMap', 'default', `${name}-child`);
      return true;
    });
    const ended = await actor.act(actor.prepare(deleting('background', target)), { confirm });
    expect(ended.state).toBe('cancelled');
    expect(questions[0]?.prepared.confirmation.kind).toBe('key');
    expect(questions[1]?.prepared.confirmation).toMatchObject({ kind: 'typed', word: name });
    expect(await uidOf(name)).toBe(uid);
  });

  it('makes a new forecast where the API server answers conflict, and sends nothing twice', async () => {
    const name = fresh();
    await make(name);
    const target = await actor.find('ConfigMap', 'default', name);
    const { source } = actor.ports();
    const sent: unknown[] = [];
    const told = actor.events.length;
    const ended = await actor.act(actor.prepare(deleting('background', target)), {
      source: {
        get: (...request) => source.get(...request),
        dryRun: source.dryRun?.bind(source),
        act: async request => {
          if (request.method === 'DELETE') {
            // After the last look and before the request.
            if (sent.length === 0) await label(name, 'late');
            sent.push(request.body);
          }
          return source.act(request);
        },
      },
    });
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    expect(sent).toHaveLength(2);
    expect(new Set(sent.map(body => JSON.stringify(body))).size).toBe(2);
    expect(actor.events.slice(told)).toContainEqual(
      expect.objectContaining({ event: 'changed', same: true }),
    );
    const [first, second] = await Promise.all(ended.entries.map(id => actor.journal.entry(id)));
    expect(first).toMatchObject({ requests: [{ status: 409 }], ended: { outcome: 'refused' } });
    expect(second).toMatchObject({ requests: [{ status: 200 }], ended: { outcome: 'reached' } });
  });

  it('lets one of two tools delete an object, and tells the other that there is nothing left to do', async () => {
    const name = fresh();
    const uid = await make(name);
    const children = [`${name}-a`, `${name}-b`];
    for (const child of children) await make(child, { owner: { name, uid } });
    for (const each of [actor, other]) {
      for (const child of children) await each.find('ConfigMap', 'default', child);
    }
    const [one, two] = await Promise.all(
      [actor, other].map(async each => {
        const target = await each.find('ConfigMap', 'default', name);
        return each.act(each.prepare(deleting('foreground', target)));
      }),
    );
    const states = [one?.state, two?.state];
    expect(states).toContain('reached');
    // Both may be taken: the second finds the object already deleting, which is no harm.
    for (const state of states) expect(['reached', 'moot', 'cancelled']).toContain(state);
    for (const each of [name, ...children]) expect(await uidOf(each)).toBeUndefined();
    const entries = [...(one?.entries ?? []), ...(two?.entries ?? [])];
    expect(new Set(entries).size).toBe(entries.length);
    for (const id of entries) expect(await actor.journal.entry(id)).toHaveProperty('ended');
  });

  it('keeps what one tool orphans where the other wanted it to go', async () => {
    const name = fresh();
    const uid = await make(name);
    await make(`${name}-child`, { owner: { name, uid } });
    await actor.find('ConfigMap', 'default', `${name}-child`);
    await other.find('ConfigMap', 'default', `${name}-child`);
    const target = await actor.find('ConfigMap', 'default', name);
    const { questions, confirm } = answering(async () => {
      const theirs = await other.find('ConfigMap', 'default', name);
      const orphaned = await other.act(other.prepare(deleting('orphan', theirs)));
      expect(orphaned.state).toBe('reached');
      return true;
    });
    const ended = await actor.act(actor.prepare(deleting('background', target)), { confirm });
    expect(ended).toMatchObject({ state: 'moot', taken: 0 });
    expect(questions).toHaveLength(1);
    expect(await uidOf(`${name}-child`)).toBeDefined();
  });

  it.each(['orphan', 'foregroundDeletion'])(
    'deletes an object that carries only %s, of which the API server cannot compare the resourceVersion',
    async finalizer => {
      const name = fresh();
      await make(name, { finalizers: [finalizer] });
      const target = await actor.find('ConfigMap', 'default', name);
      const ended = await actor.act(actor.prepare(deleting('background', target)));
      expect(ended).toMatchObject({ state: 'reached', taken: 1 });
      expect(await uidOf(name)).toBeUndefined();
    },
  );

  it('says where reality departs from the forecast', async () => {
    const name = fresh();
    const uid = await make(name, { finalizers: ['example.com/hold'] });
    await make(`${name}-child`, { owner: { name, uid } });
    await actor.find('ConfigMap', 'default', `${name}-child`);
    const target = await actor.find('ConfigMap', 'default', name);
    const prepared = actor.prepare(deleting('background', target));
    expect(prepared.forecast.outcome).toBe('Stuck');
    const { source } = actor.ports();
    const ended = await actor.act(prepared, {
      source: {
        get: (...request) => source.get(...request),
        dryRun: source.dryRun?.bind(source),
        act: async request => {
          const answer = await source.act(request);
          // Somebody takes away what was to hold it.
          if (request.method === 'DELETE') {
            await cluster.api.send({
              method: 'PATCH',
              path: `${maps}/${name}`,
              body: { metadata: { finalizers: null } },
              contentType: 'application/merge-patch+json',
            });
            // Departures are told together where they come together: the collector may take a while.
            await eventually(async () => expect(await uidOf(`${name}-child`)).toBeUndefined());
          }
          return answer;
        },
      },
    });
    expect(ended.state).toBe('departed');
    expect(ended.departures).toMatchObject([
      { object: { name, uid }, actual: 'is gone' },
      { object: { name: `${name}-child` }, expected: 'stays as it is', actual: 'is gone' },
    ]);
    const [entry] = ended.entries;
    expect(await actor.journal.entry(entry ?? '')).toMatchObject({ ended: { outcome: 'departed' } });
  });
});
