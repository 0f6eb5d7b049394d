/** What `why` and `check` share: the diagnosis of a loaded session, and the forecasts that remedies rest on. */
import { doubtEvidence } from '../../diagnosis/engine/assumed.ts';
import { Diagnosis } from '../../diagnosis/engine/diagnosis.ts';
import type { Finding, OfferedRemedy } from '../../diagnosis/engine/finding.ts';
import type { Prospects } from '../../diagnosis/explain/prospect.ts';
import { withEffects } from '../../diagnosis/remedies/effects.ts';
import { createForecaster, type Forecaster } from '../../forecast/forecaster.ts';
import type { Forecast } from '../../forecast/plan/plan.ts';
import type { KubeObject } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import { UsageError } from '../runtime/errors.ts';
import type { ClusterSession } from './session.ts';

export function diagnose(session: ClusterSession): Diagnosis {
  return new Diagnosis(session.view, session.now());
}

/** For a remedy that the object gives no cause for, or none as long as something is only assumed to be absent. */
export function noSuchRemedy(diagnosis: Diagnosis, target: KubeObject, id: string): UsageError {
  const [assumed] = diagnosis.assumptionsOf(target.uid);
  const title = `${shownName(target.type.kind)} ${shownName(target.name)}`;
  if (assumed === undefined)
    return new UsageError(
      `${title} gives no cause for the remedy ${JSON.stringify(id)}. Leave --remedy out to see the remedies there are.`,
    );
  const [doubt = ''] = doubtEvidence([assumed], diagnosis.tracked.view);
  return new UsageError(
    `the remedy ${JSON.stringify(id)} isn't offered for ${title}: ${doubt}. Find out whether it is there before anything is changed.`,
  );
}

/**
 * Where hundreds of remedies are forecast, so many other orders of work are tried for each, in place of what a
 * forecast of its own gets: with them a list of 500 findings would take minutes, with these it takes seconds.
 */
const ORDERS_IN_LISTS = 4;

/** Forecasts on the view as it is, each made when it is asked for. The view must not change meanwhile. */
export class Outlook implements Prospects {
  readonly #diagnosis: Diagnosis;
  readonly #inList: boolean;
  #forecaster: Forecaster | undefined;
  #calm: Forecast | undefined;
  #restart: Forecast | undefined;

  /** `list`: for the remedies of many objects. */
  constructor(diagnosis: Diagnosis, asked: 'list' | 'few' = 'few') {
    this.#diagnosis = diagnosis;
    this.#inList = asked === 'list';
  }

  /** The remedies with what each would do. */
  withEffects(finding: Finding): readonly OfferedRemedy[] {
    return this.effectsOn(finding.object.uid, finding.remedies());
  }

  /** The same for remedies that were gathered before; `uid` is that of the object they are for. */
  effectsOn(uid: Finding['object']['uid'], remedies: readonly OfferedRemedy[]): readonly OfferedRemedy[] {
    const target = this.#diagnosis.tracked.node(uid)?.object;
    if (target === undefined || remedies.length === 0) return remedies;
    return withEffects(this.#forecasts(), target, remedies);
  }

  ifNobodyActs(): Forecast {
    this.#calm ??= this.#whole({ verb: 'none' });
    return this.#calm;
  }

  afterRestart(): Forecast {
    this.#restart ??= this.#whole({ verb: 'restart' });
    return this.#restart;
  }

  #whole(action: { readonly verb: 'none' | 'restart' }): Forecast {
    const { view, now } = this.#diagnosis.tracked;
    return createForecaster(view, { now }).forecast(action);
  }

  /** What happens elsewhere isn't shown, so it needn't be simulated each time. */
  #forecasts(): Forecaster {
    const { view, now } = this.#diagnosis.tracked;
    this.#forecaster ??= createForecaster(view, {
      now,
      scope: 'action',
      ...(this.#inList ? { mostOrders: ORDERS_IN_LISTS } : {}),
    });
    return this.#forecaster;
  }
}
