import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { FindingList } from '../../../../src/cli/documents/definitions.ts';
import { findingCodes } from '../../../../src/diagnosis/engine/codes.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { command, type Setting, SmallSource } from '../../console.ts';
import { objects } from '../../documents/cluster.ts';
import { schemaOf } from '../../documents/schema.ts';
import { elementsOf } from '../../documents/xml-reader.ts';

// A survivor (warning), a wrong owner (warning or error by its rule), a reference that cannot count (error).
const troubled = `
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Namespace, name: infra, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Deployment, name: api, spec: {replicas: 0}}
- {kind: ConfigMap, name: settings, owners: [apps/v1 Deployment api api +b]}
- {kind: ConfigMap, name: below, owners: [v1 ConfigMap settings, example.com/v1 Widget theme]}
- {kind: Pod, name: old-0, labels: {statefulset.kubernetes.io/pod-name: old-0, controller-revision-hash: old-1}, spec: {containers: [{name: main}]}, status: {phase: Running}}
- {kind: Secret, name: cert, namespace: infra, owners: [apps/v1 Deployment api]}
- {kind: ClusterRole, name: read-all, namespace: "", owners: [apps/v1 Deployment api]}
`;
const sound = '- {kind: ConfigMap, name: alone}';

function run(words: string, setting: Setting = {}) {
  return command(words, { source: new SmallSource(troubled), ...setting });
}

async function found(words: string): Promise<string[]> {
  const { out, err } = await run(`${words} -o json`);
  expect(err).toBe('');
  const { items } = JSON.parse(out) as FindingList;
  return items.map(({ code, object }) => `${code} ${object.kind} ${object.name}`);
}

const everything = [
  'NamespacedOwnerOfClusterScoped ClusterRole read-all',
  'OwnerInOtherNamespace Secret cert',
  'OwnerKindUnresolvable ConfigMap below',
  'StatefulSetSurvivor Pod old-0',
];

describe('check', () => {
  test('does not call a namespace clean that does not exist', async () => {
    const { out, err, exitCode } = await run('check -n shoop');
    expect([out, err, exitCode]).toEqual([
      '',
      'kubectl gc-tree: namespace "shoop" not found. Did you mean shop?\n',
      2,
    ]);
  });

  test.each(['check -A', 'check -n shop', 'tree', 'plan'])(
    'never calls clean what it could not see: %s',
    async words => {
      const statuses = builtInTypes.map(type => ({
        type,
        state: 'blind' as const,
        count: 0,
        facts: true,
        reason: '403',
      }));
      const { out, err, exitCode } = await run(words, { source: new SmallSource('[]', { statuses }) });
      expect([out, exitCode]).toEqual(['', 2]);
      expect(err).toMatch(
        /^kubectl gc-tree: nothing in .+ can be seen: none of \d+ kinds can be listed \(403\)\./u,
      );
    },
  );

  test('prints the worst first, with a count of what was looked at, and fails', async () => {
    const { out, err, exitCode } = await run('check -A');
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^SEVERITY +OBJECT +KIND +CODE +REASON +SINCE$/u);
    expect(out).toMatch(/\nERROR +-\/read-all +ClusterRole +NamespacedOwnerOfClusterScoped +\S/u);
    const severities = lines.slice(1, -2).map(line => line.split(' ')[0] ?? '');
    expect(severities).toEqual(severities.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(lines.at(-2)).toMatch(/^4 findings \(\d errors?, \d warnings?\) in 8 objects\.$/u);
    const [, place = '', kind = ''] = lines[1]?.split(/ {2,}/u) ?? [];
    const [namespace, name] = place.split('/');
    const where = namespace === '-' ? '' : ` -n ${namespace}`;
    expect(lines.at(-1)).toContain(
      `More about the first: kubectl gc-tree why ${kind.toLowerCase()}/${name}${where}`,
    );
    expect([err, exitCode]).toEqual(['', 1]);
  });

  test('says so where nothing is found, and succeeds', async () => {
    const { out, exitCode } = await run('check', { source: new SmallSource(sound) });
    expect([out, exitCode]).toEqual(['No findings in 1 object.\n', 0]);
  });

  test('names what could not be seen', async () => {
    const secrets = builtInTypes.find(({ kind }) => kind === 'Secret');
    if (secrets === undefined) throw new Error('no type of Secrets');
    const blind = { type: secrets, state: 'blind', count: 0, facts: true, reason: '403' } as const;
    const { out } = await run('check', { source: new SmallSource(sound, { statuses: [blind] }) });
    expect(out).toBe('No findings in 1 object; 1 kind could not be seen: secrets (403).\n');
  });

  test('names what cannot be watched, in the text and in the basis of documents', async () => {
    const secrets = builtInTypes.find(({ kind }) => kind === 'Secret');
    if (secrets === undefined) throw new Error('no type of Secrets');
    const polled = { type: secrets, state: 'synced', count: 0, facts: true, polled: '403' } as const;
    const source = () => new SmallSource(sound, { statuses: [polled] });
    const { out } = await run('check', { source: source() });
    expect(out).toBe(
      'No findings in 1 object; 1 kind cannot be watched and may be up to a minute old: secrets (403).\n',
    );
    const document = await run('check -o json', { source: source() });
    expect(JSON.parse(document.out)).toMatchObject({
      basis: { polled: [{ resource: 'secrets', reason: '403' }], blindSpots: [] },
    });
  });

  test('prints rows alone with --no-headers', async () => {
    const { out, err } = await run('check -A --no-headers');
    expect(out.trimEnd().split('\n')).toHaveLength(4);
    expect(out).not.toContain('SEVERITY');
    expect(err).toContain('4 findings');
  });

  test.each([
    ['error', 1],
    ['warning', 1],
    ['info', 1],
    ['never', 0],
  ])('--fail-on=%s fails with %d', async (level, code) => {
    expect((await run(`check -A --fail-on=${level}`)).exitCode).toBe(code);
  });

  test('warnings alone pass --fail-on=error', async () => {
    expect((await run('check pod/old-0')).exitCode).toBe(1);
    expect((await run('check pod/old-0 --fail-on=error')).exitCode).toBe(0);
  });

  describe('looks at', () => {
    test('everything with -A', async () => {
      expect((await found('check -A')).sort()).toEqual(everything);
    });

    test('the namespace by itself, without what is outside of it', async () => {
      expect((await found('check')).sort()).toEqual([everything[2], everything[3]]);
      expect(await found('check -n infra')).toEqual([everything[1]]);
    });

    test('a target and all that it owns, in whatever namespace', async () => {
      expect((await found('check deploy/api')).sort()).toEqual(everything.slice(0, 3));
      expect(await found('check cm/settings')).toEqual([everything[2]]);
    });

    test('what is in a namespace that is a target', async () => {
      expect(await found('check ns/infra')).toEqual([everything[1]]);
    });

    test('the objects of a type or with a label', async () => {
      expect(await found('check pods')).toEqual([everything[3]]);
      expect(await found('check -l controller-revision-hash=old-1')).toEqual([everything[3]]);
    });

    test('the Namespace itself where its name is the scope', async () => {
      const stuck = `
- {kind: Namespace, name: shop, namespace: "", deletionTimestamp: "2026-11-21T08:00:00Z", finalizers: [example.com/keep], spec: {finalizers: []}, status: {phase: Terminating}}`;
      const { out } = await run('check -n shop -o name', { source: new SmallSource(stuck) });
      expect(out).toBe('namespace/shop\n');
    });
  });

  test('tells of the codes that were asked for', async () => {
    expect(await found('check -A --codes StatefulSetSurvivor')).toEqual([everything[3]]);
    expect((await found('check -A --codes statefulsetsurvivor,OwnerInOtherNamespace')).sort()).toEqual([
      everything[1],
      everything[3],
    ]);
    expect(
      (
        await found('check -A --exclude-codes StatefulSetSurvivor --exclude-codes OwnerInOtherNamespace')
      ).sort(),
    ).toEqual([everything[0], everything[2]]);
  });

  test('a finding that is left out does not fail it', async () => {
    const { exitCode } = await run('check pod/old-0 --exclude-codes StatefulSetSurvivor');
    expect(exitCode).toBe(0);
  });

  test('sorts as asked', async () => {
    const names = (await found('check -A --sort-by name')).map(each => each.split(' ')[2]);
    expect(names).toEqual(['below', 'cert', 'old-0', 'read-all']);
  });

  test.each([40, 60, 80, 100, 120])('is never wider than %d columns, and cuts no code', async columns => {
    const { out } = await run('check -A', { columns });
    for (const line of out.split('\n').slice(0, -2)) expect(line.length).toBeLessThanOrEqual(columns);
    if (columns >= 60) for (const line of everything) expect(out).toContain(line.split(' ')[0]);
  });

  test('wide has whole sentences and their certainty', async () => {
    const { out } = await run('check pod/old-0 -o wide');
    expect(out).toMatch(/^SEVERITY +OBJECT +KIND +CODE +CERTAINTY +REASON +SINCE\n/u);
    expect(out).toMatch(/ (?:exact|assumed) +Pod shop\/old-0 survived/u);
  });

  test('prints each object once as a name', async () => {
    const { out } = await run('check -A -o name');
    expect(out.trimEnd().split('\n').sort()).toEqual([
      'clusterrole.rbac.authorization.k8s.io/read-all',
      'infra/secret/cert',
      'shop/configmap/below',
      'shop/pod/old-0',
    ]);
  });

  test('the document follows its schema, in JSON and YAML alike', async () => {
    const validate = new Ajv2020({ strict: false }).compile(schemaOf('FindingList'));
    const json = JSON.parse((await run('check -A -o json')).out) as FindingList;
    expect(validate(json), JSON.stringify(validate.errors)).toBe(true);
    expect(parse((await run('check -A -o yaml')).out)).toEqual(json);
    expect(json).toMatchObject({ apiVersion: 'gc-tree.dev/v1alpha1', kind: 'FindingList' });
    const owned = json.items.find(({ code }) => code === 'OwnerInOtherNamespace');
    const path = 'metadata.ownerReferences[0]';
    expect(owned?.facts).toContainEqual({
      path,
      value: expect.objectContaining({ kind: 'Deployment' }) as unknown,
    });
    // Another object's field says whose it is.
    expect(owned?.facts).toContainEqual({
      object: expect.objectContaining({ kind: 'Deployment' }) as unknown,
      path: 'metadata.uid',
      value: expect.any(String) as unknown,
    });
    // Advice has neither requests nor a command, and nothing can be forecast of it.
    for (const { remedies } of json.items)
      for (const { requests, effect, kubectl } of remedies)
        expect([effect !== '', kubectl !== undefined]).toEqual([requests.length > 0, requests.length > 0]);
    const empty = JSON.parse(
      (await run('check -A -o json', { source: new SmallSource(sound) })).out,
    ) as object;
    expect(empty).toMatchObject({ items: [], basis: { blindSpots: [] } });
    expect(parse((await run('check -A -o yaml', { source: new SmallSource(sound) })).out)).toEqual(empty);
    const broken = { ...json, items: json.items.map(({ code: _code, ...rest }) => rest) };
    expect(validate(broken)).toBe(false);
  });

  test('--no-effects makes no forecast of remedies, says so, and calls none of them safe', async () => {
    const read = async (words: string): Promise<FindingList> =>
      JSON.parse((await run(words)).out) as FindingList;
    const whole = await read('check -A -o json');
    const quick = await read('check -A -o json --no-effects');
    const flat = ({ items }: FindingList) => items.flatMap(({ remedies }) => remedies);
    const ids = (document: FindingList) =>
      flat(document)
        .map(({ id }) => id)
        .sort();
    expect(ids(quick)).toEqual(ids(whole));
    expect(flat(whole).some(({ risk }) => risk === 'safe')).toBe(true);
    for (const { risk, effect, requests } of flat(quick)) {
      expect(effect).toBe(requests.length > 0 ? 'not forecast' : '');
      if (requests.length > 0) expect(risk).not.toBe('safe');
    }
    expect(parse((await run('check -A -o yaml --no-effects')).out)).toEqual(quick);
    expect((await run('check -A --effects=false -o json')).out).toEqual(
      (await run('check -A -o json --no-effects')).out,
    );
  });

  describe('as JUnit', () => {
    test('has a case for each finding, failed at or above the threshold', async () => {
      const { out, exitCode } = await run('check -A -o junit');
      expect(exitCode).toBe(1);
      const [root] = elementsOf(out, 'testsuites');
      expect(root?.attributes).toMatchObject({ tests: '5', failures: '4' });
      expect(
        elementsOf(out, 'failure')
          .map(({ attributes }) => attributes['type'])
          .sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1)),
      ).toEqual(everything.map(each => each.split(' ')[0]));
      expect(elementsOf(out, 'testsuite').map(({ attributes }) => attributes['name'])).toEqual([
        'outside of namespaces',
        'namespace infra',
        'namespace shop',
        'what was looked at',
      ]);
      const calm = await run('check -A -o junit --fail-on=never');
      expect(elementsOf(calm.out, 'failure')).toEqual([]);
      expect(elementsOf(calm.out, 'testcase')).toHaveLength(5);
    });

    test('has a case even where nothing is found', async () => {
      const { out } = await run('check -A -o junit', { source: new SmallSource(sound) });
      expect(elementsOf(out, 'testcase').map(({ attributes }) => attributes['name'])).toEqual([
        '1 object looked at',
      ]);
    });
  });

  test('as SARIF has a rule for each code, and results that point to theirs', async () => {
    const { out } = await run('check -A -o sarif');
    const log = JSON.parse(out) as {
      version: string;
      runs: {
        tool: { driver: { rules: { id: string; shortDescription: { text: string } }[] } };
        results: {
          ruleId: string;
          ruleIndex: number;
          level: string;
          message: { text: string };
          locations: { logicalLocations: { fullyQualifiedName: string }[] }[];
        }[];
      }[];
    };
    expect(log.version).toBe('2.1.0');
    const [only] = log.runs;
    const rules = only?.tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual(findingCodes);
    expect(only?.results).toHaveLength(4);
    for (const { ruleId, ruleIndex, level } of only?.results ?? []) {
      expect(rules[ruleIndex]?.id).toBe(ruleId);
      expect(['error', 'warning', 'note']).toContain(level);
    }
    const places = only?.results.map(
      ({ locations }) => locations[0]?.logicalLocations[0]?.fullyQualifiedName,
    );
    expect(places).toContain('v1/Pod/shop/old-0');
    expect(places).toContain('rbac.authorization.k8s.io/v1/ClusterRole/read-all');
  });

  test.each(['text', 'wide', 'junit', 'sarif', 'github', 'markdown', 'name', 'json', 'yaml'])(
    'nothing that the cluster wrote acts on a terminal or breaks the report, as %s',
    async format => {
      const hostile = `
- {kind: ConfigMap, name: "a\\e[31mred<&>\\"'\\x07\\uFFFF", owners: ["example.com/v1 Wid\\e[2Jget th]]>eme"]}`;
      const { out, err, exitCode } = await run(`check -A -o ${format}`, { source: new SmallSource(hostile) });
      // `-o name` prints the exact name or none.
      expect(format === 'name' ? err : out).toContain('red');
      if (format === 'name') expect([out, exitCode]).toEqual(['', 2]);
      // oxlint-disable-next-line no-control-regex -- control characters are what this is about
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u);
      if (format === 'junit') {
        const [failure] = elementsOf(out, 'failure');
        expect(failure?.attributes['message']).toContain('red<&>"\'');
      }
      if (format === 'sarif' || format === 'json') expect(() => JSON.parse(out) as unknown).not.toThrow();
      if (format === 'yaml') expect(() => parse(out) as unknown).not.toThrow();
    },
  );

  test('--watch prints a finding that comes, and that it is over', async () => {
    const source = new SmallSource(sound);
    const late = objects('- {kind: ClusterRole, name: late, namespace: "", owners: [v1 ConfigMap alone]}');
    let step = 0;
    const { out, exitCode } = await command('check -A --watch', {
      source,
      onOutput: (text, interrupt) => {
        if (step === 0 && text.includes('No findings')) {
          step = 1;
          setTimeout(() => source.emit({ changes: late }), 0);
        } else if (step === 1 && text.includes('NamespacedOwnerOfClusterScoped')) {
          step = 2;
          const [change] = late;
          if (change?.op !== 'upsert') throw new Error('no object');
          const { uid, type } = change.object;
          setTimeout(() => source.emit({ changes: [{ op: 'delete', uid, type }] }), 0);
        } else if (step === 2 && text.includes('OVER')) {
          interrupt();
        }
      },
    });
    expect(exitCode).toBe(130);
    expect(out).toMatch(
      /^No findings in 1 object\.\nERROR +-\/late .*NamespacedOwnerOfClusterScoped.*\nOVER +ClusterRole late: NamespacedOwnerOfClusterScoped\n$/u,
    );
  });

  test.each([
    [
      'check --codes ForegroundBlockedByFinaliser',
      '--codes: there is no finding "ForegroundBlockedByFinaliser". Did you mean ForegroundBlockedByFinalizer?',
    ],
    [
      'check --exclude-codes zzz',
      '--exclude-codes: there is no finding "zzz". docs/diagnosis.md lists the codes there are.',
    ],
    ['check --codes ,', '--codes needs a code, such as ForegroundBlockedByFinalizer.'],
    ['check pod/odl-0', 'pod "odl-0" not found in namespace shop. Did you mean old-0?'],
    [
      'check -o dot',
      'check cannot print dot. Use -o text, wide, json, yaml, name, junit, sarif, github, markdown or baseline.',
    ],
    ['check -o junit --watch', "--watch can't be combined with -o junit."],
    ['check -o github --watch', "--watch can't be combined with -o github."],
    ['check -f x.yaml --watch', "--watch needs something that changes: files don't."],
    [
      'tree -o sarif',
      'tree cannot print sarif, which is for check. Use -o text, wide, json, yaml, name, dot or mermaid.',
    ],
    [
      'plan -o junit',
      'plan cannot print junit, which is for check and wait. Use -o text, wide, json, yaml, name, dot, mermaid, svg, html, github or markdown.',
    ],
  ])('%s is wrong use', async (words, message) => {
    const { out, err, exitCode } = await run(words);
    expect([out, err, exitCode]).toEqual(['', `kubectl gc-tree: ${message}\n`, 2]);
  });

  test('--fail-on takes its four words alone', async () => {
    const { err, exitCode } = await run('check --fail-on=fatal');
    expect(err).toContain('--fail-on: no fatal. Allowed choices are error, warning, info, never');
    expect(exitCode).toBe(2);
  });
});

describe('causes', () => {
  test.each([
    [
      'dead-webhook',
      'ValidatingWebhookConfiguration keep-backups: the webhook keep.vault.example.com must be called',
    ],
    [
      'who-may-collect-what',
      'Deployment shop/frontend: the reference calls it Deployment front-end: is referenced as owner by ConfigMap',
    ],
  ])('name what decides in %s', async (demo, cause) => {
    const { out } = await command(`check --demo ${demo} -o wide --color never`);
    expect(out.replaceAll(/\s+/gu, ' ')).toContain(`CAUSE ${cause}`);
  });

  test('say that an owner is gone only if nothing stops the collector', async () => {
    const { out } = await command('check --demo dead-webhook --color never');
    expect(out).not.toContain('CAUSE ConfigMap shop/nightly');
  });
});
