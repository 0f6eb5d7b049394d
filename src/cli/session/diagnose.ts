/** The diagnosis that commands share, and the forecasts for its remedies. */
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

export function diagnose(session: ClusterSession): Diagnosis {
  return new Diagnosis(session.view, session.now(), { asked: true });
}

/** Alternative orders of work to try per remedy in lists: the default takes minutes for 500 findings. */
const ORDERS_IN_LISTS = 4;

/** Lazy forecasts on the view, which must not change meanwhile. */
export class Outlook implements Prospects {
  readonly #diagnosis: Diagnosis;
  readonly #inList: boolean;
  #forecaster: Forecaster | undefined;
  #calm: ((uid: Uid) => Forecast) | undefined;
  #restart: ((uid: Uid) => Forecast) | undefined;

  constructor(diagnosis: Diagnosis, asked: 'list' | 'few' = 'few') {
    this.#diagnosis = diagnosis;
    this.#inList = asked === 'list';
  }

  withEffects(finding: Finding): readonly OfferedRemedy[] {
    return bySafety(this.effectsOn(finding.object.uid, finding.remedies()));
  }

  /** Keeps the order. `uid`: the object that the remedies are for. */
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

  /** Finds handlers only if the object still waits at the end, since that needs further reads. */
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

  /** Simulates only the parts that are shown. */
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
