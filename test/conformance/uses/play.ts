/**
 * Plays random worlds of users side by side on a real control plane: a plan is made in each, its targets are deleted,
 * then every workload is started again. What broke is compared with what the plan said.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import { openCluster } from '../../../src/kube/open-cluster.ts';
import { type JsonRecord, record, text } from '../../../src/model/json/json.ts';
import { command } from '../../cli/console.ts';
import { eventually } from '../../cluster/eventually.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { everyComponent, startControlPlane } from '../../harness/control-plane.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { together } from '../real/run.ts';
import { Webhooks } from '../worlds/webhooks.ts';
import { Kubelet } from './kubelet.ts';
import { type Answers, answersOf, Lists, nameOf, tokenOf } from './observed.ts';
import { HOOK_SERVICE, POD_LABEL, randomUses, type UsesWorld } from './random-uses.ts';
import { brokenAtOnce, leftBehind, type Moment, predicted, workloadLists } from './verdict.ts';

/** Milliseconds without a change of a pod that count as rest. */
const QUIET_MS = 2500;
/** Milliseconds until a difference counts: controllers try again late on a busy machine. */
const PATIENCE_MS = 60_000;
const MERGE = 'application/merge-patch+json';

export interface UsesRound {
  readonly world: UsesWorld;
  readonly plan: Plan;
  /** Lines as `verdict.ts` has them. */
  readonly predicted: readonly string[];
  readonly actual: readonly string[];
}

export interface UsesOptions {
  readonly seeds: readonly number[];
  readonly say?: (line: string) => void;
}

export async function playUses({ seeds, say = () => {} }: UsesOptions): Promise<readonly UsesRound[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gc-tree-uses-'));
  guardFolder(folder);
  const names = seeds.map((_, index) => `u${index}`);
  const webhooks = await Webhooks.start(
    folder,
    names.map(each => `${HOOK_SERVICE}.${each}`),
  );
  const cluster = await startControlPlane({
    components: everyComponent.filter(each => each !== 'kwok'),
    apiServerFlags: ['--disable-admission-plugins=DenyServiceExternalIPs'],
    controllerManagerFlags: [
      '--kube-api-qps=2000',
      '--kube-api-burst=2000',
      '--concurrent-deployment-syncs=20',
      '--concurrent-horizontal-pod-autoscaler-syncs=20',
      '--horizontal-pod-autoscaler-sync-period=10s',
    ],
  });
  const kubelet = await Kubelet.start(cluster.api);
  try {
    const worlds = seeds.map((seed, index) => randomUses(seed, names[index] ?? '', webhooks.backend));
    return await new Play(cluster, kubelet, worlds, say).rounds();
  } finally {
    kubelet.stop();
    await cluster.stop();
    await webhooks.stop();
  }
}

class Play {
  readonly #cluster: Cluster;
  readonly #kubelet: Kubelet;
  readonly #worlds: readonly UsesWorld[];
  readonly #say: (line: string) => void;
  readonly #tokens = new Map<string, ReadonlyMap<string, string>>();

  constructor(cluster: Cluster, kubelet: Kubelet, worlds: readonly UsesWorld[], say: (line: string) => void) {
    this.#cluster = cluster;
    this.#kubelet = kubelet;
    this.#worlds = worlds;
    const began = Date.now();
    this.#say = line => say(`${Math.round((Date.now() - began) / 1000)} s: ${line}`);
  }

  async rounds(): Promise<readonly UsesRound[]> {
    await this.#make();
    const before = await this.#moments();
    const plans = await this.#plans();
    this.#kubelet.hold();
    await together(this.#worlds, world => this.#delete(world));
    const atOnce = await this.#settled(plans, /^(?!start|later|rollback)/u, async () => {
      const after = await this.#moments();
      return world => {
        const [was, is] = [momentOf(before, world), momentOf(after, world)];
        return [...brokenAtOnce(world, was, is), ...leftBehind(world, was, is)];
      };
    });
    const inPlace = new Map<string, readonly string[]>();
    await together(
      this.#worlds,
      async world => void inPlace.set(world.namespace, await this.#containers(world)),
    );
    const started = await Lists.read(this.#cluster.api);
    this.#kubelet.release();
    await together(this.#worlds, world => this.#restart(world, started));
    const later = await this.#settled(plans, /^(?:start|later)/u, async () => {
      const lists = await Lists.read(this.#cluster.api);
      return world => [...(inPlace.get(world.namespace) ?? []), ...this.#unstarted(world, lists)];
    });
    await together(this.#worlds, async ({ namespace, updated }) => {
      for (const { older } of updated)
        if (started.has('deployments', namespace, nameOf(older))) await this.#update(older);
    });
    const rolledBack = await this.#settled(plans, /^rollback/u, async () => {
      const lists = await Lists.read(this.#cluster.api);
      return world => stuckRollbacks(world, lists);
    });
    return this.#worlds.flatMap((world, index) => {
      const plan = plans[index];
      const actual = [atOnce, later, rolledBack].flatMap(found => found[index] ?? []).sort();
      return plan === undefined ? [] : { world, plan, predicted: predicted(plan, world), actual };
    });
  }

  async #make(): Promise<void> {
    await together(this.#worlds, async ({ objects }) => {
      for (const object of objects) await this.#create(object);
    });
    this.#say('made');
    await this.#allStarted();
    await together(this.#worlds, async ({ updated }) => {
      for (const { newer } of updated) await this.#update(newer);
    });
    await this.#allStarted();
    this.#say(`${this.#kubelet.pods().length} pods run`);
  }

  /** Gives a Deployment the pod template of a revision. */
  async #update(revision: JsonRecord): Promise<void> {
    const { template } = record(revision['spec']);
    const { metadata, spec } = record(template);
    const body = { spec: { template: { metadata, spec: { ...nothing, ...record(spec) } } } };
    const path = `${pathOf(revision)}/${nameOf(revision)}`;
    await this.#cluster.api.json({ method: 'PATCH', path, body, contentType: MERGE });
  }

  async #create(body: JsonRecord): Promise<void> {
    const path = pathOf(body);
    await eventually(() => this.#cluster.api.json({ method: 'POST', path, body }), 20_000);
  }

  async #allStarted(): Promise<void> {
    await eventually(async () => {
      await this.#kubelet.rest(QUIET_MS);
      const late = this.#kubelet.pods().filter(({ status }) => text(record(status)['phase']) === 'Pending');
      const { trouble } = this.#kubelet;
      if (late.length > 0)
        throw new Error(`${trouble} ${late.length} are pending: ${JSON.stringify(late[0])}`);
    }, 2 * PATIENCE_MS);
  }

  async #moments(): Promise<{ readonly lists: Lists; readonly answers: ReadonlyMap<string, Answers> }> {
    const lists = await Lists.read(this.#cluster.api);
    const answers = new Map<string, Answers>();
    await together(this.#worlds, async world => {
      const { namespace } = world;
      const tokens = this.#tokens.get(namespace) ?? (await this.#tokensOf(world));
      this.#tokens.set(namespace, tokens);
      answers.set(namespace, await answersOf(this.#cluster.api, world, tokens));
    });
    return { lists, answers };
  }

  async #tokensOf({ namespace, targets }: UsesWorld): Promise<ReadonlyMap<string, string>> {
    if (!targets.some(each => each.startsWith('serviceaccount/'))) return new Map();
    const robots = ['robot-a', 'robot-b', 'default'];
    const tokens = robots.map(
      async each => [each, await tokenOf(this.#cluster.api, namespace, each)] as const,
    );
    return new Map(await Promise.all(tokens));
  }

  /** One after the other: a process has one catalogue. */
  async #plans(): Promise<readonly Plan[]> {
    const kubeconfig = await this.#cluster.kubeconfig();
    const plans: Plan[] = [];
    for (const { namespace, targets } of this.#worlds) {
      const source = openCluster({ kubeconfig }, { env: {}, verbosity: 0, log: () => {} });
      const words = `plan delete ${targets.join(' ')} -n ${namespace} -o json`;
      const { out, err, exitCode } = await command(words, { source, now: () => Date.now() });
      if (exitCode !== 0) throw new Error(`${words}: ${exitCode} ${err}`);
      plans.push(JSON.parse(out) as Plan);
    }
    this.#say('plans made');
    return plans;
  }

  async #delete({ namespace, targets }: UsesWorld): Promise<void> {
    for (const target of targets) {
      const path = targetPath(namespace, target);
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
      await this.#cluster.api.json({ method: 'DELETE', path, body });
    }
  }

  /** Looks until the lines of the worlds that match are as their plans say, or for a minute. */
  async #settled(
    plans: readonly Plan[],
    which: RegExp,
    look: () => Promise<(world: UsesWorld) => readonly string[]>,
  ): Promise<readonly (readonly string[])[]> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      await this.#kubelet.rest(QUIET_MS);
      const linesOf = await look();
      const found = this.#worlds.map(world => [...new Set(linesOf(world))].sort());
      const isAlike = this.#worlds.every((world, index) => {
        const plan = plans[index];
        return (
          plan &&
          predicted(plan, world)
            .filter(each => which.test(each))
            .join() === found[index]?.join()
        );
      });
      if (!isAlike && Date.now() < deadline) continue;
      this.#say(`compared ${which}`);
      return found;
    }
  }

  /** Lists running bare pods whose containers could not start again in place. */
  async #containers({ namespace, objects }: UsesWorld): Promise<readonly string[]> {
    const lines: string[] = [];
    for (const pod of this.#kubelet.pods()) {
      const { namespace: own, name, ownerReferences, deletionTimestamp } = record(pod['metadata']);
      if (own !== namespace || ownerReferences !== undefined || deletionTimestamp !== undefined) continue;
      if (!objects.some(each => nameOf(each) === name)) continue;
      if ((await this.#kubelet.missingForContainer(pod)).length > 0) lines.push(`start Pod ${text(name)}`);
    }
    return lines;
  }

  /** Has every workload start pods. */
  async #restart({ namespace, objects }: UsesWorld, lists: Lists): Promise<void> {
    const { api } = this.#cluster;
    for (const object of objects) {
      const kind = text(object['kind']);
      const name = nameOf(object);
      const resource = workloadLists[kind];
      if (resource === undefined || kind === 'Pod' || !lists.has(resource, namespace, name)) continue;
      if (record(object['spec'])['replicas'] === 0) {
        const path = `${pathOf(object)}/${name}`;
        await api.json({
          method: 'PATCH',
          path,
          body: { spec: { replicas: 1 } },
          contentType: MERGE,
        });
      }
      if (kind === 'CronJob') {
        const { spec } = record(record(object['spec'])['jobTemplate']);
        await this.#create({
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { namespace, name: `${name}-run` },
          spec,
        });
      }
    }
    for (const claim of lists.of('persistentvolumeclaims', namespace))
      if (isPending(claim)) await this.#create(consumerOf(claim));
    for (const pod of this.#kubelet.pods()) {
      const { namespace: own, name, uid, ownerReferences } = record(pod['metadata']);
      const isDone = text(record(pod['status'])['phase']) === 'Succeeded';
      const isOld = lists.of('pods', namespace).some(each => record(each['metadata'])['uid'] === uid);
      if (own !== namespace || ownerReferences === undefined || isDone || !isOld) continue;
      const body = { gracePeriodSeconds: 0 };
      await api.send({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}/pods/${text(name)}`, body });
    }
  }

  /** Lists workloads of which no pod runs, and claims that no volume is made for. */
  #unstarted({ namespace, objects }: UsesWorld, lists: Lists): readonly string[] {
    const claims = lists.of('persistentvolumeclaims', namespace).filter(isPending);
    const workloads = objects.filter(object => {
      const resource = workloadLists[text(object['kind'])];
      const name = nameOf(object);
      if (resource === undefined || resource === 'pods' || !lists.has(resource, namespace, name))
        return false;
      return (
        !claims.some(claim => names(object, claim)) &&
        !lists.of('pods', namespace).some(pod => {
          const { labels, deletionTimestamp } = record(pod['metadata']);
          const phase = text(record(pod['status'])['phase']);
          const isIts = record(labels)[POD_LABEL] === name && deletionTimestamp === undefined;
          return isIts && ['Running', 'Succeeded'].includes(phase);
        })
      );
    });
    return [
      ...workloads.map(each => `start ${text(each['kind'])} ${nameOf(each)}`),
      ...claims.map(each => `later PersistentVolumeClaim ${nameOf(each)}`),
    ];
  }
}

function isPending({ metadata, status }: JsonRecord): boolean {
  return text(record(status)['phase']) === 'Pending' && record(metadata)['deletionTimestamp'] === undefined;
}

/** A pod that needs a claim alone. */
function consumerOf(claim: JsonRecord): JsonRecord {
  const { namespace } = record(claim['metadata']);
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: nameOf(claim) } }];
  const spec = { containers: [{ name: 'main', image: 'registry.example/app' }], volumes };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: `needs-${nameOf(claim)}` }, spec };
}

/** A missing volume is reported on the claim. */
function names(workload: JsonRecord, claim: JsonRecord): boolean {
  return JSON.stringify(workload).includes(`"claimName":"${nameOf(claim)}"`);
}

/** Lists Deployments whose rollback does not come to its end. */
function stuckRollbacks({ namespace, updated }: UsesWorld, lists: Lists): readonly string[] {
  return updated.flatMap(({ older }) => {
    const name = nameOf(older);
    const found = lists.of('deployments', namespace).find(each => nameOf(each) === name);
    const claims = lists.of('persistentvolumeclaims', namespace).filter(isPending);
    if (found === undefined || claims.some(claim => names(older, claim))) return [];
    const status = record(found['status']);
    const { replicas } = record(found['spec']);
    const isSeen = status['observedGeneration'] === record(found['metadata'])['generation'];
    // A new pod that does not start is there beside the old one.
    const counts = ['replicas', 'updatedReplicas', 'readyReplicas'].map(each => status[each]);
    const isDone = isSeen && counts.every(each => each === replicas);
    return isDone ? [] : [`rollback Deployment ${name}`];
  });
}

/** Removes fields of an earlier revision in a merge patch. */
const nothing: JsonRecord = Object.fromEntries(
  [
    'serviceAccountName',
    'serviceAccount',
    'automountServiceAccountToken',
    'priorityClassName',
    'runtimeClassName',
    'imagePullSecrets',
    'initContainers',
  ].map(each => [each, null]),
);

function momentOf(
  { lists, answers }: { readonly lists: Lists; readonly answers: ReadonlyMap<string, Answers> },
  { namespace }: UsesWorld,
): Moment {
  const found = answers.get(namespace);
  if (found === undefined) throw new Error(`no answers about ${namespace}`);
  return { lists, answers: found };
}

const places: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  PriorityClass: '/apis/scheduling.k8s.io/v1/priorityclasses',
  RuntimeClass: '/apis/node.k8s.io/v1/runtimeclasses',
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ValidatingWebhookConfiguration: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  NetworkPolicy: 'networkpolicies',
};

/** The path of the list of the object's kind. */
function pathOf({ apiVersion, kind, metadata }: JsonRecord): string {
  const wide = places[text(kind)];
  if (wide?.startsWith('/')) return wide;
  const group = text(apiVersion);
  const resource = wide ?? `${text(kind).toLowerCase()}s`;
  return `/${group === 'v1' ? 'api' : 'apis'}/${group}/namespaces/${text(record(metadata)['namespace'])}/${resource}`;
}

function targetPath(namespace: string, target: string): string {
  const [kind = '', name = ''] = target.split('/');
  const known = [
    ['v1', 'ConfigMap Secret ServiceAccount PersistentVolumeClaim Service Pod ReplicationController'],
    ['apps/v1', 'Deployment StatefulSet ReplicaSet DaemonSet'],
    ['batch/v1', 'Job CronJob'],
    ['rbac.authorization.k8s.io/v1', 'Role RoleBinding'],
  ] as const;
  const wide = Object.entries(places).find(([each]) => each.toLowerCase() === kind);
  if (wide) return `${wide[1]}/${name}`;
  const [apiVersion = ''] = known.find(([, kinds]) => kinds.toLowerCase().split(' ').includes(kind)) ?? [];
  return `${pathOf({ apiVersion, kind, metadata: { namespace } })}/${name}`;
}
