/**
 * The command line of every program of the control plane, and the files they share: ports, certificates,
 * tokens, the service account key. Low on resources, since all of it runs beside the tests.
 */
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Certificate, CertificateAuthority } from '../certificates.ts';
import { kwokStages } from '../nodes/kwok-stages.ts';
import type { Binaries } from './binaries.ts';
import type { ComponentName } from './component.ts';
import { freePorts } from './ports.ts';

/** Someone who may sign in with a bearer token; what they may do is up to RBAC objects. */
export interface User {
  readonly name: string;
  readonly token: string;
  readonly groups?: readonly string[];
}

export interface Layout {
  readonly folder: string;
  /** `https://127.0.0.1:port` of the API server. */
  readonly server: string;
  readonly authority: CertificateAuthority;
  readonly etcdData: string;
  readonly admin: User;
  readonly users: readonly User[];
  readonly ports: Readonly<Record<ComponentName, number>>;
  readonly serving: Certificate;
  readonly proxyClient: Certificate;
  readonly serviceAccountKey: string;
  readonly tokens: string;
  readonly kwokStages: string;
  /** The administrator's kubeconfig, which the other components use too. */
  readonly adminKubeconfig: string;
}

/**
 * For a control plane on which kubelets stop: a dead one shows within 20 seconds. A live one renews its lease every 2.5
 * (kwok, below), so that it may miss seven times in a row where programs get no turn. Elsewhere it takes a minute. Where heartbeats only are late, for want of a processor or while the API server is
 * restarted, a node would count as dead for a moment, and its pods be unready for good: kwok doesn't make them ready
 * again.
 */
export const DEAD_KUBELET_SHOWS_SOON = '--node-monitor-grace-period=20s';

/**
 * For a controller manager that holds a lease, which has to look like the one of a real control plane: one that doesn't get
 * to renew it ends, and on a busy machine it tries more often, for as long as it may.
 */
export const KEEPS_ITS_LEASE: readonly string[] = [
  '--leader-elect=true',
  '--leader-elect-renew-deadline=14s',
  '--leader-elect-retry-period=1s',
];

/** Selects the nodes that kwok plays the kubelet for; another value is a node whose kubelet is dead. */
export const KUBELET_LABEL = 'gc-tree.dev/kubelet';

export async function prepareLayout(
  folder: string,
  binaries: Binaries,
  users: readonly User[],
): Promise<Layout> {
  const certificates = join(folder, 'certificates');
  await mkdir(certificates, { recursive: true });
  const admin: User = { name: 'admin', token: crypto.randomUUID(), groups: ['system:masters'] };
  const everyone = [admin, ...users];
  const tokens = join(folder, 'tokens.csv');
  const serviceAccountKey = join(folder, 'service-account.key');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const [authority, ports, stages] = await Promise.all([
    CertificateAuthority.create(certificates),
    freePorts(5),
    kwokStages(binaries.kwok, folder),
    writeFile(tokens, everyone.map(tokenLine).join(''), { mode: 0o600 }),
    writeFile(serviceAccountKey, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 }),
  ]);
  const [serving, proxyClient] = await Promise.all([
    authority.server('kube-apiserver'),
    authority.client('aggregator'),
  ]);
  const [etcd, apiServer, controllerManager, scheduler, kwok] = ports as [
    number,
    number,
    number,
    number,
    number,
  ];
  return {
    folder,
    server: `https://127.0.0.1:${apiServer}`,
    authority,
    etcdData: join(folder, 'etcd'),
    admin,
    users: everyone,
    ports: {
      etcd,
      'kube-apiserver': apiServer,
      'kube-controller-manager': controllerManager,
      'kube-scheduler': scheduler,
      kwok,
    },
    serving,
    proxyClient,
    serviceAccountKey,
    tokens,
    kwokStages: stages,
    adminKubeconfig: join(folder, 'kubeconfig-admin.yaml'),
  };
}

function tokenLine(user: User): string {
  return `${user.token},${user.name},${user.name},"${(user.groups ?? []).join(',')}"\n`;
}

/** Binary and arguments of a component. */
export function commandLine(
  name: ComponentName,
  layout: Layout,
  binaries: Binaries,
): { binary: string; args: string[] } {
  switch (name) {
    case 'etcd':
      return { binary: binaries.server, args: etcdArguments(layout) };
    case 'kube-apiserver':
      return { binary: binaries['kube-apiserver'], args: apiServerArguments(layout) };
    case 'kube-controller-manager':
      return { binary: binaries['kube-controller-manager'], args: controllerManagerArguments(layout) };
    case 'kube-scheduler':
      return { binary: binaries['kube-scheduler'], args: schedulerArguments(layout) };
    case 'kwok':
      return { binary: binaries.kwok, args: kwokArguments(layout) };
  }
}

function etcdArguments({ etcdData, ports }: Layout): string[] {
  const client = `http://127.0.0.1:${ports.etcd}`;
  return [
    `--data-dir=${etcdData}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    // A single member talks to nobody, so any free port will do, even one that changes.
    '--listen-peer-urls=http://127.0.0.1:0',
    '--initial-advertise-peer-urls=http://127.0.0.1:0',
    '--initial-cluster=default=http://127.0.0.1:0',
    '--unsafe-no-fsync',
    // There is nobody to elect, but a request may take five seconds and twice as long as this.
    '--election-timeout=10000',
    '--quota-backend-bytes=8589934592',
    '--log-level=warn',
  ];
}

function apiServerArguments(layout: Layout): string[] {
  const { authority, proxyClient, serving, ports } = layout;
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports['kube-apiserver']}`,
    `--tls-cert-file=${serving.certificate}`,
    `--tls-private-key-file=${serving.key}`,
    `--client-ca-file=${authority.ca.certificate}`,
    `--token-auth-file=${layout.tokens}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${layout.serviceAccountKey}`,
    `--service-account-signing-key-file=${layout.serviceAccountKey}`,
    // With these the aggregation layer is on, and an APIService may point at a backend that is down.
    `--requestheader-client-ca-file=${authority.ca.certificate}`,
    '--requestheader-allowed-names=aggregator',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-username-headers=X-Remote-User',
    `--proxy-client-cert-file=${proxyClient.certificate}`,
    `--proxy-client-key-file=${proxyClient.key}`,
    // A loopback address cannot be published as an endpoint of the service "kubernetes".
    '--endpoint-reconciler-type=none',
    // Pods can then be created while the controller manager, which makes service accounts, is stopped.
    '--disable-admission-plugins=ServiceAccount',
    '--profiling=false',
  ];
}

function controllerManagerArguments(layout: Layout): string[] {
  return [
    ...ordinaryController(layout, 'kube-controller-manager'),
    `--service-account-private-key-file=${layout.serviceAccountKey}`,
    `--root-ca-file=${layout.authority.ca.certificate}`,
    '--node-monitor-period=2s',
    '--node-monitor-grace-period=60s',
  ];
}

function schedulerArguments(layout: Layout): string[] {
  return ordinaryController(layout, 'kube-scheduler');
}

function ordinaryController(layout: Layout, name: 'kube-controller-manager' | 'kube-scheduler'): string[] {
  return [
    `--kubeconfig=${layout.adminKubeconfig}`,
    `--authentication-kubeconfig=${layout.adminKubeconfig}`,
    `--authorization-kubeconfig=${layout.adminKubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${layout.ports[name]}`,
    `--tls-cert-file=${layout.serving.certificate}`,
    `--tls-private-key-file=${layout.serving.key}`,
    '--leader-elect=false',
  ];
}

function kwokArguments(layout: Layout): string[] {
  return [
    `--kubeconfig=${layout.adminKubeconfig}`,
    `--config=${layout.kwokStages}`,
    `--manage-nodes-with-label-selector=${KUBELET_LABEL}=running`,
    '--node-lease-duration-seconds=10',
    `--server-address=127.0.0.1:${layout.ports.kwok}`,
  ];
}
