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
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { privateFolder } from '../../src/disk/private-folder.ts';
import { userFolders } from '../../src/disk/user-folders.ts';
import { restoreLibraryPath } from './library-path.ts';

declare const __BUILD__: string;
/** The names of the commands: each has compiled code of its own. */
declare const __COMMANDS__: readonly string[];

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
  const kept = new KeptCode(entry);
  const scripts = new Scripts(path.dirname(fileURLToPath(starter)), kept);
  const { ended, enableTuning } = scripts.load(`chunks/${entry}.js`) as unknown as EntryPoint;
  if (enableTuning !== undefined) kept.withUsualFlags = enableTuning();
  await ended;
}

interface EntryPoint {
  readonly ended: Promise<void>;
  /** That of `src/platform/v8-flags.ts`. */
  readonly enableTuning?: () => <T>(work: () => T) => T;
}

class Scripts {
  readonly #folder: string;
  readonly #kept: KeptCode;
  readonly #loaded = new Map<string, Exports>();

  constructor(folder: string, kept: KeptCode) {
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
class KeptCode {
  /** Calls a function under the flags of V8 that kept code is compiled with. */
  withUsualFlags: <T>(work: () => T) => T = work => work();
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
    const script = this.withUsualFlags(() => new Script(source, options));
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
      this.withUsualFlags(() => {
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
      own === undefined ? userFolders.cache(env) : path.resolve(own, 'kubectl-gc-tree'),
      'compile',
    );
    const folder = path.join(builds, __BUILD__);
    const command = process.argv.slice(2).find(word => __COMMANDS__.includes(word)) ?? 'screen';
    const name = `${versions.v8}-${arch}-${entry === 'main' ? command : entry}`;
    return path.join(privateFolder.find(folder) ?? begin(builds, folder), name);
  } catch {
    // Not private, full, or read-only: the product runs without.
    return undefined;
  }
}

function begin(builds: string, folder: string): string {
  const made = privateFolder.make(folder);
  const others = readdirSync(builds)
    .map(name => path.join(builds, name))
    .filter(each => each !== folder)
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of others.slice(MOST_BUILDS - 1)) rmSync(old, { recursive: true, force: true });
  return made;
}
