/** Remedies for the objects of `unblock`: one, or several together. */
import {
  createHandledForecaster,
  doubtEvidence,
  isApplicable,
  type OfferedRemedy,
  offeredRemedies,
  remediesForMany,
  remedyEffects,
} from '../../diagnosis/index.ts';
import { requestWords, type UnblockAction } from '../../forecast/index.ts';
import { identityOfObject } from '../../graph/index.ts';
import {
  counted,
  type KubeObject,
  type ShellCommand,
  Sliced,
  showHidden,
  shownName,
} from '../../model/index.ts';
import { actionCommands, nameWords } from '../../text/index.ts';
import { remedyListDocument } from '../documents/plan/plan-document.ts';
import { printRemedies, type RemedyLook } from '../documents/plan/plan-text.ts';
import { printDocument } from '../documents/print/document.ts';
import type { CommandContext } from '../runtime/command.ts';
import { UsageError } from '../runtime/errors.ts';
import type { Flags } from '../runtime/flags.ts';
import { lineLook } from '../runtime/format.ts';
import type { Io } from '../runtime/io.ts';
import { type DocumentFormat, isDocument } from '../runtime/output-formats.ts';
import { say } from '../runtime/say.ts';
import type { ToUnblock } from '../targets/targets.ts';
import { diagnose } from './diagnose.ts';
import { onSameCluster, sameSource } from './same-source.ts';
import { type ClusterSession, scopeOf } from './session.ts';

/** Lists every remedy with its effect, numbered like `why`. */
export function remediesFor(session: ClusterSession, asked: ToUnblock): readonly OfferedRemedy[] {
  const { target } = asked;
  const several = severalOf(asked);
  const diagnosis = diagnose(session);
  const options = { now: session.now(), scope: 'action', effectsOnly: true } as const;
  const forecaster = createHandledForecaster(session.view, options);
  return several === undefined
    ? Sliced.atOnce(remedyEffects.addedInPlace(forecaster, target, offeredRemedies.every(diagnosis, target)))
    : remedyEffects.added(forecaster, target, remediesForMany.forChosen(diagnosis, several), several);
}

/** Returns undefined for a single object. */
export function severalOf({ among }: ToUnblock): readonly KubeObject[] | undefined {
  return among !== undefined && among.length > 1 ? among : undefined;
}

export function remedyList(
  session: ClusterSession,
  asked: ToUnblock,
  remedies: readonly OfferedRemedy[],
  format: DocumentFormat,
): Iterable<string> | undefined {
  if (isDocument(format)) {
    const objects = (severalOf(asked) ?? [asked.target]).map(identityOfObject);
    return printDocument(remedyListDocument(session.basis(), objects, remedies), format);
  }
  // --remedy can't name advice.
  return format === 'name'
    ? remedies.filter(isApplicable).map(({ id }) => `${nameWords.exactly(id)}\n`)
    : undefined;
}

/** Throws a `UsageError` if nothing calls for the remedy, or if it depends on an absence that is only assumed. */
export function unblockBy(session: ClusterSession, asked: ToUnblock, word: string): UnblockAction {
  const { target, among } = asked;
  const id = standsForAnother(word) ? idOf(session, asked, word) : word;
  const diagnosis = diagnose(session);
  const remedy = offeredRemedies.byId(diagnosis, target, id, among);
  if (remedy !== undefined) return remediesForMany.action(target, remedy, among);
  const several = severalOf(asked);
  if (several !== undefined)
    throw new UsageError(
      `${counted(several.length, 'object')} are selected, and together they give no cause for the remedy ${JSON.stringify(id)}. Leave --remedy out to see what can be done to several at once.`,
    );
  const [assumed] = diagnosis.assumptionsOf(target.uid);
  const title = `${shownName(target.type.kind)} ${shownName(target.name)}`;
  if (assumed === undefined)
    throw new UsageError(`${title} has no remedy ${JSON.stringify(id)}; omit --remedy to list them.`);
  const [doubt = ''] = doubtEvidence([assumed], diagnosis.tracked.view);
  throw new UsageError(
    `the remedy ${JSON.stringify(id)} isn't offered for ${title}: ${doubt}. Find out whether it is there before anything is changed.`,
  );
}

/** Matches `--remedy 2` and `--remedy safe`; ids contain a slash. */
function standsForAnother(word: string): boolean {
  return word === 'safe' || /^\d+$/u.test(word);
}

function idOf(session: ClusterSession, asked: ToUnblock, word: string): string {
  const applicable = remediesFor(session, asked).filter(isApplicable);
  const allSafe = applicable.filter(({ risk }) => risk === 'safe');
  // `safe` selects a composed remedy only if no single one is safe.
  const single = allSafe.filter(({ steps }) => steps === undefined);
  const safe = single.length > 0 ? single : allSafe;
  const [only, ...others] = word === 'safe' ? safe : applicable.filter((_, i) => word === String(i + 1));
  if (only !== undefined && others.length === 0) return only.id;
  const { target } = asked;
  const several = severalOf(asked);
  const what =
    several === undefined
      ? `${shownName(target.type.kind)} ${shownName(target.name)}`
      : counted(several.length, 'object');
  const list =
    applicable.length === 0
      ? 'There is none.'
      : `Choose from ${applicable.map(({ id, risk }, i) => `${i + 1} ${id} (${risk})`).join(', ')}.`;
  if (word !== 'safe') throw new UsageError(`there is no remedy ${word} for ${what}. ${list}`);
  throw new UsageError(
    only === undefined
      ? `no remedy that can be applied to ${what} is safe. ${list}`
      : `${safe.length} remedies for ${what} are safe. ${list}`,
  );
}

export function tellRemedy(io: Io, word: string | undefined, id: string | undefined): void {
  if (word !== undefined && id !== undefined && standsForAnother(word))
    say(io, `--remedy ${word} is ${showHidden(id)}.\n`);
}

export function listedRemedies(list: ListedRemedies, command: CommandContext): Iterable<string> {
  const { asked, remedies } = list;
  const { flags } = command;
  const look = {
    ...lineLook(command),
    kubectl: (commands: Parameters<RemedyLook['kubectl']>[0]) => onSameCluster(commands, flags),
  };
  return printRemedies(severalOf(asked) ?? [asked.target], remedies, id => commandFor(id, list, flags), look);
}

interface ListedRemedies {
  readonly session: ClusterSession;
  readonly asked: ToUnblock;
  readonly remedies: readonly OfferedRemedy[];
  readonly words: readonly string[];
}

function commandFor(id: string, { session, asked, words }: ListedRemedies, flags: Flags): ShellCommand {
  const chosen = ['--remedy', id, ...sameSource(flags, 'acts')];
  if (severalOf(asked) === undefined)
    return actionCommands.on(session.view.catalog, identityOfObject(asked.target), ['unblock'], chosen);
  const { selector, fieldSelector, all, allNamespaces } = flags;
  const namespace = allNamespaces === true ? undefined : scopeOf(flags, session.source);
  const selection = [
    ...words,
    ...(selector === undefined ? [] : ['-l', selector]),
    ...(fieldSelector === undefined ? [] : ['--field-selector', fieldSelector]),
    ...(all === true ? ['--all'] : []),
    ...(allNamespaces === true ? ['-A'] : requestWords.namespaceFlag(namespace ?? '')),
  ];
  return { words: ['kubectl', 'gc-tree', 'unblock', ...selection, ...chosen] };
}
