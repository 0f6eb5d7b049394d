/** Adds tools' effects and users to a forecast. Reads the objects needed, few enough for a prompt answer. */

import type { Forecast } from '../../forecast/index.ts';
import type { ClusterView } from '../../graph/index.ts';
import { Sliced } from '../../model/index.ts';
import { addBreaks } from '../uses/breaks.ts';
import { type UserPorts, Users, type WholeObject } from '../uses/users.ts';
import { keyOfWanted, type Wanted } from './cascade-context.ts';
import { type Cascades, cascadesOf } from './tool-effects.ts';

const MOST_OBJECTS = 40;
/** Limit for an answer from one namespace, which should take few requests. */
const MOST_OBJECTS_OF_SCOPE = 8;
const MOST_ROUNDS = 6;

export interface CascadePorts extends Pick<UserPorts, 'list'> {
  readonly view: ClusterView;
  /** Runs the work in slices; without it, at once. */
  readonly work?: <T>(begin: () => Sliced<T>) => Promise<T>;
  read(wanted: Wanted): Promise<WholeObject>;
}

export class CascadeReads {
  readonly #ports: CascadePorts;
  readonly #users: Users;
  readonly #whole = new Map<string, WholeObject>();
  /** The last result, valid until a new forecast or another read. */
  #last: { readonly forecast: Forecast; readonly read: number; readonly cascades: Cascades } | undefined;

  constructor(ports: CascadePorts) {
    this.#ports = ports;
    this.#users = new Users(ports.view, ports);
  }

  /** Reads the objects that the rules want, and returns the forecast with the tools' effects and users. Rejects if a read rejects. */
  async told(forecast: Forecast): Promise<Forecast> {
    const { work = begin => Promise.resolve(Sliced.atOnce(begin())) } = this.#ports;
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
    return this.withBreaks(toldIn(forecast, await work(() => this.#of(forecast))));
  }

  /** Reads users of the deleted objects, and returns the forecast with those that stay. Rejects if a read rejects. */
  withBreaks(forecast: Forecast): Promise<Forecast> {
    return addBreaks(forecast, this.#ports.view, this.#users);
  }

  /** Returns the forecast with the tools' effects, from the objects read so far; undefined if more are needed. */
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
