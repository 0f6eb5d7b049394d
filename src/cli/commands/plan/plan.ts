/** `plan`: forecasts an action on any source, without changing anything. */

import { createHandledForecaster, type Diagnosis } from '../../../diagnosis/index.ts';
import {
  type Action,
  Forecast,
  Forecaster,
  UnblockAction,
  uninstallTargets,
} from '../../../forecast/index.ts';
import type { KubeObject } from '../../../model/index.ts';
import { type CommandContext, printsOf, type TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import { formatOf, isDocument } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { appendStepSummary } from '../../runtime/step-summary.ts';
import { cascadeReads } from '../../session/cascades.ts';
import { confirmAbsences, diagnoseConfirmed, inNamespaces, surroundingsOf } from '../../session/confirm.ts';
import { nothingSelected, requireKnownScope } from '../../session/known-scope.ts';
import { readingFor } from '../../session/reading.ts';
import { Releases, type StoredRelease } from '../../session/releases.ts';
import { tellRemedy, unblockBy } from '../../session/remedies.ts';
import { type ClusterSession, scopeOf, withSession } from '../../session/session.ts';
import { targetsFromFiles, tellAbsent } from '../../targets/from-files.ts';
import { absentManifests } from '../../targets/manifests.ts';
import { findObjects, findTargets, type TargetQuery, toUnblock } from '../../targets/targets.ts';
import { parseFailOn } from './fail-on.ts';
import { printForecast } from './print-plan.ts';
import { type PlanRequest, parsePlan, requireNodes } from './request.ts';
import { missingOf, uninstallOf, uninstallQuery } from './uninstall.ts';

type AskedUninstall = Extract<PlanRequest, { readonly verb: 'uninstall' }>;

type KnownRequest =
  | Exclude<PlanRequest, AskedUninstall>
  | (Omit<AskedUninstall, 'release'> & { readonly query: TargetQuery; readonly stored: StoredRelease });

/** `targets`: `delete sts/web`, `unblock sts/web`, `taint node/a out-of-service`, `drain node/a`, `uninstall helm/web`, `restart`, or nothing. */
export async function plan(given: TargetCommand): Promise<number> {
  const [verb, ...words] = given.targets;
  const fromFiles = verb === 'delete' ? await targetsFromFiles(given, words, 'delete') : undefined;
  const { command } = fromFiles ?? { command: given };
  const { flags } = command;
  const asked = parsePlan(command.targets, flags, fromFiles?.query);
  const failureOf = parseFailOn(flags.failOn);
  const format = formatOf('plan', flags.output);
  const stored =
    asked.verb === 'uninstall' ? await Releases.storedInCluster(command, asked.release) : undefined;
  return withSession(command, async session => {
    const request = await knownRequest(session, asked, { stored, flags });
    const { query } = 'query' in request ? request : { query: undefined };
    if (asked.verb !== 'uninstall' || stored !== undefined)
      await session.load(true, query && readingFor(session, { query, flags }));
    const namespace = scopeOf(flags, session.source, query);
    const made = await session.answer(async () => {
      await confirmFor(request, session, command);
      if (request.verb === 'none' || request.verb === 'restart')
        requireKnownScope(session, flags.allNamespaces === true ? undefined : flags.namespace);
      Forecaster.noteSurroundings(session.view, targetsOf(request, session, command));
      await session.readWanted();
      return planFor(request, session, command);
    });
    session.holdStill(false);
    const absent =
      request.verb === 'uninstall'
        ? missingOf(session.view, request.stored.release)
        : absentManifests(session.view, query?.words ?? [], namespace);
    tellAbsent(command, absent);
    const isEmpty = query !== undefined && request.verb !== 'uninstall' && made.action.targets.length === 0;
    const nothing = isEmpty ? nothingSelected(command, namespace) : EXIT_DONE;
    // Matches kubectl delete.
    const exitCode =
      request.verb === 'delete' && absent.length > 0 && flags.ignoreNotFound !== true ? EXIT_FOUND : nothing;
    if (isEmpty && !isDocument(format)) return exitCode;
    if (request.verb === 'unblock') tellRemedy(command.io, request.remedy, made.action.remedy);
    const told = await cascadeReads(session).told(made);
    const failure = failureOf(told);
    const print = {
      session,
      namespace,
      failure,
      absent: fromFiles?.query === undefined && asked.verb !== 'uninstall' ? undefined : absent,
    };
    for (const each of printsOf(command))
      await each.output.write(printForecast(told, formatOf('plan', each.flags.output), each, print));
    if (format === 'github') appendStepSummary(command, printForecast(told, 'markdown', command, print));
    if (failure === undefined) return exitCode;
    say(command.io, `${failure}\n`);
    return EXIT_FOUND;
  });
}

/** Finds the release to uninstall; in files, reads all of them first. */
async function knownRequest(
  session: ClusterSession,
  asked: PlanRequest,
  { stored, flags }: { readonly stored: StoredRelease | undefined; readonly flags: Flags },
): Promise<KnownRequest> {
  if (asked.verb !== 'uninstall') return asked;
  if (stored === undefined) await session.load(true);
  const known = stored ?? (await Releases.readStored(session, asked.release, flags));
  return { ...asked, stored: known, query: uninstallQuery(known, asked.flags) };
}

function planFor(request: KnownRequest, session: ClusterSession, command: CommandContext): Forecast {
  const action = actionOf(request, session, command);
  const made = createHandledForecaster(session.view, { now: session.now() }).forecast(action);
  return narrowed(made, command);
}

/** Looks up the absences that the forecast assumes and, for a remedy, its cause. */
async function confirmFor(
  request: KnownRequest,
  session: ClusterSession,
  { flags }: CommandContext,
): Promise<void> {
  if (!('query' in request)) {
    const scope = inNamespaces(flags.allNamespaces === true ? undefined : flags.namespace);
    return confirmAbsences(session, scope);
  }
  const namespace = scopeOf(flags, session.source, request.query);
  const missing = request.verb === 'uninstall' ? 'skip' : 'fail';
  const targets = findTargets(session.view, request.query, namespace, missing);
  const scope = surroundingsOf(session, targets);
  if (request.verb === 'unblock') {
    const also = (made: Diagnosis) =>
      [...targets].flatMap(({ identity }) => made.assumptionsOf(identity.uid));
    await diagnoseConfirmed(session, { scope, also, asked: true });
  } else await confirmAbsences(session, scope);
}

function narrowed(made: Forecast, { flags }: CommandContext): Forecast {
  const { verb } = made.action;
  const wide = (verb !== 'restart' && verb !== 'none') || flags.allNamespaces === true;
  return wide || flags.namespace === undefined ? made : Forecast.inNamespace(made, flags.namespace);
}

function targetsOf(request: KnownRequest, session: ClusterSession, { flags }: CommandContext): KubeObject[] {
  if (!('query' in request)) return [];
  if (request.verb === 'uninstall')
    return uninstallTargets(uninstallOf(session.view, request.stored, request.flags));
  const namespace = scopeOf(flags, session.source, request.query);
  const found = findObjects(session.view, request.query, namespace);
  if (request.verb === 'unblock') return [...UnblockAction.objects(toUnblock(request.query, found))];
  if (request.verb === 'taint' || request.verb === 'drain') requireNodes(request.verb, found);
  return found;
}

function actionOf(request: KnownRequest, session: ClusterSession, command: CommandContext): Action {
  if (request.verb === 'uninstall') {
    const uninstall = uninstallOf(session.view, request.stored, request.flags);
    return { verb: 'delete', cascade: request.cascade, targets: uninstallTargets(uninstall), uninstall };
  }
  const targets = targetsOf(request, session, command);
  switch (request.verb) {
    case 'delete': {
      const { verb, cascade, gracePeriodSeconds } = request;
      return {
        verb,
        cascade,
        targets,
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      };
    }
    case 'unblock':
      return unblockBy(session, toUnblock(request.query, targets), request.remedy);
    case 'taint':
      return { verb: 'taint', taint: request.taint, targets };
    case 'drain':
      return { verb: 'drain', targets, ...request.flags };
    case 'restart':
    case 'none':
      return { verb: request.verb };
  }
}
