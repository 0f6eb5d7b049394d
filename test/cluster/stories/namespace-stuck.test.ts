/** Story `namespace-stuck` on a real control plane: the namespace goes when each of its reasons is dealt with, not before. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isApplicable } from '../../../src/diagnosis/engine/finding.ts';
import { eventually } from '../eventually.ts';
import { RealStory } from './story.ts';

const NAMESPACE = 'Namespace legacy';
let story: RealStory;

beforeAll(async () => {
  story = await RealStory.play('namespace-stuck');
});
afterAll(async () => {
  await story.stop();
});

async function codes(): Promise<string[]> {
  const diagnosis = await story.diagnosis();
  const namespace = story.object(diagnosis, NAMESPACE);
  return namespace === undefined ? ['gone'] : diagnosis.of(namespace.uid).map(({ code }) => code);
}

test('has the findings of the story', async () => {
  await eventually(async () => expect(await story.differences()).toEqual({ missing: [], unexpected: [] }));
});

test('only waits for its content once the obsolete APIService is deleted', async () => {
  const remedy = await story.apply(NAMESPACE, 'delete/apiservice/v1beta1.metrics.k8s.io');
  expect(remedy.risk).toBe('caution');
  // The namespace controller notices with its next look, at the latest after a minute.
  await eventually(async () => expect(await codes()).toEqual(['NamespaceContentStuck']));
});

test('goes when nothing holds its content any more', async () => {
  const diagnosis = await story.diagnosis();
  const namespace = story.object(diagnosis, NAMESPACE);
  if (namespace === undefined) throw new Error('gone too early');
  const offered = diagnosis.of(namespace.uid).flatMap(each => each.remedies());
  const applicable = offered.filter(isApplicable);
  expect(applicable.map(({ risk }) => risk)).toEqual(['dangerous', 'dangerous']);
  for (const { id } of applicable) await story.apply(NAMESPACE, id);
  await eventually(async () => expect(await codes()).toEqual(['gone']));
});
