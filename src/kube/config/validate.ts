import { SourceError } from '../../source/index.ts';
import { isProxyAddress } from './choose-proxy.ts';
import { plainText } from './known-credentials.ts';
import type { ExecConfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

/** Throws a `SourceError` like clientcmd's `validateClusterInfo` and `validateAuthInfo` (v0.36), flags included. */
export function validate(cluster: KubeconfigCluster, user: KubeconfigUser): void {
  validateCluster(cluster);
  validateUser(user);
  // Over plain http no login is used (clientcmd `ClientConfig`).
  if (/^https:/i.test(cluster.server)) validateLogin(user);
}

function validateCluster(cluster: KubeconfigCluster): void {
  const owner = `cluster "${cluster.name}"`;
  if (cluster.insecureSkipTlsVerify && (cluster.caFile !== '' || cluster.caData !== '')) {
    throw new SourceError(
      `${owner} sets both a certificate authority and insecure-skip-tls-verify; remove one.`,
    );
  }
  checkMaterial(owner, 'certificate-authority', cluster.caFile, cluster.caData);
  if (cluster.proxyUrl !== '' && !isProxyAddress(cluster.proxyUrl, ['http', 'https', 'socks5'])) {
    throw new SourceError(
      `the proxy-url of ${owner} is not the address of a proxy; it should look like http://host:3128, https:// or socks5://.`,
    );
  }
}

function validateUser(user: KubeconfigUser): void {
  const owner = `user "${user.name}"`;
  if (user.certFile !== '' || user.certData !== '') {
    if (user.keyFile === '' && user.keyData === '') {
      throw new SourceError(
        `${owner} has a client certificate without its key; set client-key or client-key-data, or pass --client-key.`,
      );
    }
    checkMaterial(owner, 'client-certificate', user.certFile, user.certData);
    checkMaterial(owner, 'client-key', user.keyFile, user.keyData);
  }
  const saysMore = user.asUid !== '' || user.asGroups.length > 0 || Object.keys(user.asUserExtra).length > 0;
  if (user.as === '' && saysMore) {
    throw new SourceError(
      `the uid, groups or extra values for ${owner} need a user to impersonate: pass --as, or set "as".`,
    );
  }
  if (user.token !== '') refusePassword(user);
  if (user.exec !== undefined) validateExec(user.exec, user, owner);
}

function validateExec(exec: ExecConfig, { authProvider }: KubeconfigUser, owner: string): void {
  const wrong = (what: string): never => {
    throw new SourceError(`${owner} has an exec plugin ${what}.`);
  };
  if (authProvider !== undefined) wrong('and an auth-provider; remove one of them');
  if (exec.command === '') wrong('without a command; set exec.command');
  if (exec.apiVersion === '') wrong(`without an API version; set exec.apiVersion to ${execVersions[0]}`);
  if (exec.env.some(({ name }) => name === ''))
    wrong('with an environment variable that has no name; set the name in exec.env');
  if (exec.interactiveMode === '')
    wrong(`without an interactiveMode; set exec.interactiveMode to ${interactiveModes.join(' or ')}`);
  if (!interactiveModes.includes(exec.interactiveMode))
    wrong(
      `with interactiveMode "${plainText(exec.interactiveMode, 60)}"; set it to ${interactiveModes.join(' or ')}`,
    );
}

const execVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const interactiveModes = ['Never', 'IfAvailable', 'Always'];

function refusePassword({ name, username, password }: KubeconfigUser): void {
  if (username === '' && password === '') return;
  throw new SourceError(`user "${name}" has both a token and a user name with password; remove one of them.`);
}

/** Applies the checks of client-go's transport, which also cover unused logins (`TransportConfig`). */
function validateLogin(user: KubeconfigUser): void {
  const { name, exec, authProvider } = user;
  if (user.tokenFile !== '') refusePassword(user);
  if (exec !== undefined && !execVersions.includes(exec.apiVersion)) {
    throw new SourceError(
      `the exec plugin ${exec.command} of user "${name}" is set to API version "${plainText(exec.apiVersion, 60)}", which is not supported; use ${execVersions[0]}.`,
    );
  }
  if (authProvider === undefined) return;
  if (authProvider.name === 'oidc') {
    const missing = ['idp-issuer-url', 'client-id'].find(key => !authProvider.config[key]);
    if (missing === undefined) return;
    throw new SourceError(
      `user "${name}" logs in by the auth-provider oidc, without ${missing}; set it there.`,
    );
  }
  const known = plugins.get(authProvider.name);
  throw new SourceError(
    known === undefined
      ? `user "${name}" logs in by the auth-provider "${plainText(authProvider.name, 60)}", which is unknown; oidc is the only one, for others there are exec plugins.`
      : `user "${name}" logs in by the auth-provider ${authProvider.name}, which Kubernetes has removed; use the exec plugin ${known}.`,
  );
}

/** Plugins that replace client-go's packages `gcp` and `azure`. */
const plugins: ReadonlyMap<string, string> = new Map([
  ['gcp', 'gke-gcloud-auth-plugin'],
  ['azure', 'kubelogin'],
]);

function checkMaterial(owner: string, key: string, file: string, data: string): void {
  if (file !== '' && data !== '') {
    throw new SourceError(`${owner} sets both ${key} and ${key}-data; remove one.`);
  }
}
