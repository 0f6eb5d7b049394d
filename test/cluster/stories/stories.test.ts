/**
 * Stories of docs/stories.md on a real control plane: what the demo shows of a scenario is what the product says
 * when the same is done to a real API server, a real collector and a real StatefulSet controller.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import { parseScenarios } from '../../../src/source/demo/parse-scenario.ts';
import { type RunningPlane, startPlane } from '../../conformance/real/plane.ts';
import { type PlayedBatch, playBatch } from '../../conformance/real/run.ts';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';

const NAME = 'statefulset-survivors';
const PREFIX = 'real';
/** `playBatch` numbers its runs. */
const NAMESPACE = `${PREFIX}0-shop`;

const file = join(import.meta.dirname, `../../../src/source/demo/scenarios/${NAME}.yaml`);

const podTemplate = (labels: string): string => `
  template:
    metadata: {labels: ${labels}}
    spec:
      terminationGracePeriodSeconds: 1
      restartPolicy: POLICY
      containers: [{name: app, image: registry.example.com/app}]`;

const statefulSet = (name: string): string => `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: ${name}}
spec:
  replicas: 2
  serviceName: ${name}
  selector: {matchLabels: {app: ${name}}}${podTemplate(`{app: ${name}}`).replace('POLICY', 'Always')}
`;

const replicationController = `
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 2
  selector: {app: old}${podTemplate('{app: old}').replace('POLICY', 'Always')}
`;

// Nowhere to run: else its pods would be finished before anybody deletes it.
const job = `
apiVersion: batch/v1
kind: Job
metadata: {name: import}
spec:
  parallelism: 2
  completions: 2${podTemplate('{}').replace('POLICY', 'Never')}
      nodeSelector: {nowhere: "true"}
`;

// Only a control plane of our own can be played on.
describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('story 1 on a real cluster', () => {
  let plane: RunningPlane;
  let played: PlayedBatch;
  let kubeconfig: string;

  beforeAll(async () => {
    const [scenario] = parseScenarios(readFileSync(file, 'utf8'), file);
    if (scenario === undefined) throw new Error(`no scenario in ${file}`);
    plane = await startPlane({ scheduler: true, nodes: 2 });
    kubeconfig = await plane.cluster.kubeconfig();
    played = await playBatch(plane, [scenario], { prefix: PREFIX, quiet: 3 });
  });
  afterAll(() => plane.stop());

  const tool = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runTool(args, { kubeconfig });
    expect(code, stderr).toBeLessThan(2);
    return stdout;
  };

  async function pods(selector: string): Promise<JsonRecord[]> {
    const answer = await plane.cluster.kubectl([
      'get',
      'pods',
      '-n',
      NAMESPACE,
      '-l',
      selector,
      '-o',
      'json',
    ]);
    return list(record(JSON.parse(answer))['items']).map(record);
  }

  const uids = (found: readonly JsonRecord[]): string[] =>
    found.map(pod => text(record(pod['metadata'])['uid'])).sort();
  const owners = (found: readonly JsonRecord[]): string[] =>
    found.flatMap(pod =>
      list(record(pod['metadata'])['ownerReferences']).map(each => text(record(each)['kind'])),
    );

  async function create(manifest: string, selector: string): Promise<string[]> {
    await plane.cluster.kubectl(['apply', '-n', NAMESPACE, '-f', '-'], manifest);
    await eventually(async () => expect(await pods(selector)).toHaveLength(2));
    return uids(await pods(selector));
  }

  /** A DELETE as a client library sends it that says nothing of dependents. */
  async function deleteWithoutPolicy(path: string): Promise<void> {
    const { status } = await plane.cluster.api.send({ method: 'DELETE', path });
    expect(status).toBe(200);
  }

  it.each(['pod/orders-0', 'pod/payments-0', 'pod/inventory-1'])(
    'why %s says what the demo says',
    async target => {
      const real = await tool(['why', target, '-n', NAMESPACE]);
      const { stdout: demo } = await runTool(['why', target, '--demo', NAME]);
      expect(plain(real)).toBe(plain(demo));
      if (target !== 'pod/inventory-1')
        expect(real).toContain('managed fields: only kube-controller-manager');
      expect(real).toContain(target === 'pod/inventory-1' ? 'StatefulSet inventory controls it' : 'survived');
    },
  );

  it('check finds the same as in the demo', async () => {
    const findings = async (args: readonly string[]): Promise<string[]> => {
      const { items } = JSON.parse(await tool(['check', ...args, '-o', 'json'])) as {
        readonly items: readonly { readonly code: string; readonly object: { readonly name: string } }[];
      };
      return items.map(({ code, object }) => `${code} ${object.name}`);
    };
    const real = await findings(['-n', NAMESPACE]);
    expect(real).toEqual(await findings(['--demo', NAME]));
    expect(real).toHaveLength(4);
  });

  it('a StatefulSet made again adopts its survivors without a restart', async () => {
    const before = uids(await pods('app=orders'));
    expect(before).toHaveLength(3);
    await plane.cluster.kubectl(['apply', '-n', NAMESPACE, '-f', '-'], manifestOf('orders'));
    await eventually(async () =>
      expect(owners(await pods('app=orders'))).toEqual(['StatefulSet', 'StatefulSet', 'StatefulSet']),
    );
    await played.settle();
    expect(uids(await pods('app=orders'))).toEqual(before);
    const why = await tool(['why', 'pod/orders-0', '-n', NAMESPACE]);
    expect(why).toContain('survived an earlier StatefulSet orders and was adopted');
  });

  it('a request without a policy takes the pods of a StatefulSet along nowadays', async () => {
    await create(statefulSet('quiet'), 'app=quiet');
    await deleteWithoutPolicy(`/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets/quiet`);
    await eventually(async () => expect(await pods('app=quiet')).toEqual([]));
  });

  it('a request without a policy still orphans the pods of a ReplicationController', async () => {
    const before = await create(replicationController, 'app=old');
    await deleteWithoutPolicy(`/api/v1/namespaces/${NAMESPACE}/replicationcontrollers/old`);
    await eventually(async () => expect(owners(await pods('app=old'))).toEqual([]));
    await played.settle();
    expect(uids(await pods('app=old'))).toEqual(before);
  });

  it('a request without a policy still orphans the pods of a Job, which are found', async () => {
    const selector = 'batch.kubernetes.io/job-name=import';
    const before = await create(job, selector);
    await deleteWithoutPolicy(`/apis/batch/v1/namespaces/${NAMESPACE}/jobs/import`);
    await eventually(async () => expect(owners(await pods(selector))).toEqual([]));
    await played.settle();
    const survivors = await pods(selector);
    expect(uids(survivors)).toEqual(before);
    const name = text(record(survivors[0]?.['metadata'])['name']);
    expect(await tool(['why', `pod/${name}`, '-n', NAMESPACE])).toContain('survived its Job: import is gone');
  });
});

/** The manifest that the scenario makes a StatefulSet from. */
function manifestOf(name: string): string {
  const [scenario] = parseScenarios(readFileSync(file, 'utf8'), file);
  for (const step of scenario?.steps ?? []) {
    if (step === 'settle' || !('create' in step)) continue;
    for (const manifest of step.create) {
      if (manifest.kind !== 'StatefulSet' || manifest.metadata.name !== name) continue;
      const { namespace: _, ...metadata } = manifest.metadata;
      return JSON.stringify({ ...manifest, metadata });
    }
  }
  throw new Error(`no StatefulSet ${name}`);
}

/** Without what is different on every cluster: the namespace's name, hashes, ages, and how commands find it. */
function plain(answer: string): string {
  return answer
    .replaceAll(` --demo ${NAME}`, '')
    .replaceAll(NAMESPACE, 'shop')
    .replaceAll(/\b(orders|payments|inventory)-[a-z0-9]{8,10}\b/gu, '$1-HASH')
    .replaceAll(/\b\d+[smhd](?:\d+[smh])?\b/gu, 'AGE')
    .replaceAll(/ +/gu, ' ');
}
