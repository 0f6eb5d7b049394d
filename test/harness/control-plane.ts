/**
 * Starts a real Kubernetes control plane for a test: etcd, API server, controller manager, scheduler and fake
 * kubelets, on free loopback ports, in a temporary folder. Nothing of it outlives the process.
 */

import { readFileSync, rmSync } from 'node:fs';
import { cp as copy, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiClient } from './api-client.ts';
import {
  type ClientCertificateOptions,
  type Cluster,
  type ComponentControl,
  NotAvailable,
  type StoredObject,
} from './cluster.ts';
import { Etcd } from './etcd.ts';
import { existingCluster } from './existing-cluster.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { runKubectl } from './kubectl.ts';
import { createNodes, setKubelet, waitUntilReady } from './nodes/fake-nodes.ts';
import { probe } from './probe.ts';
import { type Balancer, startBalancer } from './processes/balancer.ts';
import { type Binaries, controlPlaneBinaries } from './processes/binaries.ts';
import { Component, type ComponentName } from './processes/component.ts';
import { commandLine, type Layout, prepareLayout, type User } from './processes/layout.ts';
import { freePorts } from './processes/ports.ts';
import { guardFolder } from './processes/watchdog.ts';

export interface ControlPlaneOptions {
  /** Fake nodes, called `node-1` and so on; none unless told. */
  readonly nodes?: number;
  /** All of them unless told. Those left out can be started later. */
  readonly components?: readonly ComponentName[];
  /** Users beside the administrator. A component whose own user is among them acts as that one, not as administrator. */
  readonly users?: readonly User[];
  /** A folder that `saveEtcd` wrote; it is copied, not changed. */
  readonly etcdData?: string;
  /**
   * Flags of kube-controller-manager beside the harness's own, such as `--terminated-pod-gc-threshold=5`; they win.
   * Whoever stops kubelets and waits for that to be noticed gives `DEAD_KUBELET_SHOWS_SOON`.
   */
  readonly controllerManagerFlags?: readonly string[];
  /** Flags of kube-apiserver; they win, too. */
  readonly apiServerFlags?: readonly string[];
  /** Flags of kube-scheduler; they win, too. */
  readonly schedulerFlags?: readonly string[];
  /** Variables of kube-apiserver, such as `GOGC`. */
  readonly apiServerEnv?: Readonly<Record<string, string>>;
  /** Lines of progress, for builds that take minutes; standard error unless told. */
  readonly say?: (line: string) => void;
}

/** Users of components, as kubeadm sets them up; fake kubelets share one. */
const ownUsers: Readonly<Partial<Record<ComponentName, string>>> = {
  'kube-controller-manager': 'system:kube-controller-manager',
  'kube-scheduler': 'system:kube-scheduler',
  kwok: 'system:node:kwok',
};

/** For `users`: the components' own, which may do everything. */
export const componentUsers: readonly User[] = Object.values(ownUsers).map(name => ({
  name,
  token: crypto.randomUUID(),
  groups: ['system:masters', ...(name.startsWith('system:node:') ? ['system:nodes'] : [])],
}));

export const everyComponent: readonly ComponentName[] = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kwok',
];

/**
 * Resolves when everything serves and every node is ready, which takes about five seconds once the programs
 * are built. Rejects with the end of a program's log if it does not start.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<Cluster> {
  const kubeconfig = process.env['GC_TREE_TEST_KUBECONFIG'];
  if (kubeconfig) {
    if (options.etcdData !== undefined) throw new NotAvailable('a real cluster takes no etcd data');
    if ([options.controllerManagerFlags, options.apiServerFlags, options.schedulerFlags].some(Boolean)) {
      throw new NotAvailable('the flags of a real cluster are its own');
    }
    return existingCluster(kubeconfig, options.users ?? []);
  }
  const binaries = await controlPlaneBinaries(options.say);
  const folder = await mkdtemp(join(tmpdir(), 'gc-tree-cluster-'));
  guardFolder(folder);
  let plane: ControlPlane | undefined;
  try {
    const layout = await prepareLayout(folder, binaries, options.users ?? []);
    if (options.etcdData !== undefined) await copy(options.etcdData, layout.etcdData, { recursive: true });
    plane = new ControlPlane(layout, binaries, options);
    await plane.start(options.components ?? everyComponent);
    if (options.nodes) await plane.addNodes(options.nodes);
    return plane;
  } catch (error) {
    await plane?.stop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

class ControlPlane implements Cluster {
  readonly controllable = true;
  readonly server: string;
  readonly api: ApiClient;
  readonly tls: Cluster['tls'];
  readonly etcd: Etcd;
  readonly #layout: Layout;
  readonly #binaries: Binaries;
  readonly #flags: Partial<Record<ComponentName, readonly string[] | undefined>>;
  readonly #apiServerEnv: Readonly<Record<string, string>> | undefined;
  readonly #components: ReadonlyMap<ComponentName, Component>;
  readonly #others: Component[] = [];
  readonly #balancers: Balancer[] = [];
  readonly #onExit = () => {
    for (const component of [...this.#components.values(), ...this.#others]) component.killNow();
    rmSync(this.#layout.folder, { recursive: true, force: true });
  };

  constructor(layout: Layout, binaries: Binaries, options: ControlPlaneOptions) {
    this.#layout = layout;
    this.#binaries = binaries;
    this.#flags = {
      'kube-apiserver': options.apiServerFlags,
      'kube-controller-manager': options.controllerManagerFlags,
      'kube-scheduler': options.schedulerFlags,
    };
    this.#apiServerEnv = options.apiServerEnv;
    this.server = layout.server;
    this.tls = { ca: layout.authority.ca.certificate, serving: layout.serving };
    this.api = this.apiAt(layout.server);
    this.etcd = new Etcd(`http://127.0.0.1:${layout.ports.etcd}`);
    this.#components = new Map(everyComponent.map(name => [name, this.#create(name)]));
    process.once('exit', this.#onExit);
  }

  /** Etcd before the API server before those that need it, which start together. */
  async start(names: readonly ComponentName[]): Promise<void> {
    await this.kubeconfig();
    for (const name of names) await this.kubeconfig(this.#userOf(name));
    if (names.includes('etcd')) await this.component('etcd').start();
    if (names.includes('kube-apiserver')) await this.component('kube-apiserver').start();
    const rest = names.filter(name => name !== 'etcd' && name !== 'kube-apiserver');
    await Promise.all(rest.map(name => this.component(name).start()));
  }

  component(name: ComponentName): ComponentControl {
    const component = this.#components.get(name);
    if (component === undefined) throw new Error(`no component ${name}`);
    return component;
  }

  async addApiServer(): Promise<string> {
    const [port = 0] = await freePorts(1);
    const other = this.#create('kube-apiserver', { name: 'kube-apiserver-2', port });
    this.#others.push(other);
    await other.start();
    const balancer = await startBalancer([this.component('kube-apiserver').port, port]);
    this.#balancers.push(balancer);
    return balancer.server;
  }

  async kubeconfig(user = this.#layout.admin.name, server = this.server): Promise<string> {
    const found = this.#layout.users.find(({ name }) => name === user);
    if (found === undefined) throw new Error(`the control plane was not started with a user ${user}`);
    return this.#writeKubeconfig(user, server, { token: found.token });
  }

  async certificateKubeconfig(user: string, options: ClientCertificateOptions = {}): Promise<string> {
    const days = options.expired === true ? -1 : 365;
    const { certificate, key } = await this.#layout.authority.client(user, options.groups, days);
    return this.#writeKubeconfig(
      `certificate-${user}${options.expired === true ? '-expired' : ''}`,
      this.server,
      {
        'client-certificate': certificate,
        'client-key': key,
      },
    );
  }

  async kubectl(args: readonly string[], input?: string): Promise<string> {
    return runKubectl(
      { binary: this.#binaries.kubectl, kubeconfig: await this.kubeconfig(), home: this.#layout.folder },
      args,
      input,
    );
  }

  async apply(yaml: string): Promise<void> {
    await this.kubectl(['apply', '--server-side', '-f', '-'], yaml);
  }

  async addNodes(count: number): Promise<string[]> {
    const names = await createNodes(this.api, count);
    if (this.component('kwok').running) await waitUntilReady(this.api, names);
    return names;
  }

  stopKubelet(node: string): Promise<void> {
    return setKubelet(this.api, node, 'stopped');
  }

  startKubelet(node: string): Promise<void> {
    return setKubelet(this.api, node, 'running');
  }

  async store(resource: string, object: StoredObject): Promise<void> {
    const { namespace, name } = object.metadata;
    await this.etcd.put(`/registry/${resource}/${namespace}/${name}`, JSON.stringify(object));
  }

  async saveEtcd(folder: string): Promise<void> {
    for (const name of everyComponent) if (name !== 'etcd') await this.component(name).kill();
    await this.component('etcd').stop();
    await copy(this.#layout.etcdData, folder, { recursive: true, errorOnExist: true, force: false });
  }

  async backUpEtcd(folder: string): Promise<void> {
    await this.component('etcd').stop();
    await copy(this.#layout.etcdData, folder, { recursive: true, errorOnExist: true, force: false });
    await this.component('etcd').start();
  }

  async restoreEtcd(folder: string): Promise<void> {
    await this.component('kube-apiserver').kill();
    await this.component('etcd').kill();
    await rm(this.#layout.etcdData, { recursive: true });
    await copy(folder, this.#layout.etcdData, { recursive: true });
    await this.start(['etcd', 'kube-apiserver']);
  }

  async stop(): Promise<void> {
    this.api.close();
    this.etcd.close();
    // The data is thrown away, so nobody needs the time to end well; the API server last but etcd would log.
    for (const balancer of this.#balancers) balancer.stop();
    await Promise.all([...this.#components.values(), ...this.#others].map(component => component.kill()));
    await rm(this.#layout.folder, { recursive: true, force: true, maxRetries: 20 });
    process.removeListener('exit', this.#onExit);
  }

  apiAt(server: string): ApiClient {
    const { admin, authority } = this.#layout;
    return new ApiClient({ server, ca: readFileSync(authority.ca.certificate), token: admin.token });
  }

  #writeKubeconfig(
    user: string,
    server: string,
    credentials: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const { authority } = this.#layout;
    const path = this.#kubeconfigOf(user, server);
    const ca = server.startsWith('https:') ? { ca: authority.ca.certificate } : {};
    return writeKubeconfig(path, { server, ...ca, user, credentials });
  }

  #kubeconfigOf(user: string, server = this.server): string {
    const port = server === this.server ? '' : `-${new URL(server).port}`;
    return join(this.#layout.folder, `kubeconfig-${fileName(user)}${port}.yaml`);
  }

  #userOf(component: ComponentName): string {
    const { users, admin } = this.#layout;
    return users.find(({ name }) => name === ownUsers[component])?.name ?? admin.name;
  }

  /** `another`: of the same, with a name and a port of its own. */
  #create(name: ComponentName, another?: { readonly name: string; readonly port: number }): Component {
    const { folder, ports: given } = this.#layout;
    const ports = another === undefined ? given : { ...given, [name]: another.port };
    const server = `https://127.0.0.1:${ports['kube-apiserver']}`;
    const layout = {
      ...this.#layout,
      ports,
      server,
      adminKubeconfig: this.#kubeconfigOf(this.#userOf(name)),
    };
    const { binary, args } = commandLine(name, layout, this.#binaries);
    const flags = this.#flags[name] ?? [];
    const api = another === undefined ? this.api : this.apiAt(layout.server);
    return new Component({
      name: another?.name ?? name,
      folder,
      binary,
      args: [...args.filter(each => !isGiven(each, flags)), ...flags],
      port: ports[name],
      ready: () => probe(name, ports[name], api),
      ...(name === 'kube-apiserver' && this.#apiServerEnv !== undefined && { env: this.#apiServerEnv }),
    });
  }
}

/** Lists of values add up if their flag is repeated, so that the harness's own would not be replaced. */
function isGiven(argument: string, flags: readonly string[]): boolean {
  const [name = ''] = argument.split('=');
  return flags.some(each => each.startsWith(`${name}=`));
}

function fileName(user: string): string {
  return user.replace(/[^\w.-]/g, '_');
}
