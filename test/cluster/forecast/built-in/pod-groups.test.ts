/** PodGroups and Workloads that the Job controller creates for a gang, with the feature gates that it takes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { minorNumber, testedVersion } from '../../../harness/processes/versions.ts';
import { eventually } from '../../eventually.ts';
import { said } from '../../tool.ts';
import { planOf } from '../ends.ts';

interface Plan {
  readonly outcome: string;
  readonly deleted: readonly { readonly object: { readonly kind: string } }[];
  readonly recreated: readonly { readonly kind: string }[];
  readonly terminating: readonly { readonly waitingFor: readonly string[] }[];
}

interface Member {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly ownerReferences: readonly { readonly kind: string }[];
    readonly finalizers?: readonly string[];
  };
  readonly spec: { readonly schedulingGroup?: { readonly podGroupName: string } };
}

const minor = minorNumber(testedVersion());
/** The version that the controllers use. */
const version = minor === 36 ? 'v1alpha2' : 'v1beta1';
const gates = '--feature-gates=GenericWorkload=true,WorkloadWithJob=true';

describe.skipIf(minor < 36)('a Job with a PodGroup', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const tells = (...args: readonly string[]): Promise<string> =>
    said([...args, '-n', 'default'], { kubeconfig });
  const plan = (...targets: readonly string[]): Promise<Plan> =>
    planOf(kubeconfig, ['delete', ...targets, '-n', 'default']);
  const list = async (path: string): Promise<readonly Member[]> =>
    (await cluster.api.json<{ readonly items: readonly Member[] }>({ path })).items;
  const podGroups = (): Promise<readonly Member[]> =>
    list(`/apis/scheduling.k8s.io/${version}/namespaces/default/podgroups`);
  const pods = (): Promise<readonly Member[]> => list('/api/v1/namespaces/default/pods');
  /** Returns the name of the PodGroup. Without a node the pods stay pending. */
  const startJob = async (name: string): Promise<string> => {
    await cluster.apply(`
apiVersion: batch/v1
kind: Job
metadata: {name: ${name}, namespace: default}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: main}]}}
`);
    return eventually(async () => {
      expect(await pods()).toHaveLength(2);
      const [group] = await podGroups();
      return group?.metadata.name ?? '';
    });
  };
  const finishPods = async (): Promise<void> => {
    for (const { metadata } of await pods())
      await cluster.api.json({
        method: 'PATCH',
        path: `/api/v1/namespaces/default/pods/${metadata.name}/status`,
        contentType: 'application/merge-patch+json',
        body: { status: { phase: 'Succeeded' } },
      });
  };

  beforeAll(async () => {
    cluster = await startControlPlane({
      apiServerFlags: [gates, `--runtime-config=scheduling.k8s.io/${version}=true`],
      controllerManagerFlags: [gates],
    });
    kubeconfig = await cluster.kubeconfig();
  });
  afterAll(() => cluster?.stop());

  it('keeps its PodGroup until the pods finish', async () => {
    const group = await startJob('train');
    const plural = `podgroups.scheduling.k8s.io/${group}`;
    const { outcome, terminating } = await plan(plural);
    expect(outcome).toBe('Stuck');
    expect(terminating[0]?.waitingFor).toHaveLength(2);
    for (const words of terminating[0]?.waitingFor ?? [])
      expect(words).toMatch(/^Pod train-\d-\w+, which uses it$/u);
    await cluster.kubectl(['delete', plural, '-n', 'default', '--wait=false']);
    expect(await podGroups()).toHaveLength(1);
    expect(await tells('why', plural)).toContain('Pod train-0-');
    await finishPods();
    await eventually(async () => expect(await podGroups()).toEqual([]));
    await cluster.kubectl(['delete', 'job/train', '-n', 'default']);
    await eventually(async () => expect(await pods()).toEqual([]));
  });

  it('is deleted in the foreground with all that it owns', async () => {
    await startJob('gang');
    const { outcome, deleted } = await plan('job/gang', '--cascade=foreground');
    expect(outcome).toBe('Completes');
    expect(deleted.map(({ object }) => object.kind).toSorted()).toEqual([
      'Job',
      'Pod',
      'Pod',
      'PodGroup',
      'Workload',
    ]);
    await cluster.kubectl(['delete', 'job/gang', '-n', 'default', '--cascade=foreground', '--wait=false']);
    await eventually(async () => {
      expect(await cluster.kubectl(['get', 'jobs', '-n', 'default', '-o', 'name'])).toBe('');
      expect(await pods()).toEqual([]);
      expect(await podGroups()).toEqual([]);
    });
  });

  // docs/kubernetes.md §14: the Job controller adds the reference to the pod template, which GetPodFromTemplate drops.
  it('owns its pods alone: the reference to the PodGroup that the controller means to add is lost', async () => {
    const group = await startJob('lost');
    for (const { metadata, spec } of await pods()) {
      expect(spec.schedulingGroup?.podGroupName).toBe(group);
      expect(metadata.ownerReferences.map(({ kind }) => kind)).toEqual(['Job']);
    }
    const [{ metadata } = { metadata: undefined }] = await podGroups();
    expect(metadata?.ownerReferences.map(({ kind }) => kind)).toEqual(['Job', 'Workload']);
    expect(metadata?.finalizers).toEqual(['scheduling.k8s.io/podgroup-protection']);
  });

  it.skipIf(minor > 36)('gets a new PodGroup for new pods', async () => {
    const [group] = await podGroups();
    const targets = [
      `podgroups.scheduling.k8s.io/${group?.metadata.name}`,
      ...(await pods()).map(({ metadata }) => `pod/${metadata.name}`),
    ];
    expect((await plan(...targets)).recreated.map(({ kind }) => kind)).toContain('PodGroup');
    await cluster.kubectl(['delete', ...targets, '-n', 'default', '--wait=false']);
    await eventually(async () => {
      const [again] = await podGroups();
      expect(again?.metadata.name).toBe(group?.metadata.name);
      expect(again?.metadata.uid).not.toBe(group?.metadata.uid);
      expect(await pods()).toHaveLength(2);
    });
  });
});
