/**
 * The served types that files imply: the built-in ones, what CustomResourceDefinitions among them define, and
 * the kinds that objects carry though nothing defines them. The rules on unknown kinds live here.
 */
import type { CrdFacts } from '../../model/facts/facts.ts';
import { getOrInsert } from '../../model/maps.ts';
import {
  allVerbs,
  compareVersions,
  definedTypes,
  guessResource,
  joinApiVersion,
  parseApiVersion,
  type ResourceType,
  successorsOfExtensions,
} from '../../model/types/resource-type.ts';
import { TypeCatalog } from '../../model/types/type-catalog.ts';
import { builtInTypes } from '../built-in-types.ts';

/**
 * Kinds that show what another kind stores, mostly under its uid, and that nobody can watch or delete on their own: of
 * metrics-server, OLM and OpenShift's API servers.
 */
const shown: ReadonlySet<string> = new Set([
  'metrics.k8s.io/NodeMetrics',
  'metrics.k8s.io/PodMetrics',
  'packages.operators.coreos.com/PackageManifest',
  'image.openshift.io/ImageStreamImage',
  'image.openshift.io/ImageStreamTag',
  'image.openshift.io/ImageTag',
  'project.openshift.io/Project',
  'authorization.openshift.io/ClusterRole',
  'authorization.openshift.io/ClusterRoleBinding',
  'authorization.openshift.io/Role',
  'authorization.openshift.io/RoleBinding',
]);

interface Carried {
  readonly versions: Set<string>;
  namespaced: boolean;
}

/** A version that is changed no more: where a server has it, it has every kind that it ever had. */
const STABLE = /^v\d+$/u;

function kindKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}

/** Kinds may have slashes in references, groups never. */
function splitKey(key: string): { group: string; kind: string } {
  const slash = key.indexOf('/');
  return { group: key.slice(0, slash), kind: key.slice(slash + 1) };
}

/** Kinds with capitals, as kinds are written, before those without. */
function capitalFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export class FileTypes {
  /** Of each built-in kind the version that the API server prefers, which is the one that is watched. */
  readonly #builtIn = new Map<string, ResourceType>();
  readonly #builtInVersions = new Set<string>();
  /** `apps/v1`. */
  readonly #builtInGroups = new Set<string>();
  readonly #carried = new Map<string, Carried>();
  /** What owner references name, and no object or definition has. */
  readonly #referred = new Map<string, Carried>();
  /** Of each kind that isn't built in: its preferred type, and the versions that its definition serves. */
  readonly #later = new Map<string, ResourceType>();
  readonly #servedVersions = new Map<string, ReadonlySet<string>>();
  #extra: ResourceType[] = [];
  #catalog: TypeCatalog | undefined;

  constructor() {
    for (const type of builtInTypes) {
      const key = kindKey(type.group, type.kind);
      const known = this.#builtIn.get(key);
      if (known === undefined || (!known.preferred && type.preferred)) this.#builtIn.set(key, type);
      this.#builtInVersions.add(`${type.apiVersion}/${type.kind}`);
      this.#builtInGroups.add(type.apiVersion);
    }
  }

  /**
   * Notes that an object is of this kind. Its type where Kubernetes itself has the kind, in whatever version;
   * undefined where only the end of all files can tell.
   */
  carry(apiVersion: string, kind: string, hasNamespace: boolean): ResourceType | undefined {
    const { group, version } = parseApiVersion(apiVersion);
    const key = kindKey(group, kind);
    const builtIn = this.#builtInOf(group, kind);
    if (builtIn !== undefined && this.#builtInVersions.has(`${apiVersion}/${kind}`)) return builtIn;
    const carried = getOrInsert(this.#carried, key, () => ({ versions: new Set(), namespaced: false }));
    carried.versions.add(version);
    carried.namespaced ||= hasNamespace;
    return builtIn;
  }

  /**
   * Notes that an owner of this kind is named. The cluster may have served it though nothing in the files says so, unless
   * it is of a group and version that Kubernetes has without it.
   */
  refer(apiVersion: string, kind: string, byNamespaced: boolean): void {
    if (this.#builtInVersions.has(`${apiVersion}/${kind}`)) return;
    const { group, version } = parseApiVersion(apiVersion);
    if (kind === '' || version === '' || (this.#builtInGroups.has(apiVersion) && STABLE.test(version)))
      return;
    const referred = getOrInsert(this.#referred, kindKey(group, kind), () => ({
      versions: new Set(),
      namespaced: true,
    }));
    referred.versions.add(version);
    referred.namespaced &&= byNamespaced;
  }

  /** The end of all files: settles the kinds that aren't built in. */
  settle(definitions: readonly CrdFacts[]): void {
    const extra: ResourceType[] = [];
    for (const definition of definitions) extra.push(...this.#defined(definition));
    for (const [key, carried] of this.#carried) extra.push(...this.#carriedOnly(key, carried));
    extra.push(...this.#referredOnly(new TypeCatalog([...builtInTypes, ...extra])));
    this.#catalog = undefined;
    this.#extra = extra.sort(
      (a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) || compareVersions(a.version, b.version),
    );
  }

  /** Every type, the built-in ones first; complete after `settle`. */
  get all(): readonly ResourceType[] {
    return [...builtInTypes, ...this.#extra];
  }

  /** The type that a reference means, after `settle`, as the collector resolves it; of a version that isn't served too. */
  resolveReference(apiVersion: string, kind: string): ResourceType | undefined {
    this.#catalog ??= new TypeCatalog(this.all);
    return this.#catalog.resolveKind(apiVersion, kind) ?? this.resolve(apiVersion, kind);
  }

  /** The type of objects of a kind, after `settle`: in the preferred version, as it would be watched. */
  resolve(apiVersion: string, kind: string): ResourceType | undefined {
    const { group } = parseApiVersion(apiVersion);
    return this.#builtInOf(group, kind) ?? this.#later.get(kindKey(group, kind));
  }

  #builtInOf(group: string, kind: string): ResourceType | undefined {
    const groups = group === 'extensions' ? successorsOfExtensions : [group];
    return groups.map(each => this.#builtIn.get(kindKey(each, kind))).find(each => each !== undefined);
  }

  /**
   * Kinds that a server may have though nothing in the files says so: never those that the files know, which may be written
   * in another way, or wrongly.
   */
  #referredOnly(known: TypeCatalog): ResourceType[] {
    const words = new Set<string>();
    for (const { group, kind, resource } of known.types)
      for (const word of [kind.toLowerCase(), resource]) words.add(kindKey(group, word));
    const found: ResourceType[] = [];
    for (const [key, { versions, namespaced }] of [...this.#referred].sort(capitalFirst)) {
      const { group, kind } = splitKey(key);
      const lower = kindKey(group, kind.toLowerCase());
      const isKnown = this.#builtIn.has(key) || this.#later.has(key);
      // What a definition in the files serves is all there is of its kind.
      if (this.#servedVersions.has(key) || (!isKnown && words.has(lower))) continue;
      words.add(lower);
      const open = [...versions].filter(
        version => known.resolveKind(joinApiVersion(group, version), kind) === undefined,
      );
      const named = this.#carriedOnly(key, { versions: new Set(open), namespaced });
      found.push(...named.map(type => ({ ...type, referred: true as const })));
    }
    return found;
  }

  #defined(facts: CrdFacts): ResourceType[] {
    const key = kindKey(facts.group, facts.definedKind);
    // What Kubernetes serves itself cannot be redefined, and the first definition of a kind has it.
    if (this.#builtIn.has(key) || this.#later.has(key)) return [];
    if (facts.group === '' || facts.definedKind === '' || facts.plural === '') return [];
    const types = definedTypes({ ...facts, singular: facts.singular || facts.definedKind.toLowerCase() });
    const [preferred] = types;
    if (preferred === undefined) return [];
    this.#later.set(key, preferred);
    this.#servedVersions.set(key, new Set(types.map(({ version }) => version)));
    return types;
  }

  /** Versions that only objects carry: of a known kind beside its own, of an unknown one all there are. */
  #carriedOnly(key: string, { versions, namespaced }: Carried): ResourceType[] {
    const { group, kind } = splitKey(key);
    const known = this.#builtInOf(group, kind) ?? this.#later.get(key);
    const served = this.#servedVersions.get(key);
    const types = [...versions]
      .filter(version => served?.has(version) !== true)
      .sort(compareVersions)
      .map((version, index): ResourceType => {
        const own = { version, apiVersion: joinApiVersion(group, version) };
        if (known !== undefined) return { ...known, ...own, group, preferred: false };
        return {
          ...own,
          group,
          kind,
          resource: guessResource(kind),
          singular: kind.toLowerCase(),
          shortNames: [],
          categories: [],
          namespaced,
          verbs: shown.has(key) ? ['get', 'list'] : allVerbs,
          preferred: index === 0,
        };
      });
    const [preferred] = types;
    if (known === undefined && preferred !== undefined) this.#later.set(key, preferred);
    return types;
  }
}
