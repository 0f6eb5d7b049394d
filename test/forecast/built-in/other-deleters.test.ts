import { describe, expect, it } from 'vitest';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import { otherDeleters } from '../../../src/forecast/other-deleters.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { readText } from '../../source/files/reading.ts';

const at = (hour: number): string => `2026-11-21T${String(hour).padStart(2, '0')}:00:00Z`;

const job = (name: string, hour: number, end: 'Complete' | 'Failed' | '', spec: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name,
    namespace: 'shop',
    uid: name,
    creationTimestamp: at(hour),
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'n', controller: true },
    ],
  },
  spec,
  status: {
    conditions:
      end === ''
        ? []
        : [{ type: end, status: 'True', lastTransitionTime: at(hour), reason: '', message: '' }],
  },
});

const cronJob = (spec: object) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly', namespace: 'shop', uid: 'n' },
  spec,
});

async function viewOf(...objects: readonly object[]): Promise<ClusterView> {
  return (await readText(objects.map(each => JSON.stringify(each)).join('\n---\n'))).view;
}

async function later(uid: string, ...objects: readonly object[]): Promise<string | undefined> {
  const view = await viewOf(...objects);
  const object = [...view.graph.nodes()].find(({ identity }) => identity.uid === uid)?.object;
  const deletion = object && otherDeleters.later(view, object);
  return deletion && `${deletion.when}, by ${deletion.by}`;
}

describe('a Job with ttlSecondsAfterFinished', () => {
  it('is deleted so long after its end', async () => {
    expect(await later('j', job('j', 3, 'Failed', { ttlSecondsAfterFinished: 3600 }))).toBe(
      'at 2026-11-21T04:00:00Z, in the foreground, by the TTL-after-finished controller',
    );
    expect(await later('j', job('j', 3, '', { ttlSecondsAfterFinished: 60 }))).toMatch(/^60 s after it has/u);
    expect(await later('j', job('j', 3, 'Complete'))).toBeUndefined();
  });

  it('is told where nobody acts, the next first', async () => {
    const view = await viewOf(
      job('late', 5, 'Complete', { ttlSecondsAfterFinished: 60 }),
      job('soon', 3, 'Complete', { ttlSecondsAfterFinished: 60 }),
      job('never', 1, 'Complete'),
    );
    const { warnings } = forecast(view, { verb: 'none' }, { now: Date.parse(at(6)) });
    expect(warnings.filter(({ code }) => code === 'laterDeletions')).toMatchObject([
      { object: { name: 'soon' }, others: 1 },
    ]);
  });
});

describe('a claim of devices', () => {
  it('is named if nobody acts, as their taints are not read', async () => {
    const claim = (name: string, reservedFor: readonly object[]) => ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name, namespace: 'shop', uid: name },
      status: { reservedFor },
    });
    const view = await viewOf(
      claim('used', [{ resource: 'pods', name: 'trainer', uid: 'trainer' }]),
      claim('unused', []),
    );
    const { warnings } = forecast(view, { verb: 'none' }, { now: Date.parse(at(6)) });
    const found = warnings.filter(({ code }) => code === 'deviceTaints');
    expect(found).toMatchObject([{ claims: [{ name: 'used' }] }]);
    expect(warningWords.sentences(found).join(' ')).toContain('such as those of ResourceClaim shop/used');
  });
});

describe('the history of a CronJob', () => {
  const three = [job('a', 1, 'Complete'), job('b', 2, 'Complete'), job('c', 3, 'Failed'), job('d', 4, '')];

  it('keeps three that succeeded and one that failed where nobody says how many', async () => {
    expect(await later('a', cronJob({}), ...three)).toBe(
      'once 2 more Jobs of it have succeeded, by the CronJob controller',
    );
    expect(await later('b', cronJob({}), ...three)).toMatch(/^once 3 more Jobs/u);
    expect(await later('c', cronJob({}), ...three)).toMatch(/^once another Job of it has failed/u);
    expect(await later('d', cronJob({}), ...three)).toBeUndefined();
  });

  it('is cut down to its limit at once', async () => {
    const limits = { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 };
    expect(await later('a', cronJob(limits), ...three)).toMatch(/^when that looks at its CronJob next/u);
    expect(await later('b', cronJob(limits), ...three)).toMatch(/^once another Job/u);
    expect(await later('c', cronJob(limits), ...three)).toMatch(/^when that looks/u);
  });

  it('loses the first by name of Jobs that were created together', async () => {
    const together = [job('a', 1, 'Complete'), job('b', 1, 'Complete')];
    expect(await later('a', cronJob({}), ...together)).toMatch(/^once 2 more Jobs/u);
    expect(await later('b', cronJob({}), ...together)).toMatch(/^once 3 more Jobs/u);
  });

  it('is unknown where the CronJob is', async () => {
    expect(await later('a', ...three)).toBeUndefined();
  });
});

describe('what else is cleaned up', () => {
  it.each<readonly [string, object, RegExp | undefined]>([
    [
      'a certificate request',
      { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name: 'x' } },
      /^between 2026-11-21T04:00:00Z and 2026-11-22T03:00:00Z, by the certificate cleaner/u,
    ],
    [
      'a request for a certificate of a pod',
      {
        apiVersion: 'certificates.k8s.io/v1beta1',
        kind: 'PodCertificateRequest',
        metadata: { name: 'x', namespace: 'shop' },
      },
      /^within 5 minutes of 2026-11-21T03:15:00Z, by the cleaner/u,
    ],
    [
      'a request for the status of a pool',
      { apiVersion: 'resource.k8s.io/v1alpha3', kind: 'ResourcePoolStatusRequest', metadata: { name: 'x' } },
      /^1 h after its completion, or at 2026-11-22T03:00:00Z without one, by the controller/u,
    ],
    [
      'a bootstrap token',
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      },
      /by the token cleaner$/u,
    ],
    [
      'a Secret that is called alike elsewhere',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bootstrap-token-abcdef', namespace: 'shop' } },
      undefined,
    ],
    [
      'a token that nobody uses',
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'x',
          namespace: 'shop',
          labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-10-01' },
        },
      },
      /^about 365 days after 2026-10-01, by the legacy/u,
    ],
  ])('tells of %s', async (_, object, expected) => {
    const given = object as { metadata: object };
    const whole = { ...given, metadata: { ...given.metadata, uid: 'u', creationTimestamp: at(3) } };
    const told = await later('u', whole);
    if (expected === undefined) expect(told).toBeUndefined();
    else expect(told).toMatch(expected);
  });
});

describe('the deletion of a Service', () => {
  const core = (kind: string, name: string, rest: object = {}, metadata: object = {}) => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'shop', uid: `${kind} ${name}`, ...metadata },
    ...rest,
  });
  const mirrored = {
    ...core(
      'EndpointSlice',
      'web-x',
      {},
      {
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Endpoints', name: 'web', uid: 'Endpoints web', controller: true },
        ],
      },
    ),
    apiVersion: 'discovery.k8s.io/v1',
  };

  it('takes along the Endpoints of its name, and what mirrors these', async () => {
    const view = await viewOf(
      core('Service', 'web'),
      core('Endpoints', 'web'),
      core('Endpoints', 'other'),
      mirrored,
    );
    const service = [...view.graph.nodes()].find(({ uid }) => uid === 'Service web')?.object;
    if (service === undefined) throw new Error('no Service');
    const action = { verb: 'delete', cascade: 'background', targets: [service] } as const;
    const { deleted } = forecast(view, action, { now: Date.parse(at(6)) });
    expect(deleted.map(({ object, by }) => `${object.kind} ${object.name} ${by}`).sort()).toEqual([
      'EndpointSlice web-x garbage-collector',
      'Endpoints web endpoints-controller',
      expect.stringMatching(/^Service web /u),
    ]);
  });
});

describe('a PodDisruptionBudget that lets nothing go', () => {
  const pod = (name: string, app: string, namespace = 'shop') => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: name, labels: { app } },
    spec: { nodeName: 'n' },
    status: { phase: 'Running' },
  });
  const budget = (disruptionsAllowed: number) => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'shop', uid: 'b' },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  });
  const warned = async (name: string, allowed: number) => {
    const pods = [pod('web-x', 'web'), pod('api-x', 'api'), pod('other-x', 'web', 'other')];
    const view = await viewOf(...pods, budget(allowed));
    const target = [...view.graph.nodes()].find(({ uid }) => uid === name)?.object;
    if (target === undefined) throw new Error('no pod');
    const action = { verb: 'delete', cascade: 'background', targets: [target] } as const;
    return forecast(view, action, { now: Date.parse(at(6)) }).warnings.filter(
      ({ code }) => code === 'budgetsPassedOver',
    );
  };

  it('is said to hold no deletion of its pods', async () => {
    expect(await warned('web-x', 0)).toMatchObject([{ budgets: [{ name: 'web' }], pods: 1 }]);
    expect(await warned('web-x', 1)).toEqual([]);
    expect(await warned('api-x', 0)).toEqual([]);
    expect(await warned('other-x', 0)).toEqual([]);
  });
});

describe('the token of a ServiceAccount that is deleted', () => {
  const core = (kind: string, name: string, annotations = {}) => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'shop', uid: `${kind} ${name}`, annotations },
  });
  const token = (name: string, uid: string) =>
    core('Secret', name, {
      'kubernetes.io/service-account.name': 'build',
      'kubernetes.io/service-account.uid': uid,
    });
  const warned = async (kind: string, ...more: readonly object[]) => {
    const view = await viewOf(
      core('ServiceAccount', 'build'),
      core('ServiceAccount', 'other'),
      token('build-token', 'ServiceAccount build'),
      token('earlier', 'another uid'),
      core('Secret', 'plain'),
      core('Secret', 'unfilled', { 'kubernetes.io/service-account.name': 'build' }),
      ...more,
    );
    const targets = [...view.graph.nodes()].flatMap(({ object }) =>
      object?.type.kind === kind && object.name !== 'other' ? [object] : [],
    );
    const [first, ...others] = targets;
    if (first === undefined) throw new Error(`no ${kind}`);
    const action = { verb: 'delete', cascade: 'background', targets: [first, ...others] } as const;
    return forecast(view, action, { now: Date.parse(at(6)) }).warnings.filter(
      ({ code }) => code === 'tokensDeleted',
    );
  };

  it('is said to go too, and no other Secret', async () => {
    expect(await warned('ServiceAccount')).toMatchObject([
      { secrets: [{ name: 'build-token' }, { name: 'unfilled' }], accounts: [{ name: 'build' }] },
    ]);
    expect(await warned('Secret')).toEqual([]);
  });
});

describe('the data behind a claim that a pod mounts', () => {
  const volume = (policy: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'disk', uid: 'disk' },
    spec: {
      persistentVolumeReclaimPolicy: policy,
      claimRef: { namespace: 'shop', name: 'data', uid: 'data' },
    },
  });
  const claim = (finalizers: readonly string[], deletionTimestamp?: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'shop', uid: 'data', finalizers, deletionTimestamp },
    spec: { volumeName: 'disk' },
  });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'db', namespace: 'shop', uid: 'db' },
    spec: { nodeName: 'n', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
    status: { phase: 'Running' },
  };
  const protection = ['kubernetes.io/pvc-protection'];
  const warned = async (target: string, ...objects: readonly object[]) => {
    const view = await viewOf(pod, ...objects);
    const [object] = [...view.graph.nodes()].flatMap(each =>
      each.object?.uid === target ? [each.object] : [],
    );
    if (object === undefined) throw new Error(`no ${target}`);
    const action = { verb: 'delete', cascade: 'background', targets: [object] } as const;
    const { warnings } = forecast(view, action, { now: Date.parse(at(6)) });
    return warnings.filter(({ code }) => code.startsWith('dataDeleted'));
  };

  it('is announced to be deleted with the last pod', async () => {
    expect(await warned('data', volume('Delete'), claim(protection))).toMatchObject([
      { code: 'dataDeletedLater', claims: [{ name: 'data' }], volumes: ['disk'] },
    ]);
  });

  it('is announced to be deleted at once if nothing protects the claim', async () => {
    expect(await warned('data', volume('Delete'), claim([]))).toMatchObject([{ code: 'dataDeleted' }]);
  });

  it('is announced to be deleted once nothing holds the claim, which may not be a pod', async () => {
    const warnings = await warned('data', volume('Delete'), claim(['example.com/drain']));
    expect(warningWords.sentences(warnings).join('')).toMatch(
      / is deleted as soon as nothing holds it any more, /u,
    );
  });

  it('is not announced if the volume is bound to another claim', async () => {
    const taken = volume('Delete');
    expect(
      await warned(
        'data',
        { ...taken, spec: { ...taken.spec, claimRef: { ...taken.spec.claimRef, name: 'other' } } },
        claim([]),
      ),
    ).toEqual([]);
  });

  it('is not announced again with another deletion, nor if the volume retains it', async () => {
    expect(await warned('data', volume('Retain'), claim(protection))).toEqual([]);
    const other = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'shop', uid: 'a' },
    };
    expect(await warned('a', other, volume('Delete'), claim(protection, at(5)))).toEqual([]);
  });
});
