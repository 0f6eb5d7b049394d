/**
 * Metrics by Prometheus' conventions (docs/serve.md lists them). Series about objects are omitted, never 0, before
 * everything was listed and after following stopped.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { getOrInsert } from '../../../model/index.ts';
import type { Health } from './health.ts';
import type { FindingCount, Observation } from './observation.ts';

/** Not a DNS label, so no namespace has this name. */
const CLUSTER_SCOPE = '_cluster';
const OTHER_NAMESPACES = '_other';

const severities = ['error', 'warning', 'info'] as const;

export interface MetricsOptions {
  readonly version: string;
  readonly maxNamespaces: number;
  /** Adds metrics of the process and Node; tests don't need them. */
  readonly withProcess?: boolean;
}

export interface Told {
  readonly health: Health;
  /** Milliseconds since the epoch, by the API server's clock. */
  readonly now: number;
  /** Time of the last object change. */
  readonly lastEvent: number | undefined;
  /** Undefined if no numbers may be served. */
  readonly observation: Observation | undefined;
  /** Undefined without a history. */
  readonly history?: HistoryState | undefined;
}

export interface HistoryState {
  /** Sum over all files. */
  readonly bytes: number;
  readonly entries: number;
  readonly isWritten: boolean;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #shares: NamespaceShares;
  readonly #requests: Counter<'handler' | 'code'>;
  readonly #reviews: Counter<'answer'>;
  readonly #reviewSeconds: Histogram;
  readonly #gauges = new Map<string, Gauge>();

  constructor({ version, maxNamespaces, withProcess = true }: MetricsOptions) {
    this.#shares = new NamespaceShares(maxNamespaces);
    if (withProcess) this.#addProcess();
    const registers = [this.#registry];
    new Gauge({
      name: 'gc_tree_build_info',
      help: 'Always 1; the version of kubectl gc-tree is the label.',
      labelNames: ['version'],
      registers,
    }).set({ version }, 1);
    this.#requests = new Counter({
      name: 'gc_tree_http_requests_total',
      help: 'Requests that were answered, by what answered them and with which HTTP status.',
      labelNames: ['handler', 'code'],
      registers,
    });
    this.#reviews = new Counter({
      name: 'gc_tree_guard_reviews_total',
      help: 'AdmissionReviews that were answered, by what was answered.',
      labelNames: ['answer'],
      registers,
    });
    this.#reviewSeconds = new Histogram({
      name: 'gc_tree_guard_review_duration_seconds',
      help: 'How long AdmissionReviews took, from the whole request to the answer.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2],
      registers,
    });
    for (const [name, { help, labels = [] }] of Object.entries<GaugeText>(gauges))
      this.#gauges.set(name, new Gauge({ name, help, labelNames: [...labels], registers }));
  }

  /** Adds metrics of the process and Node, except `_total` names that count nothing, which promtool rejects. */
  #addProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
    for (const { name } of this.#registry.getMetricsAsArray())
      if (/^nodejs_active_.*_total$/u.test(name)) this.#registry.removeSingleMetric(name);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  get names(): readonly string[] {
    return this.#registry.getMetricsAsArray().map(({ name }) => name);
  }

  countRequest(handler: string, code: number): void {
    this.#requests.inc({ handler, code: String(code) });
  }

  countReview(answer: string, seconds: number): void {
    this.#reviews.inc({ answer });
    this.#reviewSeconds.observe(seconds);
  }

  render({ health, now, lastEvent, observation, history }: Told): Promise<string> {
    this.#forget();
    this.#set('gc_tree_view_synced', health.synced ? 1 : 0);
    this.#set('gc_tree_view_live', health.live ? 1 : 0);
    this.#set('gc_tree_blind_spots', health.blind.expected, { expected: 'true' });
    this.#set('gc_tree_blind_spots', health.blind.unexpected, { expected: 'false' });
    this.#set('gc_tree_polled_kinds', health.polled);
    if (health.followedUntil !== undefined)
      this.#set('gc_tree_view_age_seconds', secondsSince(health.followedUntil, now));
    if (lastEvent !== undefined) this.#set('gc_tree_last_event_timestamp_seconds', lastEvent / 1_000);
    if (history !== undefined) {
      this.#set('gc_tree_history_bytes', history.bytes);
      this.#set('gc_tree_history_entries', history.entries);
      this.#set('gc_tree_history_written', history.isWritten ? 1 : 0);
    }
    if (health.tells && observation !== undefined) this.#tell(observation);
    return this.#registry.metrics();
  }

  #tell({ at, objects, findings, deleting, stuck, pending, podGc }: Observation): void {
    this.#set('gc_tree_objects', objects);
    this.#set('gc_tree_deleting_objects', deleting);
    this.#set('gc_tree_stuck_deletions', stuck.count);
    this.#set('gc_tree_oldest_stuck_deletion_age_seconds', secondsSince(stuck.oldest, at));
    this.#set('gc_tree_pending_collections', pending.count);
    this.#set('gc_tree_oldest_pending_collection_age_seconds', secondsSince(pending.oldest, at));
    for (const severity of severities) {
      const counts = findings.filter(each => each.severity === severity).map(({ count }) => count);
      this.#set('gc_tree_severity_findings', sum(counts), { severity });
    }
    const shares = this.#shares.of(findings);
    this.#set('gc_tree_namespaces_over_limit', shares.over);
    for (const { code, severity, namespace, count } of shares.findings)
      this.#set('gc_tree_findings', count, { code, severity, namespace });
    for (const [rule, { candidates, overdue }] of podGc ?? []) {
      this.#set('gc_tree_podgc_candidates', candidates, { rule });
      this.#set('gc_tree_podgc_overdue_candidates', overdue, { rule });
    }
  }

  /** Removes all series; without labels a reset alone would leave one at 0. */
  #forget(): void {
    for (const [name, { labels = [] }] of Object.entries<GaugeText>(gauges)) {
      const gauge = this.#gauges.get(name);
      gauge?.reset();
      if (labels.length === 0) gauge?.remove();
    }
  }

  #set(name: keyof typeof gauges, value: number, labels: Readonly<Record<string, string>> = {}): void {
    this.#gauges.get(name)?.set(labels, value);
  }
}

interface GaugeText {
  readonly help: string;
  readonly labels?: readonly string[];
}

const gauges = {
  gc_tree_view_synced: { help: '1 once everything that can be listed has been listed and judged, else 0.' },
  gc_tree_view_live: { help: '1 while every change in the cluster is followed, else 0.' },
  gc_tree_view_age_seconds: {
    help: 'Seconds since the connection to the cluster was lost; 0 while it is followed. Left out before the first sync.',
  },
  gc_tree_last_event_timestamp_seconds: {
    help: 'When an object was last seen to change, as a Unix time. A quiet cluster has no events.',
  },
  gc_tree_blind_spots: {
    help: 'Kinds and API groups of which nothing can be seen; expected="true" for those of --tolerate-blind.',
    labels: ['expected'],
  },
  gc_tree_polled_kinds: { help: 'Kinds that cannot be watched, so that they are up to a minute old.' },
  gc_tree_history_bytes: { help: 'Size of the files of the history. Left out without --history.' },
  gc_tree_history_entries: { help: 'Entries of the history that can be asked for.' },
  gc_tree_history_written: {
    help: '1 while the history is written, 0 after its files could not be written.',
  },
  gc_tree_objects: { help: 'Objects in the ownership graph, with owners known only from references.' },
  gc_tree_findings: {
    help: 'Findings by code, severity and namespace; "_cluster" is outside of all, "_other" is beyond --max-namespaces.',
    labels: ['code', 'severity', 'namespace'],
  },
  gc_tree_severity_findings: { help: 'Findings by severity; 0 without any.', labels: ['severity'] },
  gc_tree_namespaces_over_limit: {
    help: 'Namespaces whose findings are counted under namespace="_other", because of --max-namespaces.',
  },
  gc_tree_deleting_objects: { help: 'Objects that are being deleted.' },
  gc_tree_stuck_deletions: {
    help: 'Objects that are being deleted and have a finding that is an error or a warning.',
  },
  gc_tree_oldest_stuck_deletion_age_seconds: {
    help: 'Seconds since the deletion of the oldest stuck object was requested; 0 without one.',
  },
  gc_tree_pending_collections: {
    help: 'Existing objects that the garbage collector should delete.',
  },
  gc_tree_oldest_pending_collection_age_seconds: {
    help: 'Seconds since the oldest pending collection was first seen; 0 without one.',
  },
  gc_tree_podgc_candidates: {
    help: 'Pods that PodGC will delete, now or later, by rule. Left out if nodes or pods cannot all be seen.',
    labels: ['rule'],
  },
  gc_tree_podgc_overdue_candidates: {
    help: 'Pods that PodGC should have deleted by now, by rule.',
    labels: ['rule'],
  },
} as const satisfies Readonly<Record<string, GaugeText>>;

/** Takes milliseconds since the epoch; 0 if the time is missing or clocks differ. */
function secondsSince(then: number | undefined, now: number): number {
  return then === undefined ? 0 : Math.max(0, now - then) / 1_000;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Namespaces with series of their own: they keep them while they have findings; the most affected come next. */
class NamespaceShares {
  readonly #most: number;
  #own: ReadonlySet<string> = new Set();

  constructor(most: number) {
    this.#most = most;
  }

  of(counts: readonly FindingCount[]): { readonly findings: readonly FindingCount[]; readonly over: number } {
    const totals = new Map<string, number>();
    for (const { namespace, count } of counts)
      if (namespace !== '') totals.set(namespace, (totals.get(namespace) ?? 0) + count);
    const isOwn = (namespace: string): number => (this.#own.has(namespace) ? 1 : 0);
    const order = [...totals].sort(
      ([a, less], [b, more]) => isOwn(b) - isOwn(a) || more - less || (a < b ? -1 : 1),
    );
    this.#own = new Set(order.slice(0, this.#most).map(([namespace]) => namespace));
    const shares = new Map<string, FindingCount>();
    for (const each of counts) {
      const namespace = this.#labelOf(each.namespace);
      const key = `${each.code} ${each.severity} ${namespace}`;
      const before = getOrInsert(shares, key, () => ({ ...each, namespace, count: 0 }));
      shares.set(key, { ...before, count: before.count + each.count });
    }
    return { findings: [...shares.values()], over: Math.max(0, totals.size - this.#most) };
  }

  #labelOf(namespace: string): string {
    if (namespace === '') return CLUSTER_SCOPE;
    return this.#own.has(namespace) ? namespace : OTHER_NAMESPACES;
  }
}
