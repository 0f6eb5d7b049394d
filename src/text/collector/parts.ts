/** A collector's memory in words for the screen, by part and item. */
import type {
  CollectorQueue,
  CollectorState,
  CollectorStep,
  QueuedItem,
  Verdict,
} from '../../collector/index.ts';
import type { Identity } from '../../graph/index.ts';
import { objectTitle, objectTitleIn, ownEntry, shownName } from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import { TextLine } from '../terminal/text-line.ts';
import { branchWords, listedObjects } from './branches.ts';
import { backOff, eventWords } from './step.ts';

type BackingOff = CollectorQueue['backingOff'][number];

export type PartItem =
  | { readonly of: 'queued'; readonly item: QueuedItem | BackingOff }
  /** The collector's decision on the object if it were made now. */
  | { readonly of: 'due'; readonly object: Identity; readonly verdict: Verdict }
  | { readonly of: 'object'; readonly object: Identity; readonly dependents?: readonly Identity[] }
  | { readonly of: 'monitor'; readonly monitor: CollectorState['monitors'][number] }
  | { readonly of: 'undiscovered'; readonly groupVersion: string }
  | { readonly of: 'step'; readonly step: CollectorStep };

interface PartWords {
  readonly title: string;
  readonly brief: string;
  /** Sentences with their section in docs/kubernetes.md. */
  readonly meaning: string;
  readonly inferred?: string;
}

const parts: Readonly<Record<string, PartWords>> = {
  graphChanges: {
    title: 'graphChanges',
    brief: 'what watches have reported and the graph has yet to take in',
    meaning:
      'Each change that a watch reports is an event in this queue. One worker takes them into the graph of owners and dependents, one after the other, and queues what follows.',
  },
  due: {
    title: 'due',
    brief: 'what its decisions would change now',
    meaning:
      'For each object the collector decides to delete it, to change references in it or in its dependents, or to remove the finalizer foregroundDeletion or orphan.',
    inferred:
      'Its queues cannot be seen from outside. It also looks at objects that it then leaves as they are, and in an order that cannot be seen.',
  },
  attemptToDelete: {
    title: 'attemptToDelete',
    brief: 'what it is about to look at, and delete or change',
    meaning:
      'A worker looks up each object and its owners on the API server and decides: delete it, remove references from it, remove its finalizer foregroundDeletion, or nothing.',
  },
  attemptToOrphan: {
    title: 'attemptToOrphan',
    brief: 'deleted with the policy orphan: their dependents lose their references',
    meaning:
      'For each object, every dependent that the graph knows loses its reference; then the object loses its finalizer.',
  },
  eventQueue: {
    title: 'eventQueue',
    brief: 'what watches have reported and the graph has yet to take in',
    meaning:
      'A queue of the first collector: each change that a watch reports is an event, as in graphChanges today.',
  },
  dirtyQueue: {
    title: 'dirtyQueue',
    brief: 'what it is about to look at, and delete',
    meaning: 'A queue of the first collector: objects whose owner may be gone, as in attemptToDelete today.',
  },
  orphanQueue: {
    title: 'orphanQueue',
    brief: 'deleted with the policy orphan: their dependents lose their references',
    meaning:
      'A queue of the first collector: owners that leave their dependents behind, as in attemptToOrphan today.',
  },
  acting: {
    title: 'about to send',
    brief: 'decided, not sent yet',
    meaning: 'Workers have decided about these, and are about to send the requests.',
  },
  waiting: {
    title: 'waits',
    brief: 'foreground deletions that wait for dependents',
    meaning:
      'Nothing is queued for these until a dependent that blocks them is deleted, or no longer blocks them.',
  },
  virtual: {
    title: 'virtual nodes',
    brief: 'owners that are known only from references',
    meaning:
      'Dependents refer to them, and no watch has reported them. The collector looks each up on the API server: if it does not exist, the collector remembers it as absent and looks at its dependents.',
    inferred:
      'These are the owners whose absence is not proven here, because their kind cannot be seen or listed.',
  },
  absent: {
    title: 'absent owners',
    brief: 'looked up, and not there',
    meaning:
      'It remembers the last 500 owners that a look-up has proven absent, so that their other dependents need no request.',
    inferred:
      'These are the missing owners of the objects that are due. A real cache also has the owners of objects that are long gone, and is empty after a restart.',
  },
  monitors: {
    title: 'monitors',
    brief: 'kinds that it follows',
    meaning:
      'It lists and watches every kind that can be deleted, listed and watched. Objects of a kind whose monitor has not synced are invisible as dependents: not deleted, not waited for, not orphaned.',
    inferred:
      'These are the kinds as this program sees them. Its permissions differ from those of kube-controller-manager, so only one of them may see a kind.',
  },
  latest: {
    title: 'latest changes',
    brief: 'and what they changed in the graph, newest first',
    meaning:
      'Changes that watches have reported since this view was opened, and what they change in the graph of owners and dependents.',
  },
};

function wordsOf(part: string): PartWords {
  return ownEntry(parts, part) ?? { title: shownName(part), brief: '', meaning: '' };
}

function partTitle(part: string): Pick<PartWords, 'title' | 'brief'> {
  return wordsOf(part);
}

function knowledgeWords({ knowledge, version }: CollectorState): string {
  return knowledge === 'inferred'
    ? `inferred from what is seen, for Kubernetes ${shownName(version)}`
    : `as the simulated collector of Kubernetes ${shownName(version)} holds it`;
}

function partLines(part: string, state: CollectorState): readonly TextLine[] {
  const { title, meaning, inferred } = wordsOf(part);
  const isAlwaysInferred = part === 'waiting' || part === 'latest';
  const isInferred = state.knowledge === 'inferred' || isAlwaysInferred;
  return [
    TextLine.of(title, 'title'),
    TextLine.of(meaning),
    TextLine.of(
      isInferred
        ? "Inferred from visible objects with the collector's decisions. The real collector may be ahead or behind."
        : `Told by the simulated collector of Kubernetes ${shownName(state.version)} itself.`,
      'muted',
    ),
    ...(isInferred && inferred !== undefined ? [TextLine.of(inferred, 'muted')] : []),
    ...(state.running ? [] : [TextLine.of('Its process does not run.', 'warning')]),
    ...(state.workersWait ? [TextLine.of('Its workers wait until every monitor is synced.', 'warning')] : []),
  ];
}

/** Returns a name: `Pod shop/web-0`, `deployments.apps`. */
function itemTitle(item: PartItem): string {
  switch (item.of) {
    case 'queued':
      return objectTitle(item.item.object);
    case 'due':
    case 'object':
      return objectTitle(item.object);
    case 'monitor':
      return shownName(item.monitor.resource);
    case 'undiscovered':
      return shownName(item.groupVersion);
    case 'step':
      return `${item.step.n} ${'object' in item.step.work ? objectTitle(item.step.work.object) : ''}`;
  }
}

/** Returns the text after an item's name. */
function itemRemark(item: PartItem, now: number): string {
  switch (item.of) {
    case 'queued':
      return queuedWords(item.item, now);
    case 'due':
      return item.verdict;
    case 'object':
      return item.dependents === undefined
        ? ''
        : `named by ${listedObjects(item.dependents, item.object.namespace)}`;
    case 'monitor': {
      const { state, reason } = item.monitor;
      return state === 'blind' && reason !== undefined ? `cannot be seen: ${shownName(reason)}` : state;
    }
    case 'undiscovered':
      return 'cannot be discovered';
    case 'step':
      return branchWords.step(item.step).join(' ');
  }
}

function queuedWords(item: QueuedItem | BackingOff, now: number): string {
  const words = [
    item.event === undefined ? '' : eventWords[item.event],
    item.virtual && item.event === undefined ? 'virtual' : '',
    'until' in item
      ? `backing off${item.until === undefined ? '' : `, in ${backOff(item.until - now)}`}`
      : '',
  ];
  return words.filter(word => word !== '').join(', ');
}

function stepLead({ at, work }: CollectorStep): string {
  return `${timeText.clock(at)} ${work.of === 'event' ? `${eventWords[work.event]} ` : ''}`;
}

function itemTitleIn(item: PartItem, namespace: string): string {
  if (item.of === 'queued') return objectTitleIn(item.item.object, namespace);
  if (item.of === 'object' || item.of === 'due') return objectTitleIn(item.object, namespace);
  if (item.of === 'step' && 'object' in item.step.work)
    return `${stepLead(item.step)}${objectTitleIn(item.step.work.object, namespace)}`;
  return itemTitle(item);
}

export const partWords = {
  itemTitle,
  itemRemark,
  lines: partLines,
  itemTitleIn,
  knowledge: knowledgeWords,
  title: partTitle,
};
