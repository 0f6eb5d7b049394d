/**
 * What kube-controller-manager tells of itself on its own port, where the API server may reach it and lets everybody read:
 * its metrics, of which those of the collector count here, and the flags that it runs with (k8s.io/component-base metrics and
 * zpages/flagz, v0.36). Names and values as a manager of v1.36 has them.
 */
import { managerFlags } from '../facts/manager-flags.ts';

export type ManagerPage = 'metrics' | 'flagz';

export interface CollectorMetrics {
  /** Items that wait in the collector's queues: objects to look at, owners to orphan the dependents of, changes to take in. */
  readonly toDelete: number;
  readonly toOrphan: number;
  readonly changes: number;
  /** Seconds for which the longest of its workers has been at one item; 0 where none is. */
  readonly longest: number;
  /** How often since its start it couldn't take in the kinds that are served. */
  readonly syncErrors: number;
}

const QUEUE = 'garbage_collector_';

/** Undefined of what is no manager's, or of one whose collector hasn't started. */
export function readCollectorMetrics(text: string): CollectorMetrics | undefined {
  const depths = new Map<string, number>();
  let longest = 0;
  let syncErrors = 0;
  for (const [, name = '', labels = '', number = ''] of text.matchAll(
    /^(\w+)(?:\{([^}\n]*)\})? (-?[\d.]+(?:e[+-]?\d+)?)(?: \d+)?$/gmu,
  )) {
    const value = Number(number);
    if (name === 'garbagecollector_controller_resources_sync_error_total') syncErrors = value;
    const queue = /(?:^|,)name="([^"]*)"/u.exec(labels)?.[1] ?? '';
    if (!queue.startsWith(QUEUE)) continue;
    if (name === 'workqueue_depth') depths.set(queue.slice(QUEUE.length), value);
    if (name === 'workqueue_longest_running_processor_seconds') longest = Math.max(longest, value);
  }
  const toDelete = depths.get('attempt_to_delete');
  if (toDelete === undefined) return undefined;
  const toOrphan = depths.get('attempt_to_orphan') ?? 0;
  return { toDelete, toOrphan, changes: depths.get('graph_changes') ?? 0, longest, syncErrors };
}

/**
 * The telling flags in force, as `controllers=*,-garbagecollector`; empty of what is no such page. Each answer has one of
 * four separators by chance, so that nobody relies on one (k8s.io/apiserver pkg/server/flagz/textserializer.go, v0.36).
 */
export function readFlagz(text: string): readonly string[] {
  if (!/^\s*kube-controller-manager flagz\b/u.test(text)) return [];
  const words = [...text.matchAll(/^([\w-]+)(?:: ?|=| )(.*)$/gmu)].map(
    ([, name = '', value = '']) => `--${name}=${value.trim().replace(/^\[(.*)\]$/u, '$1')}`,
  );
  return managerFlags(words);
}
