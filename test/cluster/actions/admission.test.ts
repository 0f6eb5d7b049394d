/**
 * Admission that rejects what the collector and the namespace controller ask for, on a real control plane: dry runs
 * show who rejects it, and change nothing.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProbeOutcome } from '../../../src/diagnosis/admission/probe-answers.ts';
import { probesOf } from '../../../src/diagnosis/admission/probes.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { Source } from '../../../src/source/source.ts';
import { readCluster } from '../../conformance/real/live-view.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { settled } from '../settled.ts';
import { keepPolicy } from './keep-policy.ts';

/** Deletion of what is labelled `keep` is rejected by a policy, changes of what is labelled `hooked` by a silent webhook. */
const admission = `${keepPolicy}---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: silent}
webhooks:
  - name: silent.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Fail
    objectSelector: {matchLabels: {hooked: "true"}}
    clientConfig: {service: {name: nobody, namespace: default}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]
`;

describe('admission that stands in the way', () => {
  let cluster: Cluster;
  let source: Source;

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    source = openCluster(
      { kubeconfig: await cluster.kubeconfig() },
      { env: {}, verbosity: 0, log: () => {} },
    );
    await cluster.apply(admission);
    for (const name of ['jobs', 'owners', 'going']) await cluster.kubectl(['create', 'namespace', name]);
    await eventually(async () => {
      // A policy takes a moment until it counts.
      await create('jobs', 'trial', { labels: { keep: 'true' } });
      await expect(cluster.kubectl(['delete', 'configmap', 'trial', '-n', 'jobs'])).rejects.toThrow(
        'backups',
      );
    });
    await eventually(async () => {
      await create('jobs', 'hook', { labels: { hooked: 'true' } });
      const patch = [
        'patch',
        'configmap',
        'hook',
        '-n',
        'jobs',
        '--dry-run=server',
        '-p',
        '{"data":{"a":"b"}}',
      ];
      await expect(cluster.kubectl(patch)).rejects.toThrow('silent.example.com');
    });
  });
  afterAll(async () => {
    await source.close();
    await cluster.kubectl(['delete', 'validatingadmissionpolicybinding', 'keep', '--ignore-not-found']);
    await cluster.kubectl(['delete', 'validatingadmissionpolicy', 'keep', '--ignore-not-found']);
    await cluster.kubectl(['delete', 'validatingwebhookconfiguration', 'silent', '--ignore-not-found']);
    await cluster.stop();
  });

  async function create(namespace: string, name: string, metadata: object): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    await cluster.api.send({ method: 'DELETE', path: `${path}/${name}` });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name } };
    const answer = await cluster.api.send({ method: 'POST', path, body });
    return answer.status === 201
      ? (JSON.parse(answer.body) as { metadata: { uid: string } }).metadata.uid
      : '';
  }

  function objectIn(view: ClusterView, kind: string, name: string): KubeObject {
    for (const { object } of view.graph.nodes()) {
      if (object?.type.kind === kind && object.name === name) return object;
    }
    throw new Error(`no ${kind} ${name}`);
  }

  /** What dry runs say of the object as it is now. */
  async function asked(kind: string, name: string): Promise<readonly ProbeOutcome[]> {
    const view = await readCluster(cluster);
    const { tracked } = diagnoseCluster(view, Date.now());
    const node = tracked.node(objectIn(view, kind, name).uid);
    if (node === undefined || source.dryRun === undefined) throw new Error('nothing to ask');
    const outcomes: ProbeOutcome[] = [];
    for (const probe of probesOf(tracked, node)) {
      outcomes.push(ProbeOutcome.read(probe, await source.dryRun(probe.request)));
    }
    return outcomes;
  }

  it('is found by a dry run of the deletion that the collector fails with', async () => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: crypto.randomUUID() };
    await create('jobs', 'kept', { labels: { keep: 'true' }, ownerReferences: [owner] });
    await create('jobs', 'plain', { ownerReferences: [owner] });
    // The collector takes away the one and not the other.
    await eventually(async () => {
      const path = '/api/v1/namespaces/jobs/configmaps/plain';
      expect((await cluster.api.send({ path })).status).toBe(404);
    });
    const [outcome, ...more] = await asked('ConfigMap', 'kept');
    expect(more).toEqual([]);
    expect(outcome).toMatchObject({ result: 'rejected', by: 'admission policy keep' });
    expect(outcome?.message).toBe(
      'The garbage collector would delete ConfigMap jobs/kept, and admission policy keep rejects it: backups are running.',
    );
  });

  it('is found by a dry run of the patch that an orphaning fails with', async () => {
    const uid = await create('owners', 'owner', {});
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
    await create('owners', 'child', { labels: { hooked: 'true' }, ownerReferences: [owner] });
    await cluster.kubectl([
      'delete',
      'configmap',
      'owner',
      '-n',
      'owners',
      '--cascade=orphan',
      '--wait=false',
    ]);
    const outcomes = await asked('ConfigMap', 'owner');
    expect(outcomes.map(({ result, by }) => `${result} ${by ?? ''}`)).toEqual([
      'unreachable webhook silent.example.com',
      'allowed ',
    ]);
    // Nothing was stored: the finalizer and the reference are as they were.
    const view = await readCluster(cluster);
    expect(objectIn(view, 'ConfigMap', 'owner').finalizers).toEqual(['orphan']);
    expect(objectIn(view, 'ConfigMap', 'child').owners).toHaveLength(1);
  });

  it('is named by a namespace that cannot be emptied, from its condition and by a dry run', async () => {
    await create('going', 'kept', { labels: { keep: 'true' } });
    await create('going', 'plain', {});
    // Every namespace gets one ConfigMap more, and a namespace that is being deleted no longer does.
    await settled(cluster, 'going');
    await cluster.kubectl(['delete', 'namespace', 'going', '--wait=false']);
    // Kinds are read one after the other: what goes just then may be seen still, in a view that knows the condition.
    await eventually(async () => {
      const view = await readCluster(cluster);
      const diagnosis = diagnoseCluster(view, Date.now() + 600_000);
      const found = diagnosis.of(objectIn(view, 'Namespace', 'going').uid);
      expect(found.map(({ code }) => code)).toEqual(['NamespaceContentFailure']);
      expect(found[0]?.severity).toBe('error');
      expect(found[0]?.message).toBe(
        "Namespace going cannot be emptied: admission policy keep rejects the deletion: backups are running; 3 ConfigMaps aren't being deleted.",
      );
    });
    // One rejection ends the deletion of the collection: the dry runs tell which object it is about.
    const outcomes = await asked('Namespace', 'going');
    expect(outcomes.map(({ message }) => message)).toEqual([
      'The namespace controller would delete ConfigMap going/kept, and admission policy keep rejects it: backups are running.',
      'The namespace controller would delete ConfigMap going/kube-root-ca.crt, and the API server would allow it.',
      'The namespace controller would delete ConfigMap going/plain, and the API server would allow it.',
    ]);
    // The namespace goes as soon as nobody rejects it any more.
    await cluster.kubectl(['delete', 'validatingadmissionpolicybinding', 'keep']);
    await eventually(async () => {
      expect((await cluster.api.send({ path: '/api/v1/namespaces/going' })).status).toBe(404);
    });
  });

  it('is never asked for with a request that would change something', async () => {
    await create('jobs', 'target', {});
    const path = '/api/v1/namespaces/jobs/configmaps/target';
    const request = { method: 'DELETE', path, contentType: 'application/json', body: {} } as const;
    await expect(source.dryRun?.(request)).rejects.toThrow('no dry run');
    expect((await cluster.api.send({ path })).status).toBe(200);
  });
});
