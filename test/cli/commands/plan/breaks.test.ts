/** Users of what is deleted: what breaks, what is left over, and who uses what, from files. */
import { describe, expect, it } from 'vitest';
import type {
  BreakEntry,
  Diagnosis,
  OwnershipTree,
  Plan,
} from '../../../../src/cli/documents/definitions.ts';
import { folderOf } from '../../../source/files/reading.ts';
import { command } from '../../console.ts';

const spec = `
      serviceAccountName: api
      priorityClassName: gold
      imagePullSecrets: [{name: registry}]
      volumes:
      - {name: settings, configMap: {name: settings}}
      - {name: extras, configMap: {name: extras, optional: true}}
      - {name: all, projected: {sources: [{secret: {name: certificate}}]}}
      - {name: token, projected: {sources: [{serviceAccountToken: {path: token}}]}}
      containers:
      - {name: main, image: app, envFrom: [{secretRef: {name: password}}], env: [{name: A, value: hunter2}]}`;

const world = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: ns}}
- {apiVersion: v1, kind: Namespace, metadata: {name: other, uid: ns2}}
${['settings', 'extras', 'unused', 'older', 'idle'].map(name => `- {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: shop, uid: cm-${name}}}`).join('\n')}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: other, uid: cm-elsewhere}}
${['registry', 'certificate', 'password', 'tls'].map(name => `- {apiVersion: v1, kind: Secret, metadata: {name: ${name}, namespace: shop, uid: s-${name}}}`).join('\n')}
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: api, namespace: shop, uid: sa}}
- {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: gold, uid: pc}, value: 1}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: api, namespace: shop, uid: d, annotations: {deployment.kubernetes.io/revision: '2'}}
  spec:
    selector: {matchLabels: {app: api}}
    template:
     metadata: {labels: {app: api}}
     spec:${spec}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: api-1, namespace: shop, uid: rs, labels: {app: api}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: api, uid: d, controller: true}]}
  spec:
    replicas: 2
    selector: {matchLabels: {app: api}}
    template:
     metadata: {labels: {app: api}}
     spec:${spec}
${[1, 2]
  .map(
    n => `- apiVersion: v1
  kind: Pod
  metadata: {name: api-1-${n}, namespace: shop, uid: p${n}, labels: {app: api}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: api-1, uid: rs, controller: true}]}
  spec:${spec}
  status: {phase: Running}`,
  )
  .join('\n')}
- apiVersion: v1
  kind: Pod
  metadata: {name: bare, namespace: shop, uid: p3, labels: {app: bare}}
  spec: {priorityClassName: gold, volumes: [{name: a, configMap: {name: settings}}], containers: [{name: main, image: app}]}
  status: {phase: Running}
- apiVersion: v1
  kind: Pod
  metadata: {name: done, namespace: shop, uid: p4, labels: {app: api}}
  spec: {serviceAccountName: api, containers: [{name: main, image: app, envFrom: [{configMapRef: {name: unused}}]}]}
  status: {phase: Succeeded}
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: idle, namespace: shop, uid: d0, annotations: {deployment.kubernetes.io/revision: '1'}}, spec: {replicas: 0, template: {spec: {containers: [{name: main, image: app, envFrom: [{configMapRef: {name: idle}}]}]}}}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: idle-0, namespace: shop, uid: rs1, annotations: {deployment.kubernetes.io/revision: '1'}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: idle, uid: d0, controller: true}]}, spec: {replicas: 0, template: {spec: {containers: [{name: main, image: app, envFrom: [{configMapRef: {name: idle}}]}]}}}}
- {apiVersion: batch/v1, kind: Job, metadata: {name: done, namespace: shop, uid: j}, spec: {template: {spec: {containers: [{name: main, image: app, envFrom: [{configMapRef: {name: unused}}]}]}}}, status: {conditions: [{type: Complete, status: 'True'}]}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: api-0, namespace: shop, uid: rs0, annotations: {deployment.kubernetes.io/revision: '1'}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: api, uid: d, controller: true}]}, spec: {replicas: 0, template: {spec: {containers: [{name: main, image: app, envFrom: [{configMapRef: {name: older}}]}]}}}}
- {apiVersion: v1, kind: Service, metadata: {name: api, namespace: shop, uid: svc}, spec: {selector: {app: api}}}
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: idle, namespace: shop, uid: sa1}}
- {apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop, uid: sa0}}
- {apiVersion: v1, kind: Pod, metadata: {name: ready, namespace: shop, uid: p5, labels: {half: h}}, spec: {serviceAccountName: default, volumes: [{name: token, projected: {sources: [{serviceAccountToken: {path: token}}]}}], containers: [{name: main, image: app}]}, status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: unready, namespace: shop, uid: p6, labels: {half: h}}, spec: {serviceAccountName: idle, containers: [{name: main, image: app}]}, status: {phase: Running, conditions: [{type: Ready, status: 'False'}]}}
- {apiVersion: v1, kind: Service, metadata: {name: halves, namespace: shop, uid: svc3}, spec: {selector: {half: h}}}
- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: halves, namespace: shop, uid: pdb2}, spec: {selector: {matchLabels: {half: h}}}}
- {apiVersion: v1, kind: Pod, metadata: {name: over, namespace: shop, uid: p7, labels: {over: o}}, spec: {containers: [{name: main, image: app}]}, status: {phase: Succeeded}}
- {apiVersion: v1, kind: Service, metadata: {name: over, namespace: shop, uid: svc4}, spec: {selector: {over: o}}}
- {apiVersion: v1, kind: Service, metadata: {name: none, namespace: shop, uid: svc2}, spec: {}}
- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: api, namespace: shop, uid: pdb}, spec: {selector: {matchExpressions: [{key: app, operator: In, values: [api]}]}}}
- {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: api, namespace: shop, uid: hpa}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: api}}}
- {apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, namespace: shop, uid: ing}, spec: {tls: [{secretName: tls}], rules: [{http: {paths: [{backend: {service: {name: api}}}]}}]}}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: elsewhere, namespace: other, uid: rb}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}, subjects: [{kind: ServiceAccount, name: api, namespace: shop}, {apiGroup: rbac.authorization.k8s.io, kind: User, name: api}]}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: view, uid: cr}}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: part, uid: cr2, labels: {aggregate: whole}}}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: whole, uid: cr3}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {aggregate: whole}}]}}
- {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: view, namespace: other, uid: r}}
`;

const folder = folderOf({ 'world.yaml': world });

async function breaksOf(target: string, namespace = 'shop'): Promise<readonly BreakEntry[]> {
  const { out } = await command(`plan delete ${target} -n ${namespace} -f ${folder} --closed-world -o json`);
  expect(out).not.toContain('hunter2');
  return (JSON.parse(out) as Plan).breaks ?? [];
}

function inShort({ user, pods, when }: BreakEntry): string {
  return `${user.kind} ${user.name}${pods > 0 ? ` (${pods})` : ''}: ${when}`;
}

describe('plan delete', () => {
  it.each([
    ['cm/settings', ['Deployment api (2): nextStart']],
    ['cm/extras', []],
    ['cm/unused', []],
    ['cm/older', ['Deployment api: later']],
    ['cm/idle', ['Deployment idle: nextStart']],
    ['secret/registry', ['Deployment api (2): nextStart']],
    ['secret/certificate', ['Deployment api (2): nextStart']],
    ['secret/password', ['Deployment api (2): nextStart']],
    ['secret/tls', ['Ingress web: atOnce']],
    [
      'sa/api',
      ['Deployment api (2): atOnce', 'Deployment api (2): nextStart', 'RoleBinding elsewhere: leftBehind'],
    ],
    ['sa/idle', []],
    ['priorityclass/gold', ['Deployment api (2): nextStart']],
    ['clusterrole/view', ['RoleBinding elsewhere: atOnce']],
    ['role/view -n other', []],
    ['rolebinding/elsewhere -n other', ['ServiceAccount api: atOnce', 'User api: atOnce']],
    ['clusterrole/part', ['ClusterRole whole: atOnce']],
    ['svc/api', ['Ingress web: atOnce']],
    ['pod/api-1-1', []],
    ['pod/bare', []],
    ['pod/over', []],
    [
      'deploy/api',
      [
        'Service api: atOnce',
        'HorizontalPodAutoscaler api: leftBehind',
        'PodDisruptionBudget api: leftBehind',
      ],
    ],
  ])('says what %s breaks', async (target, expected) => {
    const [name = '', , namespace] = target.split(' ');
    const found = (await breaksOf(name, namespace)).map(inShort);
    expect(found.toSorted()).toEqual([...expected].sort());
  });

  it('knows objects without a uid', async () => {
    const manifests = folderOf({ 'world.yaml': world.replaceAll(/, uid: [a-z\d-]+/gu, '') });
    const breaks = async (targets: string): Promise<string[]> => {
      const { out } = await command(`plan delete ${targets} -n shop -f ${manifests} --closed-world -o json`);
      return ((JSON.parse(out) as Plan).breaks ?? []).map(inShort);
    };
    expect(await breaks('svc/api ing/web')).toEqual([]);
    expect(await breaks('pod/ready')).toEqual(['Service halves: atOnce']);
  });

  it('says that a Service has no endpoints until the new pods are ready', async () => {
    const [found, ...more] = await breaksOf('pod/api-1-1 pod/api-1-2');
    expect(found).toMatchObject({ user: { kind: 'Service' }, when: 'atOnce' });
    expect(found?.because).toBe('it has no endpoints until a new pod is ready');
    expect(more).toEqual([]);
  });

  it('says that the token of a ServiceAccount that is created again is refused for a while', async () => {
    const [found, ...more] = await breaksOf('sa/default');
    expect(found?.because).toBe(
      'the API server refuses the token until the kubelet renews it, within an hour',
    );
    expect(more).toEqual([]);
  });

  it('counts only ready pods as endpoints', async () => {
    const found = await breaksOf('pod/ready');
    expect(found.map(inShort)).toEqual(['Service halves: atOnce']);
  });

  it('counts neither users that go too nor those of a namesake in another namespace', async () => {
    expect((await breaksOf('cm/settings deploy/api', 'shop')).map(({ user }) => user.kind)).not.toContain(
      'Deployment',
    );
    expect(await breaksOf('cm/settings', 'other')).toEqual([]);
  });

  it('leaves no rights behind in a binding whose role is deleted too', async () => {
    const found = await breaksOf('sa/api clusterrole/view');
    expect(found.map(inShort)).toContain('RoleBinding elsewhere: atOnce');
    expect(found.map(inShort)).not.toContain('RoleBinding elsewhere: leftBehind');
  });

  it('fails with --fail-on=breaks, and passes where nothing breaks', async () => {
    const words = (target: string): string =>
      `plan delete ${target} -n shop -f ${folder} --closed-world --fail-on=breaks`;
    expect(await command(words('cm/settings'))).toMatchObject({ exitCode: 1 });
    expect(await command(words('cm/extras'))).toMatchObject({ exitCode: 0 });
  });

  it('marks what breaks in the tree, but not what is left over', async () => {
    const { out } = await command(`plan delete cm/settings -n shop -f ${folder} --closed-world --tree`);
    expect(out).toMatch(/^- ConfigMap shop\/settings +deleted$/mu);
    expect(out).toMatch(/^x Deployment shop\/api +breaks: its next pod waits in ContainerCreating/mu);
    const left = await command(`plan delete deploy/api -n shop -f ${folder} --closed-world --tree`);
    expect(left.out).toMatch(/^x Service shop\/api +breaks: it has no endpoints$/mu);
    expect(left.out).not.toMatch(/^x (?:Horizontal|PodDisruption)/mu);
  });

  it('writes users in sentences', async () => {
    const { out } = await command(`plan delete cm/settings -n shop -f ${folder}`);
    expect(out).toContain('1 other breaks');
    expect(out.replaceAll(/\s+/gu, ' ')).toContain(
      'breaks 1 Deployment api mounts ConfigMap settings as a volume (2 pods): its next pod waits in ContainerCreating, because the volume cannot be mounted',
    );
  });
});

describe('why', () => {
  it('lists users and what is used, and says that nothing uses an object', async () => {
    const why = async (target: string): Promise<Diagnosis['items'][number] | undefined> =>
      (JSON.parse((await command(`why ${target} -n shop -f ${folder} -o json`)).out) as Diagnosis).items[0];
    const users = (await why('cm/extras'))?.usedBy?.map(({ object, how, pods, optional }) => ({
      user: `${object.kind} ${object.name}`,
      how,
      pods,
      optional,
    }));
    expect(users).toEqual([
      { user: 'Deployment api', how: 'mounts it as a volume', pods: 2, optional: true },
    ]);
    const [older] = (await why('cm/older'))?.usedBy ?? [];
    expect(older?.how).toBe('reads it into the environment in an older revision');
    const uses = (await why('deploy/api'))?.uses?.map(({ object }) => `${object.kind} ${object.name}`);
    expect(new Set(uses)).toEqual(
      new Set([
        'ConfigMap settings',
        'ConfigMap extras',
        'Secret certificate',
        'Secret password',
        'Secret registry',
        'ServiceAccount api',
        'PriorityClass gold',
      ]),
    );
    const text = (await command(`why deploy/api -n shop -f ${folder}`)).out;
    expect(text).toContain('\n  reads Secret password into the environment\n');
    expect(text).toContain('\n  mounts ConfigMap extras as a volume, and does without it\n');
    const { out } = await command(`why cm/unused -n shop -f ${folder}`);
    expect(out).toContain('Used by\n  nothing of a built-in kind that can be seen\n');
    expect(out).not.toContain('hunter2');
  });
});

describe('claims', () => {
  const claim = (name: string) =>
    `- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: ${name}, namespace: shop, uid: claim-${name}}}\n`;
  const pod = (name: string, claimName: string, more = '') =>
    `- {apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, uid: ${name}${more}}, spec: {containers: [{name: a, image: a}], volumes: [{name: v, persistentVolumeClaim: {claimName: ${claimName}}}]}}\n`;
  const set =
    ', labels: {app: web}, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, uid: web, controller: true}]';
  const objects = folderOf({
    'a.yaml': `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: shop, uid: ns}}
- apiVersion: apps/v1
  kind: StatefulSet
  metadata: {name: web, namespace: shop, uid: web}
  spec:
    replicas: 1
    selector: {matchLabels: {app: web}}
    template: {metadata: {labels: {app: web}}}
    volumeClaimTemplates: [{metadata: {name: data}}]
${['data-web-0', 'data-web-1', 'data-web-x', 'shared', 'own'].map(claim).join('')}${pod('web-0', 'data-web-0', set)}${pod('first', 'shared')}${pod('second', 'shared')}${pod('alone', 'own')}${pod('done', 'own').replace('}}]}}', '}}]}, status: {phase: Succeeded}}')}`,
  });
  const leftBy = async (words: string) => {
    const { out } = await command(`plan delete ${words} -n shop -f ${objects} --closed-world -o json`);
    return ((JSON.parse(out) as Plan).breaks ?? []).map(
      ({ object, user, when, certainty }: BreakEntry) =>
        `${user.kind} ${user.name} ${when} of ${object.kind} ${object.name} (${certainty})`,
    );
  };

  it.each<[words: string, left: readonly string[]]>([
    [
      'sts/web',
      ['data-web-0', 'data-web-1'].map(
        name => `PersistentVolumeClaim ${name} leftBehind of StatefulSet web (exact)`,
      ),
    ],
    ['pod/web-0', []],
    ['pod/first', []],
    ['pod/alone', ['PersistentVolumeClaim own leftBehind of Pod alone (exact)']],
    ['pod/alone pvc/own', []],
    ['ns/shop', []],
  ])('left by %s', async (words, left) => {
    expect(await leftBy(words)).toEqual(left);
  });

  it('share a sentence', async () => {
    const { out } = await command(`plan delete sts/web -n shop -f ${objects} --closed-world`);
    expect(out).toContain(
      'left over    2  PersistentVolumeClaims data-web-0, data-web-1 of StatefulSet web: no pod is left; the volume stays',
    );
  });
});

describe('tree --with=users', () => {
  const tree = (words: string) => command(`tree ${words} -n shop -f ${folder} --closed-world --with=users`);

  it('shows users below what they use, with how', async () => {
    const { out } = await tree('cm/extras cm/idle --no-headers');
    expect(out.replaceAll(/ {2,}/gu, '  ')).toContain(
      '└─ used by Deployment api  mounts it as a volume (2 pods), and does without it',
    );
    expect((await tree('cm/unused')).out).toMatch(/└─ used by +nothing of a built-in kind that can be seen/u);
    expect((await tree('deploy/api')).out).toMatch(/├─ used by HorizontalPodAutoscaler api +scales it\n/u);
  });

  it('has them in documents', async () => {
    const { out } = await tree('svc/api -o json');
    const [root] = (JSON.parse(out) as OwnershipTree).roots;
    expect(root?.usedBy).toMatchObject([
      { object: { kind: 'Ingress', name: 'web' }, how: 'sends requests to it' },
    ]);
  });

  it('is refused where users are not drawn', async () => {
    for (const words of ['-o dot', '-o name', '--by=manager'])
      expect(await tree(`cm/idle ${words}`)).toMatchObject({ exitCode: 2, out: '' });
  });
});
