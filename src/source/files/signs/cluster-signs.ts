/** Detects the server's version, and files of two clusters, which would look like one with everything recreated. */
import path from 'node:path';
import {
  getOrInsert,
  isoTime,
  type JsonRecord,
  list,
  objectTitle,
  prose,
  ResourceType,
  record,
  text,
  time,
} from '../../../model/index.ts';
import { SourceError } from '../../source.ts';
import type { ListRead } from '../coverage.ts';
import type { Input } from '../inputs.ts';

/** Namespaces that can't be deleted, so their uids identify the cluster. */
const immortal: ReadonlySet<string> = new Set(['kube-system', 'default', 'kube-public']);

/** Milliseconds an object may predate its cluster, if a clock was wrong at set-up. */
const SETTING_UP_MS = 24 * 60 * 60_000;

interface Place {
  readonly input: Input;
  readonly list: ListRead | undefined;
}

interface Sign {
  readonly input: Input;
  readonly value: string;
}

interface Creation {
  readonly at: number;
  readonly title: string;
  readonly input: Input;
}

interface NodeSet {
  readonly place: Place;
  readonly uids: Set<string>;
  readonly names: Set<string>;
  controlPlane: boolean;
}

export class ClusterSigns {
  readonly #uids = new Map<string, Sign[]>();
  readonly #versions: Sign[] = [];
  readonly #nodes = new Map<unknown, NodeSet>();
  /** From kubelets, which are never newer than their API server. */
  #kubelet: string | undefined;
  #operator: string | undefined;
  /** The earliest immortal namespace, created when the API server first starts. */
  #founded: Creation | undefined;
  #oldest: Creation | undefined;

  /** Reads v1 Namespace and Node, config.openshift.io/v1 ClusterOperator and ClusterVersion. */
  note(type: ResourceType, json: JsonRecord, place: Place): void {
    const { group, kind } = type;
    const { name, namespace, uid } = record(json['metadata']);
    const title = text(name);
    const isCore = group === '';
    const isOpenShift = group === 'config.openshift.io';
    this.#noteCreation(type, json, place);
    // The API server creates it, and users have no reason to delete it.
    if (isCore && kind === 'Service' && title === 'kubernetes' && text(namespace) === 'default')
      this.#noteUid('Service default/kubernetes', text(uid), place.input);
    if (isCore && kind === 'Namespace' && immortal.has(title))
      this.#noteUid(`Namespace ${title}`, text(uid), place.input);
    if (isOpenShift && kind === 'ClusterVersion')
      this.#noteUid('ClusterVersion', text(record(json['spec'])['clusterID']), place.input);
    if (isCore && kind === 'Node') this.#noteNode(json, place);
    if (!isOpenShift || kind !== 'ClusterOperator' || title !== 'kube-apiserver') return;
    const versions = list(record(json['status'])['versions']).map(record);
    const served = text(versions.find(each => each['name'] === 'kube-apiserver')?.['version']);
    if (served !== '') this.#operator = `v${served.replace(/^v/u, '')}`;
  }

  noteVersion(version: string, input: Input): void {
    this.#versions.push({ input, value: version });
  }

  /** `v1.30.4`: the server's own word, or at least its nodes' version. */
  get serverVersion(): string | undefined {
    return this.#said ?? this.#kubelet;
  }

  get serverVersionFrom(): 'files' | 'nodes' {
    return this.#said === undefined ? 'nodes' : 'files';
  }

  get #said(): string | undefined {
    return this.#versions[0]?.value ?? this.#operator;
  }

  /** Throws a `SourceError` if the files are of two clusters, judging by identifying uids. */
  requireOne(identifies: (uid: string) => boolean): void {
    let known = false;
    for (const [what, signs] of this.#uids) {
      const [first, ...others] = signs.filter(({ value }) => identifies(value));
      const other = others.find(({ value }) => value !== first?.value);
      if (first !== undefined && other !== undefined)
        throw twoClusters([first.input, other.input], `${what} has another uid in each`);
      known ||= others.length > 0;
    }
    const [version, ...versions] = this.#versions;
    const newer = versions.find(({ value }) => value !== version?.value);
    if (version !== undefined && newer !== undefined)
      throw twoClusters(
        [version.input, newer.input],
        `their servers are ${prose(version.value)} and ${prose(newer.value)}`,
      );
    if (!known) this.#requireOneSetOfNodes(identifies);
    this.#requireOneAge();
  }

  /** The API server sets creation dates itself. */
  #requireOneAge(): void {
    const [founded, oldest] = [this.#founded, this.#oldest];
    if (founded === undefined || oldest === undefined || founded.at - oldest.at <= SETTING_UP_MS) return;
    const dateOf = ({ at }: Creation): string => isoTime(at).slice(0, 10);
    throw twoClusters(
      [oldest.input, founded.input],
      `${oldest.title} was created on ${dateOf(oldest)}, before ${founded.title} on ${dateOf(founded)}`,
    );
  }

  #requireOneSetOfNodes(identifies: (uid: string) => boolean): void {
    const sets = [...this.#nodes.values()].map(set => ({
      ...set,
      uids: new Set([...set.uids].filter(identifies)),
    }));
    for (const [index, a] of sets.entries()) {
      for (const b of sets.slice(index + 1))
        if (areOfTwo(a, b)) throw twoClusters([a.place.input, b.place.input], 'they have no node in common');
    }
  }

  #noteCreation(type: ResourceType, json: JsonRecord, { input }: Place): void {
    const metadata = record(json['metadata']);
    const at = time(metadata['creationTimestamp']);
    // Tools date manifests too, and aggregated APIs their objects.
    if (at === undefined || text(metadata['uid']) === '' || !ResourceType.isMonitored(type)) return;
    const { group, kind } = type;
    const [namespace, name] = [text(metadata['namespace']), text(metadata['name'])];
    const earlier = (known: Creation | undefined): Creation =>
      known !== undefined && known.at <= at
        ? known
        : { at, title: objectTitle({ kind, namespace, name }), input };
    this.#oldest = earlier(this.#oldest);
    if (group === '' && kind === 'Namespace' && immortal.has(name)) this.#founded = earlier(this.#founded);
  }

  #noteUid(what: string, value: string, input: Input): void {
    if (value === '') return;
    const signs = getOrInsert(this.#uids, what, () => []);
    if (!signs.some(each => each.value === value && each.input === input)) signs.push({ input, value });
  }

  #noteNode(json: JsonRecord, place: Place): void {
    const { name, uid, labels } = record(json['metadata']);
    const { input } = place;
    const key = place.list ?? (input.found ? path.dirname(input.name) : input);
    const set = getOrInsert(this.#nodes, key, () => ({
      place,
      uids: new Set<string>(),
      names: new Set<string>(),
      controlPlane: false,
    }));
    if (text(uid) !== '') set.uids.add(text(uid));
    set.names.add(text(name));
    set.controlPlane ||= ['control-plane', 'master'].some(
      role => `node-role.kubernetes.io/${role}` in record(labels),
    );
    const version = text(record(record(json['status'])['nodeInfo'])['kubeletVersion']);
    if (version !== '' && isNewer(version, this.#kubelet)) this.#kubelet = version;
  }
}

/** Checks that no node is in both, though names may be, or both are complete lists. */
function areOfTwo(a: NodeSet, b: NodeSet): boolean {
  if (a.uids.size === 0 || b.uids.size === 0 || !a.uids.isDisjointFrom(b.uids)) return false;
  if (!a.names.isDisjointFrom(b.names)) return true;
  // The lists may be limited to a role or to names.
  return isWhole(a) && isWhole(b) && a.controlPlane === b.controlPlane;
}

function isWhole({ place }: NodeSet): boolean {
  return place.list?.complete === true;
}

function isNewer(version: string, than: string | undefined): boolean {
  const numbers = (each = ''): number[] => (each.match(/\d+/gu) ?? []).slice(0, 3).map(Number);
  const [a, b] = [numbers(version), numbers(than)];
  for (const [index, each] of a.entries()) if (each !== (b[index] ?? -1)) return each > (b[index] ?? -1);
  return false;
}

function twoClusters([a, b]: readonly [Input, Input], why: string): SourceError {
  const which =
    a === b ? `${a.name} holds objects of two clusters` : `${a.name} and ${b.name} are of two clusters`;
  return new SourceError(`${which}: ${why}. Give the files of one.`);
}

/** Reads a server's version, plain or wrapped by kubectl or a support bundle; undefined for anything else. */
export function versionIn(value: unknown): string | undefined {
  const { gitVersion, major, serverVersion, info } = record(value);
  const wrapped = [serverVersion, info].map(each => text(record(each)['gitVersion']));
  const own = typeof major === 'string' ? text(gitVersion) : '';
  return [own, ...wrapped].find(each => /^v\d+\.\d+/u.test(each));
}
