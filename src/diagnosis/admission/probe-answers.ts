/** Reads the answers to dry runs: which component rejects a request, and why. Reading an answer needs no cluster. */

import type { Identity } from '../../graph/index.ts';
import {
  type DryRunAnswer,
  enumerated,
  FailedCall,
  objectTitle,
  prose,
  record,
  text,
  withoutDifference,
} from '../../model/index.ts';
import { renewal } from '../cluster/called-services.ts';
import { type Advice, advice, type Finding, type OfferedRemedy } from '../engine/finding.ts';
import { type Gatekeeper, isGatekeepersAdvice, scopeAdvice } from './gatekeepers.ts';
import type { Probe } from './probes.ts';
import { invalidUpdateIn } from './refused-updates.ts';

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
  /** The known gatekeepers that stop it. */
  readonly blamed: readonly Blamed[];
  readonly message: string;
  readonly evidence: string;
}

/** Reads one answer; the patterns match the wording of apiserver pkg/admission, v0.36. */
function readProbe(probe: Probe, { status, body }: DryRunAnswer): ProbeOutcome {
  const raw = text(record(body)['message']);
  const said = prose(raw);
  const { result, by, words, clause, blamed }: Reading =
    status < 300 ? { result: 'allowed', words: '' } : withBlame(probe, judge(status, said), raw);
  const { actor, wanted } = probe;
  const would = `${actor.replace(/^the /u, 'The ')} would ${wanted}`;
  const sentences: Readonly<Record<ProbeResult, string>> = {
    allowed: `${would}, and the API server would allow it.`,
    rejected:
      clause === undefined
        ? `${would}, and ${by ?? 'the API server'} rejects it${words === '' ? '' : `: ${words}`}.`
        : `${would}, but ${clause}.`,
    unreachable: `${would}, but ${by ?? 'a webhook'} must be called first and ${FailedCall.verb(FailedCall.in(words))}: ${words}.`,
    untestable: `${would}; ${by ?? 'a webhook'} is asked then, and doesn't say in a dry run what it would answer.`,
    forbidden: `${would}; you may not ask whether it would succeed: ${words}.`,
    outdated: `${would}, but it has changed or was deleted in the meantime.`,
    failed: `${would}, and the API server answers ${status}${words === '' ? '' : `: ${words}`}.`,
  };
  const [path = ''] = probe.request.path.split('?');
  const answer =
    result === 'allowed' || said === '' ? String(status) : `${status} ${withoutDifference(said)}`;
  return {
    probe,
    result,
    by,
    blamed: blamed ?? [],
    message: sentences[result].replace(/\.\.$/, '.'),
    evidence: `dry run of ${probe.request.method} ${path}: ${answer}`,
  };
}

interface Reading {
  readonly result: ProbeResult;
  readonly by?: string;
  readonly words: string;
  /** Replaces "… rejects it: …". */
  readonly clause?: string;
  readonly blamed?: readonly Blamed[];
}

type Blamed = Pick<Gatekeeper, 'name' | 'configuration'>;

/** Adds which of those that were asked stop it. */
function withBlame(
  { gatekeepers = [] }: Pick<Probe, 'gatekeepers'>,
  reading: Reading,
  said: string,
): Reading {
  const { result, by } = reading;
  if (by !== undefined) {
    const known = gatekeepers.filter(({ name }) => name.endsWith(` ${by.replace(/^\S+ /u, '')}`));
    return { ...reading, blamed: known.length > 0 ? known : [{ name: by, configuration: '' }] };
  }
  const invalid = result === 'failed' ? invalidUpdateIn(said, gatekeepers) : undefined;
  return invalid === undefined
    ? reading
    : { result: 'rejected', words: '', clause: invalid.words, blamed: invalid.by };
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

export interface RefusedRemoval {
  /** A clause on the removal: `webhook a.example.com rejects it: never`. */
  readonly words: string;
  readonly blamed: readonly Blamed[];
  readonly result: 'rejected' | 'unreachable';
  readonly call: FailedCall | undefined;
}

/**
 * Reads the refusal of an update of the object in an error that another component reports. Returns undefined if the
 * error may be about something else: it has to name the object, or a gatekeeper of its updates.
 */
export function refusedRemovalIn(
  raw: string,
  { name }: Pick<Identity, 'name'>,
  gatekeepers: readonly Gatekeeper[],
): RefusedRemoval | undefined {
  const said = prose(raw);
  // The controller tries to add a finalizer: removals are accepted (ValidateObjectMetaAccessorUpdate, v1.36).
  if (said.includes('no new finalizers can be added')) return undefined;
  const { result, by, words, clause, blamed = [] } = withBlame({ gatekeepers }, judge(0, said), raw);
  if (result !== 'rejected' && result !== 'unreachable') return undefined;
  const isAbout =
    clause === undefined
      ? blamed.some(each => each.configuration !== '')
      : said.includes(`"${name}" is invalid:`);
  if (!isAbout) return undefined;
  const call = result === 'unreachable' ? FailedCall.in(words) : undefined;
  const verb = call === undefined ? 'rejects it' : `must be called first and ${FailedCall.verb(call)}`;
  return { result, blamed, call, words: clause ?? `${by ?? ''} ${verb}${words === '' ? '' : `: ${words}`}` };
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

/** Adds the answers and, first of all, the first obstacle and who asked: a webhook may answer others differently. */
function withProbes(finding: Finding, outcomes: readonly ProbeOutcome[]): Finding {
  if (outcomes.length === 0) return finding;
  const obstacle = outcomes.find(isObstacle);
  const evidence = [...finding.evidence, ...outcomes.map(each => each.evidence)];
  const others = (): OfferedRemedy[] => finding.remedies().filter(each => !isGatekeepersAdvice(each));
  if (obstacle === undefined) return { ...finding, evidence, remedies: others };
  const message = `${obstacle.message} A dry run with your own account shows that. ${finding.message}`;
  return { ...finding, evidence, message, remedies: () => [adviceOn(obstacle), ...others()] };
}

function adviceOn({ result, by = 'what rejects it', blamed, probe, message }: ProbeOutcome): Advice {
  const { actor, object, gatekeepers } = probe;
  const id = 'advice/admission';
  if (result === 'unreachable') {
    const call = FailedCall.in(message);
    const what = call.distrust === undefined ? `bring back the service behind ${by}` : renewal(call);
    return advice(id, `${what}, or delete its configuration: ${actor} then continues by itself`);
  }
  if (gatekeepers === undefined)
    return advice(id, `let ${by} admit requests of ${actor}: it then continues by itself`);
  if (blamed.length > 0) return scopeAdvice(object, blamed, { actor, isAssumed: false });
  return advice(
    id,
    `fix what the API server finds invalid in ${objectTitle(object)}, or what changes it on the way: ${actor} then continues by itself`,
  );
}

/** Returns the refused removal of one of the object's own finalizers. */
export function refusedRemoval(
  object: Identity,
  outcomes: readonly ProbeOutcome[],
): ProbeOutcome | undefined {
  return outcomes.find(
    each => isObstacle(each) && each.probe.gatekeepers !== undefined && each.probe.object.uid === object.uid,
  );
}

/** Says of each remedy that updates the object, or deletes it once more, that it ends nothing before the refusal does. */
export function underRefusal(
  remedies: readonly OfferedRemedy[],
  {
    path,
    name,
    blamed,
  }: { readonly path: string; readonly name: string; readonly blamed: readonly Blamed[] },
): readonly OfferedRemedy[] {
  const by = blamed.length === 0 ? '' : ` because of ${enumerated(blamed.map(each => each.name))}`;
  return remedies.map(remedy => {
    const own = remedy.requests.filter(request => request.path === path);
    if (own.length === 0) return remedy;
    const effect = own.some(({ verb }) => verb !== 'DELETE')
      ? `refused${by} as long as that is so`
      : `${name} stays, held by its finalizers`;
    return { ...remedy, effect };
  });
}

export const ProbeOutcome = { read: readProbe, addedTo: withProbes };
