/** Gathers an action's progress for one document, however it ends. */
import {
  type Ended,
  type Examination,
  Intent,
  type Prepared,
  type Reversal,
} from '../../../actions/index.ts';
import { requestWords } from '../../../forecast/index.ts';
import { identityOfObject } from '../../../graph/index.ts';
import { shellLine } from '../../../model/index.ts';
import { actionOfIntent, actionResultDocument } from '../../documents/actions/action-result.ts';
import { journalRequests } from '../../documents/actions/journal-document.ts';
import type { ActionExit, ActionResult, ConfirmationAnswer, Plan } from '../../documents/definitions.ts';
import { planDocument } from '../../documents/plan/plan-document.ts';
import { printDocument } from '../../documents/print/document.ts';
import { EXIT_WRONG, Interrupted } from '../../runtime/errors.ts';
import { isDocument } from '../../runtime/output-formats.ts';
import { sameSource } from '../../session/same-source.ts';
import { ActionRefused } from './action-failure.ts';
import type { ActionCommandContext } from './action-session.ts';

type Setting = Pick<ActionCommandContext, 'command' | 'acting' | 'options'>;

export class ActReport {
  readonly #setting: Setting;
  readonly #entries = new Set<string>();
  readonly #about: ActionResult['action'] | undefined;
  #prepared: Prepared | undefined;
  #plan: Plan | undefined;
  answer: ConfirmationAnswer = 'notAsked';
  examination: Examination | undefined;
  ended: Ended | undefined;
  reversal: Reversal | undefined;

  /** `about`: the request, if there is no forecast. */
  constructor(setting: Setting, about?: ActionResult['action']) {
    this.#setting = setting;
    this.#about = about;
  }

  /** Replaces the forecast while the view still matches it. */
  forecast(prepared: Prepared): void {
    // Unreadable tools, which are known later, don't make a new forecast.
    const before = this.#prepared?.forecast;
    if (prepared.forecast !== before && isDocument(this.#setting.options.format)) {
      // An equivalent forecast keeps the tools' effects of the previous one.
      const { logical = before?.logical } = prepared.forecast;
      const forecast = logical === undefined ? prepared.forecast : { ...prepared.forecast, logical };
      this.#plan = planDocument(this.#setting.acting.session.basis(), forecast);
    }
    this.#prepared = prepared;
  }

  sending(entry: string): void {
    this.#entries.add(entry);
  }

  async write(exit: ActionExit): Promise<void> {
    const { options, command } = this.#setting;
    if (isDocument(options.format))
      await command.output.write(printDocument(await this.#document(exit), options.format));
  }

  async #document(exit: ActionExit): Promise<ActionResult> {
    const { options, acting } = this.#setting;
    const prepared = this.#prepared;
    const { view } = acting.session;
    const { ended } = this;
    for (const entry of ended?.entries ?? []) this.#entries.add(entry);
    const action =
      prepared === undefined
        ? this.#about
        : actionOfIntent(prepared.intent, Intent.targets(prepared.intent).map(identityOfObject));
    if (action === undefined) throw new Error('an action that was not asked for');
    return actionResultDocument({
      basis: this.#setting.acting.session.basis(),
      action,
      dryRun: options.dryRun,
      plan: this.#plan,
      prepared,
      answer: this.answer,
      examination: this.examination,
      requests: await this.#requests(),
      ended,
      followed: options.wait,
      journal: this.#journal(),
      exit,
      pathOf: ({ apiVersion, kind, namespace, name }) => {
        const type = view.catalog.resolveKind(apiVersion, kind);
        return type === undefined ? undefined : requestWords.objectPath({ type, namespace, name });
      },
    });
  }

  /** Takes requests from the journal or, if nothing was sent, from the forecast. */
  async #requests(): Promise<ActionResult['requests']> {
    const found: ActionResult['requests'][number][] = [];
    for (const id of this.#entries) {
      // Unreadable entries were sent all the same: the document names the journal.
      const entry = await this.#setting.acting.journal.entry(id).catch(() => undefined);
      if (entry === undefined) continue;
      const requests = journalRequests(entry.intended.requests, entry.requests);
      found.push(...requests.map(request => ({ entry: id, ...request })));
    }
    return this.#entries.size > 0 ? found : journalRequests(this.#prepared?.requests ?? [], []);
  }

  #journal(): ActionResult['journal'] {
    const { command } = this.#setting;
    const { reversal } = this;
    const source = sameSource(command.flags, 'acts');
    const undo =
      reversal?.known === true
        ? reversal.entries.flatMap(
            entry => shellLine([{ words: ['kubectl', 'gc-tree', 'undo', entry, ...source] }]) ?? [],
          )
        : [];
    return { entries: [...this.#entries], undo, lost: reversal?.known === true ? reversal.lost : [] };
  }
}

export function exitOf(error: unknown): ActionExit {
  if (error instanceof Interrupted) return { code: error.exitCode, reason: 'Interrupted' };
  const message = error instanceof Error ? error.message : String(error);
  return { code: EXIT_WRONG, reason: error instanceof ActionRefused ? error.reason : 'Failed', message };
}
