/** What commands share: the diagnosis of a loaded session, and the forecasts that its remedies rest on. */
import { Diagnosis } from '../../diagnosis/engine/diagnosis.ts';
import { bySafety, type Finding, type OfferedRemedy } from '../../diagnosis/engine/finding.ts';
import type { Prospects } from '../../diagnosis/explain/prospect.ts';
import { createHandledForecaster } from '../../diagnosis/finalizers/aftermath.ts';
import { withEffectsInPlace } from '../../diagnosis/remedies/effects.ts';
import { createForecaster, type Forecaster } from '../../forecast/forecaster.ts';
import type { Forecast } from '../../forecast/plan/plan.ts';
import type { Uid } from '../../model/object.ts';
import { atOnce } from '../../model/slices.ts';
import type { ClusterSession } from './session.ts';

/** Of objects that are asked for one by one. */
export function diagnose(session: ClusterSession): Diagnosis {
  return new Diagnosis(session.view, session.now(), { asked: true });
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
  #calm: ((uid: Uid) => Forecast) | undefined;
  #restart: ((uid: Uid) => Forecast) | undefined;

  /** `list`: for the remedies of many objects. */
  constructor(diagnosis: Diagnosis, asked: 'list' | 'few' = 'few') {
    this.#diagnosis = diagnosis;
    this.#inList = asked === 'list';
  }

  /** The remedies with what each would do. */
  withEffects(finding: Finding): readonly OfferedRemedy[] {
    return bySafety(this.effectsOn(finding.object.uid, finding.remedies()));
  }

  /** The same for remedies that were gathered before, each in its place; `uid` is that of the object they are for. */
  effectsOn(uid: Finding['object']['uid'], remedies: readonly OfferedRemedy[]): readonly OfferedRemedy[] {
    const target = this.#diagnosis.tracked.node(uid)?.object;
    if (target === undefined || remedies.length === 0) return remedies;
    return atOnce(withEffectsInPlace(this.#forecasts(), target, remedies));
  }

  ifNobodyActs(uid: Uid): Forecast {
    this.#calm ??= this.#whole('none');
    return this.#calm(uid);
  }

  afterRestart(uid: Uid): Forecast {
    this.#restart ??= this.#whole('restart');
    return this.#restart(uid);
  }

  /** Who removes finalizers is looked for only where the object still waits at the end: it takes reads of its own. */
  #whole(verb: 'none' | 'restart'): (uid: Uid) => Forecast {
    const { view, now } = this.#diagnosis.tracked;
    const options = { now, effectsOnly: true };
    const plain = createForecaster(view, options).forecast({ verb });
    const waiting = new Set(plain.terminating.map(({ object }) => object.uid));
    let handled: Forecast | undefined;
    return uid => {
      if (!waiting.has(uid)) return plain;
      handled ??= createHandledForecaster(view, options).forecast({ verb });
      return handled;
    };
  }

  /** What happens elsewhere isn't shown, so it needn't be simulated each time. */
  #forecasts(): Forecaster {
    const { view, now } = this.#diagnosis.tracked;
    this.#forecaster ??= createForecaster(view, {
      now,
      scope: 'action',
      effectsOnly: true,
      ...(this.#inList ? { mostOrders: ORDERS_IN_LISTS } : {}),
    });
    return this.#forecaster;
  }
}
