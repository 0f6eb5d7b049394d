/** Waits for what a controller creates for the cleanup, such as a Job: dependents that are younger than the deletion. */
import { requestWords } from '../../forecast/index.ts';
import { isDeleting, objectDeletion } from '../../graph/index.ts';
import {
  BuiltInKind,
  type KubeObject,
  Labels,
  objectState,
  objectTitle,
  podFacts,
  ResourceType,
  record,
  shownName,
  text,
  workloadFacts,
} from '../../model/index.ts';
import { adviceToLook, chainLink } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { catalogueOf } from '../finalizers/catalogue.ts';
import { belongsTo } from '../finalizers/domain.ts';
import type { Wait } from './edge.ts';

/** Lists Jobs, pods and objects of the same project that were created after the deletion began, and haven't finished. */
export function cleanupsFor(tracked: TrackedView, object: KubeObject): readonly KubeObject[] {
  const node = tracked.node(object.uid);
  const since = objectDeletion.requestedAt(object);
  // A foreground deletion waits for all dependents, whatever they are for.
  if (node === undefined || since === undefined || objectDeletion.isForeground(object)) return [];
  // Nothing is younger than a deletion that is only forecast. Times on objects are whole seconds.
  if (since > tracked.now - 1000) return [];
  return [...tracked.dependents(node), ...hooksOf(tracked, object)].filter(
    each => each.creationTimestamp > since && !isDeleting(each) && mayEnd(object, each),
  );
}

/** Lists Jobs with the mark of a tool's object, which aren't owned by it, such as the hooks of an Application. */
function hooksOf(tracked: TrackedView, object: KubeObject): readonly KubeObject[] {
  const own = ResourceType.groupResource(object.type);
  const marks = catalogueOf(tracked.view).managingMarks.filter(({ resource }) => resource === own);
  const type = tracked.type('batch/v1', 'Job');
  if (marks.length === 0 || type === undefined) return [];
  const spec = record(tracked.content(object)?.json['spec']);
  const target = text(record(spec['destination'])['namespace']) || text(spec['targetNamespace']);
  const names = [object.name, `${object.namespace}_${object.name}`];
  const values = (job: KubeObject): readonly string[] =>
    marks.flatMap(({ name: { label = '', annotation = '' } }) => [
      Labels.value(job.labels, label) ?? '',
      Labels.value(job.annotations, annotation) ?? '',
    ]);
  return [...tracked.list(type, target || object.namespace)].filter(job =>
    values(job).some(value => names.some(each => value === each || value.startsWith(`${each}:`))),
  );
}

function mayEnd({ type: { group } }: KubeObject, made: KubeObject): boolean {
  const kind = BuiltInKind.of(made.type);
  if (kind === 'Job') return !hasCondition(made, 'Complete');
  if (kind === 'Pod') return !objectState.isFinished(made);
  return group !== '' && (made.type.group === group || belongsTo(made.type.group, group));
}

export function cleanupWaits(tracked: TrackedView, object: KubeObject): readonly Wait[] {
  return cleanupsFor(tracked, object).map(on => ({
    ...untilFinished(tracked, on, 'created since the deletion began'),
    isReported: false,
    certainty: 'assumed',
    evidence: [`${objectTitle(on)} belongs to ${object.name}, and was created after its deletion began`],
  }));
}

/** Waits for an object to finish; `because` says why the wait is assumed. */
export function untilFinished(
  tracked: TrackedView,
  on: KubeObject,
  because: string,
): Pick<Wait, 'on' | 'isMissing' | 'until' | 'end'> {
  const look = ['describe', ...requestWords.onObject(tracked.view.catalog, on)];
  const title = `see why ${objectTitle(on)} doesn't finish: what waits for it continues by itself`;
  return {
    on,
    isMissing: false,
    until: 'finished',
    end: {
      links: [chainLink(on, 'waits for', because), chainLink(on, '', stateWords(tracked, on))],
      advice: () => [adviceToLook('see-cleanup', title, look)],
    },
  };
}

function stateWords(tracked: TrackedView, made: KubeObject): string {
  const kind = BuiltInKind.of(made.type);
  if (kind === 'Pod') return podWords(made);
  if (kind !== 'Job') return "hasn't finished, as far as can be seen";
  if (hasCondition(made, 'Failed')) return 'has failed';
  const node = tracked.node(made.uid);
  const pods =
    node === undefined ? [] : tracked.dependents(node).filter(each => podFacts(each) !== undefined);
  const [pod] = pods.toSorted((a, b) => b.creationTimestamp - a.creationTimestamp);
  if (pod !== undefined) return `hasn't finished: its Pod ${pod.name} ${podWords(pod)}`;
  return tracked.sees(tracked.type('v1', 'Pod'), made.namespace) ? 'has no pod' : "hasn't finished";
}

export function podWords(pod: KubeObject): string {
  const { phase = '', containerReason = '' } = podFacts(pod) ?? {};
  const why = containerReason === '' ? '' : ` (${shownName(containerReason)})`;
  return `is ${shownName(phase)}${why}`;
}

function hasCondition(object: KubeObject, type: string): boolean {
  const conditions = workloadFacts(object)?.conditions ?? [];
  return conditions.some(each => each.type === type && each.status === 'True');
}
