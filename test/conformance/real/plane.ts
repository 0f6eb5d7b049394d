/** A control plane for conformance runs: a ready node, custom types, and a controller manager to stop and start. */
import { startControlPlane } from '../../harness/control-plane.ts';
import { DEAD_KUBELET_SHOWS_SOON } from '../../harness/processes/layout.ts';
import { graphDefinitions, graphTypes } from '../fuzz/random-graphs.ts';
import { fastControllerManager } from './controller-manager.ts';
import type { RealPlane } from './run.ts';
import { RealWorld } from './world.ts';

export type RunningPlane = RealPlane & { stop(): Promise<void> };

export interface PlaneOptions {
  readonly scheduler: boolean;
  /** Ready fake nodes; one unless told. */
  readonly nodes?: number;
  /** Whether kubelets stop on it, and that is waited for. */
  readonly kubeletsStop?: boolean;
}

/** Its controller manager is stopped. Without a scheduler pods stay where they were made. */
export async function startPlane(options: PlaneOptions): Promise<RunningPlane> {
  const scheduler = options.scheduler ? (['kube-scheduler'] as const) : [];
  const cluster = await startControlPlane({
    nodes: options.nodes ?? 1,
    components: ['etcd', 'kube-apiserver', 'kwok', ...scheduler],
  });
  const controllerManager = await fastControllerManager(
    cluster,
    options.kubeletsStop === true ? [DEAD_KUBELET_SHOWS_SOON] : [],
  );
  const world = new RealWorld(cluster.api, graphTypes);
  for (const definition of graphDefinitions) await world.create(definition);
  return {
    cluster,
    controllerManager,
    customTypes: graphTypes,
    stop: async () => {
      await controllerManager.stop();
      await cluster.stop();
    },
  };
}
