/** Worlds for the stepper: objects, a collector, and requests that a user makes once all is at rest. */
import type { CollectorOnlooker } from '../../../src/collector/observed-step.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import type { ApiClient } from '../../../src/simulation/api/api-client.ts';
import { GarbageCollector } from '../../../src/simulation/collector/garbage-collector.ts';
import type { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import type { Move, SteppedWorld } from '../../../src/simulation/stepping/stepper.ts';
import { cluster } from '../fixtures.ts';

export interface UserRequest {
  readonly about: string;
  readonly send: (api: ApiClient) => void;
}

/** Each request comes when all is at rest after the one before. */
export function worldOf(
  objects: readonly KubeObject[],
  requests: readonly UserRequest[],
): (onlooker?: CollectorOnlooker) => Promise<SteppedWorld> {
  return async onlooker => {
    const running = cluster({
      objects,
      onlooker,
      processes: [{ name: 'kube-controller-manager', controllers: () => [new GarbageCollector()] }],
    });
    running.start();
    return new RequestedWorld(running, requests);
  };
}

class RequestedWorld implements SteppedWorld {
  readonly cluster: SimulatedCluster;
  readonly #requests: readonly UserRequest[];
  #next = 0;
  #run: ReturnType<SimulatedCluster['clock']['running']>;

  constructor(running: SimulatedCluster, requests: readonly UserRequest[]) {
    this.cluster = running;
    this.#requests = requests;
    this.#run = running.clock.running();
  }

  async move(): Promise<Move | undefined> {
    const task = this.#run();
    if (typeof task !== 'string') return { of: 'task', task };
    const request = this.#requests[this.#next++];
    if (request === undefined) return undefined;
    request.send(this.cluster.as('user'));
    this.#run = this.cluster.clock.running();
    return { of: 'outside', by: 'user', about: request.about };
  }
}
