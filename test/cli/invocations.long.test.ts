/**
 * Whatever somebody types: random invocations, made from the definitions of commands and flags, on scenarios and on
 * files of every kind. `GC_TREE_INVOCATIONS=5000` is the whole of it, and takes minutes; `GC_TREE_SEED` chooses others.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { Executable, type Executed, type Fifo } from './fuzz/executable.ts';
import { type Invocation, invocations, onUnreadFiles, type SignalName } from './fuzz/invocation.ts';
import { faultOf, mayBeOthers, type Outcome } from './fuzz/judge.ts';
import { writeOddFiles } from './fuzz/odd-files.ts';
import { Workers } from './fuzz/workers.ts';

const HOW_MANY = Number(process.env['GC_TREE_INVOCATIONS'] ?? 150);
/** Starting a process takes longer than what most of them do. */
const EXECUTED = Math.ceil(HOW_MANY / 20);
const UNREAD = Math.ceil(HOW_MANY / 3);
const SEED = Number(process.env['GC_TREE_SEED'] ?? 13);

const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-invocations-'));
writeOddFiles(folder);
const workers = new Workers(folder);
afterAll(async () => {
  await workers.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs them, and says what became of each. */
type Runner<I extends Invocation> = (
  invocations: readonly I[],
  told: (invocation: I, outcome: Outcome) => void,
) => Promise<void>;

/** The shortest command line found that fails in the same way. */
async function shrunk<I extends Invocation>(invocation: I, fault: string, run: Runner<I>): Promise<I> {
  const kind = fault.slice(0, 12);
  let least = invocation;
  for (let at = 0; at < least.argv.length; ) {
    const smaller = { ...least, argv: least.argv.toSpliced(at, 1) };
    let found: string | undefined;
    await run([smaller], (_, outcome) => {
      found = faultOf(smaller, outcome);
    });
    if (found?.startsWith(kind) === true) least = smaller;
    else at += 1;
  }
  return least;
}

/** How often each exit code came, and a document; fails with what is wrong. */
async function heldTo<I extends Invocation>(
  invocations: readonly I[],
  run: Runner<I>,
): Promise<{ readonly codes: ReadonlyMap<number, number>; readonly documents: number }> {
  const faults: { readonly invocation: I; readonly fault: string }[] = [];
  const doubtful: typeof faults = [];
  const codes = new Map<number, number>();
  let documents = 0;
  // What takes longest goes first, and the others while it waits.
  const ordered = invocations.toSorted((a, b) => (b.signal?.after ?? 0) - (a.signal?.after ?? 0));
  await run(ordered, (invocation, outcome) => {
    codes.set(outcome.exitCode, (codes.get(outcome.exitCode) ?? 0) + 1);
    if (/^(?:\{\n {2}"|)apiVersion"?: /u.test(outcome.out)) documents += 1;
    const fault = faultOf(invocation, outcome);
    if (fault !== undefined) (mayBeOthers(fault) ? doubtful : faults).push({ invocation, fault });
  });
  for (const { invocation, fault } of doubtful)
    await run([invocation], (_, outcome) => {
      const again = faultOf(invocation, outcome);
      if (again !== undefined)
        faults.push({ invocation, fault: again === fault ? fault : `${again} (${fault})` });
    });
  const told: string[] = [];
  for (const [index, { invocation, fault }] of faults.entries()) {
    const least = index < MOST_SHRUNK ? await shrunk(invocation, fault, run) : invocation;
    told.push(`${JSON.stringify(least)}\n  ${fault}`);
  }
  if (invocations.length > 200)
    console.info(
      `${invocations.length} invocations: exit codes ${JSON.stringify(Object.fromEntries(codes))}, ${documents} documents, ${faults.length} faults, ${doubtful.length} tried again alone`,
    );
  expect([...told, ...workers.strays].join('\n\n')).toBe('');
  return { codes, documents };
}

const MOST_SHRUNK = 5;

test(
  `${HOW_MANY} random invocations end with a code that says how, in time, and with valid documents`,
  async () => {
    const all = fc.sample(invocations, { seed: SEED, numRuns: HOW_MANY });
    const { codes, documents } = await heldTo(all, (some, told) => workers.run(some, told));
    // Otherwise it would be tried how nothing is refused, or how everything is.
    expect(codes.get(0) ?? 0).toBeGreaterThan(HOW_MANY / 5);
    expect(codes.get(2) ?? 0).toBeGreaterThan(HOW_MANY / 5);
    expect(documents).toBeGreaterThan(HOW_MANY / 30);
  },
  Math.max(60_000, HOW_MANY * 200),
);

test(
  `${UNREAD} on files that kubectl refuses, or that cannot all be read, pass none of them over`,
  async () => {
    const all = fc.sample(onUnreadFiles, { seed: SEED, numRuns: UNREAD });
    const { codes } = await heldTo(all, (some, told) => workers.run(some, told));
    expect(codes.get(0) ?? 0).toBeGreaterThan(0);
    expect(codes.get(2) ?? 0).toBeGreaterThan(UNREAD / 4);
  },
  Math.max(180_000, UNREAD * 1_000),
);

test.skipIf(process.platform === 'win32')(
  `so do ${EXECUTED} through the product as it is built, on pipes, FIFOs and with real signals`,
  async () => {
    const executable = await Executable.build(folder);
    const all = fc.sample(executed, { seed: SEED + 1, numRuns: EXECUTED });
    await heldTo(all, (some, told) => executable.run(some, told));
  },
  Math.max(60_000, EXECUTED * 2_000),
);

function isSource(word: string | undefined): boolean {
  return word === '--demo' || word === '-f';
}

/** A FIFO that stays silent is only left by a signal. */
const executed: fc.Arbitrary<Executed> = invocations.chain(invocation =>
  fc.constantFrom<Fifo>('none', 'none', 'none', 'none', 'none', 'closed', 'silent').chain(fifo =>
    fc.constantFrom<SignalName>('SIGINT', 'SIGTERM').map(name => ({
      ...invocation,
      // What the operating system hands over.
      argv: invocation.argv
        .filter((word, at) => fifo === 'none' || !(isSource(word) || isSource(invocation.argv[at - 1])))
        .map(word => word.replaceAll('\0', '').toWellFormed()),
      terminal: false,
      fifo,
      signal: fifo === 'silent' ? { name, after: 1_000 } : invocation.signal,
    })),
  ),
);
