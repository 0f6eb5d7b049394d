/** Lends the terminal to one kubectl at a time and summarises the changes afterwards, or shows a kubectl's output. */
import { counted, record, showHidden, text, type Uid } from '../../model/index.ts';
import { type Source, SourceError } from '../../source/index.ts';
import type { Line } from '../../text/index.ts';
import type { Ports } from '../background/ports.ts';
import { containersOf } from '../kubectl/containers.ts';
import type { ContainerWish, KubectlCall, KubectlEnd } from '../state/kubectl-call.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';

export interface KubectlRunnerOptions {
  readonly ports: Pick<Ports, 'kubectl' | 'readKubectl' | 'after'>;
  readonly getState: () => State;
  readonly shown: () => { readonly source: Source; readonly context: string | undefined } | undefined;
  readonly dispatch: (message: Message) => void;
  readonly describe: (error: unknown) => string;
}

export class KubectlRunner {
  readonly #options: KubectlRunnerOptions;
  #isAway = false;
  #reading: AbortController | undefined;

  constructor(options: KubectlRunnerOptions) {
    this.#options = options;
  }

  async run(call: KubectlCall): Promise<void> {
    const { ports, shown, getState, dispatch } = this.#options;
    const { source, context: asked } = shown() ?? {};
    if (source === undefined || this.#isAway) return;
    this.#isAway = true;
    const before = entries(getState());
    const { server, info } = source;
    const end = await ports.kubectl(call, { asked, context: info.context, server });
    this.#isAway = false;
    const came = Math.max(0, entries(getState()) - before);
    dispatch({ type: 'notice', ...wordsOf(call, end, came) });
  }

  /** Shows kubectl's output until the user closes the dialog of this title. */
  async read(call: KubectlCall, title: string): Promise<void> {
    const { ports, shown, getState, dispatch } = this.#options;
    const { source, context: asked } = shown() ?? {};
    if (source === undefined) return;
    this.stopReading();
    const reading = new AbortController();
    this.#reading = reading;
    const printed: Line[] = [];
    let isWaiting = false;
    let isCut = false;
    const printing = call.terminal === 'stream' ? 'stream' : 'pages';
    const show = (): void => {
      isWaiting = false;
      if (this.#reading !== reading) return;
      const { dialog } = getState();
      if (dialog?.kind !== 'text' || dialog.title !== title) reading.abort();
      if (!reading.signal.aborted) dispatch({ type: 'document', title, lines: [...printed], printing });
    };
    const take = (line: string): void => {
      if (printed.length >= MOST_LINES) {
        if (call.terminal === 'stream') printed.shift();
        else {
          isCut = true;
          reading.abort();
          return;
        }
      }
      printed.push([{ text: showHidden(line), style: 'plain' }]);
      if (isWaiting) return;
      isWaiting = true;
      // Wrapping the lines again takes longer the more there are.
      ports.after(Math.max(SHOW_MS, printed.length / LINES_PER_MS), show);
    };
    const { server, info } = source;
    const opened = { asked, context: info.context, server };
    const end = await ports.readKubectl(call, opened, { take, signal: reading.signal });
    if (this.#reading !== reading) return;
    this.#reading = undefined;
    const ending = isCut ? CUT : endLines(call, end, printed.length);
    dispatch({ type: 'document', title, lines: [...printed, ...ending] });
  }

  stopReading(): void {
    this.#reading?.abort();
    this.#reading = undefined;
  }

  /** Sends a pod's containers, or a notice on failure. */
  async askContainers(uid: Uid, wish: ContainerWish): Promise<void> {
    const { shown, getState, dispatch, describe } = this.#options;
    const { source } = shown() ?? {};
    const pod = getState().cluster?.node(uid)?.object;
    if (source === undefined || pod === undefined) return;
    try {
      const json = await source.get(pod.type, pod.namespace, pod.name);
      if (json === undefined) throw new SourceError('The pod no longer exists.');
      if (text(record(json['metadata'])['uid']) !== uid)
        throw new SourceError('The pod was deleted, and another one has its name now.');
      dispatch({ type: 'containers', uid, wish, containers: containersOf(json) });
    } catch (error) {
      dispatch({ type: 'containers', uid, wish, failure: describe(error) });
    }
  }
}

/** More would take seconds to wrap. */
const MOST_LINES = 20_000;
const SHOW_MS = 50;
const LINES_PER_MS = 20;
const CUT: readonly Line[] = [[{ text: `Only the first ${MOST_LINES} lines are shown.`, style: 'warning' }]];

function endLines(call: KubectlCall, end: KubectlEnd, count: number): readonly Line[] {
  const isWell = 'code' in end && end.code === 0;
  if (!isWell) return [[{ text: endWords(call, end), style: 'danger' }]];
  return count === 0 ? [[{ text: 'It printed nothing.', style: 'muted' }]] : [];
}

function entries({ cluster }: State): number {
  let sum = 0;
  for (const count of cluster?.activity?.counts().values() ?? []) sum += count;
  return sum;
}

function wordsOf(
  call: KubectlCall,
  end: KubectlEnd,
  came: number,
): { readonly text: string; readonly style: 'info' | 'warning' | 'danger' } {
  if ('failure' in end) return { text: endWords(call, end), style: 'danger' };
  const isWell = end.code === 0;
  const what = isWell ? `Back from kubectl ${call.verb}.` : endWords(call, end);
  const news = came === 0 ? '' : ` Meanwhile: ${counted(came, 'entry', 'entries')} in 4 Activity.`;
  return { text: `${what}${news}`, style: isWell ? 'info' : 'warning' };
}

function endWords({ verb }: KubectlCall, end: KubectlEnd): string {
  if ('failure' in end) return `kubectl ${verb} did not start: ${end.failure}`;
  const { code, signal } = end;
  return `kubectl ${verb} ${signal === null ? `ended with exit code ${code ?? 0}` : `was ended by ${signal}`}.`;
}
