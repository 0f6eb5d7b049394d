/** What commands share: the diagnosis of a loaded session, its remedies, and the forecasts that these rest on. */
import { doubtEvidence } from '../../diagnosis/engine/assumed.ts';
import { Diagnosis } from '../../diagnosis/engine/diagnosis.ts';
import { type Finding, isApplicable, type OfferedRemedy } from '../../diagnosis/engine/finding.ts';
import type { Prospects } from '../../diagnosis/explain/prospect.ts';
import { withEffects } from '../../diagnosis/remedies/effects.ts';
import { everyRemedyOf, remedyFor } from '../../diagnosis/remedies/offered.ts';
import { remedyListDocument } from '../../documents/plan/plan.ts';
import { printDocument } from '../../documents/print/document.ts';
import type { ApplicableRemedy } from '../../forecast/action.ts';
import { createForecaster, type Forecaster } from '../../forecast/forecaster.ts';
import type { Forecast } from '../../forecast/plan/plan.ts';
import type { Identity } from '../../graph/node.ts';
import type { KubeObject } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import { exactly } from '../../text/terminal/names.ts';
import { type DocumentFormat, isDocument } from '../output/format.ts';
import { UsageError } from '../runtime/errors.ts';
import type { ClusterSession } from './session.ts';

/** Of objects that are asked for one by one. */
export function diagnose(session: ClusterSession): Diagnosis {
  return new Diagnosis(session.view, session.now(), { asked: true });
}

/** Every remedy for the object, with what each would do. */
export function remediesFor(session: ClusterSession, target: KubeObject): readonly OfferedRemedy[] {
  const forecaster = createForecaster(session.view, { now: session.now(), scope: 'action' });
  return withEffects(forecaster, target, everyRemedyOf(diagnose(session), target));
}

/** Their list for programs; undefined where people read it. */
export function remedyList(
  session: ClusterSession,
  object: Identity,
  remedies: readonly OfferedRemedy[],
  format: DocumentFormat,
): Iterable<string> | undefined {
  if (isDocument(format)) return printDocument(remedyListDocument(session.basis(), object, remedies), format);
  // Advice cannot be named to --remedy.
  return format === 'name' ? remedies.filter(isApplicable).map(({ id }) => `${exactly(id)}\n`) : undefined;
}

/**
 * The remedy of this id. Throws a `UsageError` where the object gives no cause for it, or none as long as something is
 * only assumed to be absent.
 */
export function remedyOf(session: ClusterSession, target: KubeObject, id: string): ApplicableRemedy {
  const diagnosis = diagnose(session);
  const remedy = remedyFor(diagnosis, target, id);
  if (remedy !== undefined) return remedy;
  const [assumed] = diagnosis.assumptionsOf(target.uid);
  const title = `${shownName(target.type.kind)} ${shownName(target.name)}`;
  if (assumed === undefined)
    throw new UsageError(
      `${title} gives no cause for the remedy ${JSON.stringify(id)}. Leave --remedy out to see the remedies there are.`,
    );
  const [doubt = ''] = doubtEvidence([assumed], diagnosis.tracked.view);
  throw new UsageError(
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
