import { readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { candidates } from '../../src/cli/completion/complete-line.ts';
import type { Diagnosis, FindingList } from '../../src/cli/documents/definitions.ts';
import { describeFailure } from '../../src/cli/runtime/errors.ts';
import { say, warn } from '../../src/cli/runtime/say.ts';
import { sameSource } from '../../src/cli/session/same-source.ts';
import { fixture, folderOf } from '../source/files/reading.ts';
import { command, consoleFor } from './console.ts';
import { elementsOf } from './documents/xml-reader.ts';

const all = fixture('all.yaml');

const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: infra}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: web-1
  namespace: shop
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: 0-1}]
---
apiVersion: v1
kind: Node
metadata: {name: node-1}
`;

async function names(words: string): Promise<string[]> {
  const { out, err } = await command(`tree ${words} -f - -o name`, { stdin: manifests });
  expect(err.startsWith('kubectl gc-tree')).toBe(false);
  return out.trimEnd().split('\n');
}

test('what kubectl prints is read from standard input', async () => {
  const { out, exitCode } = await command('tree deploy -f -', {
    stdin:
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    name: api\n    namespace: shop\n    uid: u\n',
  });
  expect(exitCode).toBe(0);
  expect(out).toMatch(/^Deployment shop\/api/mu);
});

describe('files are a scope by themselves', () => {
  test('without a namespace everything in them is meant', async () => {
    expect(await names('')).toEqual([
      'node/node-1',
      'infra/deployment.apps/api',
      'shop/deployment.apps/api',
      'shop/deployment.apps/web',
      'shop/configmap/web-1',
    ]);
    expect(await names('-n infra')).toEqual(['deployment.apps/api']);
    expect(await names('-A')).toEqual(await names(''));
  });

  test('an object is found by its name in whatever namespace, if it is the only one', async () => {
    expect(await names('deploy/web')).toEqual(['shop/deployment.apps/web']);
    expect(await names('deploy/api -n shop')).toEqual(['deployment.apps/api']);
    const { err, exitCode } = await command('tree deploy/api -f -', { stdin: manifests });
    expect(err).toBe(
      'kubectl gc-tree: there are 2 deployments.apps called "api", in infra, shop. Choose one with -n.\n',
    );
    expect(exitCode).toBe(2);
    expect((await command('tree deploy/apo -f -', { stdin: manifests })).err).toMatch(
      /^kubectl gc-tree: deployment "apo" not found/u,
    );
  });
});

describe('a document', () => {
  test('says what it was made from, and when', async () => {
    const { out } = await command(`tree -f ${all} -o yaml`);
    const { basis } = parse(out) as { basis: { readonly blindSpots: unknown[] } };
    expect(basis).toMatchObject({
      source: 'files',
      context: all,
      complete: false,
      takenAt: expect.stringMatching(/^20\d\d-/u) as string,
    });
    expect(basis.blindSpots).toContainEqual({ resource: 'nodes', reason: 'not in the files' });
    expect(parse((await command(`tree -f ${all} --closed-world -o yaml`)).out)).toMatchObject({
      basis: { complete: true, blindSpots: [] },
    });
  });

  test.each(['json', 'yaml', 'dot', 'mermaid', 'wide'])(
    'shows no uid that no file has: -o %s',
    async format => {
      const { out } = await command(`tree -f - -o ${format}`, { stdin: manifests });
      expect(out).toContain('web-1');
      expect(out).not.toContain('without-uid');
    },
  );
});

test('what is odd about the files is said on standard error', async () => {
  const twice = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {uid: u, name: "x\\e[31m"}\n';
  const { out, err, exitCode } = await command('tree -f -', { stdin: `${twice}---\n${twice}data: {a: b}\n` });
  expect(exitCode).toBe(0);
  expect(out).toContain('ConfigMap default/x');
  expect(err).toMatch(
    /^Warning: an object stands in the files more than once, the last one read counts: ConfigMap default\/x/u,
  );
  expect(err).not.toContain('\u001b');
});

describe('what is wrong is said in one line, with exit code 2', () => {
  const broken = folderOf({ 'a.yaml': 'apiVersion: v1\nkind: "Pod\n', 'empty.yaml': '' });
  test.each([
    ['tree -f nowhere.yaml', 'nowhere.yaml: no such file or folder.'],
    [
      `tree -f ${broken}/a.yaml`,
      `${broken}/a.yaml, line 3, column 1: a line that should be indented further, or a quote or bracket before it that has no end.`,
    ],
    [`tree -f ${broken}/empty.yaml`, `${broken}/empty.yaml is empty.`],
    [
      `tree gears -f ${all}`,
      'the files don\'t have a resource type "gears". A custom resource is known by its definition, or by an object of it.',
    ],
    [`tree nodes -f ${all}`, 'the files hold no nodes, so it is unknown whether there are any.'],
    ['tree --closed-world', '--closed-world is about files: give them with -f.'],
    [`tree -f ${all} --demo shop`, '-f and --demo exclude each other. Leave one of them out.'],
    [`tree -f ${all} --watch`, "--watch needs something that changes: files don't."],
    ['tree -f', '--filename needs a value. See kubectl gc-tree --help.'],
  ])('%s', async (words, message) => {
    const { out, err, exitCode } = await command(words);
    expect(err).toBe(`kubectl gc-tree: ${message}\n`);
    expect(out).toBe('');
    expect(exitCode).toBe(2);
  });

  test('standard input that is the terminal', async () => {
    const { err } = await command('tree -f -', { terminal: true });
    expect(err).toContain('-f - reads standard input, which is the terminal here. Pipe something into it.');
    const bare = await command('-f -', { terminal: true });
    expect(bare.err).toContain('Save it to a file.');
    expect(bare.exitCode).toBe(2);
  });
});

describe('the screen', () => {
  test('opens on files, over everything in them', async () => {
    const { screens } = await command(`-f ${all}`, { terminal: true });
    expect(screens[0]?.flags).toMatchObject({ filename: [all], allNamespaces: true });
    const source = await screens[0]?.openSource();
    expect(source?.info).toMatchObject({ source: 'files', context: all });
    const narrowed = await command(`-f ${all} -n shop`, { terminal: true });
    expect(narrowed.screens[0]?.flags.allNamespaces).toBeUndefined();
  });

  test('leaves them for a cluster when a context is chosen', async () => {
    const { screens } = await command(`-f ${all} --closed-world`, { terminal: true });
    await expect(screens[0]?.openSource('prod-eu')).rejects.toThrow('no context "prdo"');
  });
});

test('several files are named one by one, and completed as files', async () => {
  const { out, err } = await command(
    `tree widgets -f ${fixture('crd.yaml')} -f=${fixture('widgets.yaml')} -o name`,
  );
  expect(err.split('\n')[0]).toBe('What is not in the files is unknown (see --closed-world).');
  expect(out).toBe('shop/widget.example.com/gear\n');
  const { io, services } = consoleFor();
  expect(await candidates(['tree', '-f', ''], { io, services })).toEqual({ candidates: [], directive: 0 });
  const answer = await candidates(['tree', '-f', all, 'sts/'], { io, services });
  expect(answer.candidates).toEqual([{ word: 'sts/web' }]);
});

describe('what files do not hold', () => {
  test.each(['tree', 'why deploy/web', 'check', 'plan', 'plan delete deploy/web'])(
    'takes one short line, however many kinds that are: %s',
    async words => {
      const { out, err } = await command(`${words} -f -`, { stdin: manifests });
      const told = `${out}${err}`.split('\n').filter(line => /(?:not in|outside) the files/iu.test(line));
      expect(told).toHaveLength(1);
      expect(told[0]?.length).toBeLessThan(150);
      expect(out + err).not.toMatch(/\d kinds|nodes/u);
      const closed = await command(`${words} -f - --closed-world`, { stdin: manifests });
      expect(closed.out + closed.err).not.toContain('not in the files');
    },
  );

  test('stays whole in documents', async () => {
    const { out } = await command('check -f - -o json', { stdin: manifests });
    const { basis } = JSON.parse(out) as { basis: { blindSpots: readonly unknown[] } };
    expect(basis.blindSpots.length).toBeGreaterThan(40);
  });
});

describe('half a surrogate pair, which only an escape can write,', () => {
  const half = '\\ud800';
  const objects = `{"apiVersion":"v1","kind":"List","items":[
    {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a${half}","namespace":"shop${half}","labels":{"x${half}":"${half}"},
      "finalizers":["example.com/${half}"],"deletionTimestamp":"2026-01-01T00:00:00Z",
      "ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"${half}","uid":"${half}"}]}},
    {"apiVersion":"example.com/v1","kind":"Kind${half}","metadata":{"name":"${half}","uid":"${half}"}}]}`;
  const yaml = `# YAML\n${objects}`;

  test.each([
    ...['text', 'wide', 'json', 'yaml', 'name', 'dot', 'mermaid'].map(format => `tree -o ${format}`),
    ...['text', 'wide', 'json', 'yaml', 'name', 'sarif', 'junit'].map(format => `check -o ${format}`),
    ...['text', 'wide', 'json', 'yaml', 'name'].map(format => `why cm/a\uFFFD -o ${format}`),
    ...['text', 'json', 'yaml', 'name'].map(format => `plan -o ${format}`),
    ...['text', 'json', 'yaml', 'name'].map(format => `plan delete cm/a\uFFFD -o ${format}`),
  ])('is the character that stands for none: %s', async words => {
    for (const stdin of [objects, yaml]) {
      const { out, err, exitCode } = await command(`${words} -f - --closed-world`, { stdin });
      // A name that cannot be told from another one isn't printed as one.
      if (words.endsWith('name') && exitCode === 2) expect(err).toContain('-o name prints names exactly');
      else {
        expect(err).not.toMatch(/^kubectl gc-tree: /mu);
        expect(exitCode).toBeLessThan(2);
      }
      expect(out.isWellFormed()).toBe(true);
      expect(out).not.toMatch(/\\ud[89a-f]/u);
    }
  });
});

describe('findings that are only worth knowing', () => {
  // A ReplicaSet that is controlled without blocking its Deployment's deletion is one.
  const sets = (count: number): string =>
    Array.from(
      { length: count },
      (_, index) => `---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-${index}
  namespace: shop
  uid: rs-${index}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: web, controller: true}]
spec: {selector: {matchLabels: {app: web}}}
`,
    ).join('');
  const owner = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop, uid: web}\n';
  const check = async (count: number, flags = ''): Promise<string[]> => {
    const { out } = await command(`check -A -f - ${flags}`, { stdin: owner + sets(count) });
    return out.split('\n').filter(line => line.includes('ControllerDoesNotBlock'));
  };

  test('take one line for each code where they come by the dozen', async () => {
    expect(await check(11)).toEqual([
      'INFO       11 × ControllerDoesNotBlock, about ReplicaSets (each with -o wide)',
    ]);
    expect(await check(10)).toHaveLength(10);
  });

  test('are listed each where somebody asks for them, and in documents', async () => {
    expect(await check(11, '-o wide')).toHaveLength(11);
    expect(await check(11, '--codes ControllerDoesNotBlock')).toHaveLength(11);
    const { out } = await command('check -A -f - -o json', { stdin: owner + sets(11) });
    expect((JSON.parse(out) as FindingList).items).toHaveLength(11);
  });
});

describe('findings on files', () => {
  const folder = folderOf({
    'a folder/two.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: fine, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: dangling
  namespace: shop
  ownerReferences: [{apiVersion: apps/v1, kind: Widget, name: w, uid: 0-2}]
`,
  });
  const file = path.join(folder, 'a folder', 'two.yaml');

  test('say where the object stands', async () => {
    const { out } = await command(`check -A -o json -f ${folder}`);
    const document = JSON.parse(out) as FindingList;
    expect(document.counts).toEqual({
      total: 1,
      error: 0,
      warning: 1,
      info: 0,
      byCode: { OwnerKindUnresolvable: 1 },
    });
    expect(document.items).toMatchObject([
      { id: 'OwnerKindUnresolvable/ConfigMap/shop/dangling#Widget.apps/w', source: { file, line: 5 } },
    ]);
    const why = JSON.parse((await command(`why cm/dangling -n shop -o json -f ${folder}`)).out) as Diagnosis;
    expect(why.items[0]?.findings).toMatchObject([{ id: document.items[0]?.id, source: { file, line: 5 } }]);
  });

  test('are at their line in SARIF, relative to where the command runs', async () => {
    const here = async (cwd: string): Promise<unknown> => {
      vi.spyOn(process, 'cwd').mockReturnValue(cwd);
      try {
        const { out } = await command(`check -A -o sarif -f ${folder}`);
        const log = JSON.parse(out) as {
          runs: { results: { partialFingerprints: object; locations: object[] }[] }[];
        };
        const [result] = log.runs[0]?.results ?? [];
        expect(result?.partialFingerprints).toEqual({
          'findingId/v1': 'OwnerKindUnresolvable/ConfigMap/shop/dangling#Widget.apps/w',
        });
        return result?.locations[0];
      } finally {
        vi.restoreAllMocks();
      }
    };
    expect(await here(folder)).toMatchObject({
      physicalLocation: { artifactLocation: { uri: 'a%20folder/two.yaml' }, region: { startLine: 5 } },
      logicalLocations: [{ name: 'dangling' }],
    });
    expect(await here(path.join(folder, 'elsewhere'))).toMatchObject({
      physicalLocation: { artifactLocation: { uri: pathToFileURL(file).href } },
    });
  });

  test('are at their line in JUnit', async () => {
    const { out } = await command(`check -A -o junit -f ${folder}`);
    expect(elementsOf(out, 'testcase')[0]?.attributes).toMatchObject({ file, line: '5' });
  });

  test('from standard input have a line, and no file that a report could point to', async () => {
    const stdin = readFileSync(file, 'utf8');
    const { out } = await command('check -A -o json -f -', { stdin });
    expect((JSON.parse(out) as FindingList).items).toMatchObject([{ source: { file: '-', line: 5 } }]);
    expect((await command('check -A -o sarif -f -', { stdin })).out).not.toContain('physicalLocation');
    expect((await command('check -A -o junit -f -', { stdin })).out).not.toMatch(/ (?:file|line)="/u);
  });
});

describe('parts of the files that could not be read', () => {
  const kept = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept, namespace: shop, uid: u1}\n';
  const torn = 'apiVersion: v1\nkind: Secret\nmetadata: {labels: {a: b}}\n';

  test('stand in JUnit, each as a test that was skipped', async () => {
    const folder = folderOf({ 'kept.yaml': kept, 'torn.yaml': torn });
    const { out, exitCode } = await command(`check -A -o junit -f ${folder}`);
    expect(exitCode).toBe(0);
    const named = elementsOf(out, 'testcase').map(({ attributes }) => attributes['name'] ?? '');
    expect(named.filter(name => name.includes('torn.yaml'))).toEqual([
      expect.stringContaining(path.join(folder, 'torn.yaml')),
    ]);
    expect(elementsOf(out, 'skipped').length).toBeGreaterThan(0);
    expect((await command(`check -A -o junit --fail-on-incomplete -f ${folder}`)).exitCode).toBe(1);
  });

  test('of a must-gather are named by their paths, and leave it incomplete', async () => {
    const wrapped = 'must-gather.local.1/quay-io-release-sha256-00';
    const folder = folderOf({
      [`${wrapped}/namespaces/shop/core/configmaps.yaml`]: `---\napiVersion: v1\nitems:\n- metadata: {name: kept, namespace: shop, uid: u1, resourceVersion: "5"}\nkind: ConfigMapList\n`,
      [`${wrapped}/namespaces/shop/core/secrets.yaml`]: `---\napiVersion: v1\nitems:\n- metadata: {namespace: shop, uid: u2}\nkind: SecretList\n`,
    });
    const { out, err } = await command(`check -A --closed-world -o json -f ${folder}`);
    const { basis } = JSON.parse(out) as FindingList;
    expect(basis.complete).toBe(false);
    expect(basis.blindSpots.map(({ resource }) => path.relative(folder, resource))).toContain(
      `${wrapped}/namespaces/shop/core/secrets.yaml`,
    );
    expect(err).toContain('secrets.yaml');
    expect((await command(`check -A --closed-world --fail-on-incomplete -f ${folder}`)).exitCode).toBe(1);
  });

  test('of several folders are named one by one', async () => {
    const first = folderOf({ 'kept.yaml': kept, 'torn.yaml': torn });
    const second = folderOf({
      'other.yaml': torn,
      'template.yaml': 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .x }}\n',
    });
    const { out } = await command(`check -A --closed-world -o json -f ${first} -f ${second}`);
    const { basis } = JSON.parse(out) as FindingList;
    const named = basis.blindSpots.map(({ resource }) => resource).filter(each => each.startsWith('/'));
    expect(named.toSorted()).toEqual(
      [
        path.join(first, 'torn.yaml'),
        path.join(second, 'other.yaml'),
        path.join(second, 'template.yaml'),
      ].toSorted(),
    );
    const { err, exitCode } = await command(`check -A --strict -f ${first} -f ${second}`);
    expect(err).toContain(path.join(first, 'torn.yaml'));
    expect(exitCode).toBe(2);
  });
});

test('no finding speaks of a late collector in manifests that were never applied', async () => {
  const codes = async (metadata: string): Promise<unknown> => {
    const stdin = `apiVersion: v1\nkind: Secret\nmetadata: {name: token, namespace: shop, ${metadata}ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: u1}]}\n`;
    const { out } = await command('check -A --closed-world -o json -f -', { stdin });
    return (JSON.parse(out) as FindingList).items.map(({ code, severity }) => `${code} ${severity}`);
  };
  expect(await codes('')).toEqual(['PendingCollection warning']);
  expect(await codes('uid: u2, creationTimestamp: "2026-01-01T00:00:00Z", ')).toEqual([
    'CollectionOverdue warning',
  ]);
});

test('ages end at the moment that the files show, in every command', async () => {
  const folder = folderOf({
    'a.yaml': [
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop, uid: u, creationTimestamp: "2026-01-01T00:00:00Z",',
      '  deletionTimestamp: "2026-01-01T01:00:30Z", deletionGracePeriodSeconds: 30, finalizers: [example.com/x]}\n',
    ].join('\n'),
  });
  const written = Date.parse('2026-01-01T03:00:00Z') / 1000;
  utimesSync(path.join(folder, 'a.yaml'), written, written);
  expect((await command(`tree -f ${folder}`)).out).toMatch(/ 3h\n/u);
  expect((await command(`why pod/a -f ${folder}`)).out).toContain('deleting for 120m');
  for (const words of ['tree', 'check', 'why pod/a', 'plan', 'plan delete pod/a', 'podgc']) {
    const { out } = await command(`${words} -f ${folder} -o json`);
    expect(JSON.parse(out), words).toMatchObject({
      basis: { takenAt: '2026-01-01T03:00:00Z', takenAtFrom: 'files' },
    });
  }
});

describe('an error and a warning name a path', () => {
  const folder = `quay-io-openshift-release-dev-ocp-v4-0-art-dev-sha256-${'9f86d081884c7d65'.repeat(4)}/Namespaces`;

  test('of a dump', async () => {
    const { err, exitCode } = await command(`check -f dump/${folder}/b.yaml`);
    expect(err).toBe(`kubectl gc-tree: dump/${folder}/b.yaml: no such file or folder.\n`);
    expect(exitCode).toBe(2);
  });

  test('and hide a credential in the same words', () => {
    const { io, result } = consoleFor({ env: {} });
    const words = `${folder}/b.yaml: token=s3cr3t`;
    warn(io, words);
    say(io, describeFailure(new Error(words), 0));
    const hidden = `${folder}/b.yaml: token=(hidden)\n`;
    expect(result().err).toBe(`Warning: ${hidden}kubectl gc-tree: ${hidden}`);
  });
});

test('a group that only an owner reference names is no sign of a controller', async () => {
  const { out } = await command('why cm/held -f -', {
    stdin: `
apiVersion: v1
kind: ConfigMap
metadata:
  name: held
  namespace: shop
  uid: held
  deletionTimestamp: 2026-11-21T10:00:00Z
  finalizers: [drain.example.com/hold]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: other
  namespace: shop
  uid: other
  ownerReferences: [{apiVersion: apps.example.com/v1, kind: Widget, name: w, uid: w}]
`,
  });
  expect(out).toContain('drain.example.com/hold');
  expect(out).not.toContain('API group apps.example.com');
});

describe('a slip on the command line', () => {
  const demo = '-n shop --demo foreground-stuck';

  test.each([
    ['tre deploy/api', 'there is no command "tre". Did you mean tree?'],
    ['unblok sts/web', 'there is no command "unblok". Did you mean unblock?'],
    [
      'get deploy/api',
      'there is no command "get". Write kubectl gc-tree tree deploy/api for what it owns, or why deploy/api for its state.',
    ],
    [`why web-1 ${demo}`, '"web-1" is a name. Write its type too: pod/web-1.'],
    [`why deploy/web ${demo}`, 'deployment "web" not found in namespace shop. There is statefulset/web.'],
    ['--version', 'unknown flag --version. Use the command: kubectl gc-tree version.'],
    [
      'check -o table',
      'unknown output format "table". check prints text, wide, json, yaml, name, junit, sarif, github, markdown or baseline.',
    ],
    [
      'tree -o go-template={{.items}}',
      'unknown output format "go-template={{.items}}". Pick fields with -o json and jq; see docs/pipelines.md. tree prints text, wide, json, yaml, name, dot or mermaid.',
    ],
  ])('is answered with what to write: %s', async (words, said) => {
    const { out, err, exitCode } = await command(words);
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err).toBe(`kubectl gc-tree: ${said}\n`);
  });

  test('a file without -f is named as one, and a name with its ending is still a name', async () => {
    const file = `${folderOf({ 'b1.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b1}\n' })}/b1.yaml`;
    const { err, exitCode } = await command(`check ${file}`);
    expect(exitCode).toBe(2);
    expect(err.replace(/\s+/gu, ' ')).toContain(' is a file. Read it with -f.');
    const named = await command(`why cm b1.yaml ${demo}`);
    expect(named.err).toContain('configmap "b1.yaml" not found');
  });
});

describe('several files in one -f', () => {
  const of = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
  const folder = folderOf({ 'a.yaml': of('a'), 'b.yaml': of('b'), 'c,d.yaml': of('c') });
  const run = (...files: readonly string[]) =>
    command(['tree', '-A', '-o', 'name', '-f', ...files].join(' '));

  test('are separated by commas, and one with a comma in its name is quoted', async () => {
    const { out } = await run(`${folder}/a.yaml,${folder}/b.yaml`, '-f', `"${folder}/c,d.yaml"`);
    expect(out).toBe('default/configmap/a\ndefault/configmap/b\ndefault/configmap/c\n');
  });

  test('none may be empty', async () => {
    const { err, exitCode } = await run(`${folder}/a.yaml,`);
    expect(err).toContain('Write a file on each side of a comma.');
    expect(exitCode).toBe(2);
  });

  test('a printed command finds a file with a comma in its name', () => {
    expect(
      sameSource({ filename: ['c,d.yaml'], headers: true, color: 'never', verbosity: 0 }, 'reads'),
    ).toEqual(['-f', '"c,d.yaml"']);
  });
});
