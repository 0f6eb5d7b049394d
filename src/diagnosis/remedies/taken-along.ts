/** Objects that a remedy's forecast deletes although no user asked for it. */

import { type ApplicableRemedy, Forecast, type Risk, requestWords } from '../../forecast/index.ts';
import { type ClusterView, type Identity, isDeleting } from '../../graph/index.ts';
import { type KubeObject, ORPHAN_FINALIZER, type Uid } from '../../model/index.ts';

/**
 * Lists objects deleted by the remedy alone: not by its own requests, not already being deleted, not with a namespace
 * or owners that are, and not without any action. `view` is the forecast's.
 */
export function takenAlong(view: ClusterView, forecast: Forecast, remedy: ApplicableRemedy): Identity[] {
  const asked = new Set(remedy.requests.flatMap(({ verb, path }) => (verb === 'DELETE' ? [path] : [])));
  const givenUp = new GivenUp(view);
  const isLoss = ({ uid }: Identity): boolean => {
    const object = view.graph.get(uid)?.object;
    return object !== undefined && !asked.has(requestWords.objectPath(object)) && !givenUp.has(object);
  };
  const going = [...Forecast.deletedAtMost(forecast), ...forecast.terminating].filter(
    ({ anyway }) => !anyway,
  );
  const uncertain = forecast.timingDependent.filter(({ outcomes }) =>
    outcomes.some(({ end }) => end === 'deleted'),
  );
  const objects = new Map<Uid, Identity>();
  for (const { object } of [...going, ...uncertain]) if (isLoss(object)) objects.set(object.uid, object);
  return [...objects.values()];
}

/** Raises a safe remedy to caution if its forecast also deletes anything else. */
export function riskAsForetold(view: ClusterView, forecast: Forecast, remedy: ApplicableRemedy): Risk {
  return remedy.risk === 'safe' && takenAlong(view, forecast, remedy).length > 0 ? 'caution' : remedy.risk;
}

const DEEPEST = 1000;

/** Objects that are deleted on request: their own deletion was requested, or that of everything that owns them. */
class GivenUp {
  readonly #view: ClusterView;
  /** False while the answer is being computed, so that a cycle counts as held. */
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
        // An orphaning owner's dependents aren't meant to be deleted with it.
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
