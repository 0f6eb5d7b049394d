/**
 * A published operator as it runs in a cluster: its process is there while the pod of its Deployment runs, and has that
 * pod's token. The pods of a control plane without machines start nothing by themselves.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { writeKubeconfig } from '../../harness/kubeconfig.ts';
import { Component } from '../../harness/processes/component.ts';
import { freePorts } from '../../harness/processes/ports.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';

export interface OperatorOptions {
  readonly cluster: Cluster;
  /** Of its Deployment. */
  readonly namespace: string;
  /** Of its Deployment and of its ServiceAccount; its pods are labelled `app` with it. */
  readonly name: string;
  readonly binary: string;
  /** With the port where it has to say that it is ready. */
  readonly args?: (port: number) => readonly string[];
  readonly env?: (port: number) => Readonly<Record<string, string>>;
  /** Where it says so. */
  readonly readyPath: string;
}

const PAUSE_MS = 200;

export class Operator {
  readonly #options: OperatorOptions;
  readonly #folder: string;
  readonly #following: Promise<void>;
  #process: { readonly pod: string; readonly component: Component; isReady: boolean } | undefined;
  #isPaused = false;
  #isStopped = false;
  #trouble = '';

  private constructor(options: OperatorOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#following = this.#follow();
  }

  /** Resolves once its pod runs, and it is ready in it. */
  static async start(options: OperatorOptions): Promise<Operator> {
    const folder = await mkdtemp(join(tmpdir(), 'gc-tree-operator-'));
    guardFolder(folder);
    const operator = new Operator(options, folder);
    try {
      await operator.isRunning(true);
    } catch (error) {
      await operator.stop();
      throw error;
    }
    return operator;
  }

  /** Waits for its process to be there and ready, or not to be there. */
  async isRunning(expected: boolean): Promise<void> {
    await eventually(async () => {
      const { component, isReady: ready = false } = this.#process ?? {};
      const is = component?.running === true && (ready || !expected);
      expect(is, `${this.#trouble}\n${await this.#log()}`).toBe(expected);
    });
  }

  /** It does nothing more, as one that is slow; the cluster doesn't see that. */
  pause(): void {
    this.#signal('SIGSTOP');
    this.#isPaused = true;
  }

  resume(): void {
    this.#signal('SIGCONT');
    this.#isPaused = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    // One that doesn't get ready is no longer waited for.
    await this.#process?.component.kill();
    await this.#following;
    await this.#process?.component.kill();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = this.#process?.component.pid;
    if (pid === undefined) throw new Error(`${this.#options.name} does not run`);
    process.kill(pid, signal);
  }

  async #log(): Promise<string> {
    return (await this.#process?.component.logTail()) ?? '';
  }

  async #follow(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#follows(await this.#pods());
      } catch (error) {
        // As a kubelet does, it tries again; whoever waits for it is told.
        this.#trouble = String(error);
      }
      await sleep(PAUSE_MS);
    }
  }

  async #follows(pods: readonly string[]): Promise<void> {
    const running = this.#process;
    if (running !== undefined && !pods.includes(running.pod)) {
      // One that doesn't hear that it should end is killed, and does nothing more either.
      await (this.#isPaused ? running.component.kill() : running.component.stop());
      this.#isPaused = false;
      this.#process = undefined;
    }
    const [pod] = pods;
    if (pod === undefined || this.#process?.component.running === true) return;
    const component = await this.#component(pod);
    const started = { pod, component, isReady: false };
    this.#process = started;
    await component.start();
    started.isReady = true;
  }

  /** Names of those that run. */
  async #pods(): Promise<string[]> {
    const { cluster, namespace, name } = this.#options;
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${name}`;
    return list((await cluster.api.json<JsonRecord>({ path }))['items'])
      .map(record)
      .filter(pod => record(pod['metadata'])['deletionTimestamp'] === undefined)
      .filter(pod => text(record(pod['status'])['phase']) === 'Running')
      .map(pod => text(record(pod['metadata'])['name']));
  }

  async #component(pod: string): Promise<Component> {
    const { cluster, namespace, name, binary, args, env, readyPath } = this.#options;
    const bound = ['--bound-object-kind=Pod', `--bound-object-name=${pod}`];
    const token = (await cluster.kubectl(['create', 'token', name, '-n', namespace, ...bound])).trim();
    const kubeconfig = await writeKubeconfig(join(this.#folder, `${name}.yaml`), {
      server: cluster.server,
      ca: cluster.tls.ca,
      user: name,
      credentials: { token },
    });
    const [port = 0] = await freePorts(1);
    return new Component({
      name,
      port,
      binary,
      folder: this.#folder,
      args: args?.(port) ?? [],
      env: { KUBECONFIG: kubeconfig, TMPDIR: this.#folder, ...env?.(port) },
      ready: () => isReady(`http://127.0.0.1:${port}${readyPath}`),
    });
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { timeout: 10_000, agent: false }, incoming => {
      incoming.resume();
      resolve(incoming.statusCode === 200);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer from ${url}`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}
