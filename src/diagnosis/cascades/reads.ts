/**
 * What the tools that manage objects make of a forecast, with the few objects read that this takes: each with one GET, and
 * no more than an answer can be waited for.
 */

import type { Forecast } from '../../forecast/plan/plan.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { atOnce, type Sliced } from '../../model/slices.ts';
import { type Cascades, cascadesOf } from './cascades.ts';
import { keyOfWanted, type Wanted, type WholeObject } from './context.ts';

/** A cascade may go through an Application of Applications. */
const MOST_OBJECTS = 40;
/** Where a namespace is read, an answer is to cost few requests. */
const MOST_OBJECTS_OF_SCOPE = 8;
const MOST_ROUNDS = 6;

export interface CascadePorts {
  readonly view: ClusterView;
  /** Does the work in its turns; at once where it is left out. */
  readonly work?: <T>(begin: () => Sliced<T>) => Promise<T>;
  read(wanted: Wanted): Promise<WholeObject>;
}

/** What was read for one command, or for one dialog. */
export class CascadeReads {
  readonly #ports: CascadePorts;
  readonly #whole = new Map<string, WholeObject>();
  /** A forecast is of one moment, and what is read is only added to. */
  #last: { readonly forecast: Forecast; readonly read: number; readonly cascades: Cascades } | undefined;

  constructor(ports: CascadePorts) {
    this.#ports = ports;
  }

  /** The forecast with what tools do beside, once what that takes is read. Rejects with what reading rejects with. */
  async told(forecast: Forecast): Promise<Forecast> {
    const { work = begin => Promise.resolve(atOnce(begin())) } = this.#ports;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const { wanted } = await work(() => this.#of(forecast));
      if (wanted.length === 0) break;
      const left = Math.max(0, this.#most - this.#whole.size);
      for (const each of wanted.slice(left))
        this.#whole.set(keyOfWanted(each), {
          state: 'unread',
          reason: 'too many objects would have to be read',
        });
      await Promise.all(wanted.slice(0, left).map(each => this.#read(each)));
    }
    return toldIn(forecast, await work(() => this.#of(forecast)));
  }

  /** The same by what was read so far; undefined where more has to be read. */
  *known(forecast: Forecast): Sliced<Forecast | undefined> {
    const cascades = yield* this.#of(forecast);
    return cascades.wanted.length > 0 ? undefined : toldIn(forecast, cascades);
  }

  *#of(forecast: Forecast): Sliced<Cascades> {
    const { view } = this.#ports;
    const last = this.#last;
    if (last !== undefined && last.forecast === forecast && last.read === this.#whole.size)
      return last.cascades;
    const cascades = yield* cascadesOf(view, forecast, this.#whole);
    this.#last = { forecast, read: this.#whole.size, cascades };
    return cascades;
  }

  get #most(): number {
    return this.#ports.view.scope === undefined ? MOST_OBJECTS : MOST_OBJECTS_OF_SCOPE;
  }

  async #read(wanted: Wanted): Promise<void> {
    this.#whole.set(keyOfWanted(wanted), await this.#ports.read(wanted));
  }
}

function toldIn(forecast: Forecast, { effects, unknown, alarms }: Cascades): Forecast {
  const warnings = unknown.map(each => ({ code: 'cascadeUnknown', ...each }) as const);
  return {
    ...forecast,
    logical: effects,
    alarms: [...forecast.alarms, ...alarms],
    warnings: [...forecast.warnings, ...warnings],
  };
}
