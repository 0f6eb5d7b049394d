/**
 * Deletes objects of a deleted Service that have no owner reference: all Endpoints of its name
 * (pkg/controller/endpoint/endpoints_controller.go, syncService), and the IPAddresses that the API server releases
 * (pkg/registry/core/service/storage/alloc.go, releaseClusterIPs; v1.36). Creates none.
 */
import { joinApiVersion, type KubeObject } from '../../model/index.ts';
import type { Controller, ControllerContext } from '../runtime/controller.ts';

interface Belonging {
  /** The controller or program that deletes them. */
  readonly by: string;
  readonly group: string;
  readonly kind: string;
  readonly names: (service: KubeObject) => readonly string[];
}

const endpoints: Belonging = {
  by: 'endpoints-controller',
  group: '',
  kind: 'Endpoints',
  names: ({ name }) => [name],
};

const addresses: Belonging = {
  by: 'kube-apiserver',
  group: 'networking.k8s.io',
  kind: 'IPAddress',
  names: ({ facts }) => (facts?.kind === 'Service' ? facts.clusterIPs : []),
};

class WithServiceController implements Controller {
  readonly name: string;
  readonly kinds = ['Service'] as const;
  readonly #belonging: Belonging;

  constructor(belonging: Belonging) {
    this.name = belonging.by;
    this.#belonging = belonging;
  }

  start(context: ControllerContext): void {
    const queue = context.queue<KubeObject>('services', service => this.#sync(context, service));
    context.informer('Service', { deleted: service => queue.add(service) });
  }

  #sync(context: ControllerContext, service: KubeObject): 'done' {
    const { group, kind, names } = this.#belonging;
    const type = context.discovery.catalog.resolveKind(joinApiVersion(group, 'v1'), kind);
    if (context.type('Service') === undefined || type === undefined) return 'done';
    if (context.find('Service', service.namespace, service.name) !== undefined) return 'done';
    const namespace = type.namespaced ? service.namespace : '';
    for (const name of names(service))
      if (context.cache.find(type, namespace, name) !== undefined)
        context.api.because(`Service ${service.name} was deleted`).delete({ type, namespace, name });
    return 'done';
  }
}

export const withService = {
  endpoints: () => new WithServiceController(endpoints),
  addresses: () => new WithServiceController(addresses),
};
