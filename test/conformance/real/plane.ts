/** A control plane for conformance runs: a ready node, custom types, and a controller manager to stop and start. */
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { componentUsers, startControlPlane } from '../../harness/control-plane.ts';
import { DEAD_KUBELET_SHOWS_SOON } from '../../harness/processes/layout.ts';
import { graphDefinitions, graphTypes } from '../fuzz/random-graphs.ts';
import { fastControllerManager } from './controller-manager.ts';
import type { RealPlane } from './run.ts';
import { RealWorld } from './world.ts';

export type RunningPlane = RealPlane & { stop(): Promise<void> };

/** Kinds that are served only with a feature gate. */
export interface GatedKinds {
  readonly types: readonly ResourceType[];
  /** Feature gates of kube-apiserver and kube-controller-manager, such as `GenericWorkload=true`. */
  readonly gates: string;
}

export interface PlaneOptions {
  readonly scheduler: boolean;
  /** Ready fake nodes; one unless told. */
  readonly nodes?: number;
  /** Whether kubelets stop on it, and that is waited for. */
  readonly kubeletsStop?: boolean;
  /**
   * With two, all that a scenario does and all that the controller manager does goes to one or the other, connection by
   * connection, so that what is read can be older than what was written.
   */
  readonly apiServers?: 1 | 2;
  readonly gated?: GatedKinds | undefined;
  /** Components and controllers act as their own users, as on other clusters, and not as administrator. */
  readonly asThemselves?: boolean;
  readonly apiServerFlags?: readonly string[];
}

/** Its controller manager is stopped. Without a scheduler pods stay where they were made. */
export async function startPlane(options: PlaneOptions): Promise<RunningPlane> {
  const scheduler = options.scheduler ? (['kube-scheduler'] as const) : [];
  const { types, gates } = options.gated ?? { types: [], gates: undefined };
  const gateFlags = gates === undefined ? [] : [`--feature-gates=${gates}`];
  const customTypes = [...graphTypes, ...types];
  const { asThemselves = false } = options;
  const served = types.map(({ apiVersion }) => `${apiVersion}=true`).join(',');
  const apiServerFlags = [
    ...(options.apiServerFlags ?? []),
    ...(types.length > 0 ? [...gateFlags, `--runtime-config=${served}`] : []),
  ];
  const cluster = await startControlPlane({
    nodes: options.nodes ?? 1,
    components: ['etcd', 'kube-apiserver', 'kwok', ...scheduler],
    ...(apiServerFlags.length > 0 && { apiServerFlags }),
    ...(asThemselves && { users: componentUsers }),
  });
  const server = options.apiServers === 2 ? await cluster.addApiServer() : undefined;
  const controllerManager = await fastControllerManager(
    cluster,
    [
      ...gateFlags,
      ...(options.kubeletsStop === true ? [DEAD_KUBELET_SHOWS_SOON] : []),
      ...(asThemselves ? ['--use-service-account-credentials=true'] : []),
    ],
    { server, user: asThemselves ? 'system:kube-controller-manager' : undefined },
  );
  const api = server === undefined ? cluster.api : cluster.apiAt(server);
  const world = new RealWorld(api, customTypes);
  for (const definition of graphDefinitions) await world.create(definition);
  return {
    cluster,
    api,
    controllerManager,
    customTypes,
    stop: async () => {
      if (api !== cluster.api) api.close();
      await controllerManager.stop();
      await cluster.stop();
    },
  };
}
