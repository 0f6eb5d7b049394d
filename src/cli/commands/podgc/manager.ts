/** Whether kube-controller-manager runs and since when, for `podgc`: asked where something waits for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { managerLease } from '../../../source/manager-lease.ts';
import type { PodGcRun } from './run.ts';

type Asker = Pick<PodGcRun, 'session' | 'survey' | 'command'>;

// The lease is a help, and nobody waits long for it.
const PATIENCE_MILLISECONDS = 5_000;
/** Longer than a manager takes to renew its lease. */
const RENEWAL_MILLISECONDS = 3_000;

export class ManagerWatch {
  readonly #asker: Asker;
  #asking = false;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  /** For one answer. An old renewal is looked at twice: the manager's clock may only be behind. */
  async look(): Promise<void> {
    const { session, survey, command } = this.#asker;
    if (!survey.asksManager(this.#now())) return;
    await session.until(this.#ask());
    if (!survey.manager.isAway || survey.manager.holder === '') return;
    await session.until(command.io.pause(RENEWAL_MILLISECONDS));
    await session.until(this.#ask());
  }

  /** For a watch: asks again where it is time to, and waits for nothing. */
  poke(): void {
    if (this.#asking || !this.#asker.survey.asksManager(this.#now())) return;
    this.#asking = true;
    void this.#ask().finally(() => {
      this.#asking = false;
    });
  }

  async #ask(): Promise<void> {
    const { session, survey } = this.#asker;
    const patience = sleep(PATIENCE_MILLISECONDS, undefined, { ref: false });
    const lease = await Promise.race([managerLease(session.source, session.view.catalog), patience]);
    survey.learnManager(lease, this.#now());
  }

  #now(): number {
    return this.#asker.session.now();
  }
}
