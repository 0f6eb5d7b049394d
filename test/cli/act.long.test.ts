import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { complete } from '../../src/cli/completion/complete-line.ts';
import { command, consoleFor, SmallSource } from './console.ts';
import { schemaOf } from './documents/schema.ts';
import { LastingDemo } from './lasting-demo.ts';

const open: LastingDemo[] = [];

function demo(scenario = 'policies-side-by-side'): LastingDemo {
  const lasting = new LastingDemo(scenario);
  open.push(lasting);
  return lasting;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const everything = [
  'ConfigMap/cache',
  'ConfigMap/flags',
  'ConfigMap/flags-history',
  'ConfigMap/platform',
  'ConfigMap/release-41',
  'ConfigMap/shared',
  'Secret/certificate',
  'Secret/token',
];

describe('delete', () => {
  test('shows forecast and request, deletes, follows, and says how to take it back', async () => {
    const cluster = demo();
    const { out, err, exitCode } = await cluster.command('delete cm/release-41 --cascade=orphan --yes');
    expect([err, exitCode]).toEqual(['', 0]);
    expect(out).toContain(
      'Deleting ConfigMap shop/release-41 and orphaning what it owns: 1 object is deleted',
    );
    expect(out).toMatch(
      /DELETE \/api\/v1\/namespaces\/shop\/configmaps\/release-41\n +propagationPolicy Orphan/,
    );
    expect(out).toMatch(/only while it has uid [0-9a-f-]+ and resourceVersion \d+/);
    expect(out).toMatch(
      /^As forecast after \d+s: 1 object is gone, 5 are altered\.\nUndo: kubectl gc-tree undo \d/m,
    );
    expect(await cluster.objects('ConfigMap', 'Secret')).toEqual(
      everything.filter(each => each !== 'ConfigMap/release-41'),
    );
  });

  test.each(['configm', 'confi', 'secr,cm', 'cm,'])(
    'is refused for a word that is no type, and changes nothing: %s --all',
    async word => {
      const cluster = demo();
      const { err, exitCode } = await cluster.command(`delete ${word} --all --yes`);
      expect([exitCode, cluster.sent]).toEqual([2, []]);
      expect(err).toMatch(/^kubectl gc-tree: .+\n$/u);
    },
  );

  test('is in the background where nobody chooses, as with kubectl', async () => {
    const cluster = demo();
    const { out, exitCode } = await cluster.command('delete cm/flags --yes --context prod');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Undo: kubectl gc-tree undo \S+ --context prod$/m);
    expect(out).toContain('propagationPolicy Background');
    expect(await cluster.objects('ConfigMap')).not.toContain('ConfigMap/flags-history');
  });

  test('that is forecast to get stuck is refused where nobody looks at the forecast', async () => {
    const cluster = demo();
    const before = await cluster.objects('ConfigMap');
    const { err, exitCode } = await cluster.command('delete cm/release-41 --cascade=foreground --yes');
    expect(exitCode).toBe(2);
    expect(err).toMatch(
      /^kubectl gc-tree: deleting ConfigMap shop\/release-41 would get stuck \(.+ is stuck: it waits for .+\)\.\nNothing was changed; --allow-stuck deletes it anyway\.\n$/u,
    );
    expect(await cluster.objects('ConfigMap')).toEqual(before);
    expect(cluster.sent).toEqual([]);
  });

  test('that gets stuck as it was forecast says so, and is no success', async () => {
    const cluster = demo();
    const { out, exitCode } = await cluster.command(
      'delete cm/release-41 --cascade=foreground --yes --allow-stuck',
    );
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^ {2}ConfigMap shop\/release-41 is stuck: it waits for /m);
    expect(out).toMatch(/^As forecast.*4 objects are gone, .*2 stay terminating\.$/m);
    expect(await cluster.objects('Secret')).toEqual(['Secret/certificate']);
  });

  test('on a terminal sets the three policies side by side, and takes the one that is chosen', async () => {
    const cluster = demo();
    const { out, err, exitCode } = await cluster.command('delete cm/release-41', {
      terminal: true,
      columns: 100,
      stdin: 'orph\nrelease-41\n',
    });
    expect(exitCode).toBe(0);
    const rows = out.split('\n').map(line => line.trim().split(/\s{2,}/u));
    expect(rows).toContainEqual(['ConfigMap release-41', 'deleted', 'held', 'deleted']);
    expect(rows).toContainEqual(['ConfigMap flags-history', 'deleted', 'deleted', 'stays']);
    expect(rows).toContainEqual(['Secret certificate', 'held', 'held', 'orphaned']);
    expect(out).toContain('The same under all three: ConfigMap shared altered.');
    expect(err).toContain('Which one?');
    expect(err).toContain('Type release-41 to confirm');
    expect(out).toContain('propagationPolicy Orphan');
  });

  test('doesn’t ask for a policy where all end alike', async () => {
    const cluster = demo();
    const { err, exitCode } = await cluster.command('delete cm/platform', { terminal: true, stdin: 'n\n' });
    expect(err).not.toContain('Which one?');
    expect(err).toContain('Type platform to confirm: ');
    expect(exitCode).toBe(1);
  });

  test('wants the name of a single object typed where nobody brings back what goes with it', async () => {
    const cluster = demo();
    const ask = (more: string, stdin: string) =>
      cluster.command(`delete secret/token --cascade=background${more}`, { terminal: true, stdin });
    const refused = await ask('', 'y\n');
    expect(refused.out).toContain('! Undo cannot bring back the data of Secret token.');
    expect(refused.err).toContain('Undo cannot bring back the data of Secret token. Type token to confirm: ');
    expect([refused.exitCode, cluster.sent]).toEqual([1, []]);
    const kept = await ask(' --backup-secret-data', 'n\n');
    expect(kept.err).toContain('Delete Secret shop/token? [y/N]');
    expect(kept.out).not.toContain('cannot bring back');
    const taken = await ask('', 'token\n');
    expect([taken.exitCode, cluster.sent.length]).toEqual([0, 1]);
  });

  test('promises no undo that would be refused', async () => {
    const cluster = demo();
    const { out } = await cluster.command('delete secret/certificate --yes --allow-stuck');
    expect(out).toContain(
      'Undo cannot restore:\n  Secret certificate is being deleted, which cannot be undone',
    );
    expect(out).not.toContain('Undo: kubectl');
    const later = await cluster.command('delete cm/platform --yes --wait=false');
    expect(later.out).toMatch(/^What can be undone shows when it is done: kubectl gc-tree undo$/m);
  });

  test.each([
    ['another word', 'release-42\n'],
    ['a yes in place of the word', 'y\n'],
    ['the end of the input', ''],
  ])('stops at %s, and sends nothing', async (_, stdin) => {
    const cluster = demo();
    const words = 'delete cm/release-41 --cascade=background';
    const { err, exitCode } = await cluster.command(words, { terminal: true, stdin });
    expect(exitCode).toBe(1);
    expect(err).toContain('Nothing was sent.');
    expect(cluster.sent).toEqual([]);
    expect(await cluster.objects('ConfigMap', 'Secret')).toEqual(everything);
  });

  test.each([
    ['delete cm/a', 'no terminal to ask on. Add --yes'],
    ['delete cm/a --yes --read-only', 'read-only, so delete is refused'],
    ['delete cm/a --yes -f dump', '-f names what to delete, and so does a target: leave one of them out.'],
    ['delete cm --yes', 'write cm/NAME'],
    ['delete --yes', 'name what to delete'],
    ['delete cm/a --yes --watch', 'leave --watch out'],
    ['delete cm/a --yes -o dot', 'delete cannot print dot'],
    ['delete cm/a --yes --timeout soon', 'soon is no duration'],
    ['delete cm/a --yes --cascade=all', 'Choose background, foreground or orphan'],
    ['delete cm/a --yes --now --grace-period=5', '--now and --grace-period exclude each other'],
    ['delete cm/a --yes --dry-run=maybe', '--dry-run: no maybe'],
    ['unblock cm/a --remedy redelete/background', 'no terminal to ask on. Add --yes'],
    ['unblock', 'name what to unblock'],
    ['unblock cm', 'write cm/NAME, or select with -l or --all'],
    ['undo 20261121T121144Z-a9994b', 'there is no entry "20261121T121144Z-a9994b" in the journal'],
    ['delete cm/a --yes --now --force', '--now is a grace period of one second, and --force goes with none'],
    ['delete cm/a --yes --force --grace-period=5', '--force and a --grace-period above 0 exclude each other'],
    ['undo -f dump', 'undo needs a cluster or --demo'],
  ])('%s is refused in one line before anything is read', async (words, message) => {
    const { out, err, exitCode } = await command(words);
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  test('is refused by GC_TREE_READ_ONLY too, but may be looked at', async () => {
    const cluster = demo();
    const env = { GC_TREE_READ_ONLY: '1' };
    expect((await cluster.command('delete cm/platform --yes', { env })).exitCode).toBe(2);
    const dry = await cluster.command('delete cm/platform --dry-run=server', { env });
    expect(dry.exitCode).toBe(0);
    expect(dry.out).toContain('Nothing was changed');
    expect(cluster.sent).toEqual([]);
  });

  test('is refused where a source can only be read', async () => {
    const source = new SmallSource('- {kind: ConfigMap, name: a}');
    const { err, exitCode } = await command('delete cm/a --yes', { source });
    expect([exitCode, err]).toEqual([2, 'kubectl gc-tree: delete needs a cluster or --demo.\n']);
  });

  test('names what goes only once it is certain that it does', async () => {
    const cluster = demo();
    const stuck = await cluster.command('delete cm/release-41 --cascade=foreground --yes -o name');
    expect([stuck.out, stuck.exitCode]).toEqual(['', 2]);
    const declined = await cluster.command('delete cm/platform -o name', { terminal: true, stdin: 'n\n' });
    expect([declined.out, declined.exitCode]).toEqual(['', 1]);
    expect(declined.err).toContain('Deleting ConfigMap shop/platform');
    for (const mode of ['--dry-run=client', '--dry-run=server', '--yes']) {
      const { out, exitCode } = await cluster.command(`delete cm/flags ${mode} -o name`);
      expect([out, exitCode]).toEqual(['configmap/flags\nconfigmap/flags-history\n', 0]);
    }
  });

  test('as a dry run compares the policies on a terminal, and sends nothing', async () => {
    const cluster = demo();
    const text = await cluster.command('delete cm/release-41 --dry-run=client', { terminal: true });
    expect(text.out).toContain('Choose one with --cascade to see its requests. Nothing was sent.');
    expect(cluster.sent).toEqual([]);
  });

  test('says what a namespace holds, and who makes anew what is deleted', async () => {
    const cluster = demo();
    const namespace = await cluster.command('delete ns/shop --dry-run=client');
    expect(namespace.out).toMatch(/! Namespace shop holds \d+ objects: .*6 ConfigMaps/);
    const pods = await cluster.objects('Pod');
    const pod = await cluster.command(`delete ${pods[0]?.toLowerCase() ?? ''} --dry-run=client`);
    expect(pod.out).toMatch(
      /! ReplicaSet web-\w+ creates 1 new Pod\. To prevent that, delete Deployment web instead\./,
    );
    const whole = await cluster.command('delete deploy/web --dry-run=client');
    expect(whole.out).not.toContain('instead');
  });

  test('of a node says what could run twice, and advises nobody to delete what is to come back', async () => {
    const { out } = await demo('podgc').command('delete node/node-3 --cascade=background --dry-run=client');
    expect(out).toContain('run twice    1  Pod shop/db-0: StatefulSet shop/db recreates it');
    expect(out).not.toContain('instead');
  });

  test('takes no yes for what it wasn’t said to: the object is another by the time it is sent', async () => {
    const cluster = demo();
    cluster.beforeActing = async () => {
      cluster.beforeActing = () => {};
      await again(cluster);
    };
    const { out, err, exitCode } = await cluster.command('delete cm/platform --yes');
    expect(exitCode).toBe(2);
    expect(out).toContain('The cluster has changed since the forecast');
    expect(err).toContain('something else would happen now than --yes was said to');
    expect(await cluster.objects('ConfigMap')).toContain('ConfigMap/platform');
  });

  const again = async (cluster: LastingDemo): Promise<void> => {
    await cluster.change('DELETE', '/api/v1/namespaces/shop/configmaps/platform');
    await cluster.change('POST', '/api/v1/namespaces/shop/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'platform', namespace: 'shop' },
    });
  };
  const changed = 'The cluster has changed since the forecast, and this is what would happen now:';

  test('shows the new forecast where the object is another before the question', async () => {
    const cluster = demo();
    let begun = false;
    const { out, err, exitCode } = await cluster.command('delete cm/platform', {
      terminal: true,
      stdin: 'platform\n',
      onOutput: text => {
        if (begun || !text.includes('Request')) return;
        begun = true;
        void again(cluster);
      },
    });
    expect(out).toContain(changed);
    expect(out.split('Request')).toHaveLength(3);
    expect(err).toContain('Delete ConfigMap shop/platform? [y/N]');
    expect([exitCode, cluster.sent]).toEqual([1, []]);
  });

  test('asks again where the object is another by the time of the answer', async () => {
    const cluster = demo();
    const { out, err, exitCode } = await cluster.command('delete cm/platform', {
      terminal: true,
      answers: [
        async () => {
          await again(cluster);
          return 'platform';
        },
        () => 'n',
      ],
    });
    expect(out).toContain(changed);
    expect(err).toContain('Type platform to confirm: Delete ConfigMap shop/platform? [y/N]');
    expect([exitCode, cluster.sent]).toEqual([1, []]);
  });

  test('that nobody waits for is sent and not followed', async () => {
    const cluster = demo();
    const { out, exitCode } = await cluster.command('delete cm/platform --yes --wait=false');
    expect(exitCode).toBe(0);
    expect(out).toContain('Sent. What becomes of it is not followed.');
  });

  test('that goes another way ends with exit code 1 and says where', async () => {
    const cluster = demo();
    cluster.beforeActing = () => {
      cluster.beforeActing = () => {};
      queueMicrotask(() => {
        void cluster.change('DELETE', '/api/v1/namespaces/shop/configmaps/shared');
      });
    };
    const { out, exitCode } = await cluster.command('delete cm/platform --yes');
    expect(exitCode).toBe(1);
    expect(out).toContain('The cluster did not follow the forecast');
    expect(out).toMatch(/ConfigMap shop\/shared is gone; the forecast was that it/);
  });

  test('that is interrupted at the question sends nothing: 130', async () => {
    const cluster = demo();
    const { exitCode } = await cluster.command('delete cm/platform', {
      terminal: true,
      onOutput: (text, interrupt) => {
        if (text.includes('Request')) setImmediate(interrupt);
      },
    });
    expect([exitCode, cluster.sent]).toEqual([130, []]);
  });
});

test('an action that is interrupted after it was sent ends with 130, and the journal says so', async () => {
  const cluster = demo();
  let stop = (): void => {};
  cluster.beforeActing = () => stop();
  const { out, exitCode } = await cluster.command('delete cm/release-41 --cascade=orphan --yes', {
    onOutput: (_text, interrupt) => {
      stop = interrupt;
    },
  });
  expect(exitCode).toBe(130);
  expect(out).toContain('the wait was given up');
  const journal = JSON.parse((await cluster.command('undo -o json')).out) as unknown;
  expect(journal).toMatchObject({
    items: [{ outcome: 'unfinished', requests: [{ state: 'answered', status: 200 }] }],
  });
});

test('where the journal cannot be written nothing is sent, and it is said what to do', async () => {
  const cluster = demo();
  const env = { XDG_STATE_HOME: '/dev/null/state' };
  const { err, exitCode } = await cluster.command('delete cm/platform --yes', { env });
  expect(exitCode).toBe(2);
  expect(err).toContain('the journal cannot be read or written, so nothing was sent');
  expect(err).toContain('XDG_STATE_HOME');
  expect(cluster.sent).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'where others can write to the journal nothing is sent, nothing is taken back, and it is said what to do',
  async () => {
    const cluster = demo();
    await cluster.command('delete cm/platform --yes');
    const sent = cluster.sent.length;
    chmodSync(path.join(cluster.state, 'kubectl-gc-tree'), 0o777);
    for (const line of ['delete cm/release-41 --yes --allow-stuck', 'undo', 'undo 2 --yes']) {
      const { err, exitCode } = await cluster.command(line);
      expect(exitCode).toBe(2);
      expect(err).toMatch(
        /^kubectl gc-tree: the journal cannot be trusted, so nothing was sent: \S+ can be written to by other users \(mode 0777\)\.\nCorrect that, or point XDG_STATE_HOME to a folder that only you can change\.\n$/u,
      );
    }
    expect(cluster.sent).toHaveLength(sent);
  },
);

describe('unblock', () => {
  test('lists the remedies where nobody can be asked, with the commands that apply them', async () => {
    const cluster = demo('foreground-stuck');
    const { out, exitCode } = await cluster.command('unblock sts/web');
    expect(exitCode).toBe(0);
    expect(out).toContain('kubectl gc-tree unblock statefulset/web -n shop --remedy clear-block/pod/web-1');
    const names = await cluster.command('unblock sts/web -o name');
    expect(names.out.split('\n')[0]).toBe('clear-block/pod/web-1');
    const list = JSON.parse((await cluster.command('unblock sts/web -o json')).out) as unknown;
    expect(list).toMatchObject({ kind: 'RemedyList', object: { name: 'web' } });
  });

  test('on a terminal asks for a number, then confirms, and lets the object go', async () => {
    const cluster = demo('foreground-stuck');
    const { out, err, exitCode } = await cluster.command('unblock sts/web', {
      terminal: true,
      stdin: '1\ny\n',
    });
    expect(err).toContain('Which one? 1 to');
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^As forecast/m)]);
    expect(await cluster.objects('StatefulSet')).toEqual([]);
    expect(await cluster.objects('Pod')).toContain('Pod/web-1');
  });

  test('removes one named finalizer at a time, and asks for the name where that is dangerous', async () => {
    const cluster = demo('foreground-stuck');
    const words = 'unblock sts/web --remedy remove-finalizer/example.com/drain';
    const no = await cluster.command(words, { terminal: true, stdin: 'y\n' });
    expect([no.exitCode, cluster.sent]).toEqual([1, []]);
    const { out, exitCode } = await cluster.command(`${words} --yes`);
    expect(exitCode, out).toBe(0);
    expect(cluster.sent).toEqual(['PATCH /api/v1/namespaces/shop/pods/web-1']);
    expect(await cluster.objects('StatefulSet')).toEqual([]);
  });

  test('before it takes foregroundDeletion away says which dependents go then', async () => {
    const cluster = demo('foreground-stuck');
    const { out } = await cluster.command(
      'unblock sts/web --remedy remove-finalizer/foregroundDeletion --dry-run=client',
    );
    expect(out).toContain('! Being deleted, and held: Pod web-1.');
  });

  test('knows a remedy that there is no cause for', async () => {
    const { err, exitCode } = await demo().command('unblock cm/flags --yes --remedy redelete/orphan');
    expect(exitCode).toBe(2);
    expect(err).toContain('ConfigMap flags has no remedy "redelete/orphan"');
  });
});

interface Journal {
  readonly items: readonly { readonly id: string; readonly action: string; readonly because?: string }[];
}

const validate = new Ajv2020({ strict: false }).compile(schemaOf('Journal'));

const blocking = (reference: object): object => ({ ...reference, blockOwnerDeletion: true });

describe('undo', () => {
  const journal = async (cluster: LastingDemo): Promise<Journal> => {
    const { out, err, exitCode } = await cluster.command('undo -o json');
    expect([err, exitCode]).toEqual(['', 0]);
    const document = JSON.parse(out) as Journal;
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(parse((await cluster.command('undo -o yaml')).out)).toMatchObject({ items: document.items });
    return document;
  };

  test('without an entry says that the journal is empty', async () => {
    const cluster = demo();
    const { out, err, exitCode } = await cluster.command('undo');
    expect([out, exitCode]).toEqual(['', 0]);
    expect(err).toContain('The journal is empty');
    expect((await journal(cluster)).items).toEqual([]);
  });

  test('lists what was done, and takes an orphaning back', async () => {
    const cluster = demo();
    await cluster.command('delete cm/release-41 --cascade=orphan --yes');
    const [entry] = (await journal(cluster)).items;
    expect(entry).toMatchObject({
      action: 'delete',
      title: 'delete ConfigMap shop/release-41, orphan',
      object: { kind: 'ConfigMap', namespace: 'shop', name: 'release-41' },
      outcome: 'reached',
      reversible: true,
      requests: [{ verb: 'DELETE', state: 'answered', status: 200 }],
    });
    const id = entry?.id ?? '';
    const text = await cluster.command('undo');
    expect(text.out).toMatch(/^ENTRY +AGE +OUTCOME +UNDO +WHAT\n/);
    expect(text.out).toMatch(
      new RegExp(`^${id} .*as forecast +(?:yes|in part) +delete ConfigMap shop/release-41`, 'm'),
    );
    const dry = await cluster.command(`undo ${id} --dry-run=client`);
    expect(dry.out).toContain('+ recreate ConfigMap release-41');
    const undone = await cluster.command(`undo ${id} --yes`);
    expect([undone.err, undone.exitCode]).toEqual(['', 0]);
    expect(undone.out).not.toContain('Undo:');
    expect(await cluster.objects('ConfigMap', 'Secret')).toEqual(everything);
    expect(await cluster.json('ConfigMap', 'cache')).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'ConfigMap', name: 'release-41' }] },
    });
    const after = await journal(cluster);
    expect(after.items.map(({ action }) => action)).toEqual(['undo', 'delete']);
    expect(after.items[1]).toMatchObject({
      reversible: false,
      because: `${after.items[0]?.id} took it back`,
    });
  });

  test('comes to its end where somebody else does the rest of it, as controllers that adopt', async () => {
    const cluster = demo();
    await cluster.command('delete cm/release-41 --cascade=orphan --yes');
    const [entry] = (await journal(cluster)).items;
    cluster.beforeActing = async path => {
      if (path.endsWith('/configmaps')) return;
      cluster.beforeActing = () => {};
      const owner = (await cluster.json('ConfigMap', 'release-41')) as { metadata: { uid: string } };
      const { uid } = owner.metadata;
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'release-41', uid };
      for (const [name, blocks] of [
        ['configmaps/cache', false],
        ['configmaps/flags', true],
        ['secrets/certificate', true],
        ['secrets/token', true],
      ] as const) {
        const value = [blocks ? blocking(reference) : reference];
        await cluster.change('PATCH', `/api/v1/namespaces/shop/${name}`, [
          { op: 'add', path: '/metadata/ownerReferences', value },
        ]);
      }
      const value = blocking(reference);
      await cluster.change('PATCH', '/api/v1/namespaces/shop/configmaps/shared', [
        { op: 'add', path: '/metadata/ownerReferences/0', value },
      ]);
    };
    const { out, exitCode } = await cluster.command(`undo ${entry?.id ?? ''} --yes`);
    expect(exitCode, out).toBe(0);
    expect(out).toMatch(/^As forecast/m);
    // The one that found it done already was its last.
    expect(cluster.sent.slice(1).map(each => each.split(' ')[0])).toEqual(['POST', 'PATCH']);
  });

  test('makes a deleted tree again, and says before and after what cannot come back', async () => {
    const cluster = demo();
    await cluster.command('delete cm/release-41 --cascade=background --yes --allow-stuck');
    const [entry] = (await journal(cluster)).items;
    const { out, exitCode } = await cluster.command(`undo ${entry?.id ?? ''} --yes`);
    expect(exitCode).toBe(0);
    expect(await cluster.objects('ConfigMap')).toEqual(
      everything.filter(each => each.startsWith('ConfigMap/')),
    );
    const lost = 'Secret certificate is being deleted, which cannot be undone';
    expect(entry?.because).toContain(lost);
    expect(out.split(lost)).toHaveLength(3);
  });

  test('refuses an entry of another cluster, and one that there isn’t', async () => {
    const cluster = demo();
    await cluster.command('delete cm/platform --yes');
    const [entry] = (await journal(cluster)).items;
    const other = demo('foreground-stuck');
    const env = { XDG_STATE_HOME: cluster.state };
    const file = path.join(cluster.state, 'kubectl-gc-tree', 'journal', entry?.id ?? '', 'journal.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"cluster":"[^"]+"/u, '"cluster":"another"'));
    const refused = await other.command(`undo ${entry?.id ?? ''} --yes`, { env });
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain('was done to the cluster of context policies-side-by-side');
    expect(other.sent).toEqual([]);
    const none = await other.command('undo 2020 --yes', { env });
    expect([none.exitCode, none.err]).toEqual([2, expect.stringContaining('no entry "2020"')]);
  });

  test('lists the journal even where the cluster cannot be reached, and calls nothing reversible', async () => {
    const cluster = demo();
    await cluster.command('delete cm/platform --yes');
    const { out, err, exitCode } = await command('undo -o json', { env: { XDG_STATE_HOME: cluster.state } });
    expect(exitCode).toBe(0);
    expect(err).toContain('no context "prdo"');
    expect(validate(JSON.parse(out)), JSON.stringify(validate.errors)).toBe(true);
    expect(JSON.parse(out)).toMatchObject({ items: [{ action: 'delete', reversible: false }] });
  });
});

describe('completion', () => {
  const at = async (env: Readonly<Record<string, string>>, ...words: string[]): Promise<string[]> => {
    const { io, services, result } = consoleFor({ env });
    await complete(words, io, services);
    return result()
      .out.trimEnd()
      .split('\n')
      .map(line => line.split('\t')[0] ?? '');
  };

  test('knows policies, dry runs, the remedies of an object and the entries of the journal', async () => {
    const cluster = demo();
    await cluster.command('delete cm/platform --yes');
    const env = { XDG_STATE_HOME: cluster.state };
    expect(await at(env, 'delete', 'cm/a', '--cascade=f')).toEqual(['foreground', ':4']);
    expect(await at(env, 'delete', 'cm/a', '--dry-run', 's')).toEqual(['server', ':4']);
    expect(await at(env, 'plan', '--fail-on', 're')).toEqual(['recreated', 'refused', ':4']);
    expect(await at(env, 'check', '--fail-on', 'w')).toEqual(['warning', ':4']);
    const [id, directive] = await at(env, 'undo', '2026');
    expect([id, directive]).toEqual([expect.stringMatching(/^20261121T\d{6}Z-[0-9a-f]{6}$/), ':4']);
    const stuck = ['sts/web', '--demo', 'foreground-stuck', '--remedy', 'clear'];
    expect(await at(env, 'unblock', ...stuck)).toEqual(['clear-block/pod/web-1', ':4']);
    expect(await at(env, 'plan', 'unblock', ...stuck)).toEqual(['clear-block/pod/web-1', ':4']);
  });
});

describe('everything that waits in a namespace', () => {
  test('is unblocked by one command, from what decides up, and undone by one entry', async () => {
    const cluster = demo('foreground-stuck');
    const { out, exitCode } = await cluster.command('unblock ns/shop --remedy unblock-all --yes');
    expect([exitCode, out]).toEqual([0, expect.stringMatching(/^As forecast/mu)]);
    expect(out).toMatch(/^ {3}1\. safe {7}finish the deletion of import first/mu);
    expect(out).toMatch(/^ {3}2\. dangerous {2}remove example\.com\/drain from web-1/mu);
    expect(cluster.sent).toHaveLength(6);
    for (const kind of ['Pod', 'StatefulSet', 'PersistentVolumeClaim'])
      expect(await cluster.objects(kind)).toEqual([]);
    const journal = await cluster.command('undo -o name');
    expect(journal.out.trimEnd().split('\n')).toHaveLength(1);
  });

  test('is no safe remedy with a dangerous step, and one without', async () => {
    const shop = demo('foreground-stuck');
    const refused = await shop.command('unblock ns/shop --remedy safe --yes');
    expect([refused.exitCode, shop.sent]).toEqual([2, []]);
    expect(refused.err).toContain('no remedy that can be applied to Namespace shop is safe.');
    const maps = demo('foreground-stuck');
    const { exitCode, err } = await maps.command('unblock cm/narcissus cm/tenant --remedy safe --yes');
    expect([exitCode, err]).toEqual([0, expect.stringContaining('--remedy safe is unblock-all.\n')]);
    expect(maps.sent).toHaveLength(2);
  });
});

describe('--yes without a word for what is meant is wrong use', () => {
  test.each([
    ['unblock cm/release-41 --yes', '--yes needs the remedy'],
    ['undo --yes', '--yes needs the entry'],
  ])('%s', async (words, message) => {
    const cluster = demo();
    const { out, err, exitCode } = await cluster.command(words);
    expect([out, exitCode, cluster.sent]).toEqual(['', 2, []]);
    expect(err).toContain(message);
  });

  test('an empty entry is none, even where the journal has only one', async () => {
    const cluster = demo();
    expect((await cluster.command('delete cm/cache --yes')).exitCode).toBe(0);
    const before = [...cluster.sent];
    const { out, err, exitCode } = await cluster.command(['undo', '', '--yes']);
    expect([out, exitCode, cluster.sent]).toEqual(['', 2, before]);
    expect(err).toBe('kubectl gc-tree: the entry is empty. Leave it out to list the journal.\n');
    expect(await cluster.objects('ConfigMap')).not.toContain('ConfigMap/cache');
  });
});

describe('a remedy is named by the number that is printed with it', () => {
  const listed = /^ {2}1 {2}safe .*\n[\s\S]*--remedy clear-block\/pod\/web-1$/mu;

  test.each(['unblock', 'why'])('%s prints it without a terminal too', async verb => {
    expect((await demo('foreground-stuck').command(`${verb} sts/web`)).out).toMatch(listed);
  });

  test('which stands for the remedy of the list, and is told', async () => {
    for (const word of ['1', 'safe']) {
      const cluster = demo('foreground-stuck');
      const { out, err, exitCode } = await cluster.command(`unblock sts/web --remedy ${word} --yes`);
      expect([exitCode, out]).toEqual([0, expect.stringMatching(/^As forecast/mu)]);
      expect(err).toContain(`--remedy ${word} is clear-block/pod/web-1.\n`);
      expect(cluster.sent).toEqual(['PATCH /api/v1/namespaces/shop/pods/web-1']);
      expect(await cluster.objects('Pod')).toContain('Pod/web-1');
    }
  });

  test('for every number of the list', async () => {
    const cluster = demo('foreground-stuck');
    const ids = (await cluster.command('unblock sts/web -o name')).out.trimEnd().split('\n');
    expect(ids.length).toBeGreaterThan(2);
    for (const [index, id] of ids.entries()) {
      const number = index + 1;
      const { out, err } = await cluster.command(`plan unblock sts/web --remedy ${number}`);
      expect(err).toContain(`--remedy ${number} is ${id}.\n`);
      expect(out).toBe((await cluster.command(`plan unblock sts/web --remedy ${id}`)).out);
    }
  });

  test.each([
    ['foreground-stuck', 'sts/web', '0', 'there is no remedy 0 for StatefulSet web.'],
    ['foreground-stuck', 'sts/web', '99', 'there is no remedy 99 for StatefulSet web.'],
    ['foreground-stuck', 'sts/web', '01', 'there is no remedy 01 for StatefulSet web.'],
    ['foreground-stuck', 'pod/web-1', 'safe', 'no remedy that can be applied to Pod web-1 is safe.'],
    [
      'policies-side-by-side',
      'cm/flags',
      'safe',
      'no remedy that can be applied to ConfigMap flags is safe.',
    ],
    ['policies-side-by-side', 'cm/flags', '1', 'there is no remedy 1 for ConfigMap flags.'],
  ])('and refused where it stands for none: %s %s %s', async (scenario, target, word, message) => {
    const cluster = demo(scenario);
    const ids = (await cluster.command(`unblock ${target} -o name`)).out.trimEnd().split('\n');
    for (const line of [`unblock ${target} --yes`]) {
      const { out, err, exitCode } = await cluster.command(`${line} --remedy ${word}`);
      expect([out, exitCode, cluster.sent]).toEqual(['', 2, []]);
      expect(err).toContain(message);
      for (const id of ids) expect(err).toContain(id);
    }
  });
});

describe('undo last', () => {
  test('takes back the newest entry that is no undo, and nothing older once that is done', async () => {
    const cluster = demo();
    await cluster.command('delete cm/cache --yes');
    await cluster.command('delete cm/platform --yes');
    const [newest = ''] = (await cluster.command('undo -o name')).out.split('\n');
    const { err, exitCode } = await cluster.command('undo last --yes');
    expect([err, exitCode]).toEqual([`last is ${newest}: delete ConfigMap shop/platform, background.\n`, 0]);
    expect(await cluster.objects('ConfigMap')).toContain('ConfigMap/platform');
    const before = [...cluster.sent];
    const again = await cluster.command('undo last --yes');
    expect([again.out, again.exitCode, cluster.sent]).toEqual(['', 2, before]);
    expect(again.err).toContain(
      `the last entry, ${newest} (delete ConfigMap shop/platform, background), is already reverted`,
    );
    expect(await cluster.objects('ConfigMap')).not.toContain('ConfigMap/cache');
  });

  test('is refused where the journal is empty, or its newest entry is damaged', async () => {
    const cluster = demo();
    const empty = await cluster.command('undo last --yes');
    expect([empty.exitCode, empty.err]).toEqual([2, expect.stringContaining('the journal is empty')]);
    await cluster.command('delete cm/cache --yes');
    await cluster.command('delete cm/platform --yes');
    const [newest = ''] = (await cluster.command('undo -o name')).out.split('\n');
    const file = path.join(cluster.state, 'kubectl-gc-tree', 'journal', newest, 'journal.jsonl');
    writeFileSync(file, `x${readFileSync(file, 'utf8')}`);
    const before = [...cluster.sent];
    const { err, exitCode } = await cluster.command('undo last --yes');
    expect([exitCode, cluster.sent]).toEqual([2, before]);
    expect(err).toContain(`the newest entry of the journal, ${newest}, is damaged`);
  });
});

describe('the beginning of an entry', () => {
  test.each([1, 4, 7])('of %d characters is too short, even for the only one', async length => {
    const cluster = demo();
    await cluster.command('delete cm/cache --yes');
    const before = [...cluster.sent];
    const [id = ''] = (await cluster.command('undo -o name')).out.split('\n');
    const { out, err, exitCode } = await cluster.command(`undo ${id.slice(0, length)} --yes`);
    expect([out, exitCode, cluster.sent]).toEqual(['', 2, before]);
    expect(err).toContain('is too short for the beginning of an entry. Write at least 8 characters.');
  });

  test('of a day is enough where it is the only one', async () => {
    const cluster = demo();
    await cluster.command('delete cm/cache --yes');
    expect((await cluster.command('undo 20261121 --yes')).exitCode).toBe(0);
    expect(await cluster.objects('ConfigMap')).toContain('ConfigMap/cache');
  });
});
