/**
 * Makes the file of an export in slices between which input is looked at, writes it, and tells where it is. One at a
 * time: a second press while the first file is being made begins anew.
 */
import { sanitise } from '../../text/terminal/sanitise.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';
import { exportSteps } from './export.ts';
import type { Cancel, Ports } from './ports.ts';

/** How long an export may keep input waiting. */
const SLICE_MS = 6;
/** Steps between two looks at the clock. */
const STEPS = 50;

type Notice = Extract<Message, { type: 'notice' }>;

export class ExportRunner {
  readonly #ports: Pick<Ports, 'now' | 'soon' | 'save'>;
  readonly #tell: (notice: Notice) => void;
  #working: Cancel | undefined;

  constructor(ports: Pick<Ports, 'now' | 'soon' | 'save'>, tell: (notice: Notice) => void) {
    this.#ports = ports;
    this.#tell = tell;
  }

  stop(): void {
    this.#working?.();
    this.#working = undefined;
  }

  /** Writes down this state, as it was when the key was pressed. */
  export(state: State): void {
    this.stop();
    const steps = exportSteps(state);
    const work = (): void => {
      this.#working = undefined;
      const until = this.#ports.now() + SLICE_MS;
      do {
        for (let i = 0; i < STEPS; i++) {
          const step = steps.next();
          if (step.done === true) {
            void this.#save(step.value);
            return;
          }
        }
      } while (this.#ports.now() < until);
      this.#working = this.#ports.soon(work);
    };
    this.#working = this.#ports.soon(work);
  }

  async #save({ name, text, size }: { name: string; text: string; size: string }): Promise<void> {
    const saved = await this.#ports.save(name, text);
    const said = 'file' in saved ? `Wrote ${size} to ${saved.file} in ${saved.folder}` : saved.failure;
    this.#tell({ type: 'notice', text: sanitise(said), style: 'file' in saved ? 'info' : 'danger' });
  }
}
