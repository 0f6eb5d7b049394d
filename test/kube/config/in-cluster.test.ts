import { expect, it } from 'vitest';
import { inCluster, resolveConnection } from '../../../src/kube/config/resolve-connection.ts';
import { temporaryFolder, write } from '../kubeconfig-files.ts';

const mount = 'var/run/secrets/kubernetes.io/serviceaccount';
const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

it('finds the service account of a pod with its namespace', () => {
  const root = temporaryFolder();
  const token = write(root, `${mount}/token`, 'abc');
  const ca = write(root, `${mount}/ca.crt`, 'pem');
  write(root, `${mount}/namespace`, 'shop\n');
  const found = inCluster(env, root);
  expect(found).toMatchObject({ namespace: 'shop', user: { tokenFile: token }, cluster: { caFile: ca } });
  expect(found?.cluster.server).toBe('https://10.0.0.1:443');
  expect(inCluster({ ...env, POD_NAMESPACE: 'other' }, root)?.namespace).toBe('other');
});

it('puts an IPv6 address into brackets', () => {
  const root = temporaryFolder();
  write(root, `${mount}/token`, 'abc');
  expect(inCluster({ ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' }, root)?.cluster.server).toBe(
    'https://[fd00::1]:443',
  );
});

it('finds nothing outside of a pod', () => {
  const root = temporaryFolder();
  expect(inCluster(env, root)).toBeUndefined();
  write(root, `${mount}/token`, 'abc');
  expect(inCluster({}, root)).toBeUndefined();
});

it('is where a pod without a kubeconfig connects, but its token goes to no other server', () => {
  const root = temporaryFolder();
  write(root, `${mount}/token`, 'abc');
  write(root, `${mount}/namespace`, 'shop');
  const here = resolveConnection({}, env, root);
  expect(here).toMatchObject({ server: 'https://10.0.0.1', namespace: 'shop', contextName: undefined });
  expect(here.user.tokenFile).toContain(mount);
  expect(resolveConnection({ server: 'https://elsewhere' }, env, root).user.tokenFile).toBe('');
});
