import { describe, expect, it } from 'vitest';
import type { Finding, FindingDraft } from '../../../../src/diagnosis/engine/finding.ts';
import { survivalOf } from '../../../../src/diagnosis/explain/survival/survival.ts';
import { diagnose as diagnoseAll, findings, theObject, trackedViewOf } from '../../subjects.ts';

/** With the nodes that the pods are on. */
function diagnose(yaml: string, blind: readonly string[] = []): readonly Finding[] {
  return diagnoseAll(
    `${yaml}
- {kind: Node, name: node-1, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Node, name: n, status: {conditions: [{type: Ready, status: "True"}]}}
`,
    blind,
  );
}

const marks = (name: string): string =>
  `{app: web, statefulset.kubernetes.io/pod-name: ${name}, controller-revision-hash: web-1, apps.kubernetes.io/pod-index: "0"}`;

const running = 'spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Running}';

const orphans = `
- {kind: Pod, name: web-0, labels: ${marks('web-0')}, ${running}}
- {kind: Pod, name: web-1, labels: ${marks('web-1')}, ${running}}
- {kind: ControllerRevision, name: web-1, uid: revision}
`;

const mounting = (name: string): string =>
  running.replace(
    'containers',
    `volumes: [{name: data, persistentVolumeClaim: {claimName: data-${name}}}], containers`,
  );

const survivor = (name: string): string =>
  `- {kind: Pod, name: ${name}, labels: ${marks(name)}, ${mounting(name)}}\n`;

/** With the template's labels on their revision. */
const revision =
  '- {kind: ControllerRevision, name: web-1, uid: revision, labels: {app: web, controller.kubernetes.io/hash: "1"}}\n';
const revised = survivor('web-0') + survivor('web-1') + revision;

const set = (more = '', spec = 'replicas: 2, selector: {matchLabels: {app: web}}'): string => `
- {kind: StatefulSet, name: web, uid: set, spec: {${spec}}${more}}
`;

describe('pods after their StatefulSet', () => {
  it('are found where the set is gone and the revision was orphaned with them', () => {
    const [first, second] = diagnose(orphans);
    expect([first?.code, second?.code]).toEqual(['StatefulSetSurvivor', 'StatefulSetSurvivor']);
    expect(first).toMatchObject({
      severity: 'warning',
      certainty: 'exact',
      message:
        'Pod shop/web-0 survived its StatefulSet: web is gone, and no owner reference is left on the pod, as after `kubectl delete --cascade=orphan`.',
    });
    expect(first?.evidence).toEqual([
      'metadata.ownerReferences: none',
      'metadata.labels: statefulset.kubernetes.io/pod-name=web-0',
      'metadata.labels: controller-revision-hash=web-1',
      'metadata.labels: apps.kubernetes.io/pod-index=0',
      'ControllerRevision web-1 lost its owner too',
      'web-1 is in the same state',
      'there is no StatefulSet web in shop',
    ]);
  });

  it('are warnings to users who may read no other kind of controller', () => {
    const unread = ['replicasets.apps', 'daemonsets.apps', 'jobs.batch', 'namespaces', 'nodes'];
    expect(diagnose(orphans, unread).map(({ code, severity }) => [code, severity])).toEqual([
      ['StatefulSetSurvivor', 'warning'],
      ['StatefulSetSurvivor', 'warning'],
    ]);
  });

  it('are adopted without a restart by a set of their common revision', () => {
    const [adopt] = diagnose(revised)[0]?.remedies() ?? [];
    expect(adopt).toMatchObject({
      id: 'adopt/statefulset/web',
      risk: 'caution',
      title:
        'create StatefulSet web again from ControllerRevision web-1: it adopts Pods web-0 and web-1, and restarts none',
      requests: [
        {
          verb: 'POST',
          path: '/apis/apps/v1/namespaces/shop/statefulsets',
          formerUid: 'revision',
          rebuiltFrom: { kind: 'ControllerRevision', names: ['web-1'] },
          body: {
            metadata: { name: 'web', namespace: 'shop' },
            spec: {
              replicas: 2,
              selector: { matchLabels: { app: 'web' } },
              volumeClaimTemplates: [{ metadata: { name: 'data' } }],
            },
          },
        },
      ],
    });
  });

  it.each([
    [
      'pods have different revisions',
      revised.replace('controller-revision-hash: web-1', 'controller-revision-hash: web-2'),
    ],
    ['an ordinal is missing', survivor('web-0') + survivor('web-2') + revision],
    ['their revision is gone', survivor('web-0') + survivor('web-1')],
    [
      'their revision is controlled',
      `${revised.trimEnd().slice(0, -1)}, owners: [apps/v1 StatefulSet other o +c]}\n- {kind: StatefulSet, name: other, uid: o, spec: {replicas: 0, selector: {matchLabels: {app: other}}}}`,
    ],
    ['their labels have changed', revised.replaceAll('{app: web, statefulset', '{app: debug, statefulset')],
  ])('are not adopted where a restart or a new pod is possible: %s', (_, yaml) => {
    const found = diagnose(yaml).filter(({ code }) => code === 'StatefulSetSurvivor');
    expect(found.length).toBeGreaterThan(0);
    const ids = found.flatMap(each => each.remedies().map(({ id }) => id));
    expect(ids).not.toContain('adopt/statefulset/web');
    expect(ids).toContain('recreate/statefulset/web');
  });

  it('are not adopted where StatefulSets cannot be seen', () => {
    const ids = diagnose(revised, ['statefulsets.apps']).flatMap(each => each.remedies().map(({ id }) => id));
    expect(ids).toContain('recreate/statefulset/web');
    expect(ids).not.toContain('adopt/statefulset/web');
  });

  it('can be adopted by a new set, or deleted together', () => {
    const [finding] = diagnose(orphans);
    const [recreate, remove] = finding?.remedies() ?? [];
    expect(recreate).toMatchObject({ id: 'recreate/statefulset/web', risk: 'safe', requests: [] });
    expect(recreate?.title).toContain('adopts Pods web-0 and web-1');
    expect(remove).toMatchObject({ id: 'delete-survivors/statefulset/web', risk: 'caution' });
    expect(remove?.requests.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/shop/pods/web-0',
      '/api/v1/namespaces/shop/pods/web-1',
    ]);
  });

  it('lost their reference by themselves where the revision went with the set', () => {
    const [finding] = diagnose(`- {kind: Pod, name: web-0, labels: ${marks('web-0')}, ${running}}`);
    expect(finding?.code).toBe('StatefulSetSurvivor');
    expect(finding?.message).toContain('seems to have lost the reference by itself');
  });

  it('were likelier released than orphaned where their labels are others than those of the set', () => {
    const relabelled = (revision: string): string =>
      `- {kind: Pod, name: web-0, labels: ${marks('web-0').replace('app: web', 'app: debug')}, ${running}}\n${revision}`;
    const said = (yaml: string, blind: readonly string[] = []): string =>
      diagnose(yaml, blind)[0]?.message ?? '';
    const revision =
      '- {kind: ControllerRevision, name: web-1, uid: revision, labels: {app: web, controller.kubernetes.io/hash: "1"}}';
    expect(said(relabelled(revision))).toBe(
      "Pod shop/web-0 survived its StatefulSet: web is gone, and no owner reference is left on the pod; likelier than by `kubectl delete --cascade=orphan` it was released before, because its labels were changed: its label is app=debug, and that of the set's template was app=web, as ControllerRevision web-1 has it.",
    );
    expect(said(relabelled(''))).toContain(
      'which `kubectl delete --cascade=orphan` would have left, so the pod seems to have lost the reference by itself, released because its labels were changed: its label app=debug is hardly what a set called web selects',
    );
    expect(said(relabelled(''), ['controllerrevisions.apps'])).toContain(
      'likelier than by `kubectl delete --cascade=orphan` it was released before',
    );
    expect(said(relabelled(revision).replace('debug', 'web'))).toContain(
      'as after `kubectl delete --cascade=orphan`',
    );
  });

  it('are no survivors while the set selects them: it adopts them', () => {
    expect(findings(orphans + set(), 'StatefulSetSurvivor')).toEqual([]);
    const survival = survivalOf(trackedViewOf(orphans + set()), theObject(orphans + set(), 'web-0'));
    expect(survival?.way).toBe('to-be-adopted');
    expect(survival?.summary).toContain('lost its owner StatefulSet web');
    expect(survival?.next).toBe('StatefulSet web adopts it, because its selector matches; then it keeps it.');
  });

  it('are adopted and scaled away by a smaller set', () => {
    const yaml = orphans + set('', 'replicas: 1, selector: {matchLabels: {app: web}}');
    const survival = survivalOf(trackedViewOf(yaml), theObject(yaml, 'web-1'));
    expect(survival?.next).toContain('then it deletes it: web wants 1');
  });

  it('block the set that let go of them, as they have the name that it needs', () => {
    const [finding] = findings(
      orphans + set('', 'replicas: 2, selector: {matchLabels: {app: other}}'),
      'StatefulSetSurvivor',
    );
    expect(finding?.message).toBe(
      "Pod shop/web-0 was released by StatefulSet web: its labels don't match the selector of web, and web cannot create another web-0 while this one has the name.",
    );
    expect(finding?.remedies().map(({ id }) => id)).toEqual(['restore-labels', 'delete/pod/web-0']);
  });

  it('are not found while the set is being deleted', () => {
    const going = set(', deletionTimestamp: "2026-11-21T11:59:59Z", finalizers: [orphan]');
    expect(findings(orphans + going, 'StatefulSetSurvivor')).toEqual([]);
    const survival = survivalOf(trackedViewOf(orphans + going), theObject(orphans + going, 'web-0'));
    expect(survival?.way).toBe('being-orphaned');
  });

  it('are told when the set is gone, where it is on its way in the foreground', () => {
    const going = set(
      ', deletionTimestamp: "2026-11-21T11:50:00Z", finalizers: [foregroundDeletion]',
      'replicas: 2, selector: {matchLabels: {app: other}}',
    );
    expect(findings(orphans + going, 'StatefulSetSurvivor')).toEqual([]);
  });

  it('are left to findings on references where another owner is absent', () => {
    const owned = `- {kind: Pod, name: web-0, labels: ${marks('web-0')}, owners: [v1 ConfigMap gone gone], ${running}}`;
    expect(findings(owned, 'StatefulSetSurvivor')).toEqual([]);
    const kept = `${owned}\n- {kind: ConfigMap, name: gone}`;
    const [finding] = findings(kept, 'StatefulSetSurvivor');
    expect(finding?.evidence).toContain(
      'metadata.ownerReferences: ConfigMap gone, none with controller: true',
    );
    expect(survivalOf(trackedViewOf(kept), theObject(kept, 'web-0'))?.next).toBe(
      'It is deleted when its other owner is: ConfigMap gone.',
    );
  });

  it('are assumed where sets cannot be listed', () => {
    const [finding] = diagnose(orphans, ['statefulsets.apps']);
    expect(finding).toMatchObject({ code: 'StatefulSetSurvivor', severity: 'info', certainty: 'assumed' });
    expect(finding?.message).toContain('no StatefulSet web can be seen');
    expect(
      survivalOf(trackedViewOf(orphans, ['statefulsets.apps']), theObject(orphans, 'web-0'))?.course,
    ).toEqual([]);
    expect(survivalOf(trackedViewOf(orphans), theObject(orphans, 'web-0'))?.course).toHaveLength(4);
  });

  it('are not seen in pods that merely have such a name', () => {
    expect(diagnose(`- {kind: Pod, name: web-0, labels: {app: web}, ${running}}`)).toEqual([]);
  });

  it('are told by the reference where it is still there', () => {
    const owned = `- {kind: Pod, name: web-0, labels: ${marks('web-0')}, owners: [apps/v1 StatefulSet web old +c +b], ${running}}`;
    expect(findings(owned, 'StatefulSetSurvivor')).toEqual([]);
    expect(survivalOf(trackedViewOf(owned), theObject(owned, 'web-0'))?.way).toBe('dangling');
  });
});

describe('what survived, in every way', () => {
  const way = (yaml: string, name = 'web-0', blind: readonly string[] = []): string | undefined =>
    survivalOf(trackedViewOf(yaml, blind), theObject(yaml, name))?.way;
  const pod = (owners: string, more = ''): string =>
    `- {kind: Pod, name: web-0, labels: ${marks('web-0')}, owners: [${owners}], ${running}${more}}\n`;
  const mine = 'apps/v1 StatefulSet web set +c +b';

  it('is nothing for a pod of a live set', () => {
    expect(way(pod(mine) + set())).toBeUndefined();
  });

  it('is a set of the same name that was made again', () => {
    expect(way(pod('apps/v1 StatefulSet web old +c +b') + set())).toBe('owner-recreated');
  });

  it('is a second owner that is still there', () => {
    const config = '- {kind: ConfigMap, name: keeper}\n';
    expect(way(`${pod('apps/v1 StatefulSet web old +c, v1 ConfigMap keeper')}${config}`)).toBe(
      'second-owner',
    );
  });

  it('is an owner of a kind that is not served', () => {
    expect(way(pod('apps/v9 StatefulSet web old +c'))).toBe('unresolvable-owner');
  });

  it('is a finalizer', () => {
    const deleting =
      ', deletionTimestamp: "2026-11-21T11:50:00Z", deletionGracePeriodSeconds: 0, finalizers: [a.example/b]';
    expect(way(pod('apps/v1 StatefulSet web old +c', deleting))).toBe('held');
  });

  it('is an owner that is still there, being deleted', () => {
    expect(
      way(pod(mine) + set(', deletionTimestamp: "2026-11-21T11:50:00Z", finalizers: [a.example/b]')),
    ).toBe('owner-still-there');
  });

  it('is an adoption by a set that is younger than the pod', () => {
    expect(way(pod(mine) + set(', creationTimestamp: "2026-11-21T11:30:00Z"'))).toBe('adopted');
  });

  it('is none where the set was made again and made the pod', () => {
    const yaml =
      pod(mine, ', creationTimestamp: "2026-11-21T11:40:00Z"') +
      set(', creationTimestamp: "2026-11-21T11:30:00Z"') +
      '- {kind: ControllerRevision, name: web-1, uid: revision, owners: [apps/v1 StatefulSet web set +c]}';
    expect(way(yaml)).toBe('recreated');
  });

  it('is a claim that its set retains', () => {
    const claim = '- {kind: PersistentVolumeClaim, name: data-web-0}\n';
    expect(way(claim, 'data-web-0')).toBe('kept-claim');
    const mounting = `- {kind: Pod, name: web-0, spec: {nodeName: n, volumes: [{name: d, persistentVolumeClaim: {claimName: data-web-0}}]}}`;
    const survival = survivalOf(trackedViewOf(claim + mounting), theObject(claim + mounting, 'data-web-0'));
    expect(survival?.because).toContain('Pod web-0 mounts it');
    const used = `${claim}${set('', 'replicas: 1, volumeClaimTemplates: [{metadata: {name: data}}]')}`;
    expect(way(used, 'data-web-0')).toBeUndefined();
    const beyond = `${claim}${set('', 'replicas: 0, volumeClaimTemplates: [{metadata: {name: data}}]')}`;
    expect(way(beyond, 'data-web-0')).toBe('kept-claim');
  });
});

describe('ReplicaSets after their Deployment', () => {
  const labels = '{app: api, pod-template-hash: h1}';
  const replicaSet = (replicas: number, owners = ''): string =>
    `- {kind: ReplicaSet, name: api-h1, uid: rs, labels: ${labels}, owners: [${owners}], spec: {replicas: ${replicas}, selector: {matchLabels: ${labels}}, template: {metadata: {labels: ${labels}}}}, status: {replicas: ${replicas}}}\n`;
  const pod = (owners = 'apps/v1 ReplicaSet api-h1 rs +c +b'): string =>
    `- {kind: Pod, name: api-h1-x2x4z, labels: ${labels}, owners: [${owners}], ${running}}\n`;

  it('go on keeping their pods', () => {
    const [finding] = diagnose(replicaSet(3));
    expect(finding).toMatchObject({ code: 'ReplicaSetSurvivor', severity: 'warning' });
    expect(finding?.message).toContain('it keeps 3 pods');
    const [adopt, remove] = finding?.remedies() ?? [];
    expect(adopt).toMatchObject({
      id: 'adopt/deployment/api',
      title:
        'create Deployment api again from ReplicaSet api-h1: it adopts ReplicaSet api-h1, and restarts none',
      requests: [
        {
          formerUid: 'rs',
          rebuiltFrom: { kind: 'ReplicaSet', names: ['api-h1'] },
          body: {
            metadata: { name: 'api', namespace: 'shop' },
            spec: {
              replicas: 3,
              selector: { matchLabels: { app: 'api' } },
              template: { metadata: { labels: { app: 'api' } } },
            },
          },
        },
      ],
    });
    expect(remove?.id).toBe('delete/replicaset/api-h1');
  });

  const old = replicaSet(0).replaceAll('h1', 'h0').replace('uid: rs', 'uid: old');

  it('are adopted with their history, which is kept', () => {
    const [finding] = diagnose(replicaSet(3) + old);
    expect(finding?.remedies()[0]).toMatchObject({
      id: 'adopt/deployment/api',
      title:
        'create Deployment api again from ReplicaSet api-h1: it adopts ReplicaSets api-h0 and api-h1, and restarts none',
      requests: [
        { rebuiltFrom: { names: ['api-h1', 'api-h0'] }, body: { spec: { revisionHistoryLimit: 10 } } },
      ],
    });
  });

  it.each([
    ['two want pods', replicaSet(3) + old.replace('replicas: 0', 'replicas: 1')],
    ['none wants pods', replicaSet(0) + old],
    [
      'the selector takes one of another owner',
      `${replicaSet(3)}- {kind: ReplicaSet, name: other, labels: {app: api}, spec: {replicas: 1, selector: {matchLabels: {app: api}}}}\n`,
    ],
    ['labels have changed', replicaSet(3).replace('labels: {app: api,', 'labels: {app: debug,')],
  ])('are not adopted where a pod could be deleted or created: %s', (_, yaml) => {
    const ids = findings(yaml, 'ReplicaSetSurvivor').flatMap(each => each.remedies().map(({ id }) => id));
    expect(ids).toContain('recreate/deployment/api');
    expect(ids).not.toContain('adopt/deployment/api');
  });

  it('are worth no more than a note where they want no pods', () => {
    expect(diagnose(replicaSet(0))[0]).toMatchObject({ code: 'ReplicaSetSurvivor', severity: 'info' });
  });

  it('are not found while their Deployment is there', () => {
    const deployment =
      '- {kind: Deployment, name: api, uid: d, spec: {selector: {matchLabels: {app: api}}}}\n';
    expect(findings(replicaSet(3) + deployment, 'ReplicaSetSurvivor')).toEqual([]);
    expect(diagnose(replicaSet(3, 'apps/v1 Deployment api d +c +b') + deployment)).toEqual([]);
  });

  it('are why their pods come back', () => {
    const yaml = replicaSet(1) + pod();
    expect(survivalOf(trackedViewOf(yaml), theObject(yaml, 'api-h1-x2x4z'))).toMatchObject({
      way: 'kept-by-survivor',
      next: 'The ReplicaSet replaces the pod if it is deleted. To remove it for good, delete ReplicaSet api-h1.',
    });
  });

  it('leave pods behind themselves', () => {
    expect(diagnose(pod(''))[0]).toMatchObject({ code: 'ReplicaSetSurvivor', severity: 'warning' });
  });

  const left = pod('') + pod('').replace('x2x4z', 'x2x4y').replace('{app: api,', '{app: api, debugged: "1",');

  it('are created again for pods that they left behind, with the labels that all have', () => {
    const [finding] = findings(left, 'ReplicaSetSurvivor');
    expect(finding?.remedies()[0]).toMatchObject({
      id: 'adopt/replicaset/api-h1',
      title:
        'create ReplicaSet api-h1 again from Pod api-h1-x2x4y: it adopts Pods api-h1-x2x4y and api-h1-x2x4z, and restarts none',
      requests: [
        {
          body: {
            metadata: { name: 'api-h1', labels: { app: 'api', 'pod-template-hash': 'h1' } },
            spec: { replicas: 2, selector: { matchLabels: { app: 'api', 'pod-template-hash': 'h1' } } },
          },
        },
      ],
    });
  });

  it('are created again with a selector of the labels that name them, without those that pods get later', () => {
    const later =
      'app: api, env: prod, topology.kubernetes.io/zone: z1, apps.kubernetes.io/pod-index: "0", controller-revision-hash: r1,';
    const [finding] = findings(pod('').replace('app: api,', later), 'ReplicaSetSurvivor');
    const template = { app: 'api', env: 'prod', 'pod-template-hash': 'h1' };
    expect(finding?.remedies()[0]?.requests[0]?.body).toMatchObject({
      metadata: { labels: template },
      spec: {
        selector: { matchLabels: { app: 'api', 'pod-template-hash': 'h1' } },
        template: { metadata: { labels: template } },
      },
    });
    const body = finding?.remedies()[0]?.requests[0]?.body as {
      spec: { selector: object; template: object };
    };
    expect(body.spec.selector).toEqual({ matchLabels: { app: 'api', 'pod-template-hash': 'h1' } });
    expect(body.spec.template).toEqual({ metadata: { labels: template } });
  });

  it.each([
    [
      'a Deployment would scale it down',
      `${left}- {kind: Deployment, name: api, spec: {replicas: 1, selector: {matchLabels: {app: api}}}}\n`,
      [],
    ],
    ['Deployments cannot be seen', left, ['deployments.apps']],
    ['it would adopt another pod', `${left}- {kind: Pod, name: stray, labels: ${labels}, ${running}}\n`, []],
  ])('are not created again where pods could be deleted: %s', (_, yaml, blind) => {
    const found = diagnose(yaml, blind).filter(({ code }) => code === 'ReplicaSetSurvivor');
    const ids = found.flatMap(each => each.remedies().map(({ id }) => id));
    expect(ids).toContain('let-adopt');
    expect(ids).not.toContain('adopt/replicaset/api-h1');
  });

  it('adopt a pod and delete another where they have enough', () => {
    const stray = pod('').replace('x2x4z', 'x2x4y');
    const yaml = replicaSet(1) + pod() + stray;
    const survival = survivalOf(trackedViewOf(yaml), theObject(yaml, 'api-h1-x2x4y'));
    expect(survival?.way).toBe('to-be-adopted');
    expect(survival?.next).toContain('ReplicaSet api-h1 wants 1, and there are 2 then');
  });
});

describe('pods after their Job', () => {
  const pod = (phase = 'Running'): string =>
    `- {kind: Pod, name: import-abcde, labels: {batch.kubernetes.io/job-name: import, batch.kubernetes.io/controller-uid: j1}, spec: {nodeName: n}, status: {phase: ${phase}}}\n`;
  const job = (uid: string): string =>
    `- {kind: Job, name: import, uid: ${uid}, spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: ${uid}}}}}\n`;

  it('are found, and those of a new Job of the same name are told apart by uid', () => {
    const codes = (found: readonly FindingDraft[]): string[] => found.map(({ code }) => code);
    expect(codes(diagnose(pod()))).toEqual(['JobSurvivor']);
    const [finding] = findings(pod() + job('j2'), 'JobSurvivor');
    expect(finding?.message).toContain('the Job of that name is another one');
    expect(findings(pod() + job('j1'), 'JobSurvivor')).toEqual([]);
  });

  it('are no more than worth knowing once they have finished', () => {
    expect(diagnose(pod('Succeeded'))[0]).toMatchObject({ code: 'JobSurvivor', severity: 'info' });
  });
});
