import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readScenarios, scenarioNames } from '../../../src/source/demo/scenarios.ts';
import { trialWords } from '../../../src/source/demo/trial-command.ts';
import { command } from '../console.ts';

const stories = [
  'shop',
  'statefulset-survivors',
  'who-may-collect-what',
  'policies-side-by-side',
  'foreground-stuck',
  'gitops',
  'how-the-collector-works',
  'podgc',
  'namespace-stuck',
  'two-collectors',
  'removed-crd',
  'dead-apiservice',
  'dead-webhook',
  'unreachable-node',
  'job-leftovers',
  'claim-retention',
  'operator-gone',
  'fleet',
];

test('every story is among the scenarios, the default one first', async () => {
  const { out } = await command('demo --list -o name');
  const names = out.trimEnd().split('\n');
  expect(names[0]).toBe('shop');
  expect(names.toSorted()).toEqual(stories.toSorted());
});

test('the list has a line for each, and with -o wide a paragraph below it', async () => {
  const short = (await command('demo --list')).out.trimEnd().split('\n');
  expect(short).toHaveLength(stories.length);
  expect(short[0]).toMatch(/^shop {2,}a web shop: /u);
  const { out } = await command('demo --list -o wide');
  expect(out).toContain(`${short[0]}\n    A StatefulSet was deleted in the foreground twelve minutes ago`);
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(110);
});

test('one that is named is told in full', async () => {
  const { out } = await command('demo fleet --list');
  expect(out).toMatch(/^fleet {3}5,000 objects/u);
  expect(out).toContain('Look for');
  expect(out).toContain('\n      kubectl gc-tree check -A --demo fleet\n        two findings');
  expect((await command('demo nowhere --list')).err).toContain('no scenario "nowhere"');
});

describe.each(await readScenarios())('the scenario $name', ({ name, look = [], try: trials = [] }) => {
  test('says what to look for and what to try', () => {
    expect(look.length).toBeGreaterThan(0);
    expect(trials.length).toBeGreaterThan(0);
  });
  test.each(trials)('can be asked what it suggests: $verb $of', async trial => {
    const { out, err, exitCode } = await command(trialWords(name, trial).join(' '));
    expect(err).not.toContain('kubectl gc-tree:');
    expect(out).not.toBe('');
    expect(exitCode).toBeLessThan(2);
  });
});

test('JSON and YAML hold the same list', async () => {
  const json: unknown = JSON.parse((await command('demo --list -o json')).out);
  expect(json).toMatchObject({
    apiVersion: 'gc-tree.dev/v1alpha1',
    kind: 'ScenarioList',
    items: scenarioNames().map(name => ({ name })),
  });
  expect(parse((await command('demo --list -o yaml')).out)).toEqual(json);
});

test.each([
  ['demo podgc --tour', '--tour shows around in the scenario shop.'],
  ['demo --tour', '--tour needs a terminal: it shows around on the screen.'],
  ['demo --tour -A', '--tour begins where the scenario does: leave -n and -A out.'],
  ['demo --tour --read-only', '--tour frees something: leave --read-only out.'],
])('%s is refused', async (words, reason) => {
  const { err, exitCode } = await command(words);
  expect(err).toBe(`kubectl gc-tree: ${reason}\n`);
  expect(exitCode).toBe(2);
});

test('a format without a list is refused', async () => {
  const { err, exitCode } = await command('demo --list -o dot');
  expect(err).toMatch(/^kubectl gc-tree: .*dot.*\n$/u);
  expect(exitCode).toBe(2);
});

/** Groups whose server is gone are what these are about. */
const unseen: Readonly<Record<string, RegExp>> = {
  'namespace-stuck': /^1 kind could not be seen: \*\.metrics\.k8s\.io \(.+\)\.\n$/u,
  'dead-apiservice': /^1 kind could not be seen: \*\.metering\.example\.com \(.+\)\.\n$/u,
};

test.each(scenarioNames())('--demo %s can be read by every command', async name => {
  // What cannot be seen is told: a group without a server is one story's point.
  const err = unseen[name] ?? /^$/u;
  const tree = await command(`tree --demo ${name}`);
  expect(tree).toMatchObject({ err: expect.stringMatching(err), exitCode: 0 });
  expect(tree.out).toMatch(/^NAME +STATE/u);
  const plan = await command(`plan --demo ${name}`);
  expect(plan).toMatchObject({ err: '', exitCode: 0 });
});
