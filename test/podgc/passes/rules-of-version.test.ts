import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/model/object.ts';
import { ServerBehaviour } from '../../../src/model/server/server-behaviour.ts';
import { NodeQuarantine, podGcCycle } from '../../../src/podgc/passes/cycle.ts';
import { PodGcRules } from '../../../src/podgc/passes/rules-of-version.ts';
import { node, pod } from '../fixtures.ts';

function rulesOfVersion(version: string | undefined): PodGcRules {
  return PodGcRules.of(new ServerBehaviour(version));
}

/** What a first cycle does on a server of this version: rule, pod and requests, as `rule pod: requests`. */
function firstCycle(
  version: string,
  pods: readonly KubeObject[],
  options: { readonly nodes?: readonly KubeObject[]; readonly threshold?: number } = {},
): readonly string[] {
  const rules = rulesOfVersion(version);
  const { nodes = [], threshold = 0 } = options;
  const quarantine = new NodeQuarantine(rules.quarantine);
  const deletions = podGcCycle.run({
    pods,
    nodes,
    now: 0,
    threshold,
    quarantine,
    rules,
    getNode: name => (nodes.some(each => each.name === name) ? 'exists' : 'absent'),
  });
  return deletions.map(
    ({ pod: { name }, rule, requests }) => `${rule} ${name}: ${requests.map(({ verb }) => verb).join(', ')}`,
  );
}

const deleting = { deletionTimestamp: 0 };
const outOfService = node('lost', false, [
  { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' },
]);

// Each expectation is read from pkg/controller/podgc/gc_controller.go of the release that it names, and the defaults
// of feature gates from its pkg/features/kube_features.go.
describe('the passes', () => {
  const lost = pod('db-0', { phase: 'Running', nodeName: 'lost' }, deleting);
  const onLost = (version: string) => firstCycle(version, [lost], { nodes: [outOfService] });

  // v1.23.17: gc() calls gcTerminated, gcOrphaned and gcUnscheduledTerminating.
  it('know nothing of out-of-service nodes before 1.24', () => {
    expect(onLost('v1.22.17')).toEqual([]);
    expect(rulesOfVersion('v1.23.17')).toMatchObject({
      passes: ['Terminated', 'Orphaned', 'UnscheduledTerminating'],
      outOfService: 'Absent',
    });
  });

  // v1.24.0 and v1.25.0: gcTerminating behind NodeOutOfServiceVolumeDetach, {Default: false, Alpha}.
  it('leave out-of-service nodes alone in 1.24 and 1.25, where that is an alpha feature', () => {
    expect(onLost('v1.24.17')).toEqual([]);
    expect(onLost('v1.25.16')).toEqual([]);
    expect(rulesOfVersion('v1.25.16').outOfService).toBe('Alpha');
  });

  // v1.26.0: {Default: true, Beta}; v1.28.0: {Default: true, GA}, and gc() asks no gate any more.
  it('take deleting pods from out-of-service nodes from 1.26 on', () => {
    const taken = ['OutOfService db-0: patchStatus, delete'];
    expect(onLost('v1.26.0')).toEqual(taken);
    expect(rulesOfVersion('v1.27.16').outOfService).toBe('Beta');
    expect(onLost('v1.28.0')).toEqual(taken);
    expect(rulesOfVersion('v1.28.0').outOfService).toBe('Stable');
  });

  // v1.26.0: gcTerminated, gcTerminating, gcOrphaned, gcUnscheduledTerminating.
  it('run in the order of the controller', () => {
    expect(rulesOfVersion('v1.26.0').passes).toEqual([
      'Terminated',
      'OutOfService',
      'Orphaned',
      'UnscheduledTerminating',
    ]);
  });
});

describe('a node that is gone', () => {
  const pods = [pod('web', { phase: 'Running', nodeName: 'gone' })];

  // v1.16.0: gcOrphaned lists the nodes and deletes at once; v1.17.0: nodeQueue.AddAfter(…, quarantineTime), 40 s.
  it('costs its pods their existence at once before 1.17, and after a quarantine since', () => {
    expect(firstCycle('v1.16.15', pods)).toEqual(['Orphaned web: delete']);
    expect(firstCycle('v1.17.0', pods)).toEqual([]);
    expect(rulesOfVersion('v1.17.0').quarantine).toBe(40_000);
  });
});

describe('the order within a pass', () => {
  const finished = [
    pod('old', { phase: 'Succeeded' }, { creationTimestamp: 1 }),
    pod('evicted', { phase: 'Failed', reason: 'Evicted' }, { creationTimestamp: 2 }),
  ];

  // v1.26.15: byCreationTimestamp; v1.27.0: byEvictionAndCreationTimestamp.
  it('puts evicted pods first from 1.27 on, and age alone before', () => {
    expect(firstCycle('v1.26.15', finished, { threshold: 1 })).toEqual(['Terminated old: delete']);
    expect(firstCycle('v1.27.0', finished, { threshold: 1 })).toEqual(['Terminated evicted: delete']);
  });

  // v1.26.15 and v1.27.0: gcTerminating sorts as gcTerminated does.
  it('is the same on out-of-service nodes', () => {
    const pods = finished.map(each =>
      each.with({
        deletionTimestamp: 0,
        facts: each.facts?.kind === 'Pod' ? { ...each.facts, nodeName: 'lost' } : each.facts,
      }),
    );
    const nodes = [outOfService];
    expect(firstCycle('v1.26.15', pods, { nodes })).toEqual([
      'OutOfService old: delete',
      'OutOfService evicted: delete',
    ]);
    expect(firstCycle('v1.27.0', pods, { nodes })).toEqual([
      'OutOfService evicted: delete',
      'OutOfService old: delete',
    ]);
  });
});

describe('the status that is written before a deletion', () => {
  const unscheduled = [pod('import', { phase: 'Pending' }, deleting)];

  // v1.24.17: deletePod alone. v1.25.0: behind PodDisruptionConditions, {Default: false, Alpha}; v1.26.0: Beta, true.
  it('begins with 1.26; before, a pod is only deleted', () => {
    expect(firstCycle('v1.24.17', unscheduled)).toEqual(['UnscheduledTerminating import: delete']);
    expect(firstCycle('v1.25.16', unscheduled)).toEqual(['UnscheduledTerminating import: delete']);
    expect(firstCycle('v1.26.0', unscheduled)).toEqual([
      'UnscheduledTerminating import: patchStatus, delete',
    ]);
  });

  /** The patch that an orphaned pod gets. */
  function orphanPatch(version: string) {
    const rules = rulesOfVersion(version);
    const [deletion] = podGcCycle.run({
      pods: [pod('web', { phase: 'Running', nodeName: 'gone' }, { generation: 3 })],
      nodes: [],
      now: 0,
      threshold: 0,
      quarantine: new NodeQuarantine(0),
      rules,
      getNode: () => 'absent',
    });
    return deletion?.requests.find(({ verb }) => verb === 'patchStatus');
  }

  // v1.24.17 has no condition; v1.26.0: WithType(v1.DisruptionTarget), WithReason("DeletionByPodGC").
  it('tells owners of an orphaned pod from 1.26 on that its node is gone', () => {
    expect(orphanPatch('v1.24.17')).toBeUndefined();
    expect(orphanPatch('v1.26.0')).toMatchObject({
      phase: 'Failed',
      condition: {
        type: 'DisruptionTarget',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
      },
    });
  });

  // v1.33.0: PodObservedGenerationTracking {Default: false, Alpha}; v1.34.0: {Default: true, Beta}.
  it('names the generation of the pod from 1.34 on', () => {
    expect(orphanPatch('v1.33.13')).toMatchObject({
      observedGeneration: undefined,
      condition: { observedGeneration: undefined },
    });
    expect(orphanPatch('v1.34.0')).toMatchObject({
      observedGeneration: 3,
      condition: { observedGeneration: 3 },
    });
  });
});

describe('a version', () => {
  it.each([
    ['v1.27.3', '1.27'],
    ['v1.27.3-gke.100', '1.27'],
    ['v1.30+', '1.30'],
    ['v1.29.0-alpha.1+1a2b3c', '1.29'],
    ['1.36.3', '1.36'],
    ['v1.12.10', '1.12'],
  ])('%s is read as %s', (given, version) => {
    expect(rulesOfVersion(given)).toMatchObject({ version, assumed: false });
  });

  it.each([undefined, '', 'unknown', 'v2.0.0', 'v1', 'v1.38.0', 'v1.100.0'])(
    '%s counts as the newest that is known, and as assumed',
    given => {
      expect(rulesOfVersion(given)).toEqual({ ...PodGcRules.newest, assumed: true });
    },
  );

  it('before 1.12 counts as 1.12, and as assumed', () => {
    expect(rulesOfVersion('v1.9.11')).toEqual({ ...rulesOfVersion('v1.12.0'), assumed: true });
  });
});
