/**
 * Runs exec plugins as client-go does; client-node leaves stdin open (prompts hang) and sets no KUBERNETES_EXEC_INFO.
 */
import { type PersonsTerminal, SourceError } from '../../../source/index.ts';
import { keepSecret, plainText } from '../../config/known-credentials.ts';
import type { LoginCredential, LoginTurn } from '../login-attempt.ts';
import { readAnswer, secretsIn } from './exec-credential.ts';
import { findProgram, type PluginContext, pluginEnvironment } from './find-plugin.ts';
import { PluginOutput } from './plugin-output.ts';
import { type PluginEnd, runPlugin } from './run-plugin.ts';

export interface ExecPluginOptions {
  readonly terminal?: PersonsTerminal | undefined;
  /** Receives the plugin's other output, line by line. */
  readonly notice?: ((line: string) => void) | undefined;
}

export interface PluginMemory {
  /** The last time it got no answer on a borrowed terminal. */
  askedInVain?: number | undefined;
}

export interface PluginRunOptions extends PluginContext, ExecPluginOptions {
  readonly memory: PluginMemory;
  readonly turn: LoginTurn;
}

/** The screen isn't interrupted repeatedly for a user who doesn't answer. */
const ASK_AGAIN_MS = 5 * 60_000;

export function pluginName({ exec, connection }: PluginContext): string {
  return `the exec plugin ${exec.command} of user "${connection.user.name}"`;
}

/**
 * Runs the plugin (client-go `refreshCredsLocked` and `isInteractive`, v0.36). Errors never quote its secret stdout.
 */
export async function runExecPlugin(login: PluginRunOptions): Promise<LoginCredential> {
  const stdout = await new PluginLogin(login).run();
  return readAnswer(stdout, login.exec, pluginName(login));
}

class PluginLogin {
  readonly #login: PluginRunOptions;
  readonly #name: string;
  readonly #program: string;

  constructor(login: PluginRunOptions) {
    this.#login = login;
    this.#name = pluginName(login);
    this.#program = this.#findProgram();
  }

  async run(): Promise<string> {
    const { terminal } = this.#login;
    switch (this.#login.exec.interactiveMode) {
      case 'Never':
        return this.#alone();
      case 'Always':
        return this.#onTerminal();
      default:
        if (terminal === undefined) return this.#alone();
        return terminal.isFree ? this.#onTerminal() : this.#aloneFirst();
    }
  }

  /** The screen stays while the plugin works without the user. */
  async #aloneFirst(): Promise<string> {
    try {
      return await this.#alone();
    } catch (error) {
      if (!(error instanceof PluginFailed) || !this.#mayAsk()) throw error;
      return this.#onTerminal();
    }
  }

  async #alone(): Promise<string> {
    const { terminal, notice = () => {} } = this.#login;
    const words = new PluginOutput({
      terminal,
      notice,
      heading: `kubectl gc-tree: ${this.#name} says:`,
      personAsked: this.#login.turn.personAsked,
    });
    try {
      return await this.#start(false, words.hear);
    } finally {
      words.end();
    }
  }

  async #onTerminal(): Promise<string> {
    const { terminal } = this.#login;
    if (terminal === undefined)
      throw new SourceError(
        `${this.#name} has to ask on the terminal, and standard input is none; log in with kubectl first.`,
      );
    if (terminal.isFree) return this.#ask(terminal, '');
    if (!this.#mayAsk())
      throw new SourceError(
        `${this.#name} has asked on the terminal and got no answer; choose the context again to be asked again.`,
      );
    return this.#ask(terminal, `kubectl gc-tree: ${this.#name} has the terminal.\n\n`);
  }

  #ask(terminal: PersonsTerminal, heading: string): Promise<string> {
    const { memory } = this.#login;
    const loan = terminal.lend(async write => {
      this.#login.turn.personAsked();
      write(heading);
      memory.askedInVain = heading === '' ? undefined : Date.now();
      const answer = await this.#start(true, () => {});
      memory.askedInVain = undefined;
      return answer;
    });
    if (loan === undefined)
      throw new SourceError(
        `${this.#name} has to ask on the terminal, where a question waits for its answer; answer that first.`,
      );
    return loan;
  }

  #mayAsk(): boolean {
    const { askedInVain } = this.#login.memory;
    return askedInVain === undefined || Date.now() - askedInVain >= ASK_AGAIN_MS;
  }

  async #start(onTerminal: boolean, talk: (text: string) => void): Promise<string> {
    const { exec, terminal, turn } = this.#login;
    const { signal } = turn;
    const env = await pluginEnvironment(this.#login, onTerminal, signal);
    const end = await runPlugin({
      program: this.#program,
      name: exec.command,
      args: exec.args,
      env,
      onTerminal,
      // A plugin could open the terminal by its name, under the screen that is drawn there.
      apart: !onTerminal && terminal !== undefined && !terminal.isFree,
      signal,
      talk,
    }).catch((error: unknown) => {
      throw error === signal.reason ? error : this.#notStarted(error as NodeJS.ErrnoException);
    });
    keepSecret(secretsIn(end.stdout));
    if (end.code !== 0) throw new PluginFailed(endSentence(end, this.#name));
    return end.stdout;
  }

  #findProgram(): string {
    const found = findProgram(this.#login);
    if ('file' in found) return found.file;
    if ('refused' in found) throw new SourceError(`${this.#name} ${found.refused}`);
    if (found.missing === 'everywhere') throw this.#notFound();
    throw new SourceError(
      `${this.#name} was found in a relative folder of the PATH alone, from which nothing is run; use its absolute path.`,
    );
  }

  #notStarted(error: NodeJS.ErrnoException): SourceError {
    if (error.code === 'ENOENT') return this.#notFound();
    const reason = error.code === 'EACCES' ? 'it is not executable' : (error.code ?? error.message);
    return new SourceError(`cannot run ${this.#name}: ${reason}.`);
  }

  #notFound(): SourceError {
    const hint = plainText(this.#login.exec.installHint) || 'install it or put it on the PATH.';
    return new SourceError(`${this.#name} was not found: ${hint}`);
  }
}

class PluginFailed extends SourceError {}

function endSentence({ code, signal, stderr }: PluginEnd, name: string): string {
  const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
  const why = plainText(stderr);
  return `${name} ${how}${why === '' ? '.' : `: ${why}`}`;
}
