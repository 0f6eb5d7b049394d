/** Makes a forecast's painting. Loaded with the first action. */
import type { Forecast } from '../../forecast/index.ts';
import type { GraphNode, Identity } from '../../graph/index.ts';
import { objectTitle, type Uid } from '../../model/index.ts';
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
};

const paintings = new WeakMap<Forecast, Painting>();

/** Returns a cached painting; costs only the affected objects. */
export function paintingOf(forecast: Forecast): Painting {
  let painting = paintings.get(forecast);
  if (painting === undefined) paintings.set(forecast, (painting = made(forecast)));
  return painting;
}

function made(forecast: Forecast): Painting {
  const fates = Fates.of(forecast);
  const painted = new Map<Uid, PaintedFate | undefined>();
  const ghosts = [...fates.ghosts].flatMap(([owner, list]) => rowsOf(list, owner));
  let steps: ForecastSteps | undefined;
  return {
    of: uid => {
      if (painted.has(uid)) return painted.get(uid);
      const fate = fates.of(uid);
      const { kind, words, anyway } = fate ?? {};
      const made =
        kind === undefined || words === undefined || anyway === undefined
          ? undefined
          : { group: groups[kind], sign: Fates.signs[kind], style: Fates.styles[kind], words, anyway };
      painted.set(uid, made);
      return made;
    },
    ghosts,
    objects: [
      ...new Map([...forecast.action.targets, ...fates.objects].map(each => [each.uid, each])).values(),
    ],
    steps: () => (steps ??= forecastSteps(forecast, ghosts)),
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
