import { describe, expect, it } from 'vitest';
import { ProbeOutcome } from '../../../src/diagnosis/admission/probe-answers.ts';
import { type Probe, probesOf } from '../../../src/diagnosis/admission/probes.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { ActRequest } from '../../../src/model/exchange/act.ts';
import type { Uid } from '../../../src/model/object.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';
import { operator } from '../../forecast/fixtures.ts';

function probes(yaml: string, uid: string): readonly Probe[] {
  const tracked = new TrackedView(viewOf(yaml), now);
  const node = tracked.node(uid as Uid);
  if (node === undefined) throw new Error(`no ${uid}`);
  return probesOf(tracked, node);
}

const wanted = (list: readonly Probe[]): string[] => list.map(each => each.wanted);

const orphan = `
- {kind: ConfigMap, name: child, owners: [v1 ConfigMap gone gone]}
`;

const orphaning = `
- {kind: ConfigMap, name: owner, finalizers: [orphan], deletionTimestamp: "2026-11-21T11:50:00Z"}
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap owner]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap owner, v1 ConfigMap c]}
- {kind: ConfigMap, name: c}
`;

const deletion = '2026-11-21T11:50:00Z';

const emptying = (pods: string): string => `
- {kind: Namespace, name: shop, namespace: '', uid: ns, deletionTimestamp: "${deletion}", spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}
- {kind: ConfigMap, name: kept}
- {kind: Secret, name: leaving, deletionTimestamp: "${deletion}", finalizers: [a.example.com/b]}
- {kind: ConfigMap, name: elsewhere, namespace: other}
${pods}`;

const held = (more: string): string => `
- {kind: ConfigMap, name: held, finalizers: [example.com/drain, other.example.org/x], deletionTimestamp: "${deletion}"}
${more}`;

describe('the dry runs that an object calls for', () => {
  it('are the removals by controllers that may be there, each of one finalizer', () => {
    const found = probes(held(operator(1)), 'held');
    expect(found.map(({ actor, wanted }) => `${actor}: ${wanted}`)).toEqual([
      'Deployment ops/drain-operator: remove the finalizer example.com/drain from ConfigMap shop/held',
    ]);
    expect(found[0]?.request).toMatchObject({
      method: 'PATCH',
      path: '/api/v1/namespaces/shop/configmaps/held?dryRun=All',
      body: { metadata: { finalizers: ['other.example.org/x'] } },
    });
    expect(found.every(({ request }) => ActRequest.changesNothing(request))).toBe(true);
    expect(probes(held(''), 'held')).toEqual([]);
    expect(
      probes(held(operator(1)).replace(', deletionTimestamp', ', generateName: x, was'), 'held'),
    ).toEqual([]);
  });

  it('are those of what a namespace waits for as well', () => {
    const found = probes(`${emptying('')}${operator(1).replaceAll('example.com', 'a.example.com')}`, 'ns');
    expect(found.map(({ actor, wanted }) => `${actor}: ${wanted}`)).toEqual([
      'the namespace controller: delete ConfigMap shop/kept',
      'Deployment ops/drain-operator: remove the finalizer a.example.com/b from Secret shop/leaving',
    ]);
  });

  it('repeat the deletion that the collector would ask for, with the uid as precondition', () => {
    const [probe, ...more] = probes(orphan, 'child');
    expect(more).toEqual([]);
    expect(probe?.request).toEqual({
      method: 'DELETE',
      path: '/api/v1/namespaces/shop/configmaps/child?dryRun=All',
      contentType: 'application/json',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: 'Background',
        preconditions: { uid: 'child' },
        dryRun: ['All'],
      },
    });
  });

  it('repeat the patches of an orphaning, and as merge patches keep the references to others', () => {
    const found = probes(orphaning, 'owner');
    expect(wanted(found)).toEqual([
      'remove owner references from ConfigMap shop/a',
      'remove owner references from ConfigMap shop/b',
      'remove the finalizer orphan from ConfigMap shop/owner',
    ]);
    expect(found[0]?.fallback?.body).toMatchObject({ metadata: { ownerReferences: null } });
    expect(found[1]?.request.body).toMatchObject({
      metadata: { uid: 'b', ownerReferences: [{ $patch: 'delete', uid: 'owner' }] },
    });
    expect(found[1]?.fallback?.body).toMatchObject({ metadata: { ownerReferences: [{ uid: 'c' }] } });
    expect(found[2]?.request.body).toMatchObject({ metadata: { finalizers: null } });
  });

  it('are those of the namespace controller for what is left in a namespace and not being deleted', () => {
    expect(wanted(probes(emptying(''), 'ns'))).toEqual(['delete ConfigMap shop/kept']);
    const withPod = probes(emptying('- {kind: Pod, name: first}'), 'ns');
    expect(wanted(withPod)).toEqual(['delete Pod shop/first']);
  });

  it('are none for an object that nobody would touch', () => {
    expect(probes(orphaning, 'c')).toEqual([]);
  });

  it('are all of a kind that changes nothing', () => {
    const all = [...probes(orphan, 'child'), ...probes(orphaning, 'owner'), ...probes(emptying(''), 'ns')];
    expect(all.length).toBeGreaterThan(4);
    for (const { request, fallback } of all) {
      expect(ActRequest.changesNothing(request)).toBe(true);
      if (fallback !== undefined) expect(ActRequest.changesNothing(fallback)).toBe(true);
    }
  });
});

describe('what counts as a dry run', () => {
  const request = (method: 'DELETE' | 'PATCH', query: string, body: unknown) => ({
    method,
    path: `/api/v1/namespaces/a/pods/b${query}`,
    contentType: 'application/json',
    body,
  });

  it('is a patch with the query and a deletion with query and body', () => {
    expect(ActRequest.changesNothing(request('PATCH', '?dryRun=All', {}))).toBe(true);
    expect(ActRequest.changesNothing(request('DELETE', '?dryRun=All', { dryRun: ['All'] }))).toBe(true);
  });

  it.each([
    request('PATCH', '', { dryRun: ['All'] }),
    request('PATCH', '?dryRun=', {}),
    request('PATCH', '?dryRun=None', {}),
    request('PATCH', '?dryRun=None&dryRun=All', {}),
    request('DELETE', '?dryRun=All', {}),
    request('DELETE', '', { dryRun: ['All'] }),
    request('DELETE', '?dryRun=All', { dryRun: [] }),
  ])('is not $method $path with $body', each => {
    expect(ActRequest.changesNothing(each)).toBe(false);
  });
});

describe('the answer to a dry run', () => {
  const [probe] = probes(orphan, 'child');
  const read = (status: number, message: string) => {
    if (probe === undefined) throw new Error('no probe');
    return ProbeOutcome.read(probe, { status, body: { kind: 'Status', message } });
  };

  it.each([
    [200, '', 'allowed', undefined],
    [
      403,
      'admission webhook "keep.example.com" denied the request: never',
      'rejected',
      'webhook keep.example.com',
    ],
    [
      422,
      `configmaps "child" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'keep-all' denied request: no deletions`,
      'rejected',
      'admission policy keep',
    ],
    [
      500,
      'Internal error occurred: failed calling webhook "x.example.com": failed to call webhook: Post "https://x.a.svc:443/?timeout=10s": service "x" not found',
      'unreachable',
      'webhook x.example.com',
    ],
    [
      400,
      'admission webhook "x.example.com" does not support dry run',
      'untestable',
      'webhook x.example.com',
    ],
    [
      403,
      'configmaps "child" is forbidden: User "ann" cannot delete resource "configmaps"',
      'forbidden',
      undefined,
    ],
    [404, 'configmaps "child" not found', 'outdated', undefined],
    [409, 'the UID in the precondition does not match', 'outdated', undefined],
    [503, 'service unavailable', 'failed', undefined],
  ] as const)('%i %s', (status, message, result, by) => {
    const outcome = read(status, message);
    expect(outcome).toMatchObject({ result, by });
  });

  it('names who rejects and why, in one sentence', () => {
    expect(read(403, 'admission webhook "keep.example.com" denied the request: never').message).toBe(
      'The garbage collector would delete ConfigMap shop/child, and webhook keep.example.com rejects it: never.',
    );
    expect(
      read(400, 'admission webhook "keep.example.com" denied the request without explanation').message,
    ).toBe(
      'The garbage collector would delete ConfigMap shop/child, and webhook keep.example.com rejects it.',
    );
  });

  it('is added to a finding: evidence always, and the obstacle with what to do about it', () => {
    const finding: Finding = {
      id: 'CollectionOverdue/ConfigMap/shop/a',
      facts: [],
      code: 'CollectionOverdue',
      severity: 'warning',
      object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'child', uid: 'child' as Uid },
      message: 'It should be gone.',
      brief: 'overdue',
      evidence: ['a: b'],
      related: [],
      certainty: 'exact',
      chain: [],
      remedies: () => [],
    };
    const fine = ProbeOutcome.addedTo(finding, [read(200, '')]);
    expect(fine.message).toBe('It should be gone.');
    expect(fine.evidence).toEqual([
      'a: b',
      'dry run of DELETE /api/v1/namespaces/shop/configmaps/child: 200',
    ]);
    const stuck = ProbeOutcome.addedTo(finding, [
      read(403, 'admission webhook "keep.example.com" denied the request: never'),
    ]);
    expect(stuck.message).toContain('webhook keep.example.com rejects it: never.');
    expect(stuck.remedies().map(({ title }) => title)).toEqual([
      'let webhook keep.example.com admit requests of the garbage collector: it then continues by itself',
    ]);
  });
});
