/** The definitions of custom resources that projects publish, pinned by `test/operators/definitions`. */
import { join } from 'node:path';
import type { Cluster } from '../../../harness/cluster.ts';
import { moduleFolder } from '../../../harness/processes/go-module.ts';
import { PATIENTLY } from '../../eventually.ts';

const PINNED_BY = join(import.meta.dirname, '..', '..', '..', 'operators', 'definitions');

const definitions: readonly (readonly [module: string, path: string])[] = [
  ['sigs.k8s.io/gateway-api', 'config/crd/standard'],
  ['github.com/kubernetes-csi/external-snapshotter/client/v8', 'config/crd'],
  ['github.com/kedacore/keda/v2', 'config/crd/bases'],
  ['k8s.io/autoscaler/vertical-pod-autoscaler', 'deploy/vpa-v1-crd-gen.yaml'],
];

export async function applyDefinitions(cluster: Cluster): Promise<void> {
  for (const [module, path] of definitions) {
    const file = join(await moduleFolder(module, PINNED_BY), path);
    await cluster.kubectl(['apply', '--server-side', '-f', file]).catch((error: unknown) => {
      // A folder of definitions may have a kustomization, which is no object.
      if (!String(error).includes('kustomization')) throw error;
    });
  }
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', PATIENTLY]);
}
