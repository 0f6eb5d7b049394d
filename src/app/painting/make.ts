/** Makes a forecast's painting. Loaded with the first action. */
import type { Forecast } from '../../forecast/index.ts';
import type { GraphNode, Identity } from '../../graph/index.ts';
import { objectTitle, Sliced, type Uid } from '../../model/index.ts';
import { type Fate, Fates, type Ghost } from '../../text/index.ts';
import { forecastSteps } from './forecast-steps.ts';
import type { FateGroup, ForecastSteps, GhostRow, PaintedFate, Painting } from './painting.ts';

const groups: Readonly<Record<Fate['kind'], FateGroup>> = {
  deleted: 'deleted',
  deletedThen: 'deleted',
  waiting: 'stuck',
  stuck: 'stuck',
  uncertain: 'uncertain',
  altered: 'altered',
  refused: 'stuck',
  assumed: 'uncertain',
  broken: 'broken',
};

/** The steps of a forecast of up to this many objects are made at once. */
const FEW = 1_000;

const paintings = new WeakMap<Forecast, Painting>();

/** Returns a cached painting; costs only the affected objects. */
export function paintingOf(forecast: Forecast): Painting {
  let painting = paintings.get(forecast);
  if (painting === undefined) paintings.set(forecast, (painting = paintingFor(forecast)));
  return painting;
}

function paintingFor(forecast: Forecast): Painting {
  const fates = Fates.of(forecast);
  const painted = new Map<Uid, PaintedFate | undefined>();
  const ghosts = [...fates.ghosts].flatMap(([owner, list]) => rowsOf(list, owner));
  const objects = [
    ...new Map([...forecast.action.targets, ...fates.objects].map(each => [each.uid, each])).values(),
  ];
  let steps: ForecastSteps | undefined;
  function* made(): Sliced<ForecastSteps> {
    return (steps ??= yield* forecastSteps(forecast, ghosts));
  }
  return {
    of: uid => {
      if (painted.has(uid)) return painted.get(uid);
      const fate = fates.of(uid);
      const painting = fate && {
        ...fate,
        group: groups[fate.kind],
        sign: Fates.signs[fate.kind],
        style: Fates.styles[fate.kind],
      };
      painted.set(uid, painting);
      return painting;
    },
    ghosts,
    objects,
    steps: () => (steps ??= Sliced.atOnce(forecastSteps(forecast, ghosts))),
    stepsInSlices: () => (steps === undefined && objects.length > FEW ? made() : undefined),
  };
}

function rowsOf(ghosts: readonly Ghost[], owner: Uid | ''): GhostRow[] {
  return ghosts.flatMap((each, i) => {
    const row = rowOf(each, owner, i);
    return [row, ...rowsOf(each.below, row.node.uid)];
  });
}

function rowOf(ghost: Ghost, owner: Uid | '', index: number): GhostRow {
  const { by, kind, named = [], count, pending } = ghost;
  const title = (left: number): string =>
    Fates.ghostTitle({ kind, count: left, pending: Math.min(pending, left) });
  const identity: Identity = {
    apiVersion: '',
    kind: title(count),
    namespace: by?.namespace ?? '',
    name: '',
    uid: `new/${owner}/${index}` as Uid,
  };
  const creator = by === undefined ? '' : ` by ${objectTitle(by)}`;
  return { owner, node: new ComingNode(identity), kind, named, count, title, words: `created${creator}` };
}

/** A node of the tree for an object yet to be created. */
class ComingNode implements GraphNode {
  readonly identity: Identity;
  readonly object = undefined;
  readonly owners = [];
  readonly dependents: ReadonlySet<GraphNode> = new Set();
  readonly virtual = true;
  readonly beingDeleted = false;
  readonly deletingDependents = false;

  constructor(identity: Identity) {
    this.identity = identity;
  }

  get uid(): Uid {
    return this.identity.uid;
  }
}
