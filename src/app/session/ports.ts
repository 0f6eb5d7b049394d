/** What a session needs of the outside, so that tests run it with a clock and a scheduler of their own. */
import type { Journal } from '../../actions/journal/journal.ts';
import type { Opened } from '../../source/kubectl-access.ts';
import type { Source, SourceKind } from '../../source/source.ts';
import type { KubectlCall, KubectlEnd } from '../kubectl/calls.ts';

/** Cancels what was scheduled. */
export type Cancel = () => void;

/** Where a file is now, by its name and its folder; or why there is none, as a sentence for people. */
/** The whole path of the file, so that it can be copied; or why there is none. */
export type Saved = { readonly path: string } | { readonly failure: string };

export interface Copied {
  /** How it went, as the beginning of a sentence; undefined where this terminal has no clipboard to be reached. */
  readonly how: string | undefined;
}

export interface Ports {
  /** Opens the source of a context, or the one that the command line asked for. Rejects with a SourceError. */
  open(context: string | undefined): Promise<Source>;
  contexts(): Promise<readonly string[]>;
  now(): number;
  /** Bytes that all objects of this program may take before it is ended. */
  heapLimit(): number;
  after(milliseconds: number, run: () => void): Cancel;
  /** Runs soon, but after input that is waiting. */
  soon(run: () => void): Cancel;
  /** Where actions on such a source are written down. */
  journal(kind: SourceKind): Promise<Journal>;
  /** Puts a text into the clipboard, as far as the terminal can. Doesn't reject. */
  copy(text: string): Promise<Copied>;
  /** Writes a text file to the current folder, and overwrites none. Doesn't reject. */
  save(name: string, text: string): Promise<Saved>;
  /** Hands the terminal to kubectl, on the cluster of what was opened, until it has ended. Doesn't reject. */
  kubectl(call: KubectlCall, opened: Opened): Promise<KubectlEnd>;
  /** Stops the program until its shell continues it. What it returns says why it cannot. */
  suspend(): string | undefined;
  redraw(): void;
  quit(code: number, error: string | undefined): void;
}
