/**
 * Entry point of what runs before the product itself: loads the product's scripts, and keeps their compiled code between
 * runs. Node's own cache keeps of a module what is compiled when it is loaded; what is kept here is also what has run,
 * which takes a fifth of a command's time to compile. It is code that runs as the user, so it lies where nobody else
 * can put anything.
 */
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { commandNames } from './cli/runtime/command.ts';
import { findPrivateFolder, makePrivateFolder } from './disk/private-folder.ts';
import { cacheFolder } from './disk/user-folders.ts';
import { restoreLibraryPath } from './library-path.ts';

declare const __BUILD__: string;

/** Each build has a folder of its own, and what is kept of older ones goes when a new one is run. */
const MOST_BUILDS = 4;
/** The first runs of a command add what they have compiled: one alone may have come to a quick end. */
const MOST_RUNS = 3;

type Exports = Readonly<Record<string, unknown>>;
type Body = (
  load: (name: string) => Exports,
  loadLater: (name: string) => Promise<Exports>,
  url: () => string,
  require: (name: string) => unknown,
) => Exports;

/** V8's flags with their values. */
type Flags = Readonly<Record<string, number | boolean>>;

interface Tuned {
  readonly flags: Flags;
  /** Their values without tuning: kept code is compiled with these. */
  readonly untuned: Flags;
}

/**
 * Buffers of the network only die when the young generation is collected. Kept small, it costs a cluster of 20,000 pods
 * 140 MB instead of 245 MB, and no more processor time. Its maximum cannot be set any more once Node runs, its growth
 * can. So small, one thread collects it: others would have it wait for them, for 7 % of the processor time.
 */
const smallYoung: Tuned = {
  flags: { 'semi-space-growth-factor': 1, 'parallel-scavenge': false },
  untuned: { 'semi-space-growth-factor': 2, 'parallel-scavenge': true },
};

/** On a single processor what V8 does beside the main thread holds that up: it does it itself, in steps of a millisecond. */
const alone: Tuned = {
  flags: { ...smallYoung.flags, 'concurrent-marking': false, 'concurrent-sweeping': false },
  untuned: { ...smallYoung.untuned, 'concurrent-marking': true, 'concurrent-sweeping': true },
};

function whileReading(): Tuned {
  return availableParallelism() === 1 ? alone : smallYoung;
}

/** Calls before optimised code is optimised again, by version of V8; `node --v8-options` prints it before other flags change it. */
const callsUntilTurbofan: Readonly<Record<string, number>> = {
  '12.4': 3_000,
  '13.6': 10_000,
  '14.6': 16_000,
};

/**
 * While much is read: the optimiser runs beside it, and takes a processor that the API server may be in want of. Of 20,000
 * pods with their facts all but what is called for each field is read before optimised code would pay: left to that, they
 * take 0.85 of the processor time. Of 150,000, optimised code reads the most.
 */
function forMuch(version: string): Tuned {
  const turbofan = callsUntilTurbofanIn(version);
  const { flags, untuned } = whileReading();
  if (turbofan === undefined) return { flags, untuned };
  return {
    flags: { ...flags, 'invocation-count-for-turbofan': 400_000 },
    untuned: { ...untuned, 'invocation-count-for-turbofan': turbofan },
  };
}

/**
 * Optimising what has run so many times takes memory and the other processor: of a question about one object 12 of
 * 97 MB, and more processor time than it saves. With these numbers it is left to what goes on for long: the forecast of
 * a namespace takes no longer, where without any optimising it takes 1.8 times as long. Nor is the heap marked in advance,
 * which never fills up: another 8 % of the processor time.
 */
function forLittle(version: string): Tuned | undefined {
  const turbofan = callsUntilTurbofanIn(version);
  if (turbofan === undefined) return undefined;
  return {
    flags: {
      'incremental-marking': false,
      'invocation-count-for-maglev': 12_000,
      'invocation-count-for-maglev-osr': 3_000,
      'invocation-count-for-turbofan': 90_000,
    },
    untuned: {
      'incremental-marking': true,
      'invocation-count-for-maglev': 400,
      'invocation-count-for-maglev-osr': 100,
      'invocation-count-for-turbofan': turbofan,
    },
  };
}

function callsUntilTurbofanIn(version: string): number | undefined {
  return callsUntilTurbofan[version.split('.', 2).join('.')];
}

/**
 * V8 takes no code from a cache that was made under other flags, of Node's own modules neither, and compiles it instead:
 * 8 % of a command about one object. So they are set when what is about to be read is known, and set back for scripts.
 */
class Tuning {
  #current: Tuned | undefined;

  expect(next: Tuned | undefined): void {
    if (this.#current !== undefined) setFlags(this.#current.untuned);
    this.#current = next;
    if (next !== undefined) setFlags(next.flags);
  }

  untuned<T>(use: () => T): T {
    if (this.#current === undefined) return use();
    setFlags(this.#current.untuned);
    try {
      return use();
    } finally {
      setFlags(this.#current.flags);
    }
  }
}

function setFlags(flags: Flags): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const [flag, value] of Object.entries(flags))
    setFlagsFromString(typeof value === 'number' ? `--${flag}=${value}` : `--${value ? '' : 'no-'}${flag}`);
}

const tuning = new Tuning();
const expectations = {
  much: () => forMuch(process.versions.v8),
  // After much.
  'no-more': whileReading,
  little: () => forLittle(process.versions.v8),
};
for (const [what, tuned] of Object.entries(expectations))
  Reflect.set(process, Symbol.for(`kubectl-gc-tree.expect-${what}`), () => tuning.expect(tuned()));

/** The script that is needed now isn't there any more. */
class Replaced extends Error {
  // The screen goes by it (ui/open-screen.tsx), which isn't made of the same modules as this.
  override readonly name = 'Replaced';

  constructor(options: ErrorOptions) {
    super('its files were replaced while it ran, perhaps by an upgrade. Start it again.', options);
  }
}

/** Runs the entry point of this name, whose starter has this URL. Resolves when it has ended. */
export async function run(starter: string, entry: string): Promise<void> {
  restoreLibraryPath(process.env);
  const scripts = new Scripts(path.dirname(fileURLToPath(starter)), new Kept(entry));
  await scripts.load(`chunks/${entry}.js`)['ended'];
}

class Scripts {
  readonly #folder: string;
  readonly #kept: Kept;
  readonly #loaded = new Map<string, Exports>();

  constructor(folder: string, kept: Kept) {
    this.#folder = folder;
    this.#kept = kept;
  }

  readonly load = (name: string): Exports => {
    let exports = this.#loaded.get(name);
    if (exports === undefined) {
      const file = path.join(this.#folder, name);
      const url = (): string => pathToFileURL(file).href;
      const body = this.#kept.compile(name, file).runInThisContext() as Body;
      exports = body(this.load, this.loadLater, url, requireBuiltin);
      this.#loaded.set(name, exports);
    }
    return exports;
  };

  readonly loadLater = async (name: string): Promise<Exports> => this.load(name);
}

function requireBuiltin(name: string): unknown {
  const found = process.getBuiltinModule(name);
  if (found === undefined) throw new Error(`${name} is no module of Node`);
  return found;
}

interface Header {
  readonly runs: number;
  /** Names of scripts, and how many bytes there are of each, in the order in which they lie in the file. */
  readonly scripts: readonly (readonly [string, number])[];
}

/** A hundred names have a few thousand. */
const MOST_HEADER_BYTES = 1024 * 1024;

/** Compiled code of one command, in one file. */
class Kept {
  readonly #file: string | undefined;
  /** The place of each script's code in the file. */
  readonly #places = new Map<string, { readonly at: number; readonly size: number }>();
  #opened: number | undefined;
  #room = Buffer.alloc(0);
  readonly #compiled = new Map<string, Script>();
  #isNew = true;

  constructor(entry: string) {
    this.#file = fileOf(entry);
    if (this.#file === undefined) return;
    const runs = this.#open(this.#file);
    this.#isNew = runs === 0;
    process.once('exit', () => {
      if (this.#isNew || runs < MOST_RUNS) this.#write(runs + 1);
    });
  }

  compile(name: string, filename: string): Script {
    const cachedData = this.#codeOf(name, size => this.#roomFor(size));
    const source = sourceOf(filename);
    const options = { filename, ...(cachedData !== undefined && { cachedData }) };
    const script = tuning.untuned(() => new Script(source, options));
    if (cachedData === undefined || script.cachedDataRejected === true) this.#isNew = true;
    this.#compiled.set(name, script);
    return script;
  }

  /** V8 has made its own of the code before when the next is read. */
  #roomFor(size: number): Buffer {
    if (this.#room.length < size) this.#room = Buffer.allocUnsafeSlow(size);
    return this.#room.subarray(0, size);
  }

  /** Read one by one: all at once would stay in memory. */
  #codeOf(
    name: string,
    roomFor = (size: number): Buffer => Buffer.allocUnsafeSlow(size),
  ): Buffer | undefined {
    const place = this.#places.get(name);
    if (place === undefined || this.#opened === undefined) return undefined;
    const code = roomFor(place.size);
    return readSync(this.#opened, code, 0, place.size, place.at) === place.size ? code : undefined;
  }

  /** How many runs it is from; 0 where there is nothing that is whole. */
  #open(file: string): number {
    try {
      const opened = openSync(file, 'r');
      const first = Buffer.alloc(4);
      readSync(opened, first);
      const text = Buffer.alloc(Math.min(first.readUInt32LE(0), MOST_HEADER_BYTES));
      readSync(opened, text, 0, text.length, first.length);
      const { runs, scripts } = JSON.parse(text.toString('latin1')) as Header;
      let at = first.length + text.length;
      for (const [name, size] of scripts) {
        this.#places.set(name, { at, size });
        at += size;
      }
      if (fstatSync(opened).size !== at) return 0;
      this.#opened = opened;
      return runs;
    } catch {
      return 0;
    }
  }

  #write(runs: number): void {
    if (this.#file === undefined) return;
    try {
      const codes = new Map<string, Buffer>();
      // Another run will load the scripts that this one didn't.
      for (const name of this.#places.keys()) {
        const code = this.#compiled.has(name) ? undefined : this.#codeOf(name);
        if (code !== undefined) codes.set(name, code);
      }
      // On Windows nothing is put in the place of a file that is open.
      if (this.#opened !== undefined) closeSync(this.#opened);
      tuning.untuned(() => {
        for (const [name, script] of this.#compiled) codes.set(name, script.createCachedData());
      });
      const header: Header = { runs, scripts: [...codes].map(([name, { length }]) => [name, length]) };
      const text = JSON.stringify(header);
      const first = Buffer.alloc(4);
      first.writeUInt32LE(text.length);
      const parts = [first, Buffer.from(text, 'latin1'), ...codes.values()];
      const temporary = `${this.#file}.${process.pid}`;
      writeFileSync(temporary, Buffer.concat(parts), { mode: 0o600, flush: true });
      renameSync(temporary, this.#file);
    } catch {
      // Full, or gone meanwhile: the next run compiles anew.
    }
  }
}

function sourceOf(script: string): string {
  try {
    // Scripts are ASCII, which takes no decoding.
    return readFileSync(script, 'latin1');
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ENOENT'
      ? new Replaced({ cause: error })
      : error;
  }
}

/** Without a place that is the user's alone nothing is kept, and nothing else changes. Node's variables hold here too. */
function fileOf(entry: string): string | undefined {
  const { env, versions, arch } = process;
  if (env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return undefined;
  try {
    const own = env['NODE_COMPILE_CACHE'];
    const builds = path.join(
      own === undefined ? cacheFolder(env) : path.resolve(own, 'kubectl-gc-tree'),
      'compile',
    );
    const folder = path.join(builds, __BUILD__);
    const known: readonly string[] = [...commandNames, '__complete'];
    const command = process.argv.slice(2).find(word => known.includes(word)) ?? 'screen';
    const name = `${versions.v8}-${arch}-${entry === 'main' ? command : entry}`;
    return path.join(findPrivateFolder(folder) ?? begin(builds, folder), name);
  } catch {
    // Not private, full, or read-only: the product runs without.
    return undefined;
  }
}

function begin(builds: string, folder: string): string {
  const made = makePrivateFolder(folder);
  const others = readdirSync(builds)
    .map(name => path.join(builds, name))
    .filter(each => each !== folder)
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of others.slice(MOST_BUILDS - 1)) rmSync(old, { recursive: true, force: true });
  return made;
}
