/** What there is to choose from: the remedies of an object with their effects, and the journal's entries. */

import type { Journal } from '../../actions/journal/journal.ts';
import type { UndoIntent } from '../../actions/prepare/intent.ts';
import { isSameCluster } from '../../actions/undo/same-cluster.ts';
import { planUndo, undoIntent } from '../../actions/undo/undo.ts';
import type { Diagnosis } from '../../diagnosis/engine/diagnosis.ts';
import { isApplicable } from '../../diagnosis/engine/finding.ts';
import { withEffects } from '../../diagnosis/remedies/effects.ts';
import { everyRemedyOf, remediesOf } from '../../diagnosis/remedies/offered.ts';
import { recommendable } from '../../diagnosis/remedies/recommended.ts';
import type { ApplicableRemedy, Risk } from '../../forecast/action.ts';
import { createForecaster } from '../../forecast/forecaster.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { KubeObject } from '../../model/object.ts';
import type { SourceInfo } from '../../source/source.ts';
import { lostLines, undoNotes } from '../../text/actions/journal.ts';
import { formatAge } from '../../text/terminal/age.ts';
import { sanitise } from '../../text/terminal/sanitise.ts';
import type { Style } from '../../text/terminal/style.ts';
import { type TextLine, textLine } from '../../text/terminal/text-line.ts';
import type { ActionChoice } from './action.ts';

export interface RemedyOptions {
  /** Whatever could be done, not only what findings offer. */
  readonly all: boolean;
  readonly view: ClusterView;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const riskStyles: Readonly<Record<Risk, Style>> = { safe: 'good', caution: 'warning', dangerous: 'danger' };

export interface Remedies {
  /** Safest first; advice is among them and cannot be taken. */
  readonly choices: readonly ActionChoice[];
  readonly remedies: readonly ApplicableRemedy[];
  /** The one to propose; undefined where each of them has to be chosen by somebody. */
  readonly recommended: ApplicableRemedy | undefined;
}

export function remedyChoices(
  diagnosis: Diagnosis,
  target: KubeObject,
  { all, view, now }: RemedyOptions,
): Remedies {
  const offered = (all ? everyRemedyOf : remediesOf)(diagnosis, target);
  const forecaster = createForecaster(view, { now, scope: 'action' });
  const remedies = withEffects(forecaster, target, offered);
  return {
    remedies: remedies.filter(isApplicable),
    recommended: recommendable(view, target, remedies)[0],
    choices: remedies.map(remedy => ({
      id: remedy.id,
      label: sanitise(remedy.title),
      hint: isApplicable(remedy) ? remedy.risk : 'advice',
      style: riskStyles[remedy.risk],
      lines: isApplicable(remedy)
        ? [
            textLine(`    ${remedy.title}`, 'plain', 4),
            textLine(`    Then: ${remedy.effect}`, 'plain', 4),
            textLine(`    ${remedy.id}`, 'muted', 4),
          ]
        : [
            textLine(`    ${remedy.title}`, 'plain', 4),
            textLine('    Advice: there is nothing to send.', 'muted', 4),
          ],
      refused: !isApplicable(remedy),
    })),
  };
}

/**
 * The remedy to propose: the first that findings offer for the target and that its forecast bears out. Undefined where
 * each of them has to be chosen by somebody.
 */
export function proposedRemedy(
  diagnosis: Diagnosis,
  target: KubeObject,
  { view, now }: Omit<RemedyOptions, 'all'>,
): ApplicableRemedy | undefined {
  const candidates = recommendable(view, target, remediesOf(diagnosis, target));
  if (candidates.length === 0) return undefined;
  const forecaster = createForecaster(view, { now, scope: 'action' });
  return recommendable(view, target, withEffects(forecaster, target, candidates))[0];
}

export interface EntryOptions {
  readonly journal: Journal;
  readonly view: ClusterView;
  readonly info: SourceInfo;
  /** Milliseconds since the epoch: since when a simulated cluster exists; it is another one each time. */
  readonly since: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Undone {
  readonly intent: UndoIntent;
  notes(now: number): readonly TextLine[];
  readonly lost: readonly TextLine[];
}

export interface Entries {
  readonly choices: readonly ActionChoice[];
  /** What taking one back does on the cluster as it is then; undefined where there is nothing to do. */
  take(id: string): Promise<Undone | undefined>;
}

/** So many are offered; the command line lists all. */
const MOST_ENTRIES = 50;

/** This cluster's entries, the latest first. Rejects with the file system's error. */
export async function entryChoices({ journal, view, info, since, now }: EntryOptions): Promise<Entries> {
  const here = (await journal.list())
    .filter(
      ({ intended }) =>
        isSameCluster(intended, { view, info }) && (info.source !== 'demo' || intended.at >= since),
    )
    .slice(0, MOST_ENTRIES);
  const choices: ActionChoice[] = [];
  for (const entry of here) {
    const { extent, does, lost } = planUndo(entry, await journal.backupOf(entry), view);
    const { id, title, at } = entry.intended;
    choices.push({
      id,
      label: sanitise(title),
      hint: `${formatAge(at, now)} ago, ${{ whole: 'can be undone', part: 'in part', nothing: 'nothing to undo' }[extent]}`,
      style: extent === 'nothing' ? 'muted' : 'info',
      lines: [
        ...does.map(each => textLine(`    + ${each}`, 'good', 6)),
        ...lost.map(each => textLine(`    ! cannot come back: ${each}`, 'warning', 6)),
        textLine(`    ${id}`, 'muted', 4),
      ],
      refused: extent === 'nothing',
    });
  }
  return {
    choices,
    take: async id => {
      const entry = here.find(({ intended }) => intended.id === id);
      if (entry === undefined) return undefined;
      const kept = await journal.backupOf(entry);
      const undo = planUndo(entry, kept, view);
      const intent = undoIntent(entry, undo, kept, view);
      return intent && { intent, notes: at => [...undoNotes(entry, undo, at)], lost: [...lostLines(undo)] };
    },
  };
}
