/** What `check` says of a dump, and what it says of the parts of one that it doesn't say of the whole. */
import { linkSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FindingList } from '../../../../src/cli/documents/definitions.ts';
import { Random } from '../../../../src/simulation/runtime/random.ts';
import { command } from '../../../cli/console.ts';
import { folderOf } from '../reading.ts';
import { type Cut, cutDocuments, type Dump, randomCut } from './dump.ts';

export interface Alarm {
  readonly severity: 'error' | 'warning';
  readonly codes: readonly string[];
}

/** The objects with errors and warnings. */
export async function alarmsIn(folder: string): Promise<Map<string, Alarm>> {
  const { out, err, exitCode } = await command(`check -A -o json -f ${folder}`);
  const alarms = new Map<string, Alarm>();
  // What is left of a dump may be nothing.
  if (exitCode === 2 && /no manifests in this folder|the folder is empty/u.test(err)) return alarms;
  if (exitCode > 1) throw new Error(err);
  const { items } = JSON.parse(out) as FindingList;
  for (const { severity, code, object } of items) {
    if (severity === 'info') continue;
    const title = `${object.kind} ${object.namespace ?? ''}/${object.name}`;
    const { severity: known, codes = [] } = alarms.get(title) ?? {};
    alarms.set(title, { severity: known === 'error' ? known : severity, codes: [...codes, code] });
  }
  return alarms;
}

/** All that is said at a moment, in the order of its text, and as of when. */
export async function saidIn(folder: string, now: number): Promise<readonly string[]> {
  const { out, err, exitCode } = await command(`check -A -o json -f ${folder}`, { now: () => now });
  if (exitCode > 1) throw new Error(err);
  const { basis, items } = JSON.parse(out) as FindingList;
  return [`as of ${basis.takenAt}`, ...items.map(({ id, severity }) => `${severity} ${id}`).sort()];
}

/** What is said of one and not, or not as gravely, of the other. */
export function moreIn(found: ReadonlyMap<string, Alarm>, whole: ReadonlyMap<string, Alarm>): string[] {
  const added: string[] = [];
  for (const [object, { severity, codes }] of found) {
    const known = whole.get(object)?.severity;
    // Of several holds of one deletion another one may be told.
    if (known !== severity && known !== 'error')
      added.push(`${severity} ${codes.join(' ')} ${object}, not ${known ?? 'nothing'}`);
  }
  return added;
}

/** Writes what a cut leaves; files that it leaves whole are links to those of the folder. */
function writeCut(dump: Dump, folder: string, cut: Cut): string {
  const target = folderOf({});
  let newest = 0;
  for (const [file, documents] of dump) {
    const left = cutDocuments(documents, { cut, file });
    if (left?.length === 0) continue;
    const [from, to] = [path.join(folder, file), path.join(target, file)];
    mkdirSync(path.dirname(to), { recursive: true });
    if (left === undefined) linkSync(from, to);
    else {
      writeFileSync(to, left.map(each => JSON.stringify(each)).join('\n---\n'));
      newest = statSync(from).mtimeMs / 1000;
      utimesSync(to, newest, newest);
    }
  }
  return target;
}

/** What is said of cuts and not of the whole. */
export async function newAlarms(
  dump: Dump,
  folder: string,
  { cuts, seed }: { readonly cuts: number; readonly seed: number },
): Promise<{ readonly whole: ReadonlyMap<string, Alarm>; readonly added: readonly string[] }> {
  const random = new Random(seed);
  const whole = await alarmsIn(folder);
  const added: string[] = [];
  for (let i = 0; i < cuts; i++) {
    const cut = randomCut(dump, random);
    const target = writeCut(dump, folder, cut);
    added.push(...moreIn(await alarmsIn(target), whole).map(each => `${cut.what}: ${each}`));
    rmSync(target, { recursive: true });
  }
  return { whole, added };
}
