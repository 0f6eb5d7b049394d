/**
 * Makes a scenario that ends differently as small as it can be: without objects, references, finalizers and
 * actions that the difference doesn't need.
 */
import {
  isPlayed,
  nameOf,
  type ObjectName,
  type Scenario,
  type ScenarioManifest,
  type ScenarioStep,
} from '../../../src/source/demo/scenario.ts';

/** Which of the candidates still end differently. They are asked about many at once, since a run takes long. */
export type Diverging = (candidates: readonly Scenario[]) => Promise<readonly boolean[]>;

/** Rounds of a search; each leaves out at least one thing. */
const ROUNDS = 12;

export async function shrink(scenario: Scenario, diverging: Diverging): Promise<Scenario> {
  let smallest = scenario;
  for (let round = 0; round < ROUNDS; round++) {
    const candidates = smaller(smallest);
    if (candidates.length === 0) break;
    const answers = await diverging(candidates);
    const best = candidates
      .filter((_, index) => answers[index] === true)
      .reduce<Scenario | undefined>((a, b) => (a === undefined || size(b) < size(a) ? b : a), undefined);
    if (best === undefined) break;
    smallest = best;
  }
  return smallest;
}

/** How much there is to a scenario. */
function size(scenario: Scenario): number {
  return JSON.stringify(scenario.steps).length;
}

/** Each with one thing less. */
function smaller(scenario: Scenario): Scenario[] {
  const manifests = scenario.steps.flatMap(step =>
    step !== 'settle' && 'create' in step ? step.create : [],
  );
  const found: Scenario[] = [];
  const referred = new Set(
    manifests.flatMap(({ metadata }) => metadata.ownerReferences ?? []).map(({ of }) => of),
  );
  for (const manifest of manifests) found.push(without(scenario, nameOf(manifest)));
  for (const [index, step] of scenario.steps.entries()) {
    if (step === 'settle' || !('delete' in step || 'patch' in step)) continue;
    found.push({ ...scenario, steps: scenario.steps.filter((_, at) => at !== index) });
  }
  for (const manifest of manifests) {
    const { finalizers = [], ownerReferences = [] } = manifest.metadata;
    if (finalizers.length > 0) found.push(changed(scenario, manifest, { finalizers: [] }));
    for (const dropped of ownerReferences) {
      const kept = ownerReferences.filter(each => each !== dropped);
      found.push(changed(scenario, manifest, { ownerReferences: kept }));
    }
  }
  // Objects that nobody owns or refers to go at once, too.
  const loners = manifests
    .filter(({ metadata }) => (metadata.ownerReferences ?? []).length === 0)
    .filter(manifest => !referred.has(nameOf(manifest)));
  if (loners.length > 1) {
    found.push(loners.reduce<Scenario>((rest, manifest) => without(rest, nameOf(manifest)), scenario));
  }
  return found;
}

/** Without an object, what refers to it and what is done to it. */
function without(scenario: Scenario, name: ObjectName): Scenario {
  const steps: ScenarioStep[] = [];
  for (const step of scenario.steps) {
    if (!isPlayed(step)) steps.push(step);
    else if ('create' in step) {
      const create = step.create
        .filter(manifest => nameOf(manifest) !== name)
        .map(each => unreferring(each, name));
      steps.push({ create });
    } else if (('delete' in step ? step.delete : step.patch) !== name) steps.push(step);
  }
  return { ...scenario, steps };
}

function unreferring(manifest: ScenarioManifest, name: ObjectName): ScenarioManifest {
  const { ownerReferences } = manifest.metadata;
  if (ownerReferences === undefined) return manifest;
  return withMetadata(manifest, { ownerReferences: ownerReferences.filter(({ of }) => of !== name) });
}

function changed(
  scenario: Scenario,
  manifest: ScenarioManifest,
  metadata: Partial<ScenarioManifest['metadata']>,
): Scenario {
  const steps = scenario.steps.map(step => {
    if (step === 'settle' || !('create' in step)) return step;
    return { create: step.create.map(each => (each === manifest ? withMetadata(each, metadata) : each)) };
  });
  return { ...scenario, steps };
}

function withMetadata(
  manifest: ScenarioManifest,
  metadata: Partial<ScenarioManifest['metadata']>,
): ScenarioManifest {
  return { ...manifest, metadata: { ...manifest.metadata, ...metadata } };
}
