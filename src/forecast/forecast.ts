/**
 * The forecast: an action on a copy-on-write view of a snapshot, run until nothing moves any more, and told as
 * what is deleted, held, altered and made anew. It rests on the simulated cluster, and so on one implementation
 * of the collector's and the API server's rules (docs/kubernetes.md §1 to §9).
 */
import type { ClusterView } from '../graph/cluster-view.ts';
import type { Action } from './action.ts';
import { createForecaster, type ForecasterOptions } from './forecaster.ts';
import type { Forecast } from './plan/plan.ts';

/**
 * What one action does to the cluster in the view, which must not change meanwhile and is only read. For several
 * actions on one view there is `createForecaster`.
 */
export function forecast(
  view: ClusterView,
  action: Action,
  options: Pick<ForecasterOptions, 'now' | 'collector'>,
): Forecast {
  return createForecaster(view, options).forecast(action);
}
