/**
 * A kube-controller-manager that ends in the middle of a quarantine and is started again, on a real control plane where it
 * holds its lease: what `podgc --watch` says before, meanwhile and after.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PodGCCandidate, PodGCCandidateList } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { KEEPS_ITS_LEASE } from '../../harness/processes/layout.ts';
import { eventually } from '../eventually.ts';
import { type RunningTool, startTool } from '../tool.ts';
import { PodLog } from './pod-log.ts';

const SECOND = 1_000;

interface Told {
  readonly candidate: PodGCCandidate;
  readonly manager: PodGCCandidateList['manager'];
  /** When it was read, in milliseconds since the epoch. */
  readonly at: number;
}

// Only a control plane of our own has a controller manager that can be ended.
describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'kube-controller-manager ends in the middle of a quarantine',
  () => {
    let cluster: Cluster;
    let log: PodLog;
    let watching: RunningTool;
    let madeAt = 0;
    let endedAt = 0;
    let startedAt = 0;
    let first: Told;
    let alone: Told;
    let again: Told;
    let lastBefore: Told;

    /** What was printed last, once it has a candidate. */
    function told(): Told {
      const texts = watching.stdout().split(/^(?=\{)/mu);
      const document = JSON.parse(texts.at(-1) ?? '') as PodGCCandidateList;
      const [candidate] = document.items;
      if (candidate === undefined) throw new Error('no candidate is told');
      return { candidate, manager: document.manager, at: Date.now() };
    }

    /** Waits until that is told. */
    async function toldThat(check: (said: Told) => boolean): Promise<Told> {
      return await eventually(() => {
        const said = told();
        expect([said, check(said)]).toEqual([said, true]);
        return said;
      });
    }

    beforeAll(async () => {
      cluster = await startControlPlane({ nodes: 1, controllerManagerFlags: KEEPS_ITS_LEASE });
      log = new PodLog(cluster.api);
      const kubeconfig = await cluster.kubeconfig();
      watching = startTool(['podgc', '-A', '-o', 'json', '--watch'], { kubeconfig });
      await eventually(() => expect(watching.stdout()).toContain('PodGCCandidateList'));
      // Controllers begin to work once the lease is held.
      await eventually(() => cluster.kubectl(['get', 'serviceaccount', 'default']));
      madeAt = Date.now();
      await cluster.api.json({
        method: 'POST',
        path: '/api/v1/namespaces/default/pods',
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'left' },
          spec: { nodeName: 'node-9', containers: [{ name: 'main', image: 'app' }] },
        },
      });
      first = await toldThat(({ manager }) => manager !== undefined);
      await sleep(madeAt + 20 * SECOND - Date.now());
      const manager = cluster.component('kube-controller-manager');
      endedAt = Date.now();
      await manager.kill();
      alone = await toldThat(said => said.manager?.away === true);
      startedAt = Date.now();
      await manager.start();
      again = await toldThat(said => said.manager?.away === false);
      lastBefore = again;
      await eventually(() => {
        if (log.of('left').some(({ phase }) => phase === 'Failed')) return;
        lastBefore = told();
        throw new Error('the pod is still there');
      });
    });

    afterAll(async () => {
      watching?.child.kill('SIGINT');
      log?.stop();
      await cluster?.stop();
    });

    it('which runs at first, and is said to', () => {
      expect(first.manager).toMatchObject({ away: false });
      expect(Date.parse(first.manager?.startedAt ?? '')).toBeLessThan(madeAt);
      const { due, dueAt, dueBy } = first.candidate;
      expect(due).toBe('at');
      expect(Date.parse(dueAt ?? '')).toBeGreaterThanOrEqual(madeAt + 20 * SECOND);
      expect(Date.parse(dueBy ?? '')).toBeLessThanOrEqual(first.at + 83 * SECOND);
    });

    it('is said to be away once it is silent for a minute, and nothing is taken meanwhile', () => {
      const silent = alone.at - endedAt;
      expect(silent).toBeGreaterThanOrEqual(55 * SECOND);
      expect(silent).toBeLessThanOrEqual(120 * SECOND);
      expect(alone.candidate.pod.name).toBe('left');
    });

    it('begins the quarantine anew when it is back, and is said to', () => {
      const began = Date.parse(again.manager?.startedAt ?? '');
      expect(began).toBeGreaterThanOrEqual(startedAt - SECOND);
      expect(again.manager?.holder).not.toBe(first.manager?.holder);
      expect(again.candidate.because).toMatch(
        /^node-9 does not exist; 40s quarantine anew, as kube-controller-manager started at \d\d:\d\d:\d\dZ$/u,
      );
      expect(again.candidate.overdue).toBeUndefined();
      const due = Date.parse(again.candidate.dueAt ?? '');
      expect(due).toBeGreaterThanOrEqual(began + 40 * SECOND);
    });

    it('takes the pod in the span that was told, and within 20 s of the time that was named', () => {
      const taken = log.of('left').find(({ phase }) => phase === 'Failed');
      if (taken === undefined) throw new Error('the pod was not taken');
      const began = Date.parse(again.manager?.startedAt ?? '');
      // Its first cycle after that misses the node.
      expect(taken.at).toBeGreaterThanOrEqual(began + 40 * SECOND);
      for (const { candidate } of [again, lastBefore]) {
        expect(taken.at).toBeLessThanOrEqual(Date.parse(candidate.dueBy ?? '') + 5 * SECOND);
        // Written in whole seconds.
        expect(Math.abs(taken.at - Date.parse(candidate.dueAt ?? ''))).toBeLessThanOrEqual(25 * SECOND);
      }
    });
  },
);
