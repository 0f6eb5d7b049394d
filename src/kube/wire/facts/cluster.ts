/**
 * Facts of nodes, namespaces, volumes, claims, Services, EndpointSlices, leases, budgets and API extensions; a
 * definition's schema is skipped. Field numbers: generated.proto of k8s.io/api v0.36.3, core/v1, coordination/v1,
 * discovery/v1 and policy/v1, of
 * k8s.io/apiextensions-apiserver v0.36.3, pkg/apis/apiextensions/v1, and of k8s.io/kube-aggregator v0.36.3,
 * pkg/apis/apiregistration/v1.
 */
import type {
  ApiServiceFacts,
  AutoscalerFacts,
  CrdFacts,
  DisruptionBudgetFacts,
  EndpointSliceFacts,
  Facts,
  LeaseFacts,
  NamespaceFacts,
  NodeFacts,
  ServiceFacts,
  Taint,
  VolumeAttachmentFacts,
  VolumeClaimFacts,
  VolumeFacts,
} from '../../../model/facts/facts.ts';
import type { Cursor } from '../cursor.ts';
import { readRun } from '../object-meta.ts';
import type { Pool } from '../pool.ts';
import {
  coreCondition,
  type FactsReader,
  plainCondition,
  readCondition,
  readLabelSelector,
  readServiceName,
} from './parts.ts';

export type Draft<F extends Facts> = {
  -readonly [K in keyof F]: F[K] extends readonly (infer Item)[] ? Item[] : F[K];
};

/** Reads one field of `spec` or `status`; unread fields are skipped. */
type ReadField<D> = (draft: D, field: number, cursor: Cursor, pool: Pool, end: number) => void;

export interface Layout<D extends Facts> {
  readonly begin: () => D;
  readonly spec: ReadField<D>;
  readonly status: ReadField<D>;
}

export class LayoutReader<D extends Facts> implements FactsReader {
  readonly #pool: Pool;
  readonly #layout: Layout<D>;
  #draft: D;

  constructor(pool: Pool, layout: Layout<D>) {
    this.#pool = pool;
    this.#layout = layout;
    this.#draft = layout.begin();
  }

  clear(): void {
    this.#draft = this.#layout.begin();
  }

  readSpec(cursor: Cursor): void {
    this.#read(cursor, this.#layout.spec);
  }

  readStatus(cursor: Cursor): void {
    this.#read(cursor, this.#layout.status);
  }

  #read(cursor: Cursor, read: ReadField<D>): void {
    const end = cursor.enter();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end))
      read(this.#draft, field, cursor, this.#pool, end);
    cursor.leave(end);
  }

  finish(): D {
    return this.#draft;
  }
}

const node: Layout<Draft<NodeFacts>> = {
  begin: () => ({ kind: 'Node', unschedulable: false, taints: [], conditions: [] }),
  spec: (draft, field, cursor, pool) => {
    if (field === 4) draft.unschedulable = cursor.flag();
    else if (field === 5) draft.taints.push(readTaint(cursor, pool));
  },
  status: (draft, field, cursor, pool) => {
    if (field === 4) draft.conditions.push(readCondition(cursor, pool, coreCondition));
  },
};

function readTaint(cursor: Cursor, { strings }: Pool): Taint {
  const taint = { key: '', value: '', effect: '' };
  let timeAdded: number | undefined;
  cursor.fields(field => {
    if (field === 1) taint.key = cursor.shared(strings);
    else if (field === 2) taint.value = cursor.shared(strings);
    else if (field === 3) taint.effect = cursor.shared(strings);
    else if (field === 4) timeAdded = cursor.time();
  });
  return timeAdded === undefined ? taint : { ...taint, timeAdded };
}

const namespace: Layout<Draft<NamespaceFacts>> = {
  begin: () => ({ kind: 'Namespace', phase: '', specFinalizers: [], conditions: [] }),
  spec: (draft, field, cursor, pool) => {
    if (field === 1) draft.specFinalizers.push(cursor.shared(pool.strings));
  },
  status: (draft, field, cursor, pool) => {
    if (field === 1) draft.phase = cursor.shared(pool.strings);
    else if (field === 2) draft.conditions.push(readCondition(cursor, pool, coreCondition));
  },
};

const claim: Layout<Draft<VolumeClaimFacts>> = {
  begin: () => ({
    kind: 'PersistentVolumeClaim',
    phase: '',
    volumeName: '',
    storageClassName: '',
    conditions: [],
  }),
  spec: (draft, field, cursor, pool) => {
    if (field === 3) draft.volumeName = cursor.text();
    else if (field === 5) draft.storageClassName = cursor.shared(pool.strings);
  },
  status: (draft, field, cursor, pool) => {
    if (field === 1) draft.phase = cursor.shared(pool.strings);
    else if (field === 4) draft.conditions.push(readCondition(cursor, pool, coreCondition));
  },
};

const volume: Layout<Draft<VolumeFacts>> = {
  begin: () => ({
    kind: 'PersistentVolume',
    phase: '',
    claimNamespace: '',
    claimName: '',
    claimUid: '',
    reclaimPolicy: '',
    storageClassName: '',
    csiDriver: '',
  }),
  spec: (draft, field, cursor, { strings }) => {
    if (field === 2)
      cursor.fields(source => {
        if (source !== 22) return;
        cursor.fields(csi => {
          if (csi === 1) draft.csiDriver = cursor.shared(strings);
        });
      });
    else if (field === 4)
      cursor.fields(reference => {
        if (reference === 2) draft.claimNamespace = cursor.shared(strings);
        else if (reference === 3) draft.claimName = cursor.text();
        else if (reference === 4) draft.claimUid = cursor.text();
      });
    else if (field === 5) draft.reclaimPolicy = cursor.shared(strings);
    else if (field === 6) draft.storageClassName = cursor.shared(strings);
  },
  status: (draft, field, cursor, pool) => {
    if (field === 1) draft.phase = cursor.shared(pool.strings);
  },
};

const definition: Layout<Draft<CrdFacts>> = {
  begin: () => ({
    kind: 'CustomResourceDefinition',
    group: '',
    definedKind: '',
    plural: '',
    singular: '',
    shortNames: [],
    categories: [],
    namespaced: false,
    versions: [],
    conversion: '',
    conditions: [],
  }),
  spec: (draft, field, cursor, { strings }) => {
    if (field === 1) draft.group = cursor.shared(strings);
    else if (field === 3)
      cursor.fields(name => {
        if (name === 1) draft.plural = cursor.text();
        else if (name === 2) draft.singular = cursor.text();
        else if (name === 3) draft.shortNames.push(cursor.text());
        else if (name === 4) draft.definedKind = cursor.text();
        else if (name === 6) draft.categories.push(cursor.shared(strings));
      });
    else if (field === 4) draft.namespaced = cursor.shared(strings) === 'Namespaced';
    else if (field === 7) {
      const version = { name: '', served: false, storage: false };
      cursor.fields(inner => {
        if (inner === 1) version.name = cursor.shared(strings);
        else if (inner === 2) version.served = cursor.flag();
        else if (inner === 3) version.storage = cursor.flag();
      });
      draft.versions.push(version);
    } else if (field === 9)
      cursor.fields(conversion => {
        if (conversion !== 2) return;
        cursor.fields(webhook => {
          if (webhook !== 2) return;
          cursor.fields(client => {
            if (client === 1) draft.conversion = readServiceName(cursor);
          });
        });
      });
  },
  status: readPlainConditions,
};

const apiService: Layout<Draft<ApiServiceFacts>> = {
  begin: () => ({ kind: 'APIService', group: '', version: '', service: '', conditions: [] }),
  spec: (draft, field, cursor, pool) => {
    if (field === 1) draft.service = readServiceName(cursor);
    else if (field === 2) draft.group = cursor.shared(pool.strings);
    else if (field === 3) draft.version = cursor.shared(pool.strings);
  },
  status: readPlainConditions,
};

const unread = (): void => {};

const service: Layout<Draft<ServiceFacts>> = {
  begin: () => ({ kind: 'Service', type: '', selector: [] }),
  spec: (draft, field, cursor, pool, end) => {
    if (field === 4) draft.type = cursor.shared(pool.strings);
    else if (field === 2) draft.selector = [...readRun(cursor, pool.labels, end, draft.selector)];
  },
  status: unread,
};

/** It has a list of endpoints in the place of a spec. */
class EndpointSliceReader implements FactsReader {
  #ready: string[] = [];

  clear(): void {
    this.#ready = [];
  }

  /** One endpoint. */
  readSpec(cursor: Cursor): void {
    let isReady = true;
    let pod = '';
    cursor.fields(field => {
      if (field === 2)
        cursor.fields(condition => {
          if (condition === 1) isReady = cursor.flag();
        });
      else if (field === 4) pod = readPodName(cursor);
    });
    if (isReady) this.#ready.push(pod);
  }

  readStatus(): void {}

  finish(): EndpointSliceFacts {
    return { kind: 'EndpointSlice', ready: this.#ready };
  }
}

/** Reads the name in the ObjectReference at the cursor; `''` for another kind. */
function readPodName(cursor: Cursor): string {
  let kind = '';
  let name = '';
  cursor.fields(field => {
    if (field === 1) kind = cursor.text();
    else if (field === 3) name = cursor.text();
  });
  return kind === 'Pod' ? name : '';
}

const lease: Layout<Draft<LeaseFacts>> = {
  begin: () => ({
    kind: 'Lease',
    holder: '',
    durationSeconds: 0,
    acquiredAt: undefined,
    renewedAt: undefined,
  }),
  spec: (draft, field, cursor, { strings }) => {
    if (field === 1) draft.holder = cursor.shared(strings);
    else if (field === 2) draft.durationSeconds = cursor.signed();
    else if (field === 3) draft.acquiredAt = cursor.time();
    else if (field === 4) draft.renewedAt = cursor.time();
  },
  status: unread,
};

const autoscaler: Layout<Draft<AutoscalerFacts>> = {
  begin: () => ({
    kind: 'HorizontalPodAutoscaler',
    target: { apiVersion: '', kind: '', name: '' },
    minReplicas: 1,
    maxReplicas: 0,
  }),
  // The numbers are equal in all versions.
  spec: (draft, field, cursor, { strings }) => {
    if (field === 2) draft.minReplicas = cursor.signed();
    else if (field === 3) draft.maxReplicas = cursor.signed();
    else if (field === 1) {
      const target = { ...draft.target };
      cursor.fields(part => {
        if (part === 1) target.kind = cursor.shared(strings);
        else if (part === 2) target.name = cursor.text();
        else if (part === 3) target.apiVersion = cursor.shared(strings);
      });
      draft.target = target;
    }
  },
  status: unread,
};

const budget: Layout<Draft<DisruptionBudgetFacts>> = {
  begin: () => ({
    kind: 'PodDisruptionBudget',
    selector: undefined,
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  }),
  spec: (draft, field, cursor, pool) => {
    if (field === 2) draft.selector = readLabelSelector(cursor, pool);
  },
  status: (draft, field, cursor) => {
    if (field === 3) draft.disruptionsAllowed = cursor.signed();
    else if (field === 4) draft.currentHealthy = cursor.signed();
    else if (field === 5) draft.desiredHealthy = cursor.signed();
    else if (field === 6) draft.expectedPods = cursor.signed();
  },
};

function readPlainConditions(
  { conditions }: Draft<CrdFacts | ApiServiceFacts>,
  field: number,
  cursor: Cursor,
  pool: Pool,
): void {
  if (field === 1) conditions.push(readCondition(cursor, pool, plainCondition));
}

const attachment: Layout<Draft<VolumeAttachmentFacts>> = {
  begin: () => ({ kind: 'VolumeAttachment', volumeName: '' }),
  spec: (draft, field, cursor) => {
    if (field !== 2) return;
    cursor.fields(source => {
      if (source === 1) draft.volumeName = cursor.text();
    });
  },
  status: () => {},
};

export const layoutReaders = {
  Node: (pool: Pool): FactsReader => new LayoutReader(pool, node),
  Namespace: (pool: Pool): FactsReader => new LayoutReader(pool, namespace),
  PersistentVolumeClaim: (pool: Pool): FactsReader => new LayoutReader(pool, claim),
  PersistentVolume: (pool: Pool): FactsReader => new LayoutReader(pool, volume),
  CustomResourceDefinition: (pool: Pool): FactsReader => new LayoutReader(pool, definition),
  APIService: (pool: Pool): FactsReader => new LayoutReader(pool, apiService),
  Service: (pool: Pool): FactsReader => new LayoutReader(pool, service),
  EndpointSlice: (): FactsReader => new EndpointSliceReader(),
  Lease: (pool: Pool): FactsReader => new LayoutReader(pool, lease),
  HorizontalPodAutoscaler: (pool: Pool): FactsReader => new LayoutReader(pool, autoscaler),
  PodDisruptionBudget: (pool: Pool): FactsReader => new LayoutReader(pool, budget),
  VolumeAttachment: (pool: Pool): FactsReader => new LayoutReader(pool, attachment),
};
