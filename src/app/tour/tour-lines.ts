/** Writes the tour's text: the current sight and the next step. */
import type { Line } from '../../text/index.ts';
import { type CommandId, commands } from '../commands/bindings.ts';
import { fit, glyphsOf } from '../drawing/fit.ts';
import { keyLabel } from '../state/keys.ts';
import type { State } from '../state/state.ts';
import { type TourState, tourSteps } from '../state/tour.ts';
import { currentNode } from '../views/current.ts';
import { is, tourDependent } from './progress.ts';

/** Each fits in 60 columns after the step's number. */
interface Words {
  readonly see: string;
  readonly next: string;
}

/** A word, since an arrow would read as one of the keys that follow. */
const LEAD = ' Next: ';

export function tourLines(state: State): readonly Line[] {
  const { tour, columns } = state;
  if (tour === undefined) return [];
  const { ellipsis } = glyphsOf(state);
  const { see, next } = wordsOf(tour, state);
  const leave = `  (${keyFor('leaveTour', state)} ends the tour)`;
  const isRoom = LEAD.length + next.length + leave.length <= columns;
  const lines: readonly Line[] = [
    [
      { text: ` ${placeOf(tour)} `, style: 'title' },
      { text: ` ${see}`, style: 'plain' },
    ],
    [
      { text: LEAD, style: 'title' },
      { text: next, style: 'info' },
      { text: isRoom ? leave : '', style: 'muted' },
    ],
  ];
  return lines.map(line => fit(line, columns, ellipsis));
}

export function spokenTour(state: State): readonly string[] {
  const { tour } = state;
  if (tour === undefined) return [];
  const { see, next } = wordsOf(tour, state);
  return [`${placeOf(tour)}: ${see}`, `Next: ${next} ${keyFor('leaveTour', state)} ends the tour.`];
}

function placeOf({ step, skipped }: TourState): string {
  return `Tour ${tourSteps.indexOf(step) + 1 - skipped} of ${tourSteps.length - skipped}`;
}

function keyFor(id: CommandId, { options }: State): string {
  const key = commands.find(each => each.id === id)?.keys[0];
  return keyLabel(key ?? '', options.ascii);
}

function wordsOf(tour: TourState, state: State): Words {
  const key = (id: CommandId): string => keyFor(id, state);
  const isOnTarget = currentNode(state)?.uid === tour.uid;
  const back = is(currentNode(state), tourDependent) ? `${key('up')} back to web, then` : 'On web,';
  switch (tour.step) {
    case 'find': {
      const see = 'Something hangs here: StatefulSet web.';
      if (tour.uid === undefined) return { see: 'The cluster is being read.', next: 'Wait a moment.' };
      if (state.dialog?.kind === 'search') return { see, next: 'Type web, then enter.' };
      if (state.dialog !== undefined) return { see, next: 'Esc closes this.' };
      return { see, next: `${key('search')} searches: type web, then enter.` };
    }
    case 'look':
      return {
        see: 'Deleted, and it waits for its pod web-2.',
        next: `${key('down')} to Pod web-2, below it.`,
      };
    case 'ask': {
      const see = 'A finalizer holds it; nothing removes that.';
      return { see, next: `${isOnTarget ? '' : `${back} `}${key('plan')}: what would a deletion do?` };
    }
    case 'read':
      return { see: 'A forecast: nothing is sent by it.', next: 'Read it. Esc closes it.' };
    case 'free':
      return freeing(state, isOnTarget ? '' : `${back} `, key('unblock'));
    case 'gone':
      return { see: 'web is gone, and web-2 is still there.', next: 'As forecast? Esc closes it.' };
    case 'undo':
      return undoing(state, key('undo'));
    case 'end':
      return {
        see: 'Found, seen, freed, and undone.',
        next: `Esc ends the tour; ${key('help')} has all keys.`,
      };
  }
}

function freeing({ dialog }: State, where: string, key: string): Words {
  const see = 'web can go without waiting for web-2.';
  if (dialog?.kind !== 'action') return { see, next: `${where}${key} proposes how.` };
  const { stage } = dialog;
  if (stage.at === 'asking')
    return {
      see: 'This is what would be sent, and its end.',
      next: stage.word === undefined ? 'y does it.' : typing(stage),
    };
  if (stage.at === 'choosing') return { see, next: 'Choose one, then enter.' };
  if (stage.at === 'ended') return { see: 'Nothing was freed.', next: 'Esc closes it; then try again.' };
  return { see, next: 'Wait: it is under way.' };
}

function undoing({ dialog }: State, key: string): Words {
  const see = 'What was sent is in a journal, with a backup.';
  if (dialog?.kind !== 'action') return { see, next: `${key} undoes it.` };
  const { stage } = dialog;
  if (stage.at === 'choosing') return { see, next: 'enter: the latest action.' };
  if (stage.at === 'asking')
    return {
      see: 'web is made again, from the backup.',
      next: stage.word === undefined ? 'y does it.' : typing(stage),
    };
  if (stage.at === 'ended') return { see: 'That was not undone.', next: 'Esc closes it; then try again.' };
  return { see, next: 'Wait: it is under way.' };
}

function typing({
  word = '',
  typed,
}: {
  readonly word?: string | undefined;
  readonly typed: string;
}): string {
  return typed === word ? 'enter does it.' : `Type ${word}, then enter.`;
}
