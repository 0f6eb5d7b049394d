/** Chooses the kinds of entries in the Activity view: all, a family of kinds, or one. */
import { ActivityKind } from '../../../activity/index.ts';
import { counted } from '../../../model/index.ts';
import { activityLines, activityWords } from '../../../text/index.ts';
import { type PickerItem, type State, withListState } from '../../state/state.ts';

interface Choice {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  readonly kinds: readonly ActivityKind[];
}

const references: readonly ActivityKind[] = [
  'Stripped',
  'Orphaned',
  'Released',
  'ReferenceRemoved',
  'Adopted',
  'ReferenceAdded',
  'Unblocked',
];

const choices: readonly Choice[] = [
  { id: 'all', title: 'all', meaning: 'everything', kinds: ActivityKind.all },
  {
    id: 'deletions',
    title: 'deletions',
    meaning: 'what is deleted, from its beginning to its end, and what comes again',
    kinds: ActivityKind.all.filter(kind => !references.includes(kind)),
  },
  { id: 'references', title: 'ownership', meaning: 'which references came and went', kinds: references },
  ...ActivityKind.all.map(kind => ({
    id: kind,
    title: activityWords.word(kind),
    meaning: activityLines.meanings[kind],
    kinds: [kind],
  })),
];

export function kindItems({ cluster }: State): PickerItem[] {
  const counts = cluster?.activity?.counts();
  return choices.map(({ id, title, meaning, kinds }) => {
    const count = kinds.reduce((sum, kind) => sum + (counts?.get(kind) ?? 0), 0);
    return { id, label: title, hint: `${counted(count, 'entry', 'entries')}: ${meaning}` };
  });
}

export function showKinds(state: State, id: string): State {
  const choice = choices.find(each => each.id === id);
  if (choice === undefined) return state;
  const only = id === 'all' ? undefined : { title: choice.title, kinds: new Set(choice.kinds) };
  return withListState(state, 'activity', { only });
}
