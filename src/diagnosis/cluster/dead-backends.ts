/** Services that the API server calls although nothing behind them answers, with the evidence. */
import type { Certainty } from '../../collector/index.ts';
import { type Identity, identityOfObject } from '../../graph/index.ts';
import { type KubeObject, objectTitle } from '../../model/index.ts';
import { type AdmissionWorld, Backend } from '../../simulation/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

export interface DeadBackend {
  /** `namespace/name` */
  readonly service: string;
  /** A predicate of the Service: `doesn't exist`, `has no ready pod behind it`. */
  readonly why: string;
  /** `assumed` if an EndpointSlice that cannot be seen may have an endpoint. */
  readonly certainty: Certainty;
  readonly evidence: readonly string[];
  readonly related: readonly Identity[];
}

export function admissionWorld(tracked: TrackedView): AdmissionWorld {
  const { catalog } = tracked.view;
  return {
    types: () => catalog.types,
    type: (group, resource) => catalog.preferredOf({ group, resource }),
    find: (type, namespace, name) => tracked.find(type, namespace, name),
    list: (type, namespace) => (type.namespaced ? tracked.list(type, namespace) : tracked.all(type)),
    sees: (type, namespace) => tracked.sees(type, namespace),
    lacks: (type, namespace, name) => tracked.lacks(type, namespace, name),
    lasted: (since, duration) => tracked.lasted(since, duration),
    // A Service or pod that is being deleted may answer until it is deleted.
    reached: () => false,
  };
}

/** Returns undefined if something may answer. `deep` also checks pods, which means reading those of the namespace. */
export function deadBackend(tracked: TrackedView, service: string, deep = true): DeadBackend | undefined {
  const backend = Backend.of(admissionWorld(tracked), service, { deep });
  return backend.state === 'dead' ? deadOf(service, backend) : undefined;
}

function deadOf(
  service: string,
  { why, certain, pods, service: found }: Extract<Backend, { readonly state: 'dead' }>,
): DeadBackend {
  const some = pods.slice(0, 3);
  const missing = pods.length === 0 ? 'no pod has its labels' : 'no pod with its labels is ready';
  const evidence = [
    `Service ${service}: ${found === undefined ? why : missing}`,
    ...some.map(pod => `${objectTitle(pod)}: not ready`),
  ];
  const related = [...(found === undefined ? [] : [found]), ...some].map((each: KubeObject) =>
    identityOfObject(each),
  );
  return { service, why, certainty: certain ? 'exact' : 'assumed', evidence, related };
}
