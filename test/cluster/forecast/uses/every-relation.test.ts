/** Every relation on a real control plane: the forecast names its users, and they break as it says. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../../../src/cli/documents/definitions.ts';
import { openCluster } from '../../../../src/kube/open-cluster.ts';
import { type JsonRecord, record, text } from '../../../../src/model/json/json.ts';
import { command } from '../../../cli/console.ts';
import { together } from '../../../conformance/real/run.ts';
import { Kubelet } from '../../../conformance/uses/kubelet.ts';
import { nameOf } from '../../../conformance/uses/observed.ts';
import { type RelationCase, relationCases, sharedObjects } from '../../../conformance/uses/relation-cases.ts';
import { namespaceOf, RelationPlane } from '../../../conformance/uses/relation-plane.ts';
import { shows } from '../../../conformance/uses/shown.ts';
import { Webhooks } from '../../../conformance/worlds/webhooks.ts';
import type { Cluster } from '../../../harness/cluster.ts';
import { everyComponent, startControlPlane } from '../../../harness/control-plane.ts';
import { guardFolder } from '../../../harness/processes/watchdog.ts';
import { eventually } from '../../eventually.ts';
import { applyDefinitions } from './definitions.ts';

/** Milliseconds until a difference counts. */
const PATIENCE_MS = 60_000;
const GATES = 'ClusterTrustBundle=true,ClusterTrustBundleProjection=true';

let cluster: Cluster;
let kubelet: Kubelet;
let webhooks: Webhooks;
let plane: RelationPlane;
let cases: readonly RelationCase[];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gc-tree-hooks-'));
  guardFolder(folder);
  const names = Array.from({ length: 100 }, (_, index) => `used-${index}.shop-${index}`);
  webhooks = await Webhooks.start(folder, names);
  cluster = await startControlPlane({
    components: everyComponent.filter(each => each !== 'kwok'),
    apiServerFlags: [
      '--disable-admission-plugins=DenyServiceExternalIPs',
      `--feature-gates=${GATES}`,
      '--runtime-config=certificates.k8s.io/v1beta1=true',
    ],
    controllerManagerFlags: [
      '--kube-api-qps=2000',
      '--kube-api-burst=2000',
      '--horizontal-pod-autoscaler-sync-period=5s',
      '--pvclaimbinder-sync-period=5s',
    ],
  });
  kubelet = await Kubelet.start(cluster.api);
  await applyDefinitions(cluster);
  plane = await eventually(() => RelationPlane.of(cluster.api));
  const { port, caBundle } = webhooks.backend;
  cases = relationCases({
    PORT: port,
    CA: caBundle,
    CERTIFICATE: readFileSync(cluster.tls.ca, 'utf8'),
  });
});
afterAll(async () => {
  kubelet?.stop();
  await cluster?.stop();
  await webhooks?.stop();
});

const isOfSubjects = ({ how }: RelationCase): boolean => how === 'has rights by it';
const title = ({ kind, when, how, clause }: RelationCase): string => [kind, when, how, clause].join(' | ');

test('users need what they use', async () => {
  await together(
    cases.flatMap(({ namespaces }) => namespaces),
    async name => {
      await plane.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      // Pods are refused without a ServiceAccount.
      await eventually(() =>
        cluster.api.json({ path: `/api/v1/namespaces/${name}/serviceaccounts/default` }),
      );
    },
  );
  for (const each of sharedObjects) await plane.create(each);
  const refused: string[] = [];
  const create = (object: JsonRecord): Promise<unknown> =>
    plane.create(object).catch(error => refused.push(String(error)));
  await together(cases, async each => void (await create(each.used)));
  await together(cases, async each => {
    for (const user of isOfSubjects(each) ? [] : each.users) await create(user);
  });
  expect(refused).toEqual([]);
  expect(await unlike(() => [])).toEqual([]);
  await eventually(async () => {
    const pods = kubelet.pods().filter(({ status }) => text(record(status)['phase']) === 'Pending');
    expect(pods.map(nameOf), kubelet.trouble).toEqual([]);
  }, PATIENCE_MS);
});

/** Names the users that are broken as the sentence says. */
async function broken(each: RelationCase): Promise<readonly string[]> {
  const show = shows[each.clause];
  if (typeof show !== 'function') return [];
  const found: string[] = [];
  for (const user of each.users) if (await show({ plane, used: each.used, user })) found.push(nameOf(user));
  return found;
}

test('the forecast names the users, and no others', async () => {
  const kubeconfig = await cluster.kubeconfig();
  const wrong: unknown[] = [];
  for (const each of cases) {
    const source = openCluster({ kubeconfig }, { env: {}, verbosity: 0, log: () => {} });
    const words = `plan delete ${plane.targetOf(each.used)} -n ${namespaceOf(each.used)} -o json`;
    const { out, err, exitCode } = await command(words, { source, now: () => Date.now() });
    expect(exitCode, `${words}: ${err}`).toBe(0);
    const plan = JSON.parse(out) as Plan;
    const said = (plan.breaks ?? []).map(
      ({ user, when, how, because }) => `${user.kind} ${user.name} ${when}: ${how}: ${because}`,
    );
    const [expected, actual] = [[...linesOf(each)].sort(), [...said, ...warned(plan, each)].sort()];
    if (expected.join() !== actual.join()) wrong.push({ case: title(each), expected, actual });
  }
  expect(wrong).toEqual([]);
});

function linesOf({ isOver, when, how, clause, users }: RelationCase): readonly string[] {
  if (isOver || when === 'never') return [];
  return users.map(user => `${text(user['kind'])} ${nameOf(user)} ${when}: ${how}: ${clause}`);
}

/** A webhook that has to answer is a warning in place of a break. */
function warned({ warnings }: Plan, { when, how, clause, users }: RelationCase): readonly string[] {
  return users.flatMap(user => {
    const name = nameOf(user);
    const isWarned = warnings.some(each => each.includes(name) && each.includes('refuse'));
    return isWarned ? [`${text(user['kind'])} ${name} ${when}: ${how}: ${clause}`] : [];
  });
}

test('they break as it says, and no others', async () => {
  await together(cases, each => plane.delete(each.used));
  await restart();
  const named = ({ isOver, when, clause, users }: RelationCase): readonly string[] =>
    isOver || when === 'never' || typeof shows[clause] !== 'function' ? [] : users.map(nameOf);
  expect(await unlike(named)).toEqual([]);
});

/** Lists the cases whose broken users don't come to be the expected ones. */
async function unlike(expected: (each: RelationCase) => readonly string[]): Promise<readonly unknown[]> {
  const deadline = Date.now() + PATIENCE_MS;
  let wrong: readonly RelationCase[] = cases;
  for (;;) {
    const described: unknown[] = [];
    const left: RelationCase[] = [];
    await together(wrong, async each => {
      const actual = await broken(each).catch(String);
      const wanted = expected(each);
      if (actual.toString() === wanted.join()) return;
      left.push(each);
      described.push({ case: title(each), expected: wanted, actual });
    });
    wrong = left;
    if (wrong.length === 0 || Date.now() > deadline) return described;
    await sleep(500);
  }
}

/** Has each workload start its next pod. */
async function restart(): Promise<void> {
  kubelet.pullSlowImages();
  const { items } = await cluster.api.json<{ items: readonly JsonRecord[] }>({ path: '/api/v1/pods' });
  const owned = items.filter(({ metadata }) => record(metadata)['ownerReferences'] !== undefined);
  await together(owned, async pod => {
    const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}`;
    await cluster.api.send({ method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
  });
  for (const user of cases.flatMap(({ users }) => users)) {
    if (user['kind'] !== 'CronJob') continue;
    const { spec } = record(record(user['spec'])['jobTemplate']);
    const metadata = { name: `${nameOf(user)}-run`, namespace: namespaceOf(user) };
    await plane.create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
  }
}

test('a claim of a class that is gone is bound to a free volume of that class', async () => {
  const metadata = { name: 'free', namespace: 'default' };
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: 'gone' };
  const storage = { storage: '1Gi' };
  await plane.create({
    kind: 'PersistentVolume',
    metadata,
    spec: { ...spec, capacity: storage, hostPath: { path: '/data' } },
  });
  const claim = {
    kind: 'PersistentVolumeClaim',
    metadata,
    spec: { ...spec, resources: { requests: storage } },
  };
  await plane.create(claim);
  await eventually(async () => expect(record((await plane.read(claim))['status'])['phase']).toBe('Bound'));
});
