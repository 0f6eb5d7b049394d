/** `plan`: what an action will do, from the snapshot of any source. Nothing is changed. */

import type { Diagnosis } from '../../../diagnosis/engine/diagnosis.ts';
import { isApplicable } from '../../../diagnosis/engine/finding.ts';
import { withEffects } from '../../../diagnosis/remedies/effects.ts';
import { everyRemedyOf, remedyFor } from '../../../diagnosis/remedies/offered.ts';
import { basisOf } from '../../../documents/basis.ts';
import { planDocument, remedyListDocument } from '../../../documents/plan/plan.ts';
import { printDeletedNames, printDocumentJson, printDocumentYaml } from '../../../documents/plan/print.ts';
import { printPlan, printRemedies } from '../../../documents/plan/text.ts';
import type { Action } from '../../../forecast/action.ts';
import { createForecaster, forecast } from '../../../forecast/forecaster.ts';
import { type Forecast, inNamespace } from '../../../forecast/plan/plan.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { ShellCommand } from '../../../model/text/shell-line.ts';
import { commandOn } from '../../../text/actions/remedy-command.ts';
import { exactly } from '../../../text/terminal/names.ts';
import { useColour } from '../../output/appearance.ts';
import { nothingSelected } from '../../output/empty.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND, UsageError } from '../../runtime/errors.ts';
import { diagnose, noSuchRemedy } from '../../session/diagnose.ts';
import { onSameCluster, sameSource } from '../../session/same-source.ts';
import { type ClusterSession, openSession, scopeOf } from '../../session/session.ts';
import { requireKnownScope } from '../../targets/known-scope.ts';
import { findTargets } from '../../targets/targets.ts';
import { confirmAbsences, diagnoseConfirmed, inNamespaces, surroundingsOf } from '../actions/confirm.ts';
import { parseFailOn } from './fail-on.ts';
import { type PlanRequest, parsePlan } from './request.ts';
import { requireNodes } from './taint.ts';

export interface PlanCommand extends CommandContext {
  /** `delete sts/web`, `unblock sts/web`, `taint node/a out-of-service`, `restart`, or nothing. */
  readonly words: readonly string[];
}

export async function plan(command: PlanCommand): Promise<number> {
  const { flags, io, services } = command;
  const request = parsePlan(command.words, flags);
  const fails = parseFailOn(flags.failOn);
  const session = await openSession(flags, io, services);
  try {
    await session.load(true);
    await confirmFor(request, session, command);
    // From here on the view stands still: the forecast reads it without a copy.
    session.holdStill(false);
    if (request.verb === 'none' || request.verb === 'restart')
      requireKnownScope(session, flags.allNamespaces === true ? undefined : flags.namespace);
    const targets = targetsOf(request, session, scopeOf(flags, session.source));
    const isDocument = flags.output === 'json' || flags.output === 'yaml';
    const isEmpty = 'query' in request && targets.length === 0;
    const namespace = scopeOf(flags, session.source);
    const exitCode = isEmpty ? nothingSelected({ flags, io, namespace, isDocument }) : EXIT_DONE;
    if (isEmpty && !isDocument) return exitCode;
    if (request.verb === 'unblock' && request.remedy === undefined) {
      await listRemedies(command, session, targets);
      return EXIT_DONE;
    }
    const told = narrowed(
      tell(
        session,
        actionOf(request, targets, () => diagnose(session)),
        command,
      ),
      command,
    );
    const { output } = command;
    const basis = () => basisOf(session.source.info, session.view, session.now());
    switch (flags.output ?? 'text') {
      case 'json':
        await output.write(printDocumentJson(planDocument(basis(), told)));
        break;
      case 'yaml':
        await output.write(printDocumentYaml(planDocument(basis(), told)));
        break;
      case 'name':
        await output.write(printDeletedNames(told, scopeOf(flags, session.source)));
        break;
      // The others were refused before.
      case 'text':
      case 'wide':
      case 'dot':
      case 'mermaid':
      case 'junit':
      case 'sarif':
        await output.write(
          printPlan(told, {
            ...look(command),
            wide: flags.output === 'wide',
            steps: flags.steps === true,
            command: kubectl => onSameCluster(kubectl, flags),
          }),
        );
    }
    return fails(told) ? EXIT_FOUND : exitCode;
  } finally {
    await session.close();
  }
}

/** What the forecast would take to be absent is looked up, and for a remedy what gives cause for it. */
async function confirmFor(
  request: PlanRequest,
  session: ClusterSession,
  { flags }: CommandContext,
): Promise<void> {
  const namespace = scopeOf(flags, session.source);
  if (!('query' in request)) {
    const scope = inNamespaces(flags.allNamespaces === true ? undefined : flags.namespace);
    return confirmAbsences(session, scope);
  }
  const scope = surroundingsOf(session, findTargets(session.view, request.query, namespace));
  if (request.verb === 'unblock') await diagnoseConfirmed(session, { scope });
  else await confirmAbsences(session, scope);
}

function look({ flags, io }: CommandContext): { colour: boolean; ascii: boolean; width: number | undefined } {
  return { colour: useColour(flags, io), ascii: flags.ascii === true, width: io.columns() };
}

function tell(session: ClusterSession, action: Action, { flags }: CommandContext): Forecast {
  return forecast(session.view, action, {
    now: session.now(),
    collector: flags.restart === true ? 'starting' : 'running',
  });
}

/** Where nobody acts on a target, a namespace that was asked for is all that is told of. */
function narrowed(told: Forecast, { flags }: CommandContext): Forecast {
  const { verb } = told.action;
  const acts = verb === 'delete' || verb === 'unblock' || verb === 'taint';
  const wide = acts || flags.allNamespaces === true;
  return wide || flags.namespace === undefined ? told : inNamespace(told, flags.namespace);
}

function targetsOf(
  request: PlanRequest,
  session: ClusterSession,
  namespace: string | undefined,
): KubeObject[] {
  if (!('query' in request)) return [];
  const found: KubeObject[] = [];
  for (const { object } of findTargets(session.view, request.query, namespace)) {
    if (object !== undefined) found.push(object);
  }
  if (request.verb === 'unblock' && found.length === 0)
    throw new UsageError('no object is selected, so there is nothing to unblock.');
  if (request.verb === 'taint') requireNodes(found);
  if (request.verb === 'unblock' && found.length > 1) {
    throw new UsageError(`unblock takes one object, and ${found.length} are selected.`);
  }
  return found;
}

function actionOf(request: PlanRequest, targets: readonly KubeObject[], diagnosis: () => Diagnosis): Action {
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
    case 'unblock': {
      const [target] = targets;
      if (target === undefined) throw new UsageError('name the object to unblock.');
      const { remedy: id = '' } = request;
      const diagnosed = diagnosis();
      const remedy = remedyFor(diagnosed, target, id);
      if (remedy !== undefined) return { verb: 'unblock', target, remedy };
      throw noSuchRemedy(diagnosed, target, id);
    }
    case 'taint':
      return { verb: 'taint', taint: request.taint, targets };
    case 'restart':
    case 'none':
      return { verb: request.verb };
  }
}

async function listRemedies(
  command: PlanCommand,
  session: ClusterSession,
  targets: readonly KubeObject[],
): Promise<void> {
  const { flags, output } = command;
  const [target] = targets;
  if (target === undefined) return;
  const { type, namespace, name, uid } = target;
  const identity = { apiVersion: type.apiVersion, kind: type.kind, namespace, name, uid };
  const diagnosis = diagnose(session);
  const forecaster = createForecaster(session.view, { now: session.now(), scope: 'action' });
  const remedies = withEffects(forecaster, target, everyRemedyOf(diagnosis, target));
  const document = () =>
    remedyListDocument(basisOf(session.source.info, session.view, session.now()), identity, remedies);
  switch (flags.output ?? 'text') {
    case 'json':
      return output.write(printDocumentJson(document()));
    case 'yaml':
      return output.write(printDocumentYaml(document()));
    case 'name':
      // Advice cannot be named to --remedy.
      return output.write(remedies.filter(isApplicable).map(({ id }) => `${exactly(id)}\n`));
    case 'text':
    case 'wide':
    case 'dot':
    case 'mermaid':
    case 'junit':
    case 'sarif': {
      const planned = (id: string): ShellCommand =>
        commandOn(
          session.view.catalog,
          identity,
          ['plan', 'unblock'],
          ['--remedy', id, ...sameSource(flags, 'reads')],
        );
      return output.write(printRemedies(identity, remedies, planned, look(command)));
    }
  }
}
