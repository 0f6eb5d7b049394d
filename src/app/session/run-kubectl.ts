/** Lends the terminal to one kubectl at a time, and summarises the changes afterwards. */
import { counted, record, text, type Uid } from '../../model/index.ts';
import { type Source, SourceError } from '../../source/index.ts';
import type { Ports } from '../background/ports.ts';
import { containersOf } from '../kubectl/containers.ts';
import type { ContainerWish, KubectlCall, KubectlEnd } from '../state/kubectl-call.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';

export interface KubectlRunnerOptions {
  readonly ports: Pick<Ports, 'kubectl'>;
  readonly getState: () => State;
  readonly shown: () => { readonly source: Source; readonly context: string | undefined } | undefined;
  readonly dispatch: (message: Message) => void;
  readonly describe: (error: unknown) => string;
}

export class KubectlRunner {
  readonly #options: KubectlRunnerOptions;
  #isAway = false;

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

  /** Sends a pod's containers, or a notice on failure. */
  async askContainers(uid: Uid, wish: ContainerWish): Promise<void> {
    const { shown, getState, dispatch, describe } = this.#options;
    const { source } = shown() ?? {};
    const pod = getState().cluster?.node(uid)?.object;
    if (source === undefined || pod === undefined) return;
    try {
      const json = await source.get(pod.type, pod.namespace, pod.name);
      if (json === undefined) throw new SourceError('The pod does not exist any more.');
      if (text(record(json['metadata'])['uid']) !== uid)
        throw new SourceError('The pod was deleted, and another one has its name now.');
      dispatch({ type: 'containers', uid, wish, containers: containersOf(json) });
    } catch (error) {
      dispatch({ type: 'containers', uid, wish, failure: describe(error) });
    }
  }
}

function entries({ cluster }: State): number {
  let sum = 0;
  for (const count of cluster?.activity?.counts().values() ?? []) sum += count;
  return sum;
}

function wordsOf(
  { verb }: KubectlCall,
  end: KubectlEnd,
  came: number,
): { readonly text: string; readonly style: 'info' | 'warning' | 'danger' } {
  if ('failure' in end) return { text: `kubectl ${verb} did not start: ${end.failure}`, style: 'danger' };
  const { code, signal } = end;
  const how = signal === null ? `ended with exit code ${code ?? 0}` : `was ended by ${signal}`;
  const isWell = code === 0;
  const what = isWell ? `Back from kubectl ${verb}.` : `kubectl ${verb} ${how}.`;
  const news = came === 0 ? '' : ` Meanwhile: ${counted(came, 'entry', 'entries')} in 4 Activity.`;
  return { text: `${what}${news}`, style: isWell ? 'info' : 'warning' };
}
