/** Deletions that users asked about: one that goes on, one that nobody asked for, and one that waits in vain. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem, Plan } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';

function manifestIn(file: string): string {
  return readFileSync(join(import.meta.dirname, 'objects', `${file}.yaml`), 'utf8');
}

async function run(words: string, manifest: string): Promise<string> {
  const { out, err, exitCode } = await command(`${words} -f - --closed-world`, { stdin: manifest });
  expect(exitCode, err).toBeLessThan(2);
  return out;
}

async function answerOn(asked: string, manifest: string): Promise<DiagnosisItem> {
  const { items } = JSON.parse(await run(`why ${asked} -o json`, manifest)) as Diagnosis;
  const [item] = items;
  if (item === undefined) throw new Error(`no answer about ${asked}`);
  return item;
}

describe('an instance whose operator recreates what a foreground deletion waits for', () => {
  const manifest = manifestIn('recreated-in-foreground');
  const asked = 'seldondeployment/mock -n models';

  test('may never end, unless it is deleted in the background', async () => {
    const { summary, remedies, next } = await answerOn(asked, manifest);
    expect(summary).toMatch(/may never end: Deployment mock-default.*74 s after the deletion began/u);
    expect(summary).toMatch(/Deployment seldon-system\/seldon-controller-manager seems to go on recreating/u);
    expect(remedies[0]).toMatchObject({ id: 'redelete/background', effect: 'mock is deleted' });
    expect(remedies[1]?.title).toMatch(/^stop Deployment seldon-system\/seldon-controller-manager/u);
    expect(next.join(' ')).toMatch(/^mock may never be deleted: Deployment mock-default/u);
  });

  test('is promised by no forecast', async () => {
    const plan = await run('plan', manifest);
    expect(plan).toMatch(/^If no user acts: 2 objects are deleted, 1 may never end\./u);
    const said = [plan, await run(`why ${asked} -o wide`, manifest)].join('');
    expect(said).not.toMatch(/mock is deleted by|3 objects are deleted|why Node|as it would be anyway/u);
  });

  /** The same 10 seconds after the deletion, or later. */
  function soon(heartbeat = '12:00:10'): string {
    const times = ['12:01:14', '12:02:40', '12:01:15', '12:03:00', '12:02:45'] as const;
    const [created, deleted, podCreated, podEnds, beat] = times;
    return manifest
      .replace(created, '12:00:06')
      .replace(deleted, '12:00:08')
      .replace(podCreated, '12:00:07')
      .replace(podEnds, '12:00:28')
      .replace(beat, heartbeat);
  }

  test('is promised by no forecast once a dependent is recreated, which is no problem yet', async () => {
    const plan = JSON.parse(await run('plan -o json', soon())) as Plan;
    expect(plan.timingDependent).toMatchObject([
      { object: { name: 'mock' }, because: expect.stringContaining('was created 6 s after its deletion') },
    ]);
    const { findings, next } = await answerOn(asked, soon());
    expect(next.join(' ')).toMatch(/^mock may never be deleted/u);
    expect(findings.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'info ForegroundDependentsRecreated',
    ]);
  });

  test('may have finished what it had begun if nothing was recreated for half a minute', async () => {
    const { next } = await answerOn(asked, soon('12:00:36'));
    expect(next.join(' ')).not.toMatch(/may never/u);
  });

  test('is told of what it has deleted', async () => {
    const { course } = await answerOn('deployment/mock-default -n models', manifest);
    expect(course).toEqual([
      expect.stringMatching(/^Its owner SeldonDeployment mock is being deleted in the foreground/u),
    ]);
  });

  test('is told of what waits for it in turn', async () => {
    const above = `
---
apiVersion: apps.example.com/v1
kind: Release
metadata: {name: models, namespace: models, uid: 22222222-0000-4000-8000-000000000009, creationTimestamp: "2020-12-11T09:00:00Z", deletionTimestamp: "2020-12-11T12:00:00Z", deletionGracePeriodSeconds: 0, finalizers: [foregroundDeletion]}
`;
    const owned = manifest.replace(
      'finalizers: [foregroundDeletion]}',
      'finalizers: [foregroundDeletion], ownerReferences: [{apiVersion: apps.example.com/v1, kind: Release, name: models, uid: 22222222-0000-4000-8000-000000000009, blockOwnerDeletion: true}]}',
    );
    const { summary, remedies, next } = await answerOn('release/models -n models', `${owned}${above}`);
    expect(summary).toMatch(
      /it waits for SeldonDeployment mock, whose Deployment mock-default was created 74 s after/u,
    );
    expect(remedies.map(({ id }) => id)).toEqual(['look-further', 'redelete/background', 'stop-controller']);
    expect(next.join(' ')).toMatch(/models may never be deleted: it waits for SeldonDeployment mock/u);
  });

  test.each([
    [
      'was created before its controller can have seen the deletion',
      '"2020-12-11T12:01:14Z"',
      '"2020-12-11T12:00:02Z"',
    ],
    ['was there before the deletion', '"2020-12-11T12:01:14Z"', '"2020-12-11T10:01:14Z"'],
    [
      'may clean up for a finalizer',
      'finalizers: [foregroundDeletion]}',
      'finalizers: [seldon.io/cleanup, foregroundDeletion]}',
    ],
    [
      "can't be recreated in a namespace that is being deleted",
      '{name: models, uid',
      '{name: models, deletionTimestamp: "2020-12-11T12:01:20Z", uid',
    ],
    ["doesn't block", 'controller: true, blockOwnerDeletion: true}', 'controller: true}'],
  ])('is not told of a dependent that %s', async (_, from, to) => {
    expect(manifest).toContain(from);
    const { summary, next } = await answerOn(asked, manifest.replace(from, to));
    expect(`${summary} ${next.join(' ')}`).not.toMatch(/may never|recreat/u);
  });
});

describe('a namespace that the collector deleted because its owner was recreated', () => {
  const manifest = manifestIn('owner-recreated');
  const asked = 'ns/development';

  test('is told why it is being deleted, and what keeps it', async () => {
    const { summary, remedies, because, next } = await answerOn(asked, manifest);
    expect(summary).toMatch(
      /^Namespace development is being deleted because its owner reference is to an earlier Tenant oil, and the one that exists now has another uid: the garbage collector deletes such an object/u,
    );
    expect(summary).toMatch(/isn't gone though nothing is left in it: the namespace controller/u);
    expect(because.join(' ')).toContain('33333333-0000-4000-8000-0000000000ff');
    expect(remedies[0]).toMatchObject({
      id: 'repair-reference-of-others/33333333-0000-4000-8000-000000000003',
      risk: 'safe',
      title: expect.stringMatching(/^point the owner references of Namespace production, which isn't being/u),
      effect: expect.stringContaining('Namespace production gets another owner'),
    });
    expect(remedies[1]?.title).toMatch(/^a deletion can't be undone/u);
    expect(next.join(' ')).not.toContain('cannot be seen');
  });

  test('also if what is in it cannot be seen', async () => {
    const { out } = await command(`why ${asked} -f -`, { stdin: manifest });
    expect(out).toMatch(/^Namespace development is being deleted because its owner reference/u);
  });

  test('has an answer for those that are not deleted yet', async () => {
    const { summary, remedies } = await answerOn('ns/production', manifest);
    expect(summary).toMatch(/will be deleted.*earlier Tenant oil/u);
    expect(remedies[0]?.id).toBe('repair-reference/33333333-0000-4000-8000-000000000003');
  });

  test('may have been deleted by somebody else before its owner was recreated', async () => {
    const earlier = manifest.replace('"2024-09-02T09:20:30Z"', '"2024-09-02T09:10:00Z"');
    const { summary } = await answerOn(asked, earlier);
    expect(summary).toMatch(
      /is being deleted, and the garbage collector deletes it in any case: .*earlier Tenant oil/u,
    );
  });

  const solid =
    '{apiVersion: v1, kind: Namespace, name: production, uid: 33333333-0000-4000-8000-000000000001}';
  const stale = /- \{apiVersion: capsule.*\}\n(?= {4}spec: .*\n {4}status: \{phase: Terminating)/u;
  test.each([
    ['another owner is there', (text: string) => text.replace(stale, all => `${all}        - ${solid}\n`)],
    [
      'its owner is the one that is there',
      (text: string) => text.replaceAll('8000-000000000003', '8000-0000000000ff'),
    ],
    ['its owner is gone for good', (text: string) => text.replace('{name: oil, uid', '{name: gas, uid')],
  ])('is not blamed on a recreated owner if %s', async (_, change) => {
    const words = change(manifest);
    expect(words).not.toBe(manifest);
    const { summary } = await answerOn(asked, words);
    expect(summary).not.toMatch(/earlier Tenant/u);
  });
});

describe("a runner's pod whose node is gone", () => {
  const manifest = manifestIn('runner-pod-node-gone');
  const asked = 'pod/runner-x2v7p -n ci';

  test('waits for a process that can never finish, so the finalizer has to be removed', async () => {
    const { summary, remedies } = await answerOn(asked, manifest);
    expect(summary).toMatch(/runner-pod.*waits for the process in the pod.*never happens: Node spot-1/u);
    expect(remedies[0]).toMatchObject({
      id: 'remove-finalizer/actions.summerwind.dev/runner-pod',
      risk: 'caution',
      title: expect.stringMatching(/stays registered at GitHub.*14 days/u),
    });
    const said = await run(`why ${asked} -o wide`, manifest);
    expect(said).not.toMatch(/PodGC deletes|removes actions\.summerwind\.dev\/runner-pod by itself/u);
  });

  test.each([
    ['its node is there', (text: string) => text.replace('nodeName: spot-1', 'nodeName: spot-9')],
    [
      'its nodes are not known',
      (text: string) => text.replace(/---\napiVersion: v1\nkind: NodeList[^]*?\n(?=---)/u, ''),
    ],
  ])('may still finish if %s', async (_, change) => {
    const words = change(manifest);
    expect(words).not.toBe(manifest);
    const { out } = await command(`why ${asked} -f -`, { stdin: words });
    expect(out).toMatch(/actions-runner-controller seems to be the one that removes it, and is\s+running/u);
    expect(out).not.toMatch(/never happens|can run or report again/u);
  });

  test('says for any other finalizer that nothing in the pod runs again', async () => {
    const other = manifest.replace('actions.summerwind.dev/runner-pod', 'example.com/drain');
    const { summary, remedies } = await answerOn(asked, other);
    expect(summary).toMatch(
      /example\.com\/drain.*Node spot-1 no longer exists, so nothing in the pod can run/u,
    );
    expect(remedies.map(({ id }) => id)).not.toContain('wait-for-podgc');
    expect(remedies.find(({ id }) => id === 'remove-finalizer/example.com/drain')?.risk).toBe('dangerous');
  });
});
