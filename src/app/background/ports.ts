/** Everything a session needs from outside; tests pass their own clock and scheduler. */
import type { Journal } from '../../actions/index.ts';
import type { Opened, Source, SourceKind } from '../../source/index.ts';
import type { KubectlCall, KubectlEnd } from '../state/kubectl-call.ts';

export type Cancel = () => void;

/** Absolute path, for copying, or the reason for none. */
export type Saved = { readonly path: string } | { readonly failure: string };

export interface Copied {
  /** Start of a sentence; undefined if no clipboard can be reached. */
  readonly how: string | undefined;
}

export interface Ports {
  /** Opens a context's source, by default the command line's; rejects with a SourceError. */
  open(context: string | undefined): Promise<Source>;
  contexts(): Promise<readonly string[]>;
  now(): number;
  /** Returns the bytes available for objects before Node ends the program. */
  heapLimit(): number;
  after(milliseconds: number, run: () => void): Cancel;
  soon(run: () => void): Cancel;
  journal(kind: SourceKind): Promise<Journal>;
  /** Never rejects. */
  copy(text: string): Promise<Copied>;
  /** Writes to the current folder without overwriting; never rejects. */
  save(name: string, text: string): Promise<Saved>;
  /** Begins to record the screen as an asciicast, or ends it and returns its text. */
  cast(): Promise<string | undefined>;
  /** Lends the terminal to kubectl until that ends; never rejects. */
  kubectl(call: KubectlCall, opened: Opened): Promise<KubectlEnd>;
  /** Runs kubectl while the screen stays open, and passes on each line that it prints until `signal` ends it; never rejects. */
  readKubectl(
    call: KubectlCall,
    opened: Opened,
    printed: { readonly take: (line: string) => void; readonly signal: AbortSignal },
  ): Promise<KubectlEnd>;
  /** Stops the program until its shell continues it; returns the reason if it can't. */
  suspend(): string | undefined;
  redraw(): void;
  quit(code: number, error: string | undefined): void;
}
