import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Diagnosis } from '../../../../src/cli/documents/definitions.ts';
import type { DryRunAnswer, DryRunRequest } from '../../../../src/model/exchange/act.ts';
import type { ResourceType } from '../../../../src/model/types/resource-type.ts';
import { type JsonObject, SourceError } from '../../../../src/source/source.ts';
import { deployment, nodes, pod } from '../../../forecast/fixtures.ts';
import { command, type Setting, SmallSource } from '../../console.ts';
import { schemaOf } from '../../documents/schema.ts';

const drained =
  ', deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]';
const stuck = `${nodes}
- {kind: StatefulSet, name: web, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion], spec: {replicas: 3}}${pod('web-2', 'apps/v1 StatefulSet web web +c +b', drained)}
- {kind: ConfigMap, name: stray, owners: [v1 Secret gone]}
- {kind: ConfigMap, name: fine}${deployment('api', 2)}`;

function run(words: string, setting: Setting = {}) {
  return command(words, { source: new SmallSource(stuck), ...setting });
}

async function json(words: string, setting: Setting = {}): Promise<Diagnosis> {
  const { out, err, exitCode } = await run(`${words} -o json`, setting);
  expect([err, exitCode]).toEqual(['', 0]);
  return JSON.parse(out) as Diagnosis;
}

/** A source with an API server that answers dry runs. */
class AskedSource extends SmallSource {
  readonly asked: DryRunRequest[] = [];
  readonly #answers: DryRunAnswer[];

  constructor(yaml: string, ...answers: DryRunAnswer[]) {
    super(yaml);
    this.#answers = answers;
  }

  dryRun(request: DryRunRequest): Promise<DryRunAnswer> {
    this.asked.push(request);
    return Promise.resolve(this.#answers[this.asked.length - 1] ?? { status: 200, body: {} });
  }
}

describe('why', () => {
  test('has the answer first, then the way down to what decides, with ages', async () => {
    const { out, err, exitCode } = await run('why sts/web');
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^StatefulSet shop\/web /u);
    expect(lines.slice(1, 5)).toEqual([
      '',
      '  StatefulSet web                             deleting in the foreground for 12m',
      '  └─ blocked by Pod web-2                     deleting for 12m, blockOwnerDeletion: true',
      expect.stringMatching(/^ {5}└─ held by finalizer example\.com\/drain {3}\S/u) as string,
    ]);
    expect([err, exitCode]).toEqual(['', 0]);
  });

  test('says what happens if no user acts', async () => {
    const { out } = await run('why sts/web');
    expect(out).toContain(
      '\nWhat happens next\n  web stays as it is until a user acts: it waits for Pod web-2, held by finalizer example.com/drain.\n',
    );
    expect((await run('why cm/stray')).out).toMatch(
      /\nWhat happens next\n {2}stray is deleted by garbage-collector: /u,
    );
    expect((await run('why cm/fine')).out).not.toContain('What happens next');
  });

  test('offers numbered remedies with their effect and command, and advice without a number', async () => {
    const { out } = await run('why sts/web');
    const { items } = await json('why sts/web');
    const offered = items[0]?.remedies ?? [];
    expect(offered.length).toBeGreaterThan(0);
    let number = 0;
    for (const { id, title, risk, requests, effect } of offered) {
      if (requests.length > 0) {
        number += 1;
        expect(effect).not.toBe('');
        expect(out).toContain(`  ${number}  ${risk.padEnd(9)}  ${title}\n`);
        expect(out).toContain(`${effect}\n`);
        expect(out).toContain(`kubectl gc-tree unblock statefulset/web -n shop --remedy ${id}\n`);
      } else expect(out).toContain(`     ${risk.padEnd(9)}  ${title}\n`);
    }
    const risks = offered.map(({ risk }) => ['safe', 'caution', 'dangerous'].indexOf(risk));
    expect(risks).toEqual([...risks].sort((a, b) => a - b));
  });

  test('what happens to the object anyway is no doing of a remedy, and is said all the same', async () => {
    const { items } = await json('why cm/stray');
    const deletion = items[0]?.remedies.find(({ id }) => id.startsWith('delete/'));
    expect(deletion?.effect).toBe('stray is deleted, as it would be anyway');
  });

  test('wide adds the kubectl commands', async () => {
    const { items } = await json('why sts/web');
    const kubectl = items[0]?.remedies.find(({ requests }) => requests.length > 0)?.kubectl ?? 'none';
    expect((await run('why sts/web')).out).not.toContain(kubectl);
    expect((await run('why sts/web -o wide')).out).toContain(kubectl);
  });

  test('answers for an object that does not exist, where something refers to it', async () => {
    const { out, exitCode } = await run('why secret/gone');
    expect(out).toMatch(/^Secret shop\/gone doesn't exist; ConfigMap stray still refers to it as owner\.\n/u);
    expect(exitCode).toBe(0);
    expect(
      (
        await run('why widget/theme', {
          source: new SmallSource('- {kind: ConfigMap, name: x, owners: [example.com/v1 Widget theme]}'),
        })
      ).out,
    ).toMatch(/^Widget shop\/theme is of a kind that the API server doesn't serve/u);
  });

  test('takes several targets, types, selectors and --all', async () => {
    const names = async (words: string) => (await json(words)).items.map(({ object }) => object.name);
    expect(await names('why sts/web cm/fine')).toEqual(['web', 'fine']);
    expect(await names('why pod api-h-0 api-h-1')).toEqual(['api-h-0', 'api-h-1']);
    expect(await names('why pods -l app=api')).toEqual(['api-h-0', 'api-h-1']);
    expect(await names('why configmaps --all')).toEqual(['fine', 'stray']);
    const { out } = await run('why cm -o name');
    expect(out).toBe('configmap/fine\nconfigmap/stray\n');
  });

  test('the document follows its schema, in JSON and YAML alike', async () => {
    const validate = new Ajv2020({ strict: false }).compile(schemaOf('Diagnosis'));
    const words = 'why sts/web pod/web-2 cm/stray cm/fine secret/gone pod/api-h-0';
    const document = await json(words);
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(parse((await run(`${words} -o yaml`)).out)).toEqual(document);
    expect(document.items).toHaveLength(6);
    for (const { chain, object } of document.items) expect(chain[0]?.object).toEqual(object);
    expect(validate({ ...document, items: document.items.map(item => ({ ...item, chain: [] })) })).toBe(
      false,
    );
  });

  test.each([60, 80, 120])('keeps to %d columns', async columns => {
    const { out } = await run('why sts/web', { columns });
    // A single word may be longer than the terminal is wide, and a command is one line to paste.
    for (const line of out.split('\n'))
      if (line.length > columns) expect(line.trim()).toMatch(/^\S+$|--remedy/u);
    expect(out.replace(/\s+/gu, ' ')).toContain('deleting in the foreground for 12m');
  });

  test('draws with ASCII alone where asked to', async () => {
    expect((await run('why sts/web --ascii')).out).toMatch(/^[ -~\n]*$/u);
  });

  test('lets nothing from the cluster act on a terminal', async () => {
    const hostile = `
- {kind: ConfigMap, name: "a\\e[31mred", deletionTimestamp: "2026-11-21T11:00:00Z", finalizers: ["example.com/\\e]0;x\\x07drain"]}`;
    const { out } = await run('why configmaps', { source: new SmallSource(hostile) });
    expect(out).toContain('a%1B[31mred');
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u);
  });

  describe('who set a finalizer', () => {
    class Told extends SmallSource {
      readonly asked: string[] = [];
      uid = 'web-2';

      override get(): Promise<undefined> {
        throw new Error('asked for the whole object, data included');
      }

      getMetadata(type: ResourceType, namespace: string, name: string): Promise<JsonObject> {
        this.asked.push(`${type.kind} ${namespace}/${name}`);
        const managedFields = [
          {
            manager: 'drain-operator',
            operation: 'Update',
            time: '2026-11-12T12:00:00Z',
            fieldsV1: { 'f:metadata': { 'f:finalizers': { 'v:"example.com/drain"': {} } } },
          },
        ];
        return Promise.resolve({ metadata: { uid: this.uid, managedFields } });
      }
    }

    test('is told from the managed fields of the objects on the way, each asked for once', async () => {
      const source = new Told(stuck);
      const { out } = await run('why sts/web', { source });
      expect(out).toContain(
        '└─ held by finalizer example.com/drain   set by drain-operator 9d ago or before; ',
      );
      expect(source.asked).toEqual(['Pod shop/web-2']);
      const { items } = await json('why sts/web', { source: new Told(stuck) });
      expect(items[0]?.chain.at(-1)).toMatchObject({
        finalizer: 'example.com/drain',
        setBy: { manager: 'drain-operator', operation: 'Update', time: '2026-11-12T12:00:00Z' },
      });
    });

    test('is not told of an object that took its name meanwhile', async () => {
      const source = new Told(stuck);
      source.uid = 'another';
      expect((await run('why sts/web', { source })).out).not.toContain('drain-operator');
    });

    test('is left out where it cannot be read', async () => {
      const source = new Told(stuck);
      source.getMetadata = () => Promise.reject(new SourceError('forbidden'));
      const { out, exitCode } = await run('why sts/web', { source });
      expect(out).toContain('held by finalizer example.com/drain');
      expect(exitCode).toBe(0);
    });
  });

  describe('--probe', () => {
    const denied = {
      status: 400,
      body: { message: 'admission webhook "keep.example.com" denied the request: not on Fridays' },
    };

    test('asks by dry runs and says who stands in the way', async () => {
      const source = new AskedSource(stuck, denied);
      const { out, exitCode } = await run('why cm/stray --probe', { source });
      expect(exitCode).toBe(0);
      expect(source.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
        'DELETE /api/v1/namespaces/shop/configmaps/stray?dryRun=All',
      ]);
      expect(out).toContain('webhook keep.example.com rejects it: not on Fridays');
      const document = await json('why cm/stray --probe', { source: new AskedSource(stuck, denied) });
      expect(document.items[0]?.probes?.map(({ result }) => result)).toEqual(['rejected']);
    });

    test('says so where there is nothing to ask', async () => {
      const source = new AskedSource(stuck);
      const { out } = await run('why cm/fine --probe', { source });
      expect(source.asked).toEqual([]);
      expect(out).toContain('\nWhat dry runs show\n  Nothing to ask');
    });

    test('asks nothing unless it is asked for', async () => {
      const source = new AskedSource(stuck);
      await run('why cm/stray', { source });
      expect(source.asked).toEqual([]);
    });
  });

  test.each([
    ['why', 'name what to explain: why TYPE/NAME, TYPE -l LABELS or TYPE --all.'],
    ['why deploy/apo', 'deployment "apo" not found in namespace shop. Did you mean api?'],
    ['why cm/fine --watch', 'why answers once: leave --watch out, or use check --watch.'],
    ['why cm/fine -o dot', 'why cannot print dot. Use -o text, wide, json, yaml, name or markdown.'],
    [
      'why cm/fine -o sarif',
      'why cannot print sarif, which is for check. Use -o text, wide, json, yaml, name or markdown.',
    ],
    ['why cm/fine --probe', '--probe asks an API server, and this source has none. Leave it out.'],
  ])('%s is wrong use', async (words, message) => {
    const { out, err, exitCode } = await run(words);
    expect([out, err, exitCode]).toEqual(['', `kubectl gc-tree: ${message}\n`, 2]);
  });
});

describe('what holds the objects of', () => {
  const held = (namespace: string, finalizer: string): string =>
    `, namespace: ${namespace}, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/${finalizer}]`;
  const source = () =>
    new SmallSource(`
- {kind: Node, name: node-1, namespace: "", status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Namespace, name: calm, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: ConfigMap, name: a${held('shop', 'one')}}
- {kind: ConfigMap, name: b${held('shop', 'two')}}
- {kind: Secret, name: c${held('shop', 'two')}}
- {kind: ConfigMap, name: other${held('calm-not', 'two')}}
- {kind: ConfigMap, name: fine, namespace: calm}
- {kind: Pod, name: p${held('shop', 'three')}, spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Succeeded}}`);
  const whyOf = async (words: string) => (await command(`why ${words}`, { source: source() })).out;

  test('a namespace leads its answer, the worst first', async () => {
    const out = await whyOf('ns/shop');
    expect(out).toMatch(
      /^The worst of 3 causes in Namespace shop holds 2 objects: example\.com\/two: nothing in this cluster handles example\.com\. Namespace shop is not being deleted/u,
    );
    const listed = out.split('\n').flatMap(line => /^ {2}(example\.com\/\w+): /u.exec(line)?.[1] ?? []);
    expect(listed).toEqual(['example.com/two', 'example.com/one', 'example.com/three']);
    const [item] = (JSON.parse(await whyOf('ns/shop -o json')) as Diagnosis).items;
    expect(item?.causes.map(({ id, holds }) => [id, holds.map(({ name }) => name)])).toEqual([
      ['finalizer/example.com/two', ['b', 'c']],
      ['finalizer/example.com/one', ['a']],
      ['finalizer/example.com/three', ['p']],
    ]);
  });

  test('a node is what holds its pods', async () => {
    expect(await whyOf('node/node-1')).toMatch(
      /^One cause on Node node-1 holds 1 object: example\.com\/three: nothing in this cluster handles example\.com\. Node node-1 is/u,
    );
  });

  test('a definition is what holds its instances', async () => {
    const { out } = await command('why crd/queues.mq.example.com --demo removed-crd');
    expect(out).toMatch(
      /^One cause in instances of CustomResourceDefinition queues\.mq\.example\.com holds 2 objects: mq\.example\.net\/drain: /u,
    );
  });

  test('an application is what holds the objects that it manages', async () => {
    const objects = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: blog, namespace: argocd, uid: app }
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: blog
  uid: settings
  deletionTimestamp: "2026-11-20T12:00:00Z"
  annotations: { argocd.argoproj.io/tracking-id: "blog:/ConfigMap:blog/settings" }
  finalizers: [example.com/four]
`;
    const { out } = await command('why application/blog -n argocd -f - --closed-world', { stdin: objects });
    expect(out).toMatch(
      /^One cause in objects of Application argocd\/blog holds 1 object: example\.com\/four: /u,
    );
  });

  test('a namespace without trouble, or another object, isn’t told', async () => {
    expect(await whyOf('ns/calm')).toMatch(/^Namespace calm is not being deleted/u);
    expect(await whyOf('cm/a -n shop')).toMatch(/^ConfigMap shop\/a is stuck/u);
  });
});
