import { describe, expect, test } from 'vitest';
import { collectorReports } from '../../../src/diagnosis/manager/collector-reports.ts';
import { CollectorMetrics, ManagerPage } from '../../../src/model/exchange/manager-pages.ts';

/** As a manager of v1.36 prints them. */
const metrics = (depth: string, longest = '0', errors = '0'): string => `
# HELP garbagecollector_controller_resources_sync_error_total [ALPHA] Number of garbage collector resources sync errors
# TYPE garbagecollector_controller_resources_sync_error_total counter
garbagecollector_controller_resources_sync_error_total ${errors}
go_gc_duration_seconds{quantile="0"} 1.9e-05
# TYPE workqueue_depth gauge
workqueue_depth{name="certificate"} 99
workqueue_depth{name="garbage_collector_attempt_to_delete"} ${depth}
workqueue_depth{name="garbage_collector_attempt_to_orphan"} 0
workqueue_depth{name="garbage_collector_graph_changes"} 1
workqueue_longest_running_processor_seconds{name="garbage_collector_attempt_to_delete"} ${longest}
workqueue_longest_running_processor_seconds{name="certificate"} 900
workqueue_queue_duration_seconds_bucket{name="garbage_collector_attempt_to_delete",le="+Inf"} 12
`;

describe('the metrics of kube-controller-manager', () => {
  test('tell of the collector’s queues alone', () => {
    expect(CollectorMetrics.read(metrics('12400', '311.5', '7'))).toEqual({
      toDelete: 12_400,
      toOrphan: 0,
      changes: 1,
      longest: 311.5,
      syncErrors: 7,
    });
    expect(CollectorMetrics.read(metrics('1.24e+04'))?.toDelete).toBe(12_400);
  });

  test.each(['', 'workqueue_depth{name="certificate"} 4', '<html>login</html>', '{"kind":"Status"}'])(
    'of something else are none: %j',
    text => {
      expect(CollectorMetrics.read(text)).toBeUndefined();
    },
  );

  test('are told by their names, and what is 0 is left out', () => {
    const told = (text: string): string[] => {
      const read = CollectorMetrics.read(text);
      return read === undefined ? [] : collectorReports.metricsEvidence('kcm', read);
    };
    expect(told(metrics('12400', '311.5', '7'))).toEqual([
      'metrics of Pod kcm: workqueue_depth{garbage_collector_attempt_to_delete}: 12,400 objects wait for the collector; workqueue_depth{garbage_collector_graph_changes}: 1 change waits for the collector',
      'metrics of Pod kcm: workqueue_longest_running_processor_seconds: a worker of the collector has been at one item for 312 s',
      "metrics of Pod kcm: garbagecollector_controller_resources_sync_error_total: 7: so often since its start it couldn't take in the kinds that are served",
    ]);
    expect(told(metrics('0').replace('graph_changes"} 1', 'graph_changes"} 0'))).toEqual([
      "metrics of Pod kcm: nothing waits in the collector's queues",
    ]);
  });
});

describe('the flags in force', () => {
  const page = `
kube-controller-manager flagz
Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.

allocate-node-cidrs: false
concurrent-gc-syncs: 20
controllers: [*,-garbagecollector]
enable-garbage-collector: true
leader-elect: false
terminated-pod-gc-threshold: 12500
`;

  test.each([':', ': ', '=', ' '])(
    'are those that tell something of the collector, separated by "%s"',
    separator => {
      const flags = ManagerPage.flags(page.replaceAll(/^([\w-]+): (?=\S+$)/gmu, `$1${separator}`));
      expect(flags).toContain('controllers=*,-garbagecollector');
      expect(collectorReports.flagsEvidence('kcm', flags)).toEqual([
        'flags in force of Pod kcm (/flagz): --concurrent-gc-syncs=20 --controllers=*,-garbagecollector --enable-garbage-collector=true',
      ]);
    },
  );

  test('of another page are none', () => {
    expect(ManagerPage.flags('controllers: [*]')).toEqual([]);
    expect(collectorReports.flagsEvidence('kcm', [])).toEqual([]);
  });
});
