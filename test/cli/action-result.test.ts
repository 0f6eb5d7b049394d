import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import type { ActionResult } from '../../src/cli/documents/definitions.ts';
import { schemaOf } from './documents/schema.ts';
import { LastingDemo, type LastingSetting } from './lasting-demo.ts';

const open: LastingDemo[] = [];

function demo(scenario = 'policies-side-by-side'): LastingDemo {
  const lasting = new LastingDemo(scenario);
  open.push(lasting);
  return lasting;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const schema = schemaOf('ActionResult');
const validate = new Ajv2020({ strict: false }).compile(schema);

/** The one document that is on standard output, held to its schema and to the exit code. */
async function resultOf(
  cluster: LastingDemo,
  words: string,
  setting: LastingSetting = {},
): Promise<ActionResult & { readonly err: string }> {
  const { out, err, exitCode } = await cluster.command(`${words} -o json`, setting);
  expect(out, err).not.toBe('');
  const document = JSON.parse(out) as ActionResult;
  expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  expect(document).toMatchObject({ apiVersion: 'gc-tree.dev/v1alpha1', kind: 'ActionResult' });
  expect(document.exit.code).toBe(exitCode);
  return { ...document, err };
}

/** A review that is answered with no. */
const no = { status: 201, body: { status: { allowed: false } } };
const forbidden = { status: 403, body: { kind: 'Status', message: 'no deleting on Fridays' } };

test('the schema holds that of the Plan as it is, and is complete by itself', () => {
  const { $schema: _schema, $id: _id, $defs, ...plan } = schemaOf('Plan');
  expect(schema.$defs).toMatchObject({ ...$defs, Plan: plan });
});

describe('the ActionResult', () => {
  test('of an action that came to its end tells it from forecast to undo', async () => {
    const cluster = demo();
    const words = 'delete cm/release-41 --cascade=orphan --yes --context prod';
    const { err, ...result } = await resultOf(cluster, words);
    expect(result).toMatchObject({
      action: { verb: 'delete', cascade: 'orphan', targets: [{ kind: 'ConfigMap', name: 'release-41' }] },
      dryRun: 'none',
      plan: { kind: 'Plan', outcome: 'Completes', deleted: [{ object: { name: 'release-41' } }] },
      permissions: { missing: [], doubtful: [], unreadable: [] },
      dryRunAnswers: [{ verb: 'DELETE', status: 200, accepted: true }],
      confirmation: { kind: 'typed', answer: 'inAdvance' },
      requests: [{ verb: 'DELETE', state: 'answered', status: 200, entry: result.journal.entries[0] }],
      result: { state: 'reached', taken: 1, followed: true },
      exit: { code: 0, reason: 'Done' },
    });
    expect(result.permissions?.asked).toContainEqual({
      verb: 'delete',
      group: '',
      resource: 'configmaps',
      namespace: 'shop',
      name: 'release-41',
      access: 'allowed',
    });
    const [first] = result.objects;
    expect(first).toMatchObject({ forecast: 'deleted', observed: 'asForecast', request: 0 });
    expect(first?.object.name).toBe('release-41');
    expect(result.objects.filter(({ forecast }) => forecast === 'changed')).toHaveLength(5);
    expect(result.objects.every(({ observed }) => observed === 'asForecast')).toBe(true);
    expect(result.journal.undo).toEqual([`kubectl gc-tree undo ${result.journal.entries[0]} --context prod`]);
    // What people read is not on standard output, and what it would take to log in nowhere.
    expect(err).toContain('As forecast');
  });

  test.each([
    ['delete cm/platform --dry-run=client', 'client', false],
    ['delete cm/platform --dry-run=server', 'server', true],
  ])('of %s has sent nothing', async (words, dryRun, asked) => {
    const cluster = demo();
    const result = await resultOf(cluster, words);
    expect(result).toMatchObject({
      dryRun,
      requests: [{ state: 'notSent' }],
      objects: [],
      journal: { entries: [] },
      exit: { code: 0, reason: 'DryRun' },
    });
    expect([result.permissions !== undefined, result.dryRunAnswers !== undefined]).toEqual([asked, asked]);
    expect('result' in result).toBe(false);
    expect(cluster.sent).toEqual([]);
  });

  test('is the same in YAML', async () => {
    const cluster = demo();
    const words = 'delete cm/platform --dry-run=server';
    const { out } = await cluster.command(`${words} -o yaml`);
    const { err: _err, ...json } = await resultOf(cluster, words);
    const document = parse(out) as ActionResult;
    expect({ ...document, basis: {}, plan: {} }).toEqual({ ...json, basis: {}, plan: {} });
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
  });

  test('of one that would get stuck, and of one that does', async () => {
    const cluster = demo();
    const words = 'delete cm/release-41 --cascade=foreground --yes';
    const refused = await resultOf(cluster, words);
    expect(refused).toMatchObject({
      plan: { outcome: 'Stuck' },
      requests: [{ state: 'notSent' }],
      exit: { code: 2, reason: 'WouldGetStuck', message: expect.stringContaining('--allow-stuck') as string },
    });
    expect(cluster.sent).toEqual([]);
    const stuck = await resultOf(cluster, `${words} --allow-stuck`);
    expect(stuck).toMatchObject({ result: { state: 'reached' }, exit: { code: 1, reason: 'Stuck' } });
    expect(stuck.objects.filter(({ forecast }) => forecast === 'terminating')).toHaveLength(2);
  });

  test('of one that is declined shows the forecast on standard error first', async () => {
    const cluster = demo();
    const result = await resultOf(cluster, 'delete cm/platform --cascade=background', {
      terminal: true,
      stdin: 'n\n',
    });
    expect(result).toMatchObject({
      confirmation: { answer: 'declined' },
      requests: [{ state: 'notSent' }],
      result: { state: 'cancelled', taken: 0 },
      exit: { code: 1, reason: 'Declined' },
    });
    expect(result.err).toMatch(/Deleting ConfigMap shop\/platform[\s\S]+Type platform to confirm: /u);
  });

  test('of one that is not permitted names what is missing', async () => {
    const cluster = demo();
    cluster.answer = ({ path }) => (path.endsWith('selfsubjectaccessreviews') ? no : undefined);
    for (const mode of ['--yes', '--dry-run=server']) {
      const result = await resultOf(cluster, `delete cm/platform ${mode}`);
      expect(result).toMatchObject({
        permissions: {
          asked: [{ verb: 'delete', name: 'platform', access: 'denied' }],
          missing: [{ verb: 'delete', resource: 'configmaps', name: 'platform' }],
        },
        exit: { code: 2, reason: 'Denied' },
      });
      expect(result.err).toContain('you may not do that');
    }
    expect(cluster.sent).toEqual([]);
  });

  test('of one of which a part was taken tells which', async () => {
    const cluster = demo();
    cluster.answer = ({ path, method }) =>
      method === 'DELETE' && path.endsWith('/platform') ? forbidden : undefined;
    const result = await resultOf(cluster, 'delete cm/flags cm/platform --yes');
    expect(result).toMatchObject({
      requests: [
        { state: 'answered', status: 200 },
        { state: 'answered', status: 403, message: 'no deleting on Fridays' },
      ],
      result: { state: 'refused', taken: 1 },
      exit: { code: 2, reason: 'Refused' },
    });
    const of = (name: string) => result.objects.find(({ object }) => object.name === name);
    expect(of('flags')).toMatchObject({ forecast: 'deleted', request: 0 });
    expect(of('platform')).toMatchObject({
      forecast: 'deleted',
      observed: 'pending',
      actual: 'is still there',
      request: 1,
    });
  });

  test('of one that did not follow the forecast, and of one that nobody follows', async () => {
    const cluster = demo();
    cluster.beforeActing = () => {
      cluster.beforeActing = () => {};
      queueMicrotask(() => void cluster.change('DELETE', '/api/v1/namespaces/shop/configmaps/shared'));
    };
    const departed = await resultOf(cluster, 'delete cm/platform --yes');
    expect(departed).toMatchObject({
      result: { state: 'departed' },
      exit: { code: 1, reason: 'Departed' },
    });
    expect(departed.objects.find(({ object }) => object.name === 'shared')).toMatchObject({
      observed: 'departed',
      actual: 'is gone',
    });
    const left = await resultOf(cluster, 'delete cm/flags --yes --wait=false');
    expect(left).toMatchObject({
      result: { state: 'unfinished', followed: false },
      journal: { undo: [] },
      exit: { code: 0, reason: 'NotFollowed' },
    });
  });

  test('of one that is interrupted while it is followed, and while a request is under way', async () => {
    const cluster = demo();
    const words = 'delete cm/release-41 --cascade=orphan --yes';
    cluster.beforeActing = () => cluster.interrupt();
    const followed = await resultOf(cluster, words);
    expect(followed).toMatchObject({
      requests: [{ state: 'answered', status: 200 }],
      result: { state: 'unfinished', taken: 1 },
      exit: { code: 130, reason: 'Interrupted' },
    });
    const hanging = demo();
    hanging.beforeActing = async () => {
      hanging.interrupt();
      hanging.interrupt();
      await answered.promise;
    };
    const answered = Promise.withResolvers<void>();
    const unknown = await resultOf(hanging, words);
    expect(unknown).toMatchObject({
      requests: [{ state: 'unknown' }],
      objects: [],
      exit: { code: 130, reason: 'Interrupted' },
    });
    expect(unknown.journal.entries).toHaveLength(1);
    expect('result' in unknown).toBe(false);
    answered.resolve();
  });

  test('of what cannot be journalled says so', async () => {
    const env = { XDG_STATE_HOME: '/dev/null/state' };
    const result = await resultOf(demo(), 'delete cm/platform --yes', { env });
    expect(result).toMatchObject({
      plan: { outcome: 'Completes' },
      requests: [{ state: 'notSent' }],
      exit: { code: 2, reason: 'Failed', message: expect.stringContaining('journal') as string },
    });
  });

  test('of a remedy and of an undo', async () => {
    const stuck = demo('foreground-stuck');
    const remedy = 'clear-block/pod/web-1';
    const unblocked = await resultOf(stuck, `unblock sts/web --remedy ${remedy} --yes`);
    expect(unblocked).toMatchObject({
      action: { verb: 'unblock', remedy, targets: [{ name: 'web' }] },
      requests: [{ verb: 'PATCH', status: 200 }],
      exit: { code: 0, reason: 'Done' },
    });
    const cluster = demo();
    const deleted = await resultOf(cluster, 'delete cm/release-41 --cascade=orphan --yes');
    const [entry = ''] = deleted.journal.entries;
    const undone = await resultOf(cluster, `undo ${entry} --yes`);
    expect(undone).toMatchObject({ action: { verb: 'undo', entry }, exit: { code: 0, reason: 'Done' } });
    expect(undone.objects.find(({ forecast }) => forecast === 'made')).toMatchObject({
      object: { name: 'release-41' },
      observed: 'asForecast',
    });
  });

  test('of an undo that is refused has no forecast', async () => {
    const cluster = demo();
    const words = 'delete secret/certificate --yes --allow-stuck';
    const [entry = ''] = (await resultOf(cluster, words)).journal.entries;
    const refused = await resultOf(cluster, `undo ${entry} --yes`);
    expect(refused).toMatchObject({ action: { verb: 'undo', entry }, requests: [], objects: [] });
    expect(refused.exit).toMatchObject({ code: 2, reason: 'Refused' });
    expect('plan' in refused).toBe(false);
  });

  test('never holds the data of a Secret, though undo sends it', async () => {
    const cluster = demo();
    const data = { key: Buffer.from('open sesame').toString('base64') };
    const metadata = { name: 'door', namespace: 'shop' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, data };
    expect(await cluster.objects('Secret')).not.toContain('Secret/door');
    await cluster.change('POST', '/api/v1/namespaces/shop/secrets', secret);
    // The demo keeps something else in its place, which is data to whoever reads it.
    expect(await cluster.json('Secret', 'door')).toMatchObject({ data: { key: '(hidden)' } });
    await vi.waitFor(async () => {
      expect((await cluster.command('tree secret/door')).exitCode).toBe(0);
    });
    const words = 'delete secret/door --cascade=background --yes --backup-secret-data';
    const deleted = await resultOf(cluster, words);
    const sent: unknown[] = [];
    cluster.answer = ({ path, body }) => {
      if (path.endsWith('/secrets')) sent.push(body);
      return undefined;
    };
    const undone = await resultOf(cluster, `undo ${deleted.journal.entries[0]} --yes --backup-secret-data`);
    expect(sent).toMatchObject([{ data: { key: '(hidden)' } }]);
    expect(undone.requests).toMatchObject([{ verb: 'POST', body: { metadata: { name: 'door' } } }]);
    expect(JSON.stringify([deleted, undone])).not.toContain('(hidden)');
  });
});
