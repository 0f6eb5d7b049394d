/** Random charts to install and uninstall, each in a namespace of its own, and changes in between. */
import { Random } from '../../../src/simulation/runtime/random.ts';

export interface UninstallWorld {
  readonly namespace: string;
  /** Group of the world's own custom resources. */
  readonly group: string;
  /** The chart by revision: paths and contents. */
  readonly charts: readonly Readonly<Record<string, string>>[];
  /** Objects outside of the chart, applied after the installation. */
  readonly added: string;
  /** Dependents by the path and name of their owner, with the fields of their references. */
  readonly dependents: readonly { readonly name: string; readonly owner: string; readonly blocks: boolean }[];
  /** kubectl commands after the installation. */
  readonly changes: readonly (readonly string[])[];
  readonly flags: readonly string[];
  /** A revision that Helm can't decode, if there are several. */
  readonly broken?: number | undefined;
}

/** Name of each release. */
export const RELEASE = 'web';

const containers =
  'terminationGracePeriodSeconds: 1, containers: [{name: main, image: registry.example.com/app}]';
const policies = ['before-hook-creation', 'hook-succeeded', 'hook-failed'];

/** Makes the manifests of one chart. */
class Chart {
  readonly random: Random;
  readonly files: Record<string, string> = {
    'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  };
  /** `kind/name` of objects that can be deleted or patched later. */
  readonly names: string[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  chance(percent: number): boolean {
    return this.random.below(100) < percent;
  }

  add(apiVersion: string, kind: string, name: string, rest = ''): void {
    const annotations = this.chance(10) ? ', annotations: {helm.sh/resource-policy: keep}' : '';
    const odd =
      annotations === '' && this.chance(3) ? ', annotations: {helm.sh/resource-policy: delete}' : '';
    const isHeld = kind === 'ConfigMap' || kind === 'ServiceAccount' ? this.chance(15) : this.chance(3);
    const held = isHeld ? ', finalizers: [example.com/hold]' : '';
    this.file(
      `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}${annotations}${odd}${held}}${rest}}`,
    );
    this.names.push(`${kind}/${name}`);
  }

  file(document: string): void {
    // Several documents in a file keep their order.
    const file = `templates/${this.random.below(4)}.yaml`;
    this.files[file] = `${this.files[file] ?? ''}\n---\n${document}\n`;
  }

  hook(name: string, events: string, kind: 'Job' | 'ConfigMap'): void {
    const some = policies.filter(() => this.chance(40));
    const policy = some.length === 0 ? '' : `, helm.sh/hook-delete-policy: "${some.join(',')}"`;
    const weight = this.chance(40) ? `, helm.sh/hook-weight: "${this.random.below(5) - 2}"` : '';
    const annotations = `annotations: {helm.sh/hook: "${events}"${policy}${weight}}`;
    const spec = kind === 'Job' ? `, spec: {template: {spec: {restartPolicy: Never, ${containers}}}}` : '';
    const apiVersion = kind === 'Job' ? 'batch/v1' : 'v1';
    this.file(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}, ${annotations}}${spec}}`);
  }
}

function workloads(chart: Chart): void {
  const template = (app: string): string =>
    `selector: {matchLabels: {app: ${app}}}, template: {metadata: {labels: {app: ${app}}}, spec: {${containers}}}`;
  if (chart.chance(60))
    chart.add(
      'apps/v1',
      'Deployment',
      'web',
      `, spec: {replicas: ${chart.random.below(3)}, ${template('web')}}`,
    );
  if (chart.chance(40)) {
    const claims =
      'volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]';
    chart.add('apps/v1', 'StatefulSet', 'db', `, spec: {serviceName: db, ${template('db')}, ${claims}}`);
  }
  if (chart.chance(20)) chart.add('apps/v1', 'DaemonSet', 'log', `, spec: {${template('log')}}`);
  const job = `template: {spec: {restartPolicy: Never, ${containers}}}`;
  if (chart.chance(25)) chart.add('batch/v1', 'Job', 'migrate', `, spec: {${job}}`);
  if (chart.chance(20))
    chart.add(
      'batch/v1',
      'CronJob',
      'yearly',
      `, spec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {${job}}}}`,
    );
}

function configuration(chart: Chart, namespace: string): void {
  for (let i = chart.random.below(4); i > 0; i -= 1) chart.add('v1', 'ConfigMap', `settings-${i}`);
  if (chart.chance(50)) chart.add('v1', 'Secret', 'login', ', stringData: {password: "1234"}');
  if (chart.chance(40)) chart.add('v1', 'ServiceAccount', 'web');
  if (chart.chance(50))
    chart.add('v1', 'Service', 'web', ', spec: {selector: {app: web}, ports: [{port: 80}]}');
  if (chart.chance(30))
    chart.add(
      'policy/v1',
      'PodDisruptionBudget',
      'web',
      ', spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}',
    );
  if (chart.chance(30))
    chart.add('networking.k8s.io/v1', 'NetworkPolicy', 'web', ', spec: {podSelector: {}}');
  if (chart.chance(30)) {
    chart.add('rbac.authorization.k8s.io/v1', 'Role', 'web', ', rules: []');
    const role = 'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: web}';
    chart.add('rbac.authorization.k8s.io/v1', 'RoleBinding', 'web', `, ${role}, subjects: []`);
  }
  if (chart.chance(20)) chart.add('rbac.authorization.k8s.io/v1', 'ClusterRole', namespace, ', rules: []');
  if (chart.chance(25))
    chart.add(
      'v1',
      'PersistentVolumeClaim',
      'cache',
      ', spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}',
    );
}

function definition(group: string, kind: string): string {
  const plural = `${kind.toLowerCase()}s`;
  const schema = 'schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}';
  return `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: ${plural}.${group}}, spec: {group: ${group}, scope: Namespaced, names: {kind: ${kind}, plural: ${plural}, singular: ${kind.toLowerCase()}}, versions: [{name: v1, served: true, storage: true, ${schema}}]}}`;
}

/** Adds definitions: Helm deletes those among the templates with their objects, and leaves those in `crds`. */
function definitions(
  chart: Chart,
  group: string,
  namespace: string,
): { added: string[]; changes: string[][] } {
  const added: string[] = [];
  const changes: string[][] = [];
  if (chart.chance(35)) {
    chart.file(definition(group, 'Widget'));
    const held = chart.chance(30) ? ', finalizers: [example.com/hold]' : '';
    added.push(
      `{apiVersion: ${group}/v1, kind: Widget, metadata: {name: one, namespace: ${namespace}${held}}}`,
    );
  }
  if (chart.chance(35)) {
    chart.files['crds/gadgets.yaml'] = definition(group, 'Gadget');
    if (chart.chance(70)) chart.add(`${group}/v1`, 'Gadget', 'one');
    // Helm then knows no such kind, and deletes nothing.
    if (chart.chance(20)) changes.push(['delete', 'crd', `gadgets.${group}`, '--timeout=2m']);
  }
  return { added, changes };
}

function hooks(chart: Chart, namespace: string): string[] {
  const added: string[] = [];
  if (chart.chance(50)) chart.hook('clean', 'pre-delete', 'Job');
  if (chart.chance(25))
    chart.hook('mark', chart.chance(30) ? 'pre-delete,post-delete' : 'pre-delete', 'ConfigMap');
  if (chart.chance(30)) chart.hook('notify', 'post-delete', chart.chance(50) ? 'Job' : 'ConfigMap');
  if (chart.chance(25)) chart.hook('install', 'post-install', 'ConfigMap');
  for (const name of ['mark', 'notify']) {
    if (!chart.chance(25)) continue;
    const held = chart.chance(15) ? ', finalizers: [example.com/hold]' : '';
    added.push(
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: ${namespace}${held}}}`,
    );
  }
  if (chart.chance(25))
    added.push(
      `{apiVersion: batch/v1, kind: Job, metadata: {name: clean, namespace: ${namespace}}, spec: {template: {spec: {restartPolicy: Never, ${containers}}}}}`,
    );
  return added;
}

export function uninstallWorld(seed: number): UninstallWorld {
  const random = new Random(seed);
  const namespace = `uninstall-${seed}`;
  const group = `world-${seed}.example.com`;
  const chart = new Chart(random);
  workloads(chart);
  configuration(chart, namespace);
  const { added, changes } = definitions(chart, group, namespace);
  added.push(...hooks(chart, namespace));
  const { names, files } = chart;
  const charts = [{ ...files }];
  // The next revision no longer has one of its files.
  const dropped = Object.keys(files).find(
    file => file.startsWith('templates/') && !(files[file] ?? '').includes('CustomResourceDefinition'),
  );
  if (chart.chance(30) && dropped !== undefined) charts.push({ ...files, [dropped]: '' });
  // Helm maps kinds before it installs, so that objects of a definition come with a later revision.
  if (chart.chance(50) && Object.values(files).some(file => file.includes('kind: Widget, plural')))
    charts.push({
      ...charts.at(-1),
      'templates/late.yaml': `{apiVersion: ${group}/v1, kind: Widget, metadata: {name: late}}`,
    });
  const dependents = names.flatMap((owner, i) =>
    chart.chance(20) ? { name: `dependent-${i}`, owner, blocks: chart.chance(50) } : [],
  );
  for (const name of names) {
    const annotate = ['annotate', name, '--overwrite', 'meta.helm.sh/release-name=other'];
    const isScoped = name.startsWith('ClusterRole/');
    const change = chart.random.below(100);
    if (change < 8) changes.push(['delete', name, '--wait=false', ...(isScoped ? [] : ['-n', namespace])]);
    else if (change < 16) changes.push([...annotate, ...(isScoped ? [] : ['-n', namespace])]);
  }
  const cascade = ['background', 'background', 'foreground', 'orphan'][random.below(4)] ?? 'background';
  return {
    namespace,
    group,
    charts,
    added: added.join('\n---\n'),
    dependents,
    changes,
    flags: [
      ...(cascade === 'background' ? [] : [`--cascade=${cascade}`]),
      ...(chart.chance(12) ? ['--no-hooks'] : []),
      ...(chart.chance(15) ? ['--keep-history'] : []),
    ],
    broken: charts.length > 1 && chart.chance(30) ? 1 + random.below(charts.length) : undefined,
  };
}
