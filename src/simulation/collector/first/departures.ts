/** The reasons for differences between the first collector, or its API server, and today's (docs/collector.md). */
import type { Uid } from '../../../model/index.ts';

export interface CollectorChange {
  /** The release that brought today's behaviour, `1.6`. */
  readonly since: string;
  readonly reference: string;
  readonly first: readonly string[];
  readonly today: readonly string[];
}

/** Paths in v1.5.8 and v1.36.3. */
const COLLECTOR = 'pkg/controller/garbagecollector/garbagecollector.go';
const BUILDER = 'pkg/controller/garbagecollector/graph_builder.go';
const OPERATIONS = 'pkg/controller/garbagecollector/operations.go';
const STORE = 'pkg/registry/generic/registry/store.go';
const STORE_NOW = 'staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go';

const pull = (number: number): string => `https://github.com/kubernetes/kubernetes/pull/${number}`;

export const collectorChanges = {
  ForegroundDeletion: {
    since: '1.6',
    reference: pull(38676),
    first: ['pkg/api/v1/types.go', STORE],
    today: [STORE_NOW, COLLECTOR],
  },
  DefaultPolicy: {
    since: '1.9',
    reference: pull(55148),
    first: ['pkg/registry/extensions/replicaset/strategy.go', STORE],
    today: ['pkg/registry/apps/replicaset/strategy.go'],
  },
  JobPolicy: {
    since: '1.7',
    reference: 'https://github.com/kubernetes/kubernetes/blob/v1.7.0/pkg/registry/batch/job/strategy.go',
    first: ['pkg/registry/batch/job/strategy.go', STORE],
    today: ['pkg/registry/batch/job/strategy.go'],
  },
  BackgroundCascade: { since: '1.7', reference: pull(44058), first: [COLLECTOR, STORE], today: [COLLECTOR] },
  DanglingReferences: { since: '1.6', reference: pull(38676), first: [COLLECTOR], today: [COLLECTOR] },
  AbsentByUid: {
    since: '1.20',
    reference: pull(92743),
    first: [COLLECTOR, 'pkg/controller/garbagecollector/uid_cache.go'],
    today: [COLLECTOR, BUILDER],
  },
  UncheckedReference: { since: '1.20', reference: pull(92743), first: [COLLECTOR], today: [BUILDER] },
  ClusterScopedOwner: {
    since: '1.9.1',
    reference: pull(57211),
    first: [COLLECTOR],
    today: [COLLECTOR, OPERATIONS],
  },
  NamespacedOwner: { since: '1.20', reference: pull(92743), first: [COLLECTOR], today: [COLLECTOR] },
  CustomResources: {
    since: '1.8',
    reference: pull(47665),
    first: [COLLECTOR, 'cmd/kube-controller-manager/app/controllermanager.go'],
    today: [COLLECTOR, BUILDER],
  },
  DeletedAgain: { since: '1.6', reference: pull(38676), first: [COLLECTOR, STORE], today: [COLLECTOR] },
  FailedOrphaning: {
    since: '1.7',
    reference: `https://github.com/kubernetes/kubernetes/blob/v1.7.0/${COLLECTOR}`,
    first: [COLLECTOR],
    today: [COLLECTOR],
  },
  LateOrphaning: {
    since: '1.16',
    reference: `https://github.com/kubernetes/kubernetes/blob/v1.16.0/${BUILDER}`,
    first: [COLLECTOR],
    today: [BUILDER],
  },
  LostFinalizers: { since: '1.8', reference: pull(48261), first: [COLLECTOR], today: [OPERATIONS] },
} as const satisfies Readonly<Record<string, CollectorChange>>;

export type CollectorChangeCode = keyof typeof collectorChanges;

export interface Departure {
  readonly code: CollectorChangeCode;
  readonly uid: Uid;
}

export type ReportDeparture = (departure: Departure) => void;
