/**
 * What a remedy would cost beside what it is for: objects that nobody has asked to delete and that its forecast
 * deletes. Apart, because lists of remedies and confirmations both use it.
 */

import type { ApplicableRemedy, Risk } from '../../forecast/action.ts';
import { deletedAtMost, type Forecast } from '../../forecast/plan/plan.ts';
import { objectPath } from '../../forecast/requests.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isDeleting } from '../../graph/deletion.ts';
import type { Identity } from '../../graph/node.ts';
import { type KubeObject, ORPHAN_FINALIZER, type Uid } from '../../model/object.ts';

/**
 * Objects that go, or may go, by the remedy alone: neither deleted by its own requests, nor being deleted already, nor
 * with the namespace or with all the owners whose deletion was asked for, nor if nobody acts. `view` is the one that
 * the forecast was made on.
 */
export function takenAlong(view: ClusterView, forecast: Forecast, remedy: ApplicableRemedy): Identity[] {
  const asked = new Set(remedy.requests.flatMap(({ verb, path }) => (verb === 'DELETE' ? [path] : [])));
  const givenUp = new GivenUp(view);
  const isLoss = ({ uid }: Identity): boolean => {
    const object = view.graph.get(uid)?.object;
    return object !== undefined && !asked.has(objectPath(object)) && !givenUp.has(object);
  };
  const going = [...deletedAtMost(forecast), ...forecast.terminating].filter(({ anyway }) => !anyway);
  const uncertain = forecast.timingDependent.filter(({ outcomes }) =>
    outcomes.some(({ end }) => end === 'deleted'),
  );
  const objects = new Map<Uid, Identity>();
  for (const { object } of [...going, ...uncertain]) if (isLoss(object)) objects.set(object.uid, object);
  return [...objects.values()];
}

/** A remedy that takes anything else along isn't safe, whatever its rule thought of it. */
export function riskAsForetold(view: ClusterView, forecast: Forecast, remedy: ApplicableRemedy): Risk {
  return remedy.risk === 'safe' && takenAlong(view, forecast, remedy).length > 0 ? 'caution' : remedy.risk;
}

/** Ownership deeper than this counts as not asked for. */
const DEEPEST = 1000;

/** What is deleted because that was requested, of itself or of everything that holds it. */
class GivenUp {
  readonly #view: ClusterView;
  /** False while it is being found out, so that a circle holds itself. */
  readonly #answers = new Map<Uid, boolean>();
  readonly #namespaces = new Map<string, boolean>();

  constructor(view: ClusterView) {
    this.#view = view;
  }

  has(object: KubeObject, depth = 0): boolean {
    if (isDeleting(object)) return true;
    const known = this.#answers.get(object.uid);
    if (known !== undefined || depth > DEEPEST) return known ?? false;
    this.#answers.set(object.uid, false);
    const answer = this.#isNamespaceGoing(object.namespace) || this.#goesWithOwners(object, depth);
    this.#answers.set(object.uid, answer);
    return answer;
  }

  #goesWithOwners({ owners }: KubeObject, depth: number): boolean {
    return (
      owners.length > 0 &&
      owners.every(({ uid }) => {
        const owner = this.#view.graph.get(uid)?.object;
        // What an orphaning owner leaves behind was not to be deleted with it.
        return (
          owner !== undefined && !owner.finalizers.includes(ORPHAN_FINALIZER) && this.has(owner, depth + 1)
        );
      })
    );
  }

  #isNamespaceGoing(name: string): boolean {
    if (name === '') return false;
    let going = this.#namespaces.get(name);
    if (going === undefined) {
      const { catalog, graph } = this.#view;
      const type = catalog.resolveKind('v1', 'Namespace');
      const nodes = type === undefined ? [] : [...graph.inNamespace(type, '')];
      going = nodes.some(({ object }) => object?.name === name && isDeleting(object));
      this.#namespaces.set(name, going);
    }
    return going;
  }
}
