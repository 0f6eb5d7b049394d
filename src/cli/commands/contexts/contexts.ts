/** `--contexts`: runs a command on each matching context, a few at a time. */
import { Writable } from 'node:stream';
import { counted, credentials, SimilarWord, showHidden, shownName } from '../../../model/index.ts';
import type { FailedContext } from '../../documents/context-list.ts';
import type { CommandContext, TargetCommand } from '../../runtime/command.ts';
import { Interrupted, UsageError } from '../../runtime/errors.ts';
import { type Flags, filesFlag, flagOf, sourceFlags } from '../../runtime/flags.ts';
import { Output, ReaderGone } from '../../runtime/output.ts';
import { folded, statusWords } from '../../runtime/say.ts';

/** Each cluster being read takes memory and connections. */
const AT_ONCE = 4;

/** Flags for one cluster, or for credentials that others mustn't receive. */
const ofOneCluster = [
  'context',
  'cluster',
  'user',
  'server',
  'token',
  'clientCertificate',
  'clientKey',
  'certificateAuthority',
  'tlsServerName',
  'insecureSkipTlsVerify',
] as const satisfies readonly (keyof Flags)[];

/** Throws a `UsageError` for flags that can't be combined with several contexts. */
function refuseFlags(flags: Flags): void {
  const files = filesFlag(flags);
  const instead = flags.demo !== undefined ? '--demo' : flags.replay !== undefined ? '--replay' : files;
  if (instead !== undefined)
    throw new UsageError(
      `--contexts is about clusters, and ${instead} names something else. Leave one of them out.`,
    );
  const one = ofOneCluster.find(name => flags[name] !== undefined);
  if (one !== undefined)
    throw new UsageError(`${flagOf(one)} names one cluster, and --contexts several. Omit one of them.`);
  if (flags.watch === true) throw new UsageError('several contexts are asked once: leave --watch out.');
}

/** Sorts by name. Rejects with a `UsageError` if a pattern matches none. */
async function chosenContexts(patterns: readonly string[], command: CommandContext): Promise<string[]> {
  const { flags, io, services } = command;
  const known = (await services.kubeconfigNames?.(sourceFlags(flags), io))?.contexts ?? [];
  const words = patterns
    .flatMap(each => each.split(','))
    .map(each => each.trim())
    .filter(each => each !== '');
  if (words.length === 0) throw new UsageError("--contexts needs a name or a pattern, such as 'prod-*'.");
  const chosen = new Set<string>();
  for (const word of words) {
    // Names may contain a star.
    const found = known.includes(word) ? [word] : known.filter(globOf(word));
    if (found.length === 0) throw new UsageError(noneSentence(word, known));
    for (const each of found) chosen.add(each);
  }
  return known.filter(each => chosen.has(each));
}

/** `*` matches any part of a name, `?` one character. */
function globOf(pattern: string): (name: string) => boolean {
  const source = pattern.replaceAll(/[\\^$.*+?()[\]{}|]/gu, each =>
    each === '*' ? '.*' : each === '?' ? '.' : `\\${each}`,
  );
  const expression = new RegExp(`^${source}$`, 'su');
  return name => expression.test(name);
}

function noneSentence(word: string, known: readonly string[]): string {
  if (known.length === 0) return '--contexts: the kubeconfig has no contexts.';
  const near = SimilarWord.closest(word, known);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map(shownName).join(', ')}?`
      : '`kubectl config get-contexts -o name` lists them.';
  return `--contexts: no context ${JSON.stringify(word)} in the kubeconfig. ${hint}`;
}

export type ContextAnswer<T> = { readonly context: string } & (
  | { readonly answer: T; readonly failure?: undefined }
  | { readonly failure: FailedContext; readonly answer?: undefined }
);

/**
 * Runs `ask` on each chosen context, in order; a failure only affects its own. Rejects with `Interrupted` at Ctrl-C,
 * and with a `UsageError` if nothing can be asked.
 */
export async function askContexts<T>(
  command: TargetCommand,
  patterns: readonly string[],
  ask: (command: TargetCommand, context: string) => Promise<T>,
): Promise<readonly ContextAnswer<T>[]> {
  refuseFlags(command.flags);
  const contexts = await chosenContexts(patterns, command);
  const progress = new Progress(command, contexts);
  const answers = new Map<string, ContextAnswer<T>>();
  const waiting = [...contexts];
  const worker = async (): Promise<void> => {
    for (let context = waiting.shift(); context !== undefined; context = waiting.shift()) {
      progress.begin(context);
      answers.set(context, await answerOf(command, context, ask));
      progress.end(context);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, contexts.length) }, worker));
  } finally {
    waiting.length = 0;
    progress.wipe();
  }
  return contexts.flatMap(context => answers.get(context) ?? []);
}

async function answerOf<T>(
  command: TargetCommand,
  context: string,
  ask: (command: TargetCommand, context: string) => Promise<T>,
): Promise<ContextAnswer<T>> {
  const { contexts: _all, ...flags } = command.flags;
  const io = contextIo(command, context);
  try {
    const answer = await ask({ ...command, io, flags: { ...flags, context } }, context);
    return { context, answer };
  } catch (error) {
    if (error instanceof Interrupted || error instanceof ReaderGone) throw error;
    const message = credentials
      .removed(error instanceof Error ? error.message || error.name : String(error))
      .split('\n')
      .map(line => showHidden(line).trim())
      .filter(line => line !== '')
      .slice(0, 2)
      .join(' ');
    io.stderr.write(`${message}\n`);
    return { context, failure: { context, message } };
  }
}

/** Prefixes lines on standard error with the context, and shares one progress line. */
function contextIo({ io }: TargetCommand, context: string): TargetCommand['io'] {
  const stderr = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      for (const line of String(chunk).split('\n'))
        if (line !== '') io.terminal.say(folded(io, `${shownName(context)}: ${line}`).replace(/\n$/u, ''));
      done();
    },
  });
  return { ...io, stderr, stderrIsTerminal: false };
}

/** One context's standard output, printed in its turn. */
export class Captured {
  readonly pieces: string[] = [];
  readonly output = new Output(
    new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        this.pieces.push(String(chunk));
        done();
      },
    }),
  );
}

class Progress {
  readonly #io: TargetCommand['io'];
  readonly #all: number;
  readonly #asked = new Set<string>();
  #over = 0;

  constructor({ io }: TargetCommand, contexts: readonly string[]) {
    this.#io = io;
    this.#all = contexts.length;
  }

  begin(context: string): void {
    this.#asked.add(context);
    this.#show();
  }

  end(context: string): void {
    this.#asked.delete(context);
    this.#over += 1;
    this.#show();
  }

  wipe(): void {
    this.#io.terminal.status('');
  }

  #show(): void {
    const asked = [...this.#asked].map(shownName).join(', ');
    const words = `${this.#over} of ${counted(this.#all, 'context')}${asked === '' ? '' : `: asking ${asked}`}`;
    this.#io.terminal.status(statusWords(this.#io, words));
  }
}
