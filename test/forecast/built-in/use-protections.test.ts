/** Classes, claims and ranges that stay while something uses them. */
import { describe, expect, it } from 'vitest';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { finalizerHandler } from '../../../src/diagnosis/waits/chain.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import {
  gang,
  gangMember,
  nodes,
  now,
  objectOf,
  planDelete,
  planHandled,
  pod,
  podGroup,
  titles,
  typesWithGates,
  viewOf,
  waits,
} from '../fixtures.ts';

const vac = (more = ''): string =>
  `- {kind: VolumeAttributesClass, apiVersion: storage.k8s.io/v1, name: gold, finalizers: [kubernetes.io/vac-protection]${more}}\n`;

const range = (name: string, cidr: string): string =>
  `- {kind: ServiceCIDR, name: ${name}, finalizers: [networking.k8s.io/service-cidr-finalizer], spec: {cidrs: ["${cidr}"]}}\n`;
const address = (ip: string, manager = 'ipallocator.k8s.io'): string =>
  `- {kind: IPAddress, name: "${ip}", uid: "${ip}", labels: {ipaddress.kubernetes.io/managed-by: ${manager}}}\n`;

const resourceClaim = (uid: string, consumer = 'resource: pods'): string => `${nodes}${pod('gpu-user', '')}
- {kind: ResourceClaim, name: gpu, finalizers: [resource.kubernetes.io/delete-protection], status: {reservedFor: [{${consumer}, name: gpu-user, uid: ${uid}}]}}
`;

function advised(view: ClusterView, uid: string, finalizer: string): string[] | undefined {
  const { waits: found } = finalizerHandler(new TrackedView(view, now), objectOf(view, uid), { finalizer });
  return found?.advice().map(({ id, risk }) => `${risk} ${id}`);
}

describe('a VolumeAttributesClass', () => {
  it.each([
    ['claim', '{kind: PersistentVolumeClaim, name: data, spec: {volumeAttributesClassName: gold}}'],
    ['claim', '{kind: PersistentVolumeClaim, name: data, status: {currentVolumeAttributesClassName: gold}}'],
    [
      'claim',
      '{kind: PersistentVolumeClaim, name: data, status: {modifyVolumeStatus: {targetVolumeAttributesClassName: gold}}}',
    ],
    ['volume', '{kind: PersistentVolume, name: data, spec: {volumeAttributesClassName: gold}}'],
  ])('stays while a %s uses it', (_, user) => {
    const plan = planHandled(viewOf(`${nodes}${vac()}- ${user}\n`), 'gold');
    expect(plan.outcome).toBe('Stuck');
    expect(waits(plan, 'VolumeAttributesClass gold')).toEqual([expect.stringContaining('which uses it')]);
  });

  it('is deleted where nothing uses it, and with its last user', () => {
    const other = '- {kind: PersistentVolumeClaim, name: data, spec: {volumeAttributesClassName: silver}}\n';
    expect(planHandled(viewOf(`${nodes}${vac()}${other}`), 'gold').outcome).toBe('Completes');
    const using = other.replace('silver', 'gold');
    const plan = planDelete(viewOf(`${nodes}${vac()}${using}`), 'gold data');
    expect(titles(plan.deleted)).toContain('VolumeAttributesClass gold');
    // It was deleted before.
    const began = vac(', deletionTimestamp: "2026-11-21T11:59:00Z"');
    const later = planDelete(viewOf(`${nodes}${began}${using}`), 'data');
    expect(titles(later.deleted)).toContain('VolumeAttributesClass gold');
  });

  it('is explained by its users', () => {
    const user = '- {kind: PersistentVolumeClaim, name: data, spec: {volumeAttributesClassName: gold}}\n';
    const view = viewOf(`${nodes}${vac(', deletionTimestamp: "2026-11-21T11:00:00Z"')}${user}`);
    const handler = finalizerHandler(new TrackedView(view, now), objectOf(view, 'gold'), {
      finalizer: 'kubernetes.io/vac-protection',
    });
    expect(handler.waits?.links.map(({ object }) => object.name)).toContain('data');
  });

  it.each([
    ['safe change-class', 'PersistentVolumeClaim'],
    ['caution delete-volume', 'PersistentVolume'],
  ])('advises %s while a %s uses it: no data has to go', (advice, kind) => {
    const user = `- {kind: ${kind}, name: data, spec: {volumeAttributesClassName: gold}}\n`;
    const view = viewOf(`${nodes}${vac(', deletionTimestamp: "2026-11-21T11:00:00Z"')}${user}`);
    expect(advised(view, 'gold', 'kubernetes.io/vac-protection')).toEqual([advice]);
  });
});

describe('a ResourceClaim', () => {
  it('stays while a pod for which it is reserved runs', () => {
    const plan = planHandled(viewOf(resourceClaim('gpu-user')), 'gpu');
    expect(plan.outcome).toBe('Stuck');
    expect(waits(plan, 'ResourceClaim gpu')).toEqual(['Pod gpu-user, which uses it']);
    expect(planHandled(viewOf(resourceClaim('gpu-user')), 'gpu gpu-user').outcome).toBe('Completes');
  });

  it('is deleted where that pod is another one or has finished', () => {
    expect(planHandled(viewOf(resourceClaim('former')), 'gpu').outcome).toBe('Completes');
    const done = resourceClaim('gpu-user').replace('phase: Running', 'phase: Succeeded');
    expect(planHandled(viewOf(done), 'gpu').outcome).toBe('Completes');
  });

  it('stays while it is reserved for something else, which only that knows', () => {
    const plan = planHandled(viewOf(resourceClaim('x', 'apiGroup: example.com, resource: jobs')), 'gpu');
    expect(plan.outcome).toBe('Stuck');
  });
});

describe('a ServiceCIDR', () => {
  it.each([
    ['an address in it', address('10.1.0.5')],
    ['an address in it, of IPv6', address('fd00::5')],
    ['an address in it and not in another', `${range('near', '10.2.0.0/16')}${address('10.1.0.5')}`],
  ])('stays with %s', (_, rest) => {
    const cidr = rest.includes('fd00') ? 'fd00::/112' : '10.1.0.0/24';
    const plan = planHandled(viewOf(`${nodes}${range('extra', cidr)}${rest}`), 'extra');
    expect(plan.outcome).toBe('Stuck');
    expect(waits(plan, 'ServiceCIDR extra')?.[0]).toMatch(/^IPAddress .*, which uses it$/u);
  });

  it.each([
    ['no address', ''],
    ['an address beside it', address('10.1.1.5')],
    ['an address that somebody wrote', address('10.1.0.5', 'me')],
    ['the address of its network', address('10.1.0.0')],
    ['its broadcast address', address('10.1.0.255')],
    ['another range around it', `${range('wide', '10.1.0.0/16')}${address('10.1.0.5')}`],
    ['another range with the address', `${range('narrow', '10.1.0.0/28')}${address('10.1.0.5')}`],
    ['a name that is no address', address('10.1.0.x')],
  ])('is deleted with %s', (_, rest) => {
    expect(planHandled(viewOf(`${nodes}${range('extra', '10.1.0.0/24')}${rest}`), 'extra').outcome).toBe(
      'Completes',
    );
  });

  it('is deleted with the Service whose address is in it', () => {
    const service = '- {kind: Service, name: web, spec: {clusterIPs: [10.1.0.5]}}\n';
    const view = viewOf(`${nodes}${range('extra', '10.1.0.0/24')}${address('10.1.0.5')}${service}`);
    const plan = planDelete(view, 'extra web');
    expect(plan.outcome).toBe('Completes');
    expect(titles(plan.deleted)).toContain('IPAddress 10.1.0.5');
    expect(planHandled(view, 'extra').outcome).toBe('Stuck');
  });

  it('is not to be freed by deleting an address, which a Service keeps', () => {
    const going = range('extra', '10.1.0.0/24').replace(
      'finalizers',
      'deletionTimestamp: "2026-11-21T11:00:00Z", finalizers',
    );
    const view = viewOf(`${nodes}${going}${address('10.1.0.5')}`);
    expect(advised(view, 'extra', 'networking.k8s.io/service-cidr-finalizer')).toEqual([
      'safe add-range',
      'caution delete-service',
    ]);
  });
});

describe('a PodGroup', () => {
  const planned = (yaml: string, targets = 'gang', cascade: 'background' | 'foreground' = 'background') => {
    const view = viewOf(`${nodes}${yaml}`, typesWithGates);
    view.settings = { ...view.settings, serverVersion: 'v1.36.3' };
    return planHandled(view, targets, cascade);
  };

  it.each(['Pending', 'Running'])('stays while a pod is %s', phase => {
    const plan = planned(`${podGroup()}${gangMember(phase)}`);
    expect(plan.outcome).toBe('Stuck');
    expect(waits(plan, 'PodGroup gang')).toEqual(['Pod worker, which uses it']);
  });

  it.each(['Succeeded', 'Failed'])('is deleted if its pods have %s', phase => {
    expect(planned(`${podGroup()}${gangMember(phase)}`).outcome).toBe('Completes');
  });

  it('is deleted with its last pod, and whatever pods of its name in another namespace do', () => {
    expect(planned(`${podGroup()}${gangMember('Running')}`, 'gang worker').outcome).toBe('Completes');
    const elsewhere = gangMember('Running').replace('name: worker', 'name: worker, namespace: default');
    expect(planned(`${podGroup()}${elsewhere}`).outcome).toBe('Completes');
  });

  it('does not keep its Job, which deletes the pods in the foreground', () => {
    const plan = planned(gang(), 'train', 'foreground');
    expect(plan.outcome).toBe('Completes');
    expect(titles(plan.deleted).toSorted()).toEqual([
      'Job train',
      'Pod worker',
      'PodGroup gang',
      'Workload train-w',
    ]);
  });

  it('is recreated with the pods of its Job, unless the Job has lost its Workload', () => {
    const recreated = (yaml: string): string[] =>
      planned(yaml, 'gang worker').recreated.map(({ kind }) => kind);
    expect(recreated(gang()).toSorted()).toEqual(['Pod', 'PodGroup']);
    expect(recreated(gang(false))).toEqual(['Pod']);
  });

  it.each([
    ['with', 2, true],
    ['without', 1, false],
  ])('waits for new pods of its Job %s its Workload', (_, users, hasWorkload) => {
    const second = gangMember('Running', 'batch/v1 Job train train +c +b').replace('worker', 'second');
    const yaml = gang(hasWorkload).replace(
      'parallelism: 1, completions: 1',
      'parallelism: 2, completions: 2',
    );
    expect(waits(planned(`${yaml}${second}`, 'gang worker'), 'PodGroup gang')).toHaveLength(users);
  });

  it.each([
    ['its Job', 'caution delete-controller', gang()],
    ['the pod', 'caution delete-first', `${podGroup()}${gangMember('Running')}`],
  ])('advises to delete %s', (_, advice, yaml) => {
    const going = yaml.replace(
      'gang, finalizers',
      'gang, deletionTimestamp: "2026-11-21T11:00:00Z", finalizers',
    );
    const view = viewOf(`${nodes}${going}`, typesWithGates);
    expect(advised(view, 'gang', 'scheduling.k8s.io/podgroup-protection')).toEqual([advice]);
  });
});
