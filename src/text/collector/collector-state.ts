import type { CollectorQueue, CollectorState } from '../../collector/index.ts';
import { counted, objectTitle, shownName } from '../../model/index.ts';
import { TextLine } from '../terminal/text-line.ts';
import { listedObjects } from './branches.ts';
import { backOff } from './step.ts';

/** Returns a sanitised line: `graphChanges 2 · attemptToDelete 1, 1 backing off · …`. */
function collectorStateLine(state: CollectorState): string {
  if (!state.running) return 'the garbage collector does not run';
  const { queues, acting, virtualNodes, absentOwners } = state;
  const parts = [
    ...queues.map(({ name, items, backingOff }) => {
      const later = backingOff.length === 0 ? '' : `, ${backingOff.length} backing off`;
      return `${name} ${items.length}${later}`;
    }),
    ...(acting.length === 0 ? [] : [`about to send ${acting.length}`]),
    `virtual ${virtualNodes.length}`,
    ...(absentOwners === undefined ? [] : [`absent owners ${absentOwners.owners.length}`]),
    ...(state.workersWait ? ['workers wait'] : []),
  ];
  return parts.join(' · ');
}

function stateLines(state: CollectorState): readonly TextLine[] {
  const { queues, acting, nodes, virtualNodes, absentOwners, monitors, undiscovered, at } = state;
  const whose = state.knowledge === 'inferred' ? ', inferred from what was observed' : '';
  const head = TextLine.of(
    `The garbage collector of Kubernetes ${shownName(state.version)}${whose}`,
    'title',
  );
  if (!state.running) return [head, TextLine.of('  It does not run.')];
  const part = (name: string, words: readonly string[]): readonly TextLine[] => [
    TextLine.of(`  ${name}${words.length === 0 ? ': empty' : ''}`),
    ...words.map(each => TextLine.of(`    ${each}`, 'plain', 6)),
  ];
  const unsynced = monitors.filter(each => each.state !== 'synced');
  return [
    head,
    ...(state.workersWait ? [TextLine.of('  Its workers wait until every monitor is synced.')] : []),
    ...queues.flatMap(queue => part(queue.name, queueWords(queue, at))),
    ...part('about to send requests', acting.map(objectTitle)),
    ...part(
      'virtual nodes',
      virtualNodes.map(
        ({ object, dependents }) => `${objectTitle(object)}, named by ${listedObjects(dependents, '')}`,
      ),
    ),
    ...(absentOwners === undefined
      ? []
      : part('absent owners, the most recently used last', absentOwners.owners.map(objectTitle))),
    TextLine.of(
      `  ${counted(nodes, 'node')}; ${counted(monitors.length, 'monitor')}, ${unsynced.length === 0 ? 'all synced' : `${unsynced.length} not synced`}`,
    ),
    ...unsynced.map(({ resource, state: how, reason }) =>
      TextLine.of(
        `    ${shownName(resource)}: ${how}${reason === undefined ? '' : `, ${shownName(reason)}`}`,
        'warning',
      ),
    ),
    ...undiscovered.map(each => TextLine.of(`    ${shownName(each)}: cannot be discovered`, 'warning')),
  ];
}

function queueWords({ items, backingOff }: CollectorQueue, now: number): readonly string[] {
  return [
    ...items.map(
      ({ object, virtual, event }) =>
        `${event === undefined ? '' : `${event} `}${objectTitle(object)}${virtual && event === undefined ? ' (virtual)' : ''}`,
    ),
    ...backingOff.map(({ object, until, failures }) => {
      const when = until === undefined ? '' : `, in ${backOff(until - now)}`;
      return `${objectTitle(object)}: backing off${when}${failures === undefined || failures === 0 ? '' : `, after ${counted(failures, 'attempt')}`}`;
    }),
  ];
}

export const collectorWords = { lines: stateLines, line: collectorStateLine };
