/** A plan's `breaks` beside what a control plane shows, both as lines. */
import type { BreakEntry, Plan } from '../../../src/cli/documents/definitions.ts';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import { type Answers, bindingUser, type Lists, nameOf, robotUser } from './observed.ts';
import { POD_LABEL, rights, type UsesWorld } from './random-uses.ts';

export const workloadLists: Readonly<Record<string, string>> = {
  Pod: 'pods',
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  ReplicaSet: 'replicasets',
  DaemonSet: 'daemonsets',
  ReplicationController: 'replicationcontrollers',
  Job: 'jobs',
  CronJob: 'cronjobs',
};

/** A world at one moment. */
export interface Moment {
  readonly lists: Lists;
  readonly answers: Answers;
}

/** Lists what the plan says; `atOnce` lines and those that later starts show. */
export function predicted({ breaks = [], warnings }: Plan, world: UsesWorld): readonly string[] {
  const { namespace } = world;
  const hook = warnings.some(each => each.includes(`${namespace}-hook`) && each.includes('refuse'));
  const certain = breaks.filter(each => !isGrantedTwice(world, each));
  return [...new Set([...certain.flatMap(linesOf), ...(hook ? ['webhook'] : [])])].sort();
}

/** Checks that another binding grants the same, which a plan leaves open. */
function isGrantedTwice({ objects, targets }: UsesWorld, { object, user }: BreakEntry): boolean {
  if (object.kind !== 'RoleBinding') return false;
  const bindings = objects.filter(({ kind }) => kind === 'RoleBinding');
  const deleted = bindings.find(each => nameOf(each) === object.name);
  return bindings.some(
    each =>
      !targets.includes(`rolebinding/${nameOf(each)}`) &&
      JSON.stringify(each['roleRef']) === JSON.stringify(deleted?.['roleRef']) &&
      list(each['subjects']).some(subject => record(subject)['name'] === user.name),
  );
}

function linesOf({ object, user, when, how }: BreakEntry): string[] {
  const name = `${user.kind} ${user.name}`;
  if (how.endsWith('older revision')) return how.includes('pull') ? [] : [`rollback ${name}`];
  if (how.includes('pull')) return [];
  if (when === 'leftBehind') return [`left ${name}`];
  switch (user.kind) {
    case 'RoleBinding':
      return [`grants ${name}`];
    case 'ServiceAccount':
    case 'User':
      return [`rights ${name}`];
    case 'Service':
      return [`endpoints ${name}`];
    case 'PersistentVolumeClaim':
      return [`later ${name}`];
    case 'ValidatingWebhookConfiguration':
      return ['webhook'];
    default:
      if (object.kind === 'Service') return [`names ${name}`];
      return [when === 'atOnce' ? `token ${name}` : `start ${name}`];
  }
}

/** Lists what broke at once: before new pods are started. */
export function brokenAtOnce(
  { namespace, objects, targets }: UsesWorld,
  before: Moment,
  after: Moment,
): readonly string[] {
  const lines: string[] = [];
  const lost = (user: string): string[] =>
    [...(before.answers.rights.get(user) ?? [])].filter(
      each => after.answers.rights.get(user)?.has(each) !== true,
    );
  // Permissions of a deleted role are reported on its bindings.
  const ungranted = targets.map(each => rights[each.split('/')[1]?.replace(`${namespace}-`, '') ?? '']);
  const isGranted = (resource: string): boolean => !ungranted.includes(resource);
  for (const object of objects) {
    const name = nameOf(object);
    const kind = text(object['kind']);
    if (kind === 'Service' && after.lists.has('services', namespace, name)) {
      const [had, has] = [before, after].map(({ lists }) => lists.endpoints(namespace, name).length > 0);
      if (had === true && has === false) lines.push(`endpoints Service ${name}`);
    }
    const user = bindingUser(namespace, name);
    if (kind === 'RoleBinding' && lost(user).length > 0)
      if (after.lists.has('rolebindings', namespace, name)) lines.push(`grants RoleBinding ${name}`);
      else if (lost(user).some(isGranted)) lines.push(`rights User ${user}`);
    if (kind === 'StatefulSet' && after.lists.has('statefulsets', namespace, name)) {
      const service = text(record(object['spec'])['serviceName']);
      const named = ({ lists }: Moment): boolean =>
        lists
          .endpoints(namespace, service)
          .some(each => each.endsWith(` ${each.split(' ')[0]}`) && each.startsWith(`${name}-`));
      if (named(before) && !after.lists.has('services', namespace, service))
        lines.push(`names StatefulSet ${name}`);
    }
  }
  for (const robot of ['robot-a', 'robot-b'])
    if (
      after.lists.has('serviceaccounts', namespace, robot) &&
      lost(robotUser(namespace, robot)).some(isGranted)
    )
      lines.push(`rights ServiceAccount ${robot}`);
  if (before.answers.takesLeases && !after.answers.takesLeases) lines.push('webhook');
  return [...lines, ...refusedTokens(namespace, before, after)];
}

/** Pods that go on with a token that is refused, by workload. */
function refusedTokens(namespace: string, before: Moment, after: Moment): string[] {
  const kinds = new Map(
    Object.entries(workloadLists).flatMap(([kind, resource]) =>
      before.lists.of(resource, namespace).map(each => [nameOf(each), kind] as const),
    ),
  );
  return after.lists.of('pods', namespace).flatMap(pod => {
    const { labels, deletionTimestamp } = record(pod['metadata']);
    const { serviceAccountName, volumes } = record(pod['spec']);
    const robot = text(serviceAccountName);
    const isKnown = before.lists
      .of('pods', namespace)
      .some(each => record(each['metadata'])['uid'] === record(pod['metadata'])['uid']);
    const hasToken = list(volumes).some(each =>
      list(record(record(each)['projected'])['sources']).some(
        one => record(one)['serviceAccountToken'] !== undefined,
      ),
    );
    const phase = text(record(pod['status'])['phase']);
    if (!isKnown || !hasToken || deletionTimestamp !== undefined || phase !== 'Running') return [];
    if (!before.answers.tokens.has(robot) || after.answers.tokens.has(robot)) return [];
    const workload = text(record(labels)[POD_LABEL]);
    return [`token ${kinds.get(workload)} ${workload}`];
  });
}

/** Lists what is left without a purpose. */
export function leftBehind(
  { namespace, objects }: UsesWorld,
  before: Moment,
  after: Moment,
): readonly string[] {
  const lines: string[] = [];
  const { lists, answers } = after;
  for (const each of lists.of('poddisruptionbudgets', namespace)) {
    // The controller counts finished pods too.
    const expected = (at: Moment): number => {
      const [budget] = at.lists.of('poddisruptionbudgets', namespace);
      const finished = at.lists.of('pods', namespace).filter(pod => isFinished(pod) && isSelected(each, pod));
      return Number(record(budget?.['status'])['expectedPods']) - finished.length;
    };
    if (expected(before) > 0 && expected(after) === 0) lines.push(`left PodDisruptionBudget ${nameOf(each)}`);
  }
  for (const each of lists.of('networkpolicies', namespace)) {
    const selected = (at: Moment): boolean =>
      at.lists.of('pods', namespace).some(pod => !isFinished(pod) && isSelected(each, pod));
    if (selected(before) && !selected(after)) lines.push(`left NetworkPolicy ${nameOf(each)}`);
  }
  for (const each of lists.of('persistentvolumeclaims', namespace)) {
    const isMounted = (at: Moment): boolean =>
      at.lists.of('pods', namespace).some(pod => !isFinished(pod) && mounts(pod, nameOf(each)));
    const isKept = record(each['metadata'])['deletionTimestamp'] === undefined;
    if (isKept && isMounted(before) && !isMounted(after))
      lines.push(`left PersistentVolumeClaim ${nameOf(each)}`);
  }
  for (const each of lists.of('horizontalpodautoscalers', namespace)) {
    const conditions = list(record(each['status'])['conditions']).map(record);
    if (conditions.some(({ type, reason }) => type === 'AbleToScale' && reason === 'FailedGetScale'))
      lines.push(`left HorizontalPodAutoscaler ${nameOf(each)}`);
  }
  for (const binding of objects.filter(({ kind }) => kind === 'RoleBinding')) {
    const robots = list(binding['subjects'])
      .map(record)
      .filter(({ kind }) => kind === 'ServiceAccount');
    const gone = robots
      .map(({ name }) => text(name))
      .filter(each => !lists.has('serviceaccounts', namespace, each));
    const role = text(record(binding['roleRef'])['name']).replace(`${namespace}-`, '');
    const isRight = (robot: string): boolean =>
      answers.rights.get(robotUser(namespace, robot))?.has(rights[role] ?? '') === true;
    if (lists.has('rolebindings', namespace, nameOf(binding)) && gone.some(isRight))
      lines.push(`left RoleBinding ${nameOf(binding)}`);
  }
  return lines;
}

function isFinished({ status }: JsonRecord): boolean {
  return ['Succeeded', 'Failed'].includes(text(record(status)['phase']));
}

function mounts({ spec }: JsonRecord, claim: string): boolean {
  return list(record(spec)['volumes']).some(
    each => record(record(each)['persistentVolumeClaim'])['claimName'] === claim,
  );
}

function isSelected(user: JsonRecord, pod: JsonRecord): boolean {
  const { selector, podSelector } = record(user['spec']);
  const labels = record(record(pod['metadata'])['labels']);
  const wanted = record(record(selector ?? podSelector)['matchLabels']);
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}
