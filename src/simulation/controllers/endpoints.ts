/**
 * Deletes the Endpoints with a deleted Service's name, whatever made them
 * (pkg/controller/endpoint/endpoints_controller.go, syncService, v1.36). Creates none, because addresses aren't
 * modelled.
 */
import { namespacedName } from '../../model/index.ts';
import type { Controller, ControllerContext } from '../runtime/controller.ts';

export class EndpointsController implements Controller {
  readonly name = 'endpoints-controller';
  readonly kinds = ['Service'] as const;

  start(context: ControllerContext): void {
    const queue = context.queue<string>('services', key => this.#sync(context, key));
    context.informer('Service', {
      deleted: service => queue.add(namespacedName(service)),
    });
  }

  #sync(context: ControllerContext, key: string): 'done' {
    const [namespace = '', name = ''] = key.split('/');
    const type = context.discovery.catalog.resolveKind('v1', 'Endpoints');
    if (context.type('Service') === undefined || type === undefined) return 'done';
    if (context.find('Service', namespace, name) !== undefined) return 'done';
    if (context.cache.find(type, namespace, name) !== undefined)
      context.api.because(`Service ${name} was deleted`).delete({ type, namespace, name });
    return 'done';
  }
}
