/** Lists a forecast's steps and how far each leaves the objects. Made at the first key that asks for a step. */
import type { Forecast } from '../../forecast/index.ts';
import { controllerOf, getOrInsert, type KubeObject, Sliced, type Uid } from '../../model/index.ts';
import { planWords } from '../../text/index.ts';
import type { ForecastSteps, GhostRow, Progress } from './painting.ts';

type Step = ReturnType<Forecast['steps']>[number];
type History<T> = Map<Uid, { readonly n: number; readonly value: T }[]>;

export function* forecastSteps(forecast: Forecast, ghosts: readonly GhostRow[]): Sliced<ForecastSteps> {
  const steps = yield* forecast.stepsInSlices();
  const progress: History<Progress> = new Map();
  const created: History<number> = new Map();
  const places = Map.groupBy(ghosts, ({ owner }) => owner);
  /** Ghosts by the objects created in their place. */
  const came = new Map<Uid, Uid>();
  const count = (ghost: Uid, n: number, change: number): void => {
    const known = getOrInsert(created, ghost, () => []);
    known.push({ n, value: (known.at(-1)?.value ?? 0) + change });
  };
  yield* Sliced.each(steps, step => {
    const { n, object, before, after } = step;
    const known = getOrInsert(progress, object.uid, () => []);
    const value = progressAfter(step, known.at(-1)?.value);
    // An alteration is done with its last step.
    if (value === 'altered' && known.at(-1)?.value === 'altered') known.pop();
    if (value !== undefined) known.push({ n, value });
    const ghost =
      before === undefined && after !== undefined ? placeOf(after, places, came) : came.get(object.uid);
    if (ghost === undefined) return;
    if (before === undefined && after !== undefined) {
      came.set(after.uid, ghost);
      count(ghost, n, 1);
    } else if (value === 'gone') count(ghost, n, -1);
  });
  return {
    length: steps.length,
    isOneOfSeveral: forecast.timingDependent.length > 0,
    object: n => steps[n - 1]?.object.uid,
    words: n => {
      const step = steps[n - 1];
      return step === undefined ? '' : planWords.stepSentence(step);
    },
    progressOf: (uid, n) => valueAt(progress.get(uid), n) ?? 'before',
    createdOf: ({ node, count }, n) => Math.min(count, valueAt(created.get(node.uid), n) ?? 0),
  };
}

function progressAfter({ status, before, after }: Step, earlier: Progress | undefined): Progress | undefined {
  if (status >= 400 || before === undefined || before === after) return undefined;
  if (after === undefined) return 'gone';
  if (after.deletionTimestamp === undefined) return 'altered';
  if (before.deletionTimestamp === undefined) return 'deleting';
  // It was being deleted when the forecast began.
  return earlier === 'deleting' ? undefined : 'altered';
}

function placeOf(
  object: KubeObject,
  places: ReadonlyMap<Uid | '', readonly GhostRow[]>,
  came: ReadonlyMap<Uid, Uid>,
): Uid | undefined {
  const { namespace, name, type } = object;
  const owner = controllerOf(object)?.uid;
  const rows = places.get(owner === undefined ? '' : (came.get(owner) ?? owner)) ?? [];
  const isIn = ({ kind, named }: GhostRow): boolean =>
    kind === type.kind &&
    (owner !== undefined || named.some(each => each.namespace === namespace && each.name === name));
  return rows.find(isIn)?.node.uid;
}

function valueAt<T>(history: readonly { readonly n: number; readonly value: T }[] | undefined, at: number) {
  return history?.findLast(({ n }) => n <= at)?.value;
}
