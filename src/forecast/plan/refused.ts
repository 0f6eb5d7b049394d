import { identityOfObject } from '../../graph/index.ts';
import { type AdmissionWebhook, BuiltInKind, type KubeObject } from '../../model/index.ts';
import { type AdmissionWorld, Backend, ruleWords, simulatedWorld } from '../../simulation/index.ts';
import { type Refusals, refusalKey, refusedBy, snapshotWorld } from '../run-admission.ts';
import type { Run, Stage } from '../simulated-run.ts';
import type { RefusedRequest, Warning } from './forecast-result.ts';
import { byIdentity, type Ends } from './run-ends.ts';

/** `anyway`: keys of refusals without the action. */
export function refusedRequests(refusals: Refusals, anyway: ReadonlySet<string>): readonly RefusedRequest[] {
  return Array.from(refusals.values(), refusal => {
    const { object, actor, operation, objection } = refusal;
    return {
      object: identityOfObject(object),
      actor,
      operation,
      by: refusedBy(objection),
      because: objection.because,
      anyway: anyway.has(refusalKey(refusal)),
    };
  }).sort(byIdentity);
}

export function webhooksLeftBehind(stage: Stage, run: Run, ends: Ends): Warning<'webhookLeftBehind'>[] {
  const touched = new Set<string>();
  for (const { before, after } of ends.values()) {
    if (before === undefined || (after !== undefined && after.deletionTimestamp === undefined)) continue;
    touched.add(BuiltInKind.of(before.type) === 'Namespace' ? before.name : before.namespace);
  }
  if (touched.size === 0) return [];
  const { view, base, admission } = stage;
  const before = snapshotWorld(view, base, admission);
  const after = simulatedWorld(run, admission);
  const found: Warning<'webhookLeftBehind'>[] = [];
  for (const configuration of configurationsIn(after)) {
    const { facts } = configuration;
    const services = Map.groupBy(
      facts?.kind === 'WebhookConfiguration' ? facts.webhooks.filter(hasToAnswer) : [],
      ({ service }) => service,
    );
    for (const [service, webhooks] of services) {
      const [namespace = ''] = service.split('/');
      if (!touched.has(namespace) || Backend.of(before, service).state === 'dead') continue;
      const why = lossOf(after, service);
      if (why === undefined) continue;
      const rules = webhooks.flatMap(each => each.rules);
      found.push({
        code: 'webhookLeftBehind',
        configuration: identityOfObject(configuration),
        service,
        why,
        operations: ruleWords.operations(rules),
        kinds: ruleWords.kinds(after.types(), rules),
        chosen: webhooks.every(ruleWords.isChoosy),
      });
    }
  }
  return found;
}

function hasToAnswer({ service, failurePolicy, rules }: AdmissionWebhook): boolean {
  return service !== '' && failurePolicy === 'Fail' && rules.length > 0;
}

function* configurationsIn(world: AdmissionWorld): Iterable<KubeObject> {
  for (const resource of ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']) {
    const type = world.type('admissionregistration.k8s.io', resource);
    if (type === undefined) continue;
    for (const each of world.list(type, '')) if (each.deletionTimestamp === undefined) yield each;
  }
}

/** Returns a predicate of the Service; undefined if it may still answer. */
function lossOf(world: AdmissionWorld, service: string): string | undefined {
  const backend = Backend.of(world, service);
  const [namespace = '', name = ''] = service.split('/');
  const type = world.type('', 'services');
  const namespaces = world.type('', 'namespaces');
  const itself = type && world.find(type, namespace, name);
  if (type !== undefined && itself === undefined && world.lacks(type, namespace, name)) return 'is deleted';
  if (backend.state === 'dead') return backend.why;
  const around = namespaces && world.find(namespaces, '', namespace);
  const isGoing = itself?.deletionTimestamp !== undefined || around?.deletionTimestamp !== undefined;
  return isGoing ? 'is being deleted' : undefined;
}
