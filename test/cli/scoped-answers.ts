/**
 * What a command tells of an object from its namespace and what is wanted beside, held against what it tells from
 * everything. Beside the sources, because simulated clusters and real ones are compared alike.
 */
import type { KubeObject } from '../../src/model/object.ts';

export interface Told {
  [key: string]: unknown;
}

/** `why` and then in turn what else there is for an object, as words of the command line. */
export const verbs = [
  'why',
  'tree',
  'plan delete',
  'plan delete --cascade=foreground',
  'plan delete --cascade=orphan',
  'why',
] as const;

/** The words that name an object for a command. */
export function wordsFor({ type, namespace, name }: KubeObject): string {
  return `${type.resource}.${type.version}.${type.group}/${name} -n ${namespace} -o json`;
}

/**
 * Objects connected by owner references of which one leads from one namespace into another, or out of all of them, or names
 * a cluster-scoped owner by a kind that isn't its own, so that only a list of everything finds it.
 */
export function crossing(objects: readonly KubeObject[]): ReadonlySet<string> {
  const byUid = new Map(objects.map(each => [each.uid as string, each]));
  const near = new Map<string, string[]>();
  const found = new Set<string>();
  const open: string[] = [];
  for (const { uid, owners, namespace } of objects) {
    for (const owner of owners) {
      near.set(uid, [...(near.get(uid) ?? []), owner.uid]);
      near.set(owner.uid, [...(near.get(owner.uid) ?? []), uid]);
      const there = byUid.get(owner.uid);
      if (there === undefined) continue;
      const leads = there.namespace === '' ? there.type.kind !== owner.kind : there.namespace !== namespace;
      if (leads) open.push(uid);
    }
  }
  for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
    if (found.has(uid)) continue;
    found.add(uid);
    open.push(...(near.get(uid) ?? []));
  }
  return found;
}

/** Of an answer: the document, or how the command failed. */
export function toldBy({ out, err, exitCode }: { out: string; err: string; exitCode: number }): Told {
  return /^[[{]/u.test(out) ? (JSON.parse(out) as Told) : { out, err, exitCode };
}

export interface Comparison {
  /** Where it knows less, it says so. */
  readonly hedged: boolean;
  /** What both have to tell alike. */
  readonly scoped: unknown;
  readonly whole: unknown;
}

/** Of the same moment. `namespace`: what was read; `left`: whose answers differ, because `crossing` has them. */
export function compareAnswers(
  scoped: Told,
  whole: Told,
  { namespace, left }: { readonly namespace: string; readonly left: ReadonlySet<string> },
): Comparison | 'same' {
  const [here, everywhere] = [scoped, whole].map(told => withoutElsewhere(told, namespace, left));
  if (JSON.stringify(here) === JSON.stringify(everywhere)) return 'same';
  const { value, hedged } = unhedged(here);
  const reachesOut = ELSEWHERE.test(JSON.stringify(here));
  const [near, far] = reachesOut
    ? [value, everywhere].map(each => within(each, namespace))
    : [value, everywhere];
  return { hedged: hedged || reachesOut, scoped: withoutDoubt(near), whole: withoutDoubt(far) };
}

/** What goes on anyway, elsewhere or because of nodes that no answer needs, is told by whoever reads it. */
function withoutElsewhere(document: Told, namespace: string, left: ReadonlySet<string>): Told {
  const { basis: _basis, steps: _steps, ...told } = document;
  for (const [key, list] of Object.entries(told)) {
    if (!Array.isArray(list)) continue;
    told[key] = list.filter(each => {
      if (typeof each === 'string') return !isElsewhere(each, namespace);
      if (each?.anyway !== true) return true;
      const { namespace: place, kind, uid } = each.object ?? {};
      return place === namespace && kind !== 'Pod' && !left.has(uid);
    });
  }
  return told;
}

/** A warning about the collector's work at large, or one that begins with an object of another namespace. */
function isElsewhere(line: string, namespace: string): boolean {
  const [, place = namespace] =
    /^\S+ ([^\s/]+)\/\S+ (?:and \d+ more )?is (?:assumed|taken) to /u.exec(line) ?? [];
  return line.includes('seems not to be running') || place !== namespace;
}

const HEDGE = /-A reads/;
/** What goes elsewhere with a cluster-scoped object only a read of everything can tell. */
const ELSEWHERE = /which only -A reads|owns in others is deleted with it/;

/** Leaves out of a document of a scope what it says of its limits, and says whether there was any such thing. */
function unhedged(value: unknown): { readonly value: unknown; readonly hedged: boolean } {
  const text = JSON.stringify(value);
  const doubts = /"certainty":"assumed"|no dependent that can be seen/.test(text);
  const plain = JSON.parse(text, (_key, each: unknown) =>
    Array.isArray(each) ? each.filter(line => typeof line !== 'string' || !HEDGE.test(line)) : each,
  ) as unknown;
  return { value: plain, hedged: doubts || HEDGE.test(text) };
}

/** What is told of objects of the namespace, without effects: they count what goes wherever it is. */
function within(value: unknown, namespace: string): unknown {
  return JSON.parse(JSON.stringify(value), (key, each: unknown) => {
    if (key === 'effect' || key === 'counts') return undefined;
    return Array.isArray(each)
      ? each.filter(({ object }) => object === undefined || object.namespace === namespace)
      : each;
  });
}

/** How sure something is, in whatever words. */
function withoutDoubt(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll('"certainty":"assumed"', '"certainty":"exact"')
      .replaceAll(', as far as can be seen', '')
      .replaceAll(' (assumed)', '')
      .replaceAll('no dependent that can be seen', 'no dependent')
      .replaceAll(/, unless an object of another namespace blocks it, which -A would show(?=\.)/g, ''),
  );
}
