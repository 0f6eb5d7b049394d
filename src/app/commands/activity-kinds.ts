/** Chooses the kinds of entries in the Activity view: all, a family of kinds, or one. */
import { type ActivityKind, activityKinds } from '../../activity/entry.ts';
import { counted } from '../../model/text/titles.ts';
import { activityMeanings } from '../../text/activity/details.ts';
import { activityWord } from '../../text/activity/line.ts';
import { stayInList } from '../state/lists.ts';
import { type PickerItem, type State, withNewRevision } from '../state/state.ts';

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
  { id: 'all', title: 'all', meaning: 'everything', kinds: activityKinds },
  {
    id: 'deletions',
    title: 'deletions',
    meaning: 'what is deleted, from its beginning to its end, and what comes again',
    kinds: activityKinds.filter(kind => !references.includes(kind)),
  },
  { id: 'references', title: 'ownership', meaning: 'which references came and went', kinds: references },
  ...activityKinds.map(kind => ({
    id: kind,
    title: activityWord(kind),
    meaning: activityMeanings[kind],
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
  return withNewRevision(stayInList({ ...state, activity: { ...state.activity, only } }));
}
