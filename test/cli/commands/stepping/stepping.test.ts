import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { CollectorStep } from '../../../../src/cli/documents/definitions.ts';
import { branches } from '../../../../src/collector/observed-step.ts';
import { scenarioNames } from '../../../../src/source/demo/scenarios.ts';
import { command } from '../../console.ts';
import { schemaOf } from '../../documents/schema.ts';

const schema = schemaOf('CollectorStep');
const validate = new Ajv2020({ strict: true }).compile(schema);

async function documents(words: string): Promise<readonly CollectorStep[]> {
  const { out, err, exitCode } = await command(words);
  expect([err, exitCode]).toEqual(['', 0]);
  return out
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as CollectorStep);
}

describe('demo --step, printed', () => {
  // Each step has what waits in the queues: of 5,000 objects that is more than a string can hold.
  test.each(scenarioNames().filter(name => name !== 'fleet'))(
    '%s: each step is a document by the schema, numbered from 1',
    async name => {
      const steps = await documents(`demo ${name} --step -o json`);
      expect(steps.length).toBeGreaterThan(20);
      expect(steps.map(({ n }) => n)).toEqual(steps.map((_, index) => index + 1));
      for (const step of steps) expect([validate(step), validate.errors]).toEqual([true, null]);
      for (const { knowledge, collector, basis } of steps)
        expect([knowledge, collector.knowledge, basis.source]).toEqual(['simulated', 'simulated', 'demo']);
    },
  );

  test('the schema has every decision that there is', () => {
    const { properties } = schema as unknown as {
      properties: { decisions: { items: { properties: { branch: { enum: string[] } } } } };
    };
    expect(properties.decisions.items.properties.branch.enum).toEqual([...branches]);
  });

  test('a decision tells what was looked up, and its request what was sent', async () => {
    const steps = await documents('demo how-the-collector-works --step --break secret/hearsay -o json');
    const decided = steps.find(({ decisions }) => decisions.some(each => each.branch === 'DeleteBackground'));
    expect(decided).toMatchObject({
      actor: 'garbage-collector',
      work: { of: 'item', queue: 'attemptToDelete', stage: 'decision', object: { name: 'hearsay' } },
      decisions: [
        {
          because: 'No owner holds it: owner ConfigMap never-there is absent. It is deleted.',
          section: '2.4',
        },
      ],
      lookUps: [
        { of: 'item', from: 'live', result: 'found', status: 200 },
        { of: 'owner', from: 'absentOwners', result: 'absent', object: { name: 'never-there' } },
      ],
      collector: { acting: [{ name: 'hearsay' }], absentOwners: [{ name: 'never-there' }] },
    });
    const sent = steps.find(({ work }) => work.of === 'item' && work.stage === 'requests');
    expect(sent?.requests).toMatchObject([
      {
        verb: 'delete',
        status: 200,
        result: 'deleting',
        body: {
          propagationPolicy: 'Background',
          preconditions: { uid: decided?.work.of === 'item' && decided.work.object?.uid },
        },
      },
    ]);
  });

  test('YAML holds the same documents', async () => {
    const words = 'demo how-the-collector-works --step --break WaitForDependents -o';
    const { out } = await command(`${words} yaml`);
    expect(parseAllDocuments(out).map((each): unknown => each.toJS())).toEqual(
      await documents(`${words} json`),
    );
  });

  test('--break prints the steps about an object, a kind or a decision alone', async () => {
    const one = await documents('demo foreground-stuck --step --break configmap/shop/tenant -o json');
    expect(one.length).toBeGreaterThan(3);
    const kind = await documents('demo foreground-stuck --step --break cm -o json');
    expect(kind.length).toBeGreaterThan(one.length);
    const decision = await documents('demo foreground-stuck --step --break retryforever -o json');
    for (const { decisions } of decision) expect(decisions.at(-1)?.branch).toBe('RetryForever');
    expect(decision.length).toBeGreaterThan(0);
  });

  test.each([
    ['demo shop --step -o dot', 'demo --step cannot print dot. Use -o text, json or yaml.'],
    ['demo shop --step --break DeletBackground', 'Did you mean DeleteBackground?'],
    ['demo shop --step --break nosuchkind/web', 'there is no kind and no decision nosuchkind/web.'],
    ['demo shop --break pods', '--break belongs to --step'],
    ['demo nosuch --step', 'nosuch'],
  ])('%s is refused', async (words, sentence) => {
    const { out, err, exitCode } = await command(words);
    expect([out, exitCode]).toEqual(['', 2]);
    expect(err).toContain(sentence);
  });

  test('says so where no step is about it', async () => {
    const { out, err, exitCode } = await command('demo gitops --step --break pod/nobody');
    expect([out, exitCode]).toEqual(['', 0]);
    expect(err).toMatch(/^No step of gitops is about pod\/nobody: it has \d+\.\n$/u);
  });
});

describe('demo --step on a terminal', () => {
  async function typed(keys: string, words = ''): Promise<string> {
    const { out, err, exitCode } = await command(`demo how-the-collector-works --step ${words}`.trim(), {
      terminal: true,
      stdin: keys,
      columns: 100,
      env: { NO_COLOR: '1' },
    });
    expect([err, exitCode]).toEqual(['', 0]);
    return out;
  }

  /** The steps that are listed, by their first line. */
  function told(out: string): string[] {
    return out.split('\n').flatMap(line => /^ +(\d+) {2}\S+Z {2}(.*)$/u.exec(line)?.slice(1).join(' ') ?? []);
  }

  test('space takes a work item, e an event, t a task, and q ends', async () => {
    const out = told(await typed('et q'));
    expect(out[0]).toMatch(/garbage-collector {2}graph event: added/u);
    expect(Number.parseInt(out[1] ?? '', 10)).toBe(Number.parseInt(out[0] ?? '', 10) + 1);
    expect(out[2]).toMatch(/attemptToDelete: ConfigMap course\/pupil-a$/u);
    expect(out).toHaveLength(3);
  });

  test('g goes to an object, b back to where that began, and the same key then tells the same', async () => {
    const out = told(await typed('gsecret/hearsay\r bb  q'));
    const there = out.findIndex(line => line.endsWith('create Secret course/hearsay'));
    expect(there).toBe(0);
    expect(out[1]).toMatch(/attemptToDelete: ConfigMap course\/never-there$/u);
    // Back to the object, then to the beginning, where no step has been taken.
    expect(out[2]).toBe(out[0]);
    expect(out[3]).toMatch(/attemptToDelete: ConfigMap course\/pupil-a$/u);
  });

  test('r runs to the end, where nothing is left, and b goes back from there', async () => {
    const out = await typed('r bsq');
    expect(out).toContain('The end. graphChanges 0');
    expect(out).toContain('Back, exactly as it was:');
    expect(out).toContain('The garbage collector of Kubernetes');
  });

  test('--break begins there, and a word that means nothing is told', async () => {
    const out = await typed('gnosuch\r?q', '--break OrphanDependents');
    expect(told(out)[0]).toMatch(/attemptToOrphan, requests: ConfigMap course\/old-teacher$/u);
    expect(out).toContain('there is no kind and no decision nosuch.');
    expect(out).toContain('space, enter  one work item');
  });
});
