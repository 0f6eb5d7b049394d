import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { DiagnosisDocument } from '../../../../src/documents/findings/diagnosis.ts';
import type { ResourceType } from '../../../../src/model/types/resource-type.ts';
import { type JsonObject, SourceError } from '../../../../src/source/source.ts';
import { command, SmallSource } from '../../console.ts';

const controller = `
- {kind: Deployment, name: drain-controller, namespace: example, labels: {example.com/part: main}, spec: {replicas: 1}, status: {replicas: 1, readyReplicas: 1}}`;
const held = `
- {kind: ConfigMap, name: front, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}
- {kind: Ingress, name: web, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/drain], owners: [v1 ConfigMap front front +b]}
- {kind: Secret, name: key, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/drain]}
- {kind: Ingress, name: alive, finalizers: [example.com/drain]}`;

const failing = {
  type: 'Synced',
  status: 'False',
  reason: 'ReconcileError',
  message: 'cannot drain: the pool is not empty.',
  lastTransitionTime: '2026-11-21T11:58:00Z',
};
const waiting = { type: 'Ready', status: 'False', reason: 'Deleting', message: 'two backends are left' };

/** A cluster in which every object says the same. */
class SayingSource extends SmallSource {
  readonly read: string[] = [];
  readonly #conditions: readonly unknown[];
  readonly #uid: (name: string) => string;

  constructor(yaml: string, conditions: readonly unknown[], uid: (name: string) => string = name => name) {
    super(yaml);
    this.#conditions = conditions;
    this.#uid = uid;
  }

  override get({ kind }: ResourceType, _namespace: string, name: string): Promise<JsonObject | undefined> {
    this.read.push(`${kind} ${name}`);
    return Promise.resolve({
      metadata: { uid: this.#uid(name), managedFields: [] },
      status: { conditions: this.#conditions },
    });
  }
}

async function answer(words: string, source: SmallSource) {
  const { out, err, exitCode } = await command(`${words} -o json`, { source });
  expect([err, exitCode]).toEqual(['', 0]);
  const [item] = (JSON.parse(out) as DiagnosisDocument).items;
  if (item === undefined) throw new Error('no answer');
  return item;
}

describe('what an object says of why it does not finish', () => {
  test('is in the first sentence, and takes the place of a look into the log of a controller that runs', async () => {
    const { summary, statements, remedies, findings } = await answer(
      'why ingress/web',
      new SayingSource(held + controller, [waiting, failing]),
    );
    expect(summary).toBe(
      'Ingress shop/web is being deleted, and held by the finalizer example.com/drain; its status says Synced=False (ReconcileError): cannot drain: the pool is not empty.',
    );
    expect(findings[0]?.message).toBe(summary);
    expect(statements?.map(({ type, from, at }) => [type, from, at])).toEqual([
      ['Synced', 'condition', '2026-11-21T11:58:00Z'],
      ['Ready', 'condition', undefined],
    ]);
    expect(remedies.map(({ id, kubectl }) => [id, kubectl])[0]).toEqual([
      'mend-cause',
      'kubectl describe ingress/web -n shop',
    ]);
    expect(remedies.map(({ id }) => id)).not.toContain('see-controller');
  });

  test('is said of the object that it waits for, by name', async () => {
    const source = new SayingSource(held + controller, [failing]);
    const { summary, statements } = await answer('why cm/front', source);
    expect(summary).toMatch(
      /; the status of Ingress web says Synced=False \(ReconcileError\): cannot drain: the pool is not empty\.$/u,
    );
    expect(statements?.map(({ object }) => object.name)).toEqual(['web']);
    const { out } = await command('why cm/front', { source: new SayingSource(held + controller, [failing]) });
    expect(out).toContain(
      '\nWhat it says\n  Ingress web: Synced=False (ReconcileError), 2m ago: cannot drain: the pool is not empty.\n',
    );
  });

  test('leaves the sentence alone where it only tells of work in progress', async () => {
    const { summary, statements, remedies } = await answer(
      'why ingress/web',
      new SayingSource(held + controller, [waiting]),
    );
    expect(summary).not.toContain('says');
    expect(statements).toHaveLength(1);
    expect(remedies[0]?.id).toBe('see-controller');
  });

  test('does not make a controller superfluous that is not there', async () => {
    const { remedies } = await answer('why ingress/web', new SayingSource(held, [failing]));
    expect(remedies.map(({ id }) => id)).toEqual([
      'bring-back-controller',
      'mend-cause',
      'remove-finalizer/example.com/drain',
    ]);
  });

  test('is shown in two lines, cut between words, and in whole with -o wide', async () => {
    const long = { ...failing, message: `it ${'went wrong '.repeat(40)}in the end` };
    const all = [long, { ...failing, type: 'A' }, { ...failing, type: 'B' }];
    const source = () => new SayingSource(held + controller, all);
    const { out } = await command('why ingress/web', { source: source() });
    const [, said = ''] = /What it says\n((?: {2}.*\n)*)/u.exec(out) ?? [];
    expect(said.split('\n')).toHaveLength(3);
    expect(said).toMatch(/went …\n|wrong …\n/u);
    const wide = await command('why ingress/web -o wide', { source: source() });
    expect(wide.out).toContain('in the end');
    expect(wide.out).toContain('  B=False (ReconcileError)');
  });

  test('costs one request for the object at the end, and none for a Secret or what nobody deletes', async () => {
    const source = new SayingSource(held + controller, [failing]);
    await answer('why ingress/web', source);
    expect(source.read).toEqual(['Ingress web']);
    for (const words of ['why ingress/alive', 'why secret/key']) {
      const quiet = new SayingSource(held + controller, [failing]);
      expect((await answer(words, quiet)).statements).toBeUndefined();
    }
  });

  test('is not taken from another object of the same name, and what cannot be read says nothing', async () => {
    const another = new SayingSource(held + controller, [failing], () => 'another');
    expect((await answer('why ingress/web', another)).statements).toEqual([]);
    class Refusing extends SmallSource {
      override get(): Promise<undefined> {
        return Promise.reject(new SourceError('403'));
      }
    }
    expect((await answer('why ingress/web', new Refusing(held + controller))).statements).toEqual([]);
  });

  test('the document follows its schema', async () => {
    const schema = JSON.parse(
      readFileSync(
        new URL('../../../../src/documents/schema/diagnosis.schema.json', import.meta.url),
        'utf8',
      ),
    ) as object;
    const validate = new Ajv2020({ strict: false }).compile(schema);
    const { out } = await command('why ingress/web -o json', {
      source: new SayingSource(held + controller, [failing, waiting]),
    });
    const document = JSON.parse(out) as DiagnosisDocument;
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    const [item] = document.items;
    const wrong = { ...document, items: [{ ...item, statements: [{ type: 'Synced' }] }] };
    expect(validate(wrong)).toBe(false);
  });
});
