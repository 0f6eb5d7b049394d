/** Services that the API server calls in vain: nothing answers behind them, or it cannot reach what does. */
import { isDeleting } from '../../graph/index.ts';
import { type FailedCall, labelRules, podFacts } from '../../model/index.ts';
import { Backend } from '../../simulation/index.ts';
import { type Advice, advice } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { admissionWorld } from './dead-backends.ts';

/** Returns true if something behind the Service is known to be ready, so that bringing it back helps nothing. */
function isReadyBehind(tracked: TrackedView, service: string): boolean {
  const [namespace = '', name = ''] = service.split('/');
  const found = tracked.findKind('v1', 'Service', namespace, name);
  if (found?.facts?.kind !== 'Service') return false;
  if (Backend.hasReadyEndpoint(admissionWorld(tracked), found)) return true;
  const { selector } = found.facts;
  const type = tracked.type('v1', 'Pod');
  if (type === undefined || selector.length === 0) return false;
  const chosen = { matchLabels: selector, matchExpressions: [] };
  return [...tracked.list(type, namespace)].some(
    pod =>
      !isDeleting(pod) &&
      labelRules.selects(chosen, pod.labels) &&
      podFacts(pod)?.conditions.some(({ type: about, status }) => about === 'Ready' && status === 'True'),
  );
}

/** Returns a predicate of the Service if it is ready and yet not reached; undefined if not, or if that cannot be seen. */
export function unreachedWords(tracked: TrackedView, call: FailedCall): string | undefined {
  const { service, address, unreachable } = call;
  return unreachable !== undefined && service !== '' && isReadyBehind(tracked, service)
    ? `has ready pods, but the API server gets no answer from it${address === '' ? '' : ` at ${address}`} (${unreachable})`
    : undefined;
}

/**
 * Advises what makes the Service answer again; undefined if it is in a namespace being deleted, in which nothing can be
 * created. `promise` is a clause: `requests are admitted again then`.
 */
export function answerAdvice(
  tracked: TrackedView,
  call: FailedCall,
  { id, promise }: { readonly id: string; readonly promise: string },
): Advice | undefined {
  const { service, address } = call;
  const namespace = tracked.findKind('v1', 'Namespace', '', service.split('/')[0] ?? '');
  if (service === '' || (namespace !== undefined && isDeleting(namespace))) return undefined;
  if (call.distrust !== undefined) return advice(id, `${renewal(call)}: ${promise}`);
  if (unreachedWords(tracked, call) === undefined)
    return advice(id, `restore the backend of Service ${service}${hedge(tracked, call)}: ${promise}`);
  const what = address === '' ? `Service ${service}` : address;
  return advice(
    id,
    `let the API server reach ${what}: ${promise}. The pods of Service ${service} are ready, so a firewall, a NetworkPolicy, or a pod network without a route from the control plane seems to be in between; where that network is closed to it (EKS with a custom CNI, a private GKE cluster), open the port, or run the pods with hostNetwork: true`,
  );
}

/** Advises how to renew a certificate that the API server doesn't trust; the program behind the Service runs. */
export function renewal({ service, address }: FailedCall): string {
  const of = service === '' ? `what answers at ${address}` : `Service ${service}`;
  return `renew the certificate of ${of} together with the caBundle that is to verify it: if its operator or cert-manager makes them, delete the Secret with the old certificate, and restart its pods`;
}

/** Names the other possibility, if whether the Service has ready pods cannot be seen. */
function hedge(tracked: TrackedView, { service, address, unreachable }: FailedCall): string {
  const [namespace = ''] = service.split('/');
  if (unreachable === undefined || tracked.sees(tracked.type('v1', 'Pod'), namespace)) return '';
  return ` (or, if its pods are ready, let the API server reach ${address === '' ? 'it' : address}: a firewall or a NetworkPolicy may be in between)`;
}
