import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/model/object.ts';
import { object, refTo, types } from '../graph/fixtures.ts';
import { violations } from '../graph/invariant.ts';
import { CollectorSteps } from './collector-steps.ts';

const deployment = object({ type: types.deployment, name: 'deployment1', uid: 'deploymentuid1' });
const toDeployment = refTo(deployment);
const toDeploymentExt = refTo(deployment, { apiVersion: 'extensions/v1beta1' });
const toSecret = refTo(deployment, { apiVersion: 'v1', kind: 'Secret', name: 'secretname' });
const role = object({ type: types.role, name: 'role1', uid: 'roleuid1' });

const podUnowned1 = object({ name: 'podname1', uid: 'poduid1' });
const nodeUnowned = object({ type: types.node, name: 'nodename', uid: 'nodeuid1' });
const nodeOfPod1 = object({
  type: types.node,
  name: 'nodename',
  uid: 'nodeuid1',
  owners: [refTo(podUnowned1)],
});

function pod1(...owners: KubeObject['owners']): KubeObject {
  return object({ name: 'podname1', uid: 'poduid1', owners });
}

function pod2(...owners: KubeObject['owners']): KubeObject {
  return object({ name: 'podname2', uid: 'poduid2', owners });
}

const P1 = 'v1/Pod ns1/podname1';
const P2 = 'v1/Pod ns1/podname2';
const DEPLOYMENT = 'apps/v1/Deployment ns1/deployment1';
const D_EXT = 'extensions/v1beta1/Deployment ns1/deployment1';
const cached = {
  deployment: '[apps/v1/Deployment, namespace: ns1, name: deployment1, uid: deploymentuid1]',
  secret: '[v1/Secret, namespace: ns1, name: secretname, uid: deploymentuid1]',
  pod1: '[v1/Pod, namespace: ns1, name: podname1, uid: poduid1]',
  pod2: '[v1/Pod, namespace: ns1, name: podname2, uid: poduid2]',
  role: '[rbac.authorization.k8s.io/v1/Role, namespace: ns1, name: role1, uid: roleuid1]',
};

let collector: CollectorSteps;

function start(...stored: KubeObject[]): CollectorSteps {
  collector = new CollectorSteps(stored);
  const graph = collector.graph;
  const process = graph.process.bind(graph);
  graph.process = event => {
    const changes = process(event);
    expect(violations(graph)).toEqual([]);
    return changes;
  };
  return collector;
}

describe('the simulated collector on dependents that disagree on who their owner is', () => {
  afterEach(() => expect(violations(collector.graph)).toEqual([]));

  test('C1: a namespaced child of a cluster-scoped owner is left alone when the owner is observed', () => {
    const child = pod1(refTo(nodeUnowned));
    const c = start(nodeUnowned, child);
    c.add(child);
    expect(c.nodes).toEqual([P1, 'virtual v1/Node ns1/nodename']);
    expect(c.queued).toEqual(['virtual v1/Node ns1/nodename']);
    expect(c.work()).toEqual(['GET nodes nodename']);
    expect(c.queued).toEqual(['virtual v1/Node ns1/nodename']);
    c.add(nodeUnowned);
    expect(c.nodes).toEqual(['v1/Node -/nodename', P1]);
    expect(c.queued).toEqual(['virtual v1/Node ns1/nodename']);
    expect(c.work()).toEqual([]);
    expect(c.queued).toEqual([]);
    expect(c.warnings).toEqual([]);
  });

  test('C2: a child of an owner in another namespace is deleted once the owner is observed there', () => {
    const owner = object({ namespace: 'ns2', name: 'podname2', uid: 'poduid2' });
    const child = pod1(refTo(owner));
    const c = start(owner, child);
    c.add(child);
    expect(c.queued).toEqual([`virtual ${P2}`]);
    c.add(owner);
    expect(c.nodes).toEqual([P1, 'v1/Pod ns2/podname2']);
    expect(c.queued).toEqual([`virtual ${P2}`, P1]);
    expect(c.warnings).toEqual([`Pod podname1 in "ns1": ${cached.pod2}`]);
    expect(c.work()).toEqual([]);
    expect(c.work()).toEqual([
      'GET pods ns1/podname1',
      'GET pods ns1/podname2',
      'DELETE pods ns1/podname1 rv=1',
    ]);
    expect(c.remembered).toEqual([cached.pod2]);
    c.delete(child);
    expect(c.nodes).toEqual(['v1/Pod ns2/podname2']);
    expect(c.queued).toEqual([]);
  });

  test('C4: a cluster-scoped child of a namespaced owner survives, whichever was seen first (child first)', () => {
    const c = start(nodeOfPod1, podUnowned1);
    c.add(nodeOfPod1);
    expect(c.nodes).toEqual(['v1/Node -/nodename', 'virtual v1/Pod -/podname1']);
    expect(c.queued).toEqual(['virtual v1/Pod -/podname1']);
    expect(c.work()).toEqual([]);
    expect(c.queued).toEqual([]);
    c.add(podUnowned1);
    expect(c.nodes).toEqual(['v1/Node -/nodename', P1]);
    expect(c.warnings).toEqual(['Node nodename in "": [v1/Pod, namespace: , name: podname1, uid: poduid1]']);
    expect(c.queued).toEqual(['v1/Node -/nodename']);
    expect(c.work()).toEqual(['GET nodes nodename']);
    expect(c.queued).toEqual([]);
    expect(c.remembered).toEqual([]);
  });

  test('C5: a cluster-scoped child of a namespaced owner survives (owner first)', () => {
    const c = start(nodeOfPod1, podUnowned1);
    c.add(podUnowned1);
    c.add(nodeOfPod1);
    expect(c.warnings).toHaveLength(1);
    expect(c.queued).toEqual(['v1/Node -/nodename']);
    expect(c.work()).toEqual(['GET nodes nodename']);
    expect(c.nodes).toEqual(['v1/Node -/nodename', P1]);
    expect(c.queued).toEqual([]);
  });

  test('C7: a child whose owner it names by an unserved apiVersion is retried forever (child first)', () => {
    const child = pod1(toDeploymentExt);
    const c = start(deployment, child);
    c.add(child);
    expect(c.queued).toEqual([`virtual ${D_EXT}`]);
    expect(c.work()).toEqual([]);
    expect(c.queued).toEqual([`virtual ${D_EXT}`]);
    c.add(deployment);
    expect(c.nodes).toEqual([DEPLOYMENT, P1]);
    expect(c.queued).toEqual([`virtual ${D_EXT}`, P1]);
    expect(c.work()).toEqual([]);
    expect(c.queued).toEqual([P1]);
    expect(c.work()).toEqual(['GET pods ns1/podname1']);
    expect(c.queued).toEqual([P1]);
    c.unstore(deployment);
    c.delete(deployment);
    expect(c.remembered).toEqual([cached.deployment]);
    expect(c.nodes).toEqual([P1]);
    expect(c.work()).toEqual(['GET pods ns1/podname1']);
    expect(c.queued).toEqual([P1]);
  });

  test('C8: a child whose owner it names by an unserved apiVersion is retried forever (owner first)', () => {
    const child = pod1(toDeploymentExt);
    const c = start(deployment, child);
    c.add(deployment);
    c.add(child);
    expect(c.nodes).toEqual([DEPLOYMENT, P1]);
    expect(c.queued).toEqual([P1]);
    expect(c.work()).toEqual(['GET pods ns1/podname1']);
    expect(c.queued).toEqual([P1]);
    c.unstore(deployment);
    c.delete(deployment);
    expect(c.remembered).toEqual([cached.deployment]);
    expect(c.work()).toEqual(['GET pods ns1/podname1']);
    expect(c.nodes).toEqual([P1]);
    expect(c.queued).toEqual([P1]);
  });

  test('C10: of two claims on an absent owner, the served one is collected, the unserved one is retried', () => {
    const accessible = pod2(toDeployment);
    const inaccessible = pod1(toDeploymentExt);
    const c = start(accessible, inaccessible);
    c.add(accessible);
    c.add(inaccessible);
    expect(c.queued).toEqual([`virtual ${DEPLOYMENT}`, P1]);
    expect(c.work()).toEqual(['GET deployments ns1/deployment1']);
    expect(c.graphChanges).toHaveLength(1);
    expect(c.work()).toEqual(['GET pods ns1/podname1']);
    expect(c.queued).toEqual([P1]);
    c.takeEvent();
    expect(c.nodes).toEqual([P1, P2, `virtual ${D_EXT}`]);
    expect(c.remembered).toEqual([cached.deployment]);
    expect(c.queued).toEqual([P1, P2, `virtual ${D_EXT}`]);
    expect(c.work()).toEqual(['GET pods ns1/podname1']);
    expect(c.work()).toEqual(['GET pods ns1/podname2', 'DELETE pods ns1/podname2 rv=1']);
    expect(c.work()).toEqual([]);
    c.delete(accessible);
    expect(c.nodes).toEqual([P1, `virtual ${D_EXT}`]);
    expect(c.queued).toEqual([P1, `virtual ${D_EXT}`]);
  });

  const bad = object({ name: 'badpod', uid: 'badpoduid', owners: [toSecret] });
  const good = object({ name: 'goodpod', uid: 'goodpoduid', owners: [toDeployment] });
  const BAD = 'v1/Pod ns1/badpod';
  const GOOD = 'v1/Pod ns1/goodpod';

  test('C11: a wrong claim seen first is refuted, and the right one takes its place', () => {
    const c = start(deployment, bad, good);
    c.add(bad);
    c.add(good);
    expect(c.nodes).toEqual([BAD, GOOD, 'virtual v1/Secret ns1/secretname']);
    expect(c.queued).toEqual(['virtual v1/Secret ns1/secretname', GOOD]);
    expect(c.work()).toEqual(['GET secrets ns1/secretname']);
    expect(c.work()).toEqual(['GET pods ns1/goodpod', 'GET deployments ns1/deployment1']);
    expect(c.queued).toEqual([]);
    c.takeEvent();
    expect(c.nodes).toEqual([BAD, GOOD, `virtual ${DEPLOYMENT}`]);
    expect(c.remembered).toEqual([cached.secret]);
    expect(c.queued).toEqual([BAD, `virtual ${DEPLOYMENT}`]);
    expect(c.work()).toEqual(['GET pods ns1/badpod', 'DELETE pods ns1/badpod rv=1']);
    expect(c.work()).toEqual(['GET deployments ns1/deployment1']);
    expect(c.queued).toEqual([`virtual ${DEPLOYMENT}`]);
    const before = c.graph.get(deployment.uid);
    c.add(deployment);
    expect(c.graph.get(deployment.uid)).toBe(before);
    c.delete(bad);
    expect(c.work()).toEqual(['GET deployments ns1/deployment1']);
    expect(c.nodes).toEqual([DEPLOYMENT, GOOD]);
    expect(c.queued).toEqual([]);
  });

  test('C13: a wrong claim seen second is collected without disturbing the right one', () => {
    const c = start(deployment, bad, good);
    c.add(good);
    c.add(bad);
    expect(c.queued).toEqual([`virtual ${DEPLOYMENT}`, BAD]);
    expect(c.work()).toEqual(['GET deployments ns1/deployment1']);
    expect(c.queued).toEqual([BAD, `virtual ${DEPLOYMENT}`]);
    expect(c.work()).toEqual([
      'GET pods ns1/badpod',
      'GET secrets ns1/secretname',
      'DELETE pods ns1/badpod rv=1',
    ]);
    expect(c.remembered).toEqual([cached.secret]);
    c.add(deployment);
    expect(c.queued).toEqual([DEPLOYMENT]);
    c.delete(bad);
    expect(c.work()).toEqual(['GET deployments ns1/deployment1']);
    expect(c.nodes).toEqual([DEPLOYMENT, GOOD]);
    expect(c.queued).toEqual([]);
  });

  const VIRTUAL_CLUSTER_P1 = 'virtual v1/Pod -/podname1';

  test('C14: a cluster-scoped claim seen first keeps nobody from collecting the namespaced child', () => {
    const child = pod2(refTo(podUnowned1));
    const c = start(child, nodeOfPod1);
    c.add(nodeOfPod1);
    expect(c.queued).toEqual([VIRTUAL_CLUSTER_P1]);
    c.add(child);
    expect(c.queued).toEqual([VIRTUAL_CLUSTER_P1, P2]);
    expect(c.work()).toEqual([]);
    expect(c.queued).toEqual([P2]);
    expect(c.work()).toEqual([
      'GET pods ns1/podname2',
      'GET pods ns1/podname1',
      'DELETE pods ns1/podname2 rv=1',
    ]);
    expect(c.remembered).toEqual([cached.pod1]);
    c.delete(child);
    expect(c.nodes).toEqual(['v1/Node -/nodename', VIRTUAL_CLUSTER_P1]);
    expect(c.queued).toEqual([]);
  });

  test('C16: a cluster-scoped claim seen second is taken up once the namespaced one is refuted', () => {
    const child = pod2(refTo(podUnowned1));
    const c = start(child, nodeOfPod1);
    c.add(child);
    expect(c.queued).toEqual([`virtual ${P1}`]);
    c.add(nodeOfPod1);
    expect(c.queued).toEqual([`virtual ${P1}`, 'v1/Node -/nodename']);
    expect(c.warnings).toEqual([]);
    expect(c.work()).toEqual(['GET pods ns1/podname1']);
    expect(c.work()).toEqual(['GET nodes nodename']);
    expect(c.queued).toEqual([]);
    c.takeEvent();
    expect(c.nodes).toEqual(['v1/Node -/nodename', P2, VIRTUAL_CLUSTER_P1]);
    expect(c.remembered).toEqual([cached.pod1]);
    expect(c.queued).toEqual([P2, VIRTUAL_CLUSTER_P1]);
    expect(c.work()).toEqual(['GET pods ns1/podname2', 'DELETE pods ns1/podname2 rv=1']);
    c.delete(child);
    expect(c.work()).toEqual([]);
    expect(c.nodes).toEqual(['v1/Node -/nodename', VIRTUAL_CLUSTER_P1]);
    expect(c.queued).toEqual([]);
  });

  test('C17: a deletion whose object changed meanwhile is only repeated where the references are the same', () => {
    const child = object({
      name: 'podname2',
      uid: 'poduid2',
      owners: [refTo(podUnowned1)],
      resourceVersion: '42',
    });
    const c = start(podUnowned1, child);
    c.add(podUnowned1);
    c.add(child);
    c.unstore(podUnowned1);
    c.delete(podUnowned1);
    let deletions = 0;
    c.refuseDelete = resourceVersion => {
      deletions += 1;
      const changed = { name: 'podname2', uid: 'poduid2', owners: [refTo(role)] };
      if (deletions <= 2) c.store(object({ ...changed, resourceVersion: String(42 + deletions) }));
      return resourceVersion === undefined ? undefined : 409;
    };
    expect(c.queued).toEqual([P2]);
    expect(c.work()).toEqual([
      'GET pods ns1/podname2',
      'DELETE pods ns1/podname2 rv=42',
      'GET pods ns1/podname2',
    ]);
    expect(c.queued).toEqual([P2]);
    expect(c.remembered).toEqual([cached.pod1]);
    expect(c.work()).toEqual([
      'GET pods ns1/podname2',
      'GET roles ns1/role1',
      'DELETE pods ns1/podname2 rv=43',
      'GET pods ns1/podname2',
      'DELETE pods ns1/podname2',
    ]);
    expect(c.queued).toEqual([]);
    expect(c.remembered).toEqual([cached.pod1, cached.role]);
  });

  test('an owner that was recreated under its name is as good as absent', () => {
    const owner = object({ type: types.controller, name: 'owner1', uid: 'earlier' });
    const recreated = object({ type: types.controller, name: 'owner1', uid: 'later' });
    const pod = object({ name: 'pod', uid: 'pod', owners: [refTo(owner)] });
    const c = start(recreated, pod);
    c.add(pod);
    expect(c.work()).toEqual(['GET replicationcontrollers ns1/owner1']);
    c.takeEvent();
    expect(c.queued).toEqual(['v1/Pod ns1/pod']);
    expect(c.work()).toEqual(['GET pods ns1/pod', 'DELETE pods ns1/pod rv=1']);
  });
});
