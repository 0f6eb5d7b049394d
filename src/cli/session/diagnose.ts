/** The diagnosis that commands share, and the forecasts for its remedies. */
import {
  bySafety,
  createHandledForecaster,
  type Diagnosis,
  diagnoseCluster,
  type Finding,
  type OfferedRemedy,
  type Prospects,
  remedyEffects,
} from '../../diagnosis/index.ts';
import { type Forecast, Forecaster } from '../../forecast/index.ts';
import { getOrInsert, Sliced, type Uid } from '../../model/index.ts';
import type { ClusterSession } from './session.ts';

export function diagnose(session: ClusterSession): Diagnosis {
  return diagnoseCluster(session.view, session.now(), { asked: true });
}

/** Alternative orders of work to try per remedy in lists: the default takes minutes for 500 findings. */
const ORDERS_IN_LISTS = 4;

/** Lazy forecasts on the view, which must not change meanwhile. */
export class Outlook implements Prospects {
  readonly #diagnosis: Diagnosis;
  readonly #inList: boolean;
  readonly #effects = new Map<Finding, readonly OfferedRemedy[]>();
  #forecaster: Forecaster | undefined;
  #calm: ((uid: Uid) => Forecast) | undefined;
  #restart: ((uid: Uid) => Forecast) | undefined;

  constructor(diagnosis: Diagnosis, asked: 'list' | 'few' = 'few') {
    this.#diagnosis = diagnosis;
    this.#inList = asked === 'list';
  }

  /** Forecasts once for a finding and the cause that it is the nearest to. */
  withEffects(finding: Finding): readonly OfferedRemedy[] {
    return getOrInsert(this.#effects, finding, () =>
      bySafety(this.effectsOn(finding.object.uid, finding.remedies())),
    );
  }

  /** Keeps the order. `uid`: the object that the remedies are for. */
  effectsOn(uid: Finding['object']['uid'], remedies: readonly OfferedRemedy[]): readonly OfferedRemedy[] {
    const target = this.#diagnosis.tracked.node(uid)?.object;
    if (target === undefined || remedies.length === 0) return remedies;
    return Sliced.atOnce(remedyEffects.addedInPlace(this.#forecasts(), target, remedies));
  }

  /** Returns each finding's remedies, as `withEffects` does; findings with the same cause share forecasts. */
  sharedEffects(findings: readonly Finding[]): ReadonlyMap<Finding, readonly OfferedRemedy[]> {
    const offers = findings.flatMap(finding => {
      const target = this.#diagnosis.tracked.node(finding.object.uid)?.object;
      return target === undefined ? [] : { finding, target, remedies: finding.remedies() };
    });
    const foretold = Sliced.atOnce(remedyEffects.addedShared(this.#forecasts(), offers));
    return new Map(offers.map(({ finding }, nth) => [finding, foretold[nth] ?? []]));
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
    const plain = Forecaster.create(view, options).forecast({ verb });
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
    const options = { now, scope: 'action', effectsOnly: true } as const;
    // A list leaves the work of handlers out, because it needs further reads.
    this.#forecaster ??= this.#inList
      ? Forecaster.create(view, { ...options, mostOrders: ORDERS_IN_LISTS })
      : createHandledForecaster(view, options);
    return this.#forecaster;
  }
}
