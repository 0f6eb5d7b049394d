/**
 * What tests use of a cluster, whether it is a control plane of our own or a disposable real one named by
 * `GC_TREE_TEST_KUBECONFIG`.
 */
import type { ApiClient } from './api-client.ts';
import type { Certificate } from './certificates.ts';
import type { Etcd } from './etcd.ts';
import type { ComponentName } from './processes/component.ts';

/** Only a control plane of our own can do this; tests that need it are skipped elsewhere. */
export class NotAvailable extends Error {
  override readonly name = 'NotAvailable';
}

/** One program of the control plane. Each call resolves when it is done: served again, or ended. */
export interface ComponentControl {
  readonly running: boolean;
  /** On 127.0.0.1. */
  readonly port: number;
  /** Undefined while it doesn't run. */
  readonly pid: number | undefined;
  /** Asks it to end and waits; kills it after 15 s. */
  stop(): Promise<void>;
  /** As a crash would. */
  kill(): Promise<void>;
  /** With the same port and data as before. */
  start(): Promise<void>;
  /** How it ended since it was started, and what it said last; undefined while it runs. */
  end(): Promise<string | undefined>;
}

export interface ClientCertificateOptions {
  readonly groups?: readonly string[];
  /** Makes one that expired yesterday. */
  readonly expired?: boolean;
}

/** As the API server would store it, uid and creation time included. */
export interface StoredObject {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface Cluster {
  /** Whether components, nodes and certificates are ours to control. */
  readonly controllable: boolean;
  /** `https://host:port` of the API server. */
  readonly server: string;
  /** As administrator, JSON in and out. */
  readonly api: ApiClient;
  /** The CA's certificate (PEM file) and a serving certificate of it for 127.0.0.1, for a proxy in between. */
  readonly tls: { readonly ca: string; readonly serving: Certificate };
  /**
   * Path of a kubeconfig, for the administrator unless `user` names one of the users it was started with;
   * `server` takes the place of the API server's own address.
   */
  kubeconfig(user?: string, server?: string): Promise<string>;
  /** Path of a kubeconfig with a client certificate. */
  certificateKubeconfig(user: string, options?: ClientCertificateOptions): Promise<string>;
  /** Standard output of kubectl as administrator; rejects with what it printed on standard error. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** `kubectl apply --server-side -f -` of YAML documents. */
  apply(yaml: string): Promise<void>;
  component(name: ComponentName): ComponentControl;
  /**
   * Starts another API server on the same etcd, and resolves with the address of a proxy that gives connections to the
   * first and to the other by turns.
   */
  addApiServer(): Promise<string>;
  /** As administrator, at another address; whoever asks for it closes it. */
  apiAt(server: string): ApiClient;
  /** Adds ready fake nodes called `node-N` after those that exist, and resolves with their names. */
  addNodes(count: number): Promise<string[]>;
  /**
   * Ends (or brings back) a fake node's kubelet: no heartbeat, which is noticed after a minute unless the control plane
   * was started with `DEAD_KUBELET_SHOWS_SOON`, and its pods' deletions stay unconfirmed.
   */
  stopKubelet(node: string): Promise<void>;
  startKubelet(node: string): Promise<void>;
  /** What the API server keeps its objects in. */
  readonly etcd: Etcd;
  /**
   * Writes an object into etcd, past all that the API server checks: what only an older API server would have stored.
   * `resource` as etcd's keys have it, such as `replicasets`.
   */
  store(resource: string, object: StoredObject): Promise<void>;
  /** Copies etcd's data to a folder that doesn't exist yet; the cluster is of no more use afterwards. */
  saveEtcd(folder: string): Promise<void>;
  /** The same, and the cluster goes on: etcd stands still meanwhile. */
  backUpEtcd(folder: string): Promise<void>;
  /**
   * Brings the API server back on what `backUpEtcd` wrote, as after a disaster: both are killed, the data replaced, and
   * both started again.
   */
  restoreEtcd(folder: string): Promise<void>;
  /** Ends everything and removes every file of it. */
  stop(): Promise<void>;
}
