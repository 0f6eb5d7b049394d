/** Evidence from kube-controller-manager's own reports on its collector, for findings that it is late. */
import { type CollectorMetrics, counted, formatCount } from '../../model/index.ts';
import type { FindingCode } from '../engine/codes.ts';

const collectorIsLate: ReadonlySet<FindingCode> = new Set([
  'CollectionOverdue',
  'ForegroundStale',
  'OrphanPending',
]);

/** Seconds that a worker never needs for one object. */
const STUCK_SECONDS = 60;

function metricsEvidence(pod: string, metrics: CollectorMetrics): string[] {
  const { toDelete, toOrphan, changes, longest, syncErrors } = metrics;
  const by = `metrics of Pod ${pod}`;
  const waiting = [
    queue('attempt_to_delete', toDelete, 'object waits', 'objects wait'),
    queue('attempt_to_orphan', toOrphan, 'owner waits', 'owners wait'),
    queue('graph_changes', changes, 'change waits', 'changes wait'),
  ].filter(each => each !== '');
  return [
    waiting.length === 0 ? `${by}: nothing waits in the collector's queues` : `${by}: ${waiting.join('; ')}`,
    ...(longest < STUCK_SECONDS
      ? []
      : [
          `${by}: workqueue_longest_running_processor_seconds: a worker of the collector has been at one item for ${formatCount(Math.round(longest))} s`,
        ]),
    ...(syncErrors === 0
      ? []
      : [
          `${by}: garbagecollector_controller_resources_sync_error_total: ${formatCount(syncErrors)}: so often since its start it couldn't take in the kinds that are served`,
        ]),
  ];
}

function queue(name: string, depth: number, one: string, many: string): string {
  if (depth <= 0) return '';
  return `workqueue_depth{garbage_collector_${name}}: ${counted(depth, one, many)} for the collector`;
}

function flagsEvidence(pod: string, flags: readonly string[]): string[] {
  const telling = flags.filter(each =>
    /^(?:controllers|enable-garbage-collector|concurrent-gc-syncs)=/u.test(each),
  );
  return telling.length === 0
    ? []
    : [`flags in force of Pod ${pod} (/flagz): ${telling.map(each => `--${each}`).join(' ')}`];
}

export const collectorReports = { lateCodes: collectorIsLate, flagsEvidence, metricsEvidence };
