/** Keeps the Pulse view's rows: facts about the whole cluster, then its namespaces. Mutable, like `ClusterModel`. */
import type { Finding, FindingCode } from '../../diagnosis/index.ts';
import type { ClusterView } from '../../graph/index.ts';
import type { KubeObject } from '../../model/index.ts';
import { includesAll } from '../search/node-index.ts';
import { type Group, type GroupedRow, GroupedRows } from './grouped-rows.ts';
import type { NamespaceSummary } from './namespace-counts.ts';
import type { PodGc } from './podgc-rows.ts';
import type { Problems } from './problems.ts';

export type PulseHead = 'cluster' | 'namespaces';

export type PulseItem =
  /** An unreachable webhook or API service. */
  | { readonly of: 'finding'; readonly finding: Finding }
  /** Pods that PodGC deletes; `first`: one that is due first. */
  | { readonly of: 'podgc'; readonly due: number; readonly first: KubeObject }
  | { readonly of: 'unseen'; readonly kinds: number }
  | { readonly of: 'namespace'; readonly summary: NamespaceSummary };

export type PulseRow = GroupedRow<PulseHead, PulseItem>;

const unreachable: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'AdmissionWebhookUnreachable',
  'ApiServiceUnreachable',
  'ConversionWebhookUnreachable',
]);

interface Cluster {
  readonly view: ClusterView;
  readonly problems: Problems | undefined;
  readonly podGc: PodGc | undefined;
  objectCounts(): readonly [clusterScoped: NamespaceSummary, namespaces: NamespaceSummary[]];
}

export class Pulse {
  readonly rows: GroupedRows<PulseHead, PulseItem>;
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.rows = new GroupedRows({ groups: terms => this.#groups(terms), keyOf });
  }

  #groups(terms: readonly string[]): readonly Group<PulseHead, PulseItem>[] {
    const shown = (items: readonly PulseItem[]): readonly PulseItem[] =>
      terms.length === 0 ? items : items.filter(item => includesAll(searchLine(item), terms));
    const asItem = (summary: NamespaceSummary): PulseItem => ({ of: 'namespace', summary });
    const since = ({ deletion = Number.MAX_VALUE }: NamespaceSummary): number => deletion;
    const [clusterScoped, namespaces] = this.#cluster.objectCounts();
    const ofCluster = [...this.#ofCluster(), ...(clusterScoped.ending > 0 ? [asItem(clusterScoped)] : [])];
    // Namespaces of equal age, or without a deletion, stay in order by name.
    const items = namespaces.sort((a, b) => since(a) - since(b)).map(asItem);
    return [
      { id: 'cluster', head: 'cluster', folded: false, items: shown(ofCluster) },
      { id: 'namespaces', head: 'namespaces', folded: false, items: shown(items) },
    ];
  }

  #ofCluster(): readonly PulseItem[] {
    const { problems, podGc, view } = this.#cluster;
    const items = (problems?.everywhere(unreachable) ?? []).map(
      (finding): PulseItem => ({ of: 'finding', finding }),
    );
    const first = podGc?.nextToCome();
    if (podGc !== undefined && first !== undefined) {
      const { due, elsewhere } = podGc.counts();
      items.push({ of: 'podgc', due: due + elsewhere, first });
    }
    const { length: kinds } = view.blindSpots();
    if (kinds > 0) items.push({ of: 'unseen', kinds });
    return items;
  }
}

function keyOf(item: PulseItem): string {
  switch (item.of) {
    case 'finding':
      return `${item.finding.code}/${item.finding.object.uid}`;
    case 'podgc':
    case 'unseen':
      return item.of;
    case 'namespace':
      return `namespace ${item.summary.name}`;
  }
}

function searchLine(item: PulseItem): string {
  switch (item.of) {
    case 'finding':
      return `${item.finding.object.kind} ${item.finding.object.name} ${item.finding.brief}`.toLowerCase();
    case 'podgc':
      return 'podgc';
    case 'unseen':
      return 'unseen kinds';
    case 'namespace':
      return item.summary.name || 'cluster-scoped';
  }
}
