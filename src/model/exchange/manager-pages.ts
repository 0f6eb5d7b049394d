/** Metrics and flags of kube-controller-manager v1.36 (k8s.io/component-base metrics and zpages/flagz, v0.36). */
import { managerFlags } from '../facts/manager-flags.ts';

export type ManagerPage = 'metrics' | 'flagz';

export interface CollectorMetrics {
  /** Queue lengths: objects to check, owners whose dependents to orphan, changes to process. */
  readonly toDelete: number;
  readonly toOrphan: number;
  readonly changes: number;
  /** Seconds that the slowest worker has spent on its item; 0 if all are idle. */
  readonly longest: number;
  readonly syncErrors: number;
}

const QUEUE = 'garbage_collector_';

/** Returns undefined if the page isn't a manager's, or its collector hasn't started. */
function readCollectorMetrics(text: string): CollectorMetrics | undefined {
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

/** Accepts all four separators, which are random (k8s.io/apiserver pkg/server/flagz/textserializer.go, v0.36). */
function readFlagz(text: string): readonly string[] {
  if (!/^\s*kube-controller-manager flagz\b/u.test(text)) return [];
  const words = [...text.matchAll(/^([\w-]+)(?:: ?|=| )(.*)$/gmu)].map(
    ([, name = '', value = '']) => `--${name}=${value.trim().replace(/^\[(.*)\]$/u, '$1')}`,
  );
  return managerFlags(words);
}

export const ManagerPage = { flags: readFlagz };

export const CollectorMetrics = { read: readCollectorMetrics };
