/**
 * Checks what an action takes from a finalizer's handler: workload, namespace, ServiceAccount, permissions, and
 * webhooks and policies that must let the removal pass.
 */

import type { Aftermath } from '../../forecast/index.ts';
import { type KubeObject, objectTitle, ResourceType, workloadFacts } from '../../model/index.ts';
import { AdmissionControl } from '../../simulation/index.ts';
import { admissionWorld, deadBackend } from '../cluster/dead-backends.ts';
import { webhooksToAnswer } from '../cluster/deletion-webhooks.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { accountOf, grantsTo, permissionObjects, seesBindings } from './permission.ts';

/** Returns a clause, or undefined if the workload keeps all it needs. */
export function lossOf(
  tracked: TrackedView,
  workload: KubeObject,
  object: KubeObject,
  aftermath: Aftermath,
): string | undefined {
  const title = objectTitle(workload);
  const itself = fateOf(workload, aftermath);
  if (itself !== undefined) return `${title} ${itself} too`;
  // A deleting namespace loses its pods first, and admits no new ones.
  if (isEmptied(workload.namespace, aftermath))
    return `Namespace ${workload.namespace}, in which ${title} runs, is being deleted too`;
  const account = accountObject(tracked, workload);
  const accounts = account && fateOf(account, aftermath);
  // The API server rejects tokens of a deleted account, even after its name is reused.
  if (account !== undefined && accounts !== undefined)
    return `${objectTitle(account)}, as which ${title} runs, ${accounts} too`;
  return permissionLoss(tracked, workload, object, aftermath);
}

/** Returns a clause if the action deletes everything that permits the account to change the object. */
function permissionLoss(
  tracked: TrackedView,
  workload: KubeObject,
  object: KubeObject,
  aftermath: Aftermath,
): string | undefined {
  const title = objectTitle(workload);
  const grants = grantsTo(tracked, accountOf(workload), object);
  const lost = grants.map(parts => {
    // A permission that is itself held still grants access until it is gone.
    const part = parts.find(
      each => each !== undefined && each.uid !== object.uid && fateOf(each, aftermath) !== undefined,
    );
    return part && ([part, fateOf(part, aftermath) ?? ''] as const);
  });
  if (grants.length > 0) {
    const [first] = lost;
    if (first === undefined || lost.includes(undefined)) return undefined;
    const [part, fate] = first;
    const which = `permits ${title} to change ${ResourceType.groupResource(object.type)}`;
    const only = seesBindings(tracked, object) ? which : `${which} as far as can be seen`;
    return `${objectTitle(part)}, which ${only}, ${fate} too`;
  }
  // The account's actual permission isn't visible.
  for (const permission of namedAfter(tracked, workload)) {
    const fate = fateOf(permission, aftermath);
    const isHere = permission.namespace === '' || permission.namespace === object.namespace;
    if (isHere && fate !== undefined)
      return `${objectTitle(permission)}, which by its name permits ${title} what it does, ${fate} too`;
  }
  return undefined;
}

/** Returns a clause for what certainly refuses the removal now and isn't deleted by the action. */
export function stopOf(
  tracked: TrackedView,
  object: KubeObject,
  finalizer: string,
  aftermath: Aftermath,
): string | undefined {
  for (const { configuration, webhook, certain } of webhooksToAnswer(tracked, object, ['UPDATE'])) {
    const { service } = webhook;
    if (aftermath.after(configuration) === undefined) continue;
    // The Service is judged once: many objects may be held, and each look goes through all its pods.
    const dead = certain
      ? tracked.once(`backend of ${service}`, () => deadBackend(tracked, service))
      : undefined;
    if (dead?.certainty === 'exact')
      return `${configuration.type.kind} ${configuration.name} has every change of it refused, because the Service ${service} that must be called ${dead.why}`;
  }
  return denialOf(tracked, object, finalizer, aftermath);
}

function denialOf(
  tracked: TrackedView,
  object: KubeObject,
  finalizer: string,
  aftermath: Aftermath,
): string | undefined {
  const admission = tracked.once('policies', () => new AdmissionControl(admissionWorld(tracked), 'policies'));
  const objections = admission.objectionsToRemoval(object, finalizer);
  const denial = objections.find(
    ({ answer, configuration }) => answer === 'refused' && aftermath.after(configuration) !== undefined,
  );
  return denial !== undefined
    ? `${denial.configuration.type.kind} ${denial.configuration.name} has the removal denied (policy ${denial.policy})`
    : undefined;
}

/** Returns a clause for what would refuse every change of the object after the action. */
export function refusalOf(
  tracked: TrackedView,
  object: KubeObject,
  aftermath: Aftermath,
): string | undefined {
  for (const { configuration, webhook } of webhooksToAnswer(tracked, object, ['UPDATE'])) {
    const left = aftermath.after(configuration);
    if (left === undefined) continue;
    const [namespace = '', name = ''] = webhook.service.split('/');
    const type = tracked.type('v1', 'Service');
    const service = type && tracked.view.graph.find(type, namespace, name)?.object;
    const fate = service && fateOf(service, aftermath);
    if (fate !== undefined || isEmptied(namespace, aftermath))
      return `${configuration.type.kind} ${configuration.name} has every change of it refused then, because the Service ${webhook.service} that must be called ${fate ?? 'is being deleted'} too`;
  }
  return undefined;
}

function fateOf(object: KubeObject, aftermath: Aftermath): string | undefined {
  const left = aftermath.after(object);
  if (left === undefined) return 'is deleted';
  return left.deletionTimestamp === undefined ? undefined : 'is being deleted';
}

function isEmptied(name: string, aftermath: Aftermath): boolean {
  return aftermath.namespace(name)?.deletionTimestamp !== undefined;
}

/** Returns undefined if the account wasn't read: the action deletes such objects only with their namespace. */
function accountObject({ view }: TrackedView, workload: KubeObject): KubeObject | undefined {
  const type = view.catalog.resolveKind('v1', 'ServiceAccount');
  const name = workloadFacts(workload)?.serviceAccount || 'default';
  return type && view.graph.find(type, workload.namespace, name)?.object;
}

function namedAfter(tracked: TrackedView, workload: KubeObject): readonly KubeObject[] {
  return tracked.once(`permissions named after ${workload.uid}`, () => {
    const account = workloadFacts(workload)?.serviceAccount ?? '';
    const names = [workload.name, ...(account === '' || account === 'default' ? [] : [account])];
    return permissionObjects(tracked).filter(object => names.some(each => isNamedAfter(object.name, each)));
  });
}

/** Matches `shop-drain-operator` and `drain-operator:leader` for `drain-operator`. */
function isNamedAfter(name: string, whose: string): boolean {
  return `-${name.replaceAll(':', '-')}-`.includes(`-${whose}-`);
}
