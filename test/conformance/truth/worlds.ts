/**
 * Random clusters for the truth of diagnosis: ownership graphs in every state of their controller manager, and small
 * clusters with workloads, volumes, nodes and namespaces to which things happen. The same scenarios as the others, so
 * that one which shows a mistake can be made smaller and kept.
 */
import type { JsonRecord } from '../../../src/model/json/json.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import {
  nameOf,
  type Scenario,
  type ScenarioCascade,
  type ScenarioManifest,
  type ScenarioStep,
} from '../../../src/source/demo/scenario.ts';
import { modes, randomScenario } from '../fuzz/random-graphs.ts';

const stop: ScenarioStep = { controllerManager: 'stop' };
const start: ScenarioStep = { controllerManager: 'start' };

/** Every seed is another one; of four three are graphs alone. */
export function truthScenario(seed: number): Scenario {
  if (seed % 4 === 3) return randomWorld(seed);
  const random = new Random(seed);
  const mode = modes[random.below(modes.length)] ?? 'running';
  const scenario = randomScenario(seed, mode);
  const steps = withNamespace(withPatches(scenario.steps, random), random);
  const fate = random.below(5);
  const title = `random graph ${seed}`;
  // Down when the action is taken, or since the action.
  if (fate === 0) return { ...scenario, title, steps: downBeforeActions(steps) };
  if (fate === 1) return { ...scenario, title, steps: [...steps, stop] };
  return { ...scenario, title, steps };
}

function downBeforeActions(steps: readonly ScenarioStep[]): readonly ScenarioStep[] {
  const at = steps.findIndex(step => step === 'settle');
  const rest = steps.slice(at + 1).filter(step => step === 'settle' || !('controllerManager' in step));
  return [...steps.slice(0, at + 1), stop, ...rest];
}

/** Now and then a namespace goes at the same time. */
function withNamespace(steps: readonly ScenarioStep[], random: Random): readonly ScenarioStep[] {
  if (random.below(12) > 0) return steps;
  const at = steps.indexOf('settle');
  const gone: ScenarioStep = { delete: 'Namespace a', cascade: 'background' };
  return [...steps.slice(0, at), gone, ...steps.slice(at)];
}

const broken: readonly ((reference: JsonRecord) => JsonRecord)[] = [
  reference => ({ ...reference, name: 'renamed' }),
  reference => ({ ...reference, kind: 'Secret', apiVersion: 'v1' }),
  reference => ({ ...reference, uid: '00000000-0000-4000-8000-00000000dead' }),
  reference => ({ ...reference, apiVersion: 'gone.example.com/v1', kind: 'Gone' }),
  reference => ({ ...reference, blockOwnerDeletion: true }),
];

/** Now and then a reference is altered while everything runs: what is altered under its uid goes unnoticed. */
function withPatches(steps: readonly ScenarioStep[], random: Random): readonly ScenarioStep[] {
  if (random.below(3) > 0) return steps;
  const manifests = steps.flatMap(step => (step !== 'settle' && 'create' in step ? step.create : []));
  const owned = manifests.filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0);
  const manifest = owned[random.below(Math.max(1, owned.length))];
  const at = steps.lastIndexOf('settle');
  if (manifest === undefined || at < 0) return steps;
  const references = manifest.metadata.ownerReferences ?? [];
  const chosen = random.below(references.length);
  const change = broken[random.below(broken.length)] ?? (each => each);
  const ownerReferences = references.map((each, index) => (index === chosen ? change({ ...each }) : each));
  const patch: ScenarioStep = { patch: nameOf(manifest), with: { metadata: { ownerReferences } } };
  return [...steps.slice(0, at + 1), patch, 'settle', ...steps.slice(at + 1)];
}

const containers = [{ name: 'app', image: 'example.com/app:1' }];

function labelled(app: string, spec: JsonRecord = {}): JsonRecord {
  const terminationGracePeriodSeconds = 1;
  return { metadata: { labels: { app } }, spec: { terminationGracePeriodSeconds, containers, ...spec } };
}

function claimSpec(): JsonRecord {
  return {
    storageClassName: 'nobody',
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
  };
}

const retentions = ['Retain', 'Delete'] as const;

/** Objects of ordinary life in a namespace `shop`, some owned or held by something odd. */
function inhabitants(random: Random): ScenarioManifest[] {
  const chance = (percent: number): boolean => random.below(100) < percent;
  const made: ScenarioManifest[] = [];
  const meta = (name: string): ScenarioManifest['metadata'] => ({
    name,
    namespace: 'shop',
    ...(chance(12) ? { finalizers: ['example.com/hold'] } : {}),
  });
  const replicas = 1 + random.below(3);
  if (chance(60)) {
    made.push({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta('api'),
      spec: { replicas, selector: { matchLabels: { app: 'api' } }, template: labelled('api') },
    });
  }
  if (chance(60)) {
    const retention = {
      whenDeleted: retentions[random.below(2)],
      whenScaled: retentions[random.below(2)],
    };
    made.push({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: meta('db'),
      spec: {
        replicas,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: labelled('db'),
        ...(chance(70)
          ? {
              volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claimSpec() }],
              persistentVolumeClaimRetentionPolicy: retention,
            }
          : {}),
      },
    });
  }
  if (chance(40)) {
    made.push({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: meta('import'),
      spec: { template: labelled('import', { restartPolicy: 'Never' }) },
    });
  }
  if (chance(40)) {
    made.push({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: meta('files'),
      spec: claimSpec(),
    });
    const metadata = meta('reader');
    const volumes = [{ name: 'files', persistentVolumeClaim: { claimName: 'files' } }];
    const bound = chance(50) ? { nodeName: 'node-1' } : {};
    const spec = { terminationGracePeriodSeconds: 1, containers, volumes, ...bound };
    made.push({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
  }
  const owners = made.map(nameOf);
  for (let index = random.below(4); index > 0; index--) {
    const owner = owners[random.below(Math.max(1, owners.length))];
    const block = chance(50) ? { blockOwnerDeletion: true } : {};
    const ownerReferences = owner === undefined || chance(30) ? [] : [{ of: owner, ...block }];
    const kind = chance(50) ? 'ConfigMap' : 'Service';
    const spec = kind === 'Service' ? { spec: { ports: [{ port: 80 }] } } : {};
    const metadata = { ...meta(`extra${index}`), ...(ownerReferences.length > 0 ? { ownerReferences } : {}) };
    made.push({ apiVersion: 'v1', kind, metadata, ...spec });
  }
  return made;
}

const cascades: readonly ScenarioCascade[] = ['background', 'foreground', 'orphan', 'default'];

function happening(random: Random, manifests: readonly ScenarioManifest[]): readonly ScenarioStep[] {
  const any = manifests[random.below(Math.max(1, manifests.length))];
  const cascade = cascades[random.below(cascades.length)] ?? 'background';
  const nodeName = `node-${1 + random.below(2)}`;
  switch (random.below(9)) {
    case 0:
      return [{ node: { name: nodeName, state: 'stopped' } }];
    case 1:
      return [{ node: { name: nodeName, state: 'deleted' } }];
    case 2:
      return [{ node: { name: nodeName, state: 'stopped' } }, { node: { name: nodeName, state: 'tainted' } }];
    case 3:
      return [{ delete: 'Namespace shop', cascade: 'background' }];
    case 4: {
      const scaled = manifests.find(({ kind }) => kind === 'StatefulSet' || kind === 'Deployment');
      return scaled === undefined
        ? []
        : [{ patch: nameOf(scaled), with: { spec: { replicas: random.below(3) } } }];
    }
    default:
      return any === undefined ? [] : [{ delete: nameOf(any), cascade }];
  }
}

function randomWorld(seed: number): Scenario {
  const random = new Random(seed);
  const manifests = inhabitants(random);
  const namespace: ScenarioManifest = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
  const steps: ScenarioStep[] = [start, { create: [namespace, ...manifests] }, 'settle'];
  for (let more = 1 + random.below(3); more > 0; more--) {
    if (random.below(12) === 0) steps.push(stop);
    steps.push(...happening(random, manifests));
    if (random.below(2) === 0) steps.push('settle');
  }
  return { title: `random cluster ${seed}`, nodes: 2, steps: once(steps) };
}

/** What is gone cannot be deleted or altered again, and nothing can happen twice to a node. */
function once(steps: readonly ScenarioStep[]): readonly ScenarioStep[] {
  const touched = new Set<string>();
  return steps.filter(step => {
    if (step === 'settle' || !('delete' in step || 'node' in step)) return true;
    const name = 'node' in step ? `${step.node.name} ${step.node.state}` : JSON.stringify(step.delete);
    if ('node' in step && touched.has(`${step.node.name} deleted`)) return false;
    const fresh = !touched.has(name);
    touched.add(name);
    return fresh;
  });
}
