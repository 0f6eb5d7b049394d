/**
 * From what a key asks for to what is to be done: a policy, a remedy or an entry of the journal, chosen in the dialog
 * where there is more than one.
 */

import type { Journal } from '../../actions/journal/journal.ts';
import type { Intent } from '../../actions/prepare/intent.ts';
import { cascades } from '../../forecast/action.ts';
import type { KubeObject } from '../../model/object.ts';
import type { SourceInfo } from '../../source/source.ts';
import { capital } from '../../text/actions/failure.ts';
import { endAlike, policyLines } from '../../text/actions/policies.ts';
import type { TextLine } from '../../text/terminal/text-line.ts';
import type { ActionWish } from './action.ts';
import { type ActingCluster, Nothing } from './cluster.ts';
import { NOT_PROPOSED } from './commands.ts';
import type { ActingDialog } from './dialog.ts';
import { preparePolicies } from './forecasts.ts';
import { entryChoices, proposedRemedy, remedyChoices } from './offers.ts';
import { notesOf } from './text.ts';

export interface IntentPlace {
  readonly cluster: ActingCluster;
  readonly dialog: ActingDialog;
  readonly journal: Journal;
  readonly info: SourceInfo;
  /** Milliseconds since the epoch: when the screen was opened. */
  readonly since: number;
}

export interface Wanted {
  readonly intent: Intent;
  /** What is told besides the forecast: what an undo takes back, and what it cannot. */
  readonly notes?: () => readonly TextLine[];
  /** What is told besides the outcome. */
  readonly afterwards?: readonly TextLine[];
}

/** Undefined where the dialog was closed; throws `Nothing` where nothing can be done. */
export async function intentOf(
  wish: Exclude<ActionWish, { readonly what: 'plan' }>,
  place: IntentPlace,
): Promise<Wanted | undefined> {
  const { cluster } = place;
  switch (wish.what) {
    case 'delete':
      return deletion(cluster.objects(wish.uids), place);
    case 'orphan':
      return { intent: { verb: 'delete', targets: cluster.objects(wish.uids), cascade: 'orphan' } };
    case 'unblock':
      return proposed(cluster.objects([wish.uid])[0], place);
    case 'remedies':
      return chosenRemedy(cluster.objects([wish.uid])[0], place);
    case 'undo':
      return undoing(place);
  }
}

/** The three policies side by side; where it makes no difference, kubectl's default. */
async function deletion(
  targets: readonly KubeObject[],
  { cluster, dialog }: IntentPlace,
): Promise<Wanted | undefined> {
  const { prepared, forecasts } = await preparePolicies(cluster, targets);
  if (dialog.closed) return undefined;
  if (endAlike(forecasts)) return { intent: { verb: 'delete', targets, cascade: 'background' } };
  const choices = cascades.map(id => {
    const refused = forecasts[id].outcome === 'Refused';
    return { id, label: id, hint: '', style: refused ? 'muted' : 'plain', lines: [], refused } as const;
  });
  const id = await dialog.choice({
    question: 'Which policy?',
    as: 'row',
    choices,
    preselected: 0,
    lines: [
      ...policyLines(forecasts, { all: false, width: dialog.width }),
      ...notesOf(prepared.background, cluster.view),
    ],
  });
  const cascade = cascades.find(each => each === id);
  return cascade && { intent: { verb: 'delete', targets, cascade } };
}

function proposed(target: KubeObject, { cluster }: IntentPlace): Wanted {
  const { view } = cluster;
  const remedy = proposedRemedy(cluster.diagnosis(), target, { view, now: cluster.now() });
  if (remedy !== undefined) return { intent: { verb: 'unblock', target, remedy } };
  throw new Nothing(`${capital(NOT_PROPOSED)}.`);
}

async function chosenRemedy(
  target: KubeObject,
  { cluster, dialog }: IntentPlace,
): Promise<Wanted | undefined> {
  const { view } = cluster;
  const offered = remedyChoices(cluster.diagnosis(), target, { all: true, view, now: cluster.now() });
  const { choices, remedies, recommended: first } = offered;
  if (choices.length === 0) throw new Nothing('Nothing is known to be in its way.');
  const preselected = choices.findIndex(each => each.id === first?.id);
  const question = preselected < 0 ? 'What to do? None of it is proposed: choose one.' : 'What to do?';
  const id = await dialog.choice({ question, as: 'list', choices, preselected, lines: [] });
  const remedy = remedies.find(each => each.id === id);
  return remedy && { intent: { verb: 'unblock', target, remedy } };
}

async function undoing({ cluster, dialog, journal, info, since }: IntentPlace): Promise<Wanted | undefined> {
  const offered = await entryChoices({
    journal,
    view: cluster.view,
    info,
    since,
    now: cluster.now(),
  });
  const { choices } = offered;
  if (choices.length === 0)
    throw new Nothing(
      'The journal has nothing of this cluster: nothing was done to it with delete, unblock or undo.',
    );
  const id = await dialog.choice({
    question: 'Which one is taken back?',
    as: 'list',
    choices,
    preselected: Math.max(
      0,
      choices.findIndex(({ refused }) => refused !== true),
    ),
    lines: [],
  });
  if (id === undefined) return undefined;
  // The cluster may have moved while somebody chose.
  const undone = await offered.take(id);
  if (undone === undefined) throw new Nothing('Nothing of it can be taken back now.');
  return {
    intent: undone.intent,
    notes: () => undone.notes(cluster.now()),
    afterwards: undone.lost,
  };
}
