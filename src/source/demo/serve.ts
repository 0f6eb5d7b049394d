/** Requests to the demo's cluster: permissions are those of an administrator, and manifests are kept for `get`. */
import type { ActAnswer, ActRequest } from '../../model/exchange/act.ts';
import { record } from '../../model/json/json.ts';
import { playRequest } from '../../simulation/api/rest.ts';
import type { SimulatedWorld } from './world/simulated-world.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

export async function serve(world: SimulatedWorld, request: ActRequest, dryRun: boolean): Promise<ActAnswer> {
  if (request.path === REVIEWS) {
    return { status: 201, body: { ...record(request.body), status: { allowed: true } } };
  }
  const { cluster } = world;
  if (request.method === 'POST' && !dryRun) {
    const { status, uid } = await world.create(record(request.body));
    const object = uid === undefined ? undefined : { metadata: { uid } };
    return { status, body: object ?? { kind: 'Status', message: `the API server answers ${status}` } };
  }
  return playRequest(cluster.as('user'), request, { types: cluster.discovery.catalog.types, dryRun });
}
