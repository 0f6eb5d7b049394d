/** The types that files imply: built-in ones, those of CustomResourceDefinitions, and undefined kinds of objects. */
import {
  type CrdFacts,
  getOrInsert,
  joinApiVersion,
  parseApiVersion,
  ResourceType,
  TypeCatalog,
  wordForms,
} from '../../model/index.ts';
import { builtInTypes } from '../built-in-types.ts';

/** Views of other kinds, mostly under their uids, without watch or delete: of metrics-server, OLM and OpenShift. */
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

/** A stable version: a server that has it has all its kinds. */
const STABLE = /^v\d+$/u;

function kindKey(group: string, kind: string): string {
  return `${group}/${kind}`;
}

/** In references, kinds may contain slashes, groups never. */
function splitKey(key: string): { group: string; kind: string } {
  const slash = key.indexOf('/');
  return { group: key.slice(0, slash), kind: key.slice(slash + 1) };
}

/** Sorts kinds with capitals, the usual spelling, first. */
function capitalFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export class FileTypes {
  /** The preferred, watched version of each built-in kind. */
  readonly #builtIn = new Map<string, ResourceType>();
  readonly #builtInVersions = new Set<string>();
  /** `apps/v1`. */
  readonly #builtInGroups = new Set<string>();
  readonly #carried = new Map<string, Carried>();
  readonly #referred = new Map<string, Carried>();
  /** The preferred type and served versions of each kind that isn't built in. */
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

  /** Notes the kind of an object. Returns its type if built in, in any version; else it is known after all files. */
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

  /** Notes the kind of an owner. The cluster may have served it, unless a built-in group and version lacks it. */
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

  settle(definitions: readonly CrdFacts[]): void {
    const extra: ResourceType[] = [];
    for (const definition of definitions) extra.push(...this.#defined(definition));
    for (const [key, carried] of this.#carried) extra.push(...this.#carriedOnly(key, carried));
    extra.push(...this.#referredOnly(new TypeCatalog([...builtInTypes, ...extra])));
    this.#catalog = undefined;
    this.#extra = extra.sort(
      (a, b) =>
        (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) ||
        ResourceType.compareVersions(a.version, b.version),
    );
  }

  get all(): readonly ResourceType[] {
    return [...builtInTypes, ...this.#extra];
  }

  /** Resolves a reference as the collector does, even in an unserved version. Call it after `settle`. */
  resolveReference(apiVersion: string, kind: string): ResourceType | undefined {
    this.#catalog ??= new TypeCatalog(this.all);
    return this.#catalog.resolveKind(apiVersion, kind) ?? this.resolve(apiVersion, kind);
  }

  /** Resolves a kind in its preferred version. Call it after `settle`. */
  resolve(apiVersion: string, kind: string): ResourceType | undefined {
    const { group } = parseApiVersion(apiVersion);
    return this.#builtInOf(group, kind) ?? this.#later.get(kindKey(group, kind));
  }

  #builtInOf(group: string, kind: string): ResourceType | undefined {
    const groups = group === 'extensions' ? ResourceType.successorsOfExtensions : [group];
    return groups.map(each => this.#builtIn.get(kindKey(each, kind))).find(each => each !== undefined);
  }

  /** Adds kinds a server may have, except other spellings of known kinds. */
  #referredOnly(known: TypeCatalog): ResourceType[] {
    const words = new Set<string>();
    for (const { group, kind, resource } of known.types)
      for (const word of [kind.toLowerCase(), resource]) words.add(kindKey(group, word));
    const found: ResourceType[] = [];
    for (const [key, { versions, namespaced }] of [...this.#referred].sort(capitalFirst)) {
      const { group, kind } = splitKey(key);
      const lower = kindKey(group, kind.toLowerCase());
      const isKnown = this.#builtIn.has(key) || this.#later.has(key);
      // A definition in the files lists all served versions.
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
    // Built-in kinds can't be redefined, and the first definition of a kind wins.
    if (this.#builtIn.has(key) || this.#later.has(key)) return [];
    if (facts.group === '' || facts.definedKind === '' || facts.plural === '') return [];
    const types = ResourceType.definedBy({
      ...facts,
      singular: facts.singular || facts.definedKind.toLowerCase(),
    });
    const [preferred] = types;
    if (preferred === undefined) return [];
    this.#later.set(key, preferred);
    this.#servedVersions.set(key, new Set(types.map(({ version }) => version)));
    return types;
  }

  /** Adds versions that only objects use, for known and unknown kinds. */
  #carriedOnly(key: string, { versions, namespaced }: Carried): ResourceType[] {
    const { group, kind } = splitKey(key);
    const known = this.#builtInOf(group, kind) ?? this.#later.get(key);
    const served = this.#servedVersions.get(key);
    const types = [...versions]
      .filter(version => served?.has(version) !== true)
      .sort(ResourceType.compareVersions)
      .map((version, index): ResourceType => {
        const own = { version, apiVersion: joinApiVersion(group, version) };
        if (known !== undefined) return { ...known, ...own, group, preferred: false };
        return {
          ...own,
          group,
          kind,
          resource: wordForms.plural(kind.toLowerCase()),
          singular: kind.toLowerCase(),
          shortNames: [],
          categories: [],
          namespaced,
          verbs: shown.has(key) ? ['get', 'list'] : ResourceType.allVerbs,
          preferred: index === 0,
        };
      });
    const [preferred] = types;
    if (known === undefined && preferred !== undefined) this.#later.set(key, preferred);
    return types;
  }
}
