/** Compares the deletions that warnings announce with those that followed. */
import type { KubeObject } from '../../../src/model/object.ts';

/** Sentences that leave something open, so that the numbers are bounds. */
const open =
  /^(?:Depends on timing|Gets stuck|Stuck with it|The deletion|Taken to be|Refused by|Not |Assumed|Admission)/u;

interface Told {
  readonly count: number;
  readonly names: readonly string[];
}

/** Reads `ConfigMaps a, b, 3 Pods and Secret c` and `12 objects`. */
function listIn(words: string): Told {
  const names: string[] = [];
  let count = 0;
  for (const part of words.split(/, | and /u)) {
    const [, number] = /^([\d,]+) /u.exec(part) ?? [];
    const name = part.split(' ').at(-1)?.split('/').at(-1);
    if (number !== undefined) count += Number(number.replaceAll(',', ''));
    else if (name !== undefined) {
      count += 1;
      names.push(name);
    }
  }
  return { count, names };
}

function toldIn(warnings: readonly string[], head: RegExp): Told {
  const lists = warnings.flatMap(line => {
    const [found] = head.exec(line) ?? [];
    return found === undefined ? [] : [listIn(line.slice(found.length))];
  });
  return {
    count: lists.reduce((sum, { count }) => sum + count, 0),
    names: lists.flatMap(({ names }) => names),
  };
}

/** `isCertain`: the warnings leave nothing open. */
export function contradictionOf(
  target: KubeObject,
  warnings: readonly string[],
  before: readonly KubeObject[],
  after: readonly KubeObject[],
): { readonly isCertain: boolean; readonly because?: string } {
  const left = new Set(after.map(({ uid }) => uid));
  const lost = before.filter(
    ({ uid, deletionTimestamp }) => uid !== target.uid && deletionTimestamp === undefined && !left.has(uid),
  );
  const told = toldIn(warnings, /^Also deleted: /u);
  const isCertain = !warnings.some(line => open.test(line));
  const names = lost.map(({ name }) => name).sort();
  const title = `deleted are ${lost.length}: ${names.join(', ')}; told are ${told.count}`;
  if (!isCertain) return { isCertain };
  if (told.count !== lost.length) return { isCertain, because: title };
  const unknown = told.names.filter(name => !names.includes(name));
  return unknown.length > 0
    ? { isCertain, because: `${title}, among them ${unknown.join(', ')}` }
    : { isCertain };
}
