/** Reads the answers to dry runs: which component rejects a request, and why. Reading an answer needs no cluster. */

import type { DryRunAnswer } from '../../model/exchange/act.ts';
import { record, text } from '../../model/json/json.ts';
import { prose } from '../../model/text/shown.ts';
import type { Finding } from '../engine/finding.ts';
import type { Probe } from './admission.ts';

/**
 * `unreachable`: a required webhook (failurePolicy Fail) doesn't answer. `untestable`: a webhook that doesn't support
 * dry runs would be called. `forbidden`: the user may not send it, though the controller may. `outdated`: the object
 * was deleted or has changed.
 */
export type ProbeResult =
  | 'allowed'
  | 'rejected'
  | 'unreachable'
  | 'untestable'
  | 'forbidden'
  | 'outdated'
  | 'failed';

export interface ProbeOutcome {
  readonly probe: Probe;
  readonly result: ProbeResult;
  /** Undefined if the answer names none. */
  readonly by: string | undefined;
  readonly message: string;
  readonly evidence: string;
}

/** Reads one answer; the patterns match the wording of apiserver pkg/admission, v0.36. */
export function readProbe(probe: Probe, { status, body }: DryRunAnswer): ProbeOutcome {
  const said = prose(text(record(body)['message']));
  const { result, by, words }: Reading =
    status < 300 ? { result: 'allowed', words: '' } : judge(status, said);
  const { actor, wanted } = probe;
  const would = `${actor.replace(/^the /u, 'The ')} would ${wanted}`;
  const sentences: Readonly<Record<ProbeResult, string>> = {
    allowed: `${would}, and the API server would allow it.`,
    rejected: `${would}, and ${by ?? 'the API server'} rejects it${words === '' ? '' : `: ${words}`}.`,
    unreachable: `${would}, but ${by ?? 'a webhook'} has to be asked first and doesn't answer: ${words}.`,
    untestable: `${would}; ${by ?? 'a webhook'} is asked then, and doesn't say in a dry run what it would answer.`,
    forbidden: `${would}; you may not ask whether it would succeed: ${words}.`,
    outdated: `${would}, but it has changed or was deleted in the meantime.`,
    failed: `${would}, and the API server answers ${status}${words === '' ? '' : `: ${words}`}.`,
  };
  const [path = ''] = probe.request.path.split('?');
  const answer = result === 'allowed' || said === '' ? String(status) : `${status} ${said}`;
  return {
    probe,
    result,
    by,
    message: sentences[result].replace(/\.\.$/, '.'),
    evidence: `dry run of ${probe.request.method} ${path}: ${answer}`,
  };
}

interface Reading {
  readonly result: ProbeResult;
  readonly by?: string;
  readonly words: string;
}

const webhook = /admission webhook "([^"]+)" (denied the request|does not support dry run)(?::? )?(.*)/s;
const unreachable = /failed calling webhook "([^"]+)"[:;] (.*)/s;
const policy =
  /(?:ValidatingAdmissionPolicy|policy) ['"]([^'"]+)['"](?: with binding '[^']*')? denied request: (.*)/s;

function judge(status: number, said: string): Reading {
  const [, hook, verb, why = ''] = webhook.exec(said) ?? [];
  if (hook !== undefined) {
    const by = `webhook ${hook}`;
    const words = why === 'without explanation' ? '' : why;
    return { result: verb === 'denied the request' ? 'rejected' : 'untestable', by, words };
  }
  const [, silent, reason = ''] = unreachable.exec(said) ?? [];
  if (silent !== undefined) return { result: 'unreachable', by: `webhook ${silent}`, words: reason };
  const [, name, expression = ''] = policy.exec(said) ?? [];
  if (name !== undefined) return { result: 'rejected', by: `admission policy ${name}`, words: expression };
  if (status === 404 || status === 409) return { result: 'outdated', words: said };
  if (status === 401 || (status === 403 && /User "[^"]*" cannot /.test(said))) {
    return { result: 'forbidden', words: said };
  }
  return { result: status === 403 ? 'rejected' : 'failed', words: said };
}

/** Finds the rejecting component and its reason in an error that another component reports. */
export function rejectionIn(said: string): { readonly by: string | undefined; readonly words: string } {
  const { by, words } = judge(0, said);
  // Several errors may be listed; the first is enough.
  return { by, words: words.split(', admission webhook')[0] ?? '' };
}

function isObstacle({ result }: ProbeOutcome): boolean {
  return result === 'rejected' || result === 'unreachable';
}

/** Adds the answers and the first obstacle, and says who asked: a webhook may answer the controller differently. */
export function withProbes(finding: Finding, outcomes: readonly ProbeOutcome[]): Finding {
  if (outcomes.length === 0) return finding;
  const obstacle = outcomes.find(isObstacle);
  const evidence = [...finding.evidence, ...outcomes.map(each => each.evidence)];
  if (obstacle === undefined) return { ...finding, evidence };
  const message = `${finding.message} A dry run with your own account shows an obstacle. ${obstacle.message}`;
  const remedies: Finding['remedies'] = () => [adviceOn(obstacle), ...finding.remedies()];
  return { ...finding, evidence, message, remedies };
}

function adviceOn({
  result,
  by = 'what rejects it',
  probe,
}: ProbeOutcome): ReturnType<Finding['remedies']>[number] {
  const title =
    result === 'unreachable'
      ? `bring back the service behind ${by}, or take its configuration away: ${probe.actor} goes on by itself then`
      : `let ${by} admit requests of ${probe.actor}: it goes on by itself then`;
  return { id: 'advice/admission', title, risk: 'safe', effect: '', requests: [], kubectl: [] };
}
