/** Ranks the trouble at and below each object. Rows are sorted by it, so it changes all at once. */
import { type Finding, findingCodes } from '../../../diagnosis/index.ts';
import type { GraphNode } from '../../../graph/index.ts';
import { getOrInsert, type Uid } from '../../../model/index.ts';
import type { Trouble } from '../problems.ts';
import { groupKeysOf } from './row-keys.ts';

/** The graph in scope, in which trouble rises to the roots. */
interface Shown {
  node(uid: Uid): GraphNode | undefined;
  owners(node: GraphNode): readonly GraphNode[];
  isRoot(node: GraphNode): boolean;
}

type Children = (node: GraphNode) => Iterable<GraphNode>;

/** Ranks errors before warnings, each in the order of the Problems view. */
function levelOf({ severity, code }: Finding): number {
  return (severity === 'error' ? 0 : findingCodes.length) + findingCodes.indexOf(code);
}

export const NO_TROUBLE = 2 * findingCodes.length;

export class TreeTrouble {
  #levels: ReadonlyMap<Uid, number> = new Map();
  #own: ReadonlyMap<Uid, number> = new Map();
  #groups: ReadonlyMap<string, Trouble> = new Map();
  #errors: ReadonlyMap<string, readonly Uid[]> = new Map();

  /** Returns the level of the worst finding at or below the object, the lowest being worst; undefined if none. */
  levelOf(uid: Uid): number | undefined {
    return this.#levels.get(uid);
  }

  in(group: string): Trouble | undefined {
    return this.#groups.get(group);
  }

  errorsIn(group: string): readonly Uid[] {
    return this.#errors.get(group) ?? [];
  }

  firstOfWorst(roots: Iterable<GraphNode>, children: Children): GraphNode | undefined {
    const worst = this.#own.values().reduce((least, level) => Math.min(least, level), NO_TROUBLE);
    const seen = new Set<GraphNode>();
    const below = (nodes: Iterable<GraphNode>): GraphNode | undefined => {
      for (const node of nodes) {
        if (this.#levels.get(node.uid) !== worst || seen.has(node)) continue;
        seen.add(node);
        const found = this.#own.get(node.uid) === worst ? node : below(children(node));
        if (found !== undefined) return found;
      }
      return undefined;
    };
    return below(roots);
  }

  /**
   * Replaces the worst finding of each troubled object; with `hold` only what groups count, so that rows keep their
   * places. Returns the uids whose level changed.
   */
  renew(found: Iterable<readonly [Uid, Finding]>, shown: Shown, hold = false): ReadonlySet<Uid> {
    const levels = new Map<Uid, number>();
    const own = new Map<Uid, number>();
    const groups = new Map<string, Trouble>();
    const errors = new Map<string, Uid[]>();
    for (const [uid, finding] of found) {
      const node = shown.node(uid);
      if (node === undefined) continue;
      const level = levelOf(finding);
      own.set(uid, level);
      const keys = new Set<string>();
      const seen = new Set([node]);
      for (const at of seen) {
        levels.set(at.uid, Math.min(level, levels.get(at.uid) ?? level));
        if (shown.isRoot(at)) for (const key of groupKeysOf(at)) keys.add(key);
        // Iterating a set includes owners added meanwhile.
        for (const owner of shown.owners(at)) seen.add(owner);
      }
      for (const key of keys) {
        count(groups, key, finding);
        if (finding.severity === 'error') getOrInsert(errors, key, () => []).push(uid);
      }
    }
    this.#groups = groups;
    this.#errors = errors;
    if (hold) return new Set();
    const before = this.#levels;
    this.#levels = levels;
    this.#own = own;
    const changed = new Set<Uid>();
    for (const [uid, level] of levels) if (before.get(uid) !== level) changed.add(uid);
    for (const uid of before.keys()) if (!levels.has(uid)) changed.add(uid);
    return changed;
  }
}

function count(groups: Map<string, Trouble>, key: string, { severity }: Finding): void {
  let trouble = groups.get(key);
  if (trouble === undefined) groups.set(key, (trouble = { errors: 0, warnings: 0 }));
  if (severity === 'error') trouble.errors += 1;
  else trouble.warnings += 1;
}
