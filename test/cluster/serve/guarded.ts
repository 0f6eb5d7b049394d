/** A control plane that asks a guard about deletions, and kubectl with what it prints on standard error. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { type JsonRecord, list, record } from '../../../src/model/json/json.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { type ControlPlaneOptions, startControlPlane } from '../../harness/control-plane.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { eventually } from '../eventually.ts';
import { type RunningTool, runTool, startTool } from '../tool.ts';

const run = promisify(execFile);

/** Controllers act as ServiceAccounts of kube-system, as kubeadm sets them up. */
const flags = ['--use-service-account-credentials=true'];

export class GuardedCluster {
  readonly cluster: Cluster;
  readonly program: string;
  /** The last one that was started. */
  guard: RunningTool | undefined;
  readonly #guards: RunningTool[] = [];
  #url = '';

  private constructor(cluster: Cluster, kubectl: string) {
    this.cluster = cluster;
    this.program = kubectl;
  }

  static async start(options: ControlPlaneOptions = {}): Promise<GuardedCluster> {
    return GuardedCluster.of(await startControlPlane({ controllerManagerFlags: flags, ...options }));
  }

  static async of(cluster: Cluster): Promise<GuardedCluster> {
    const { kubectl } = await controlPlaneBinaries();
    return new GuardedCluster(cluster, kubectl);
  }

  async stop(): Promise<void> {
    this.stopGuards();
    await this.cluster?.stop();
  }

  stopGuards(): void {
    for (const { child } of this.#guards) child.kill('SIGKILL');
  }

  get tls(): string[] {
    const { certificate, key } = this.cluster.tls.serving;
    return ['--tls-cert-file', certificate, '--tls-private-key-file', key];
  }

  /** Resolves with its address once it is ready. */
  async startGuard(tls = this.tls, kubeconfig?: string): Promise<string> {
    this.guard = startTool(['serve', '--guard', '--port=0', ...tls], {
      kubeconfig: kubeconfig ?? (await this.cluster.kubeconfig()),
    });
    const { guard } = this;
    this.#guards.push(guard);
    const url = await eventually(() => {
      const [, address] = /Serving on (\S+),/u.exec(guard.stderr()) ?? [];
      if (address === undefined) throw new Error(guard.stderr());
      return address;
    });
    this.#url = url;
    await eventually(async () => {
      const { stdout } = await run('curl', ['-sk', `${url}/readyz`]);
      if (stdout !== 'ok\n') throw new Error(stdout);
    });
    return url;
  }

  /** Has the API server ask this address, by the webhook as it is printed, and as `edit` changes it. */
  async ask(url: string, tls = this.tls, edit = (webhook: JsonRecord): JsonRecord => webhook): Promise<void> {
    const { stdout, stderr, code } = await runTool(['serve', '--guard', '--print-webhook', url, ...tls]);
    if (code !== 0) throw new Error(stderr);
    const configuration = record(parse(stdout));
    const webhooks = list(configuration['webhooks']).map(each => edit(record(each)));
    await this.cluster.apply(JSON.stringify({ ...configuration, webhooks }));
  }

  /** Warnings without their prefix, and the rest. Rejects if kubectl fails, unless another webhook refuses the request. */
  async kubectl(...args: readonly string[]): Promise<{ warnings: string[]; stdout: string }> {
    const KUBECONFIG = await this.cluster.kubeconfig();
    const { stdout, stderr } = await run(this.program, args, {
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', KUBECONFIG },
    }).catch((error: { stdout: string; stderr: string }) => {
      if (!/webhook "guard\.example\.net"/u.test(error.stderr)) throw error;
      return error;
    });
    const warnings = stderr.split('\n').flatMap(line => /^Warning: (.*)$/u.exec(line)?.[1] ?? []);
    return { warnings, stdout };
  }

  /** Returns the warnings that kubectl prints for a dry run of the deletion. */
  async warningsFor(...args: readonly string[]): Promise<string[]> {
    return (await this.kubectl('delete', '--dry-run=server', ...args)).warnings;
  }

  /** How many requests the guard was asked about; `answer`: with this answer. */
  async reviews(answer = '[a-z]+'): Promise<number> {
    const [, token] = /token: (\S+)/u.exec(await readFile(await this.cluster.kubeconfig(), 'utf8')) ?? [];
    const { stdout } = await run('curl', [
      '-sk',
      '-H',
      `Authorization: Bearer ${token}`,
      `${this.#url}/metrics`,
    ]);
    const lines = stdout.matchAll(
      new RegExp(`^gc_tree_guard_reviews_total\\{answer="${answer}"\\} (\\d+)$`, 'gmu'),
    );
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  }
}
