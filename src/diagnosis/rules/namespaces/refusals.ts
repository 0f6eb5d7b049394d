/** Webhooks for admission or conversion that reject or don't answer, read from the namespace controller's errors. */
import { behaviourOf } from '../../../graph/index.ts';
import {
  ConversionFailure,
  FailedCall,
  type KubeObject,
  parseApiVersion,
  shownName,
} from '../../../model/index.ts';
import { rejectionIn } from '../../admission/probe-answers.ts';
import { IF_GONE, stopConversion } from '../../cluster/broken-conversions.ts';
import { answerAdvice, unreachedWords } from '../../cluster/called-services.ts';
import { advice, adviceToLook, type OfferedRemedy } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { deleteObject } from '../../remedies/deletion-remedies.ts';
import { listPathOf, undecodableAdvice, undecodableIn, undecodableWords } from '../apis/undecodable.ts';

export interface Refusal {
  /** A clause that may hold text from the cluster: `webhook keep.example.com rejects the deletion: backups run`. */
  readonly why: string;
  /** Set if the affected objects can't be listed, so that an empty namespace proves nothing. */
  readonly unlisted?: true;
  remedies(): readonly OfferedRemedy[];
}

const silentWebhook = new RegExp(
  String.raw`failed calling webhook "([^"]+)"[:;] (.*?)${FailedCall.nextError}`,
  'su',
);

export function refusalIn(tracked: TrackedView, said: string): Refusal | undefined {
  const [, hook, why = ''] = silentWebhook.exec(said) ?? [];
  if (hook !== undefined) return unansweredWebhook(tracked, hook, FailedCall.in(why));
  const [conversion] = ConversionFailure.in(said);
  if (conversion !== undefined) return unansweredConversion(tracked, conversion);
  const undecodable = undecodableIn(said);
  if (undecodable !== undefined)
    return {
      why: `${undecodableWords(undecodable, undefined)}: ${said}`,
      unlisted: true,
      remedies: () =>
        undecodableAdvice(undecodable, listPathOf(tracked, undecodable.resources), behaviourOf(tracked.view)),
    };
  const { by, words } = rejectionIn(said);
  if (by === undefined) return undefined;
  return {
    why: `${by} rejects the deletion${words === '' ? '' : `: ${words}`}`,
    remedies: () => [
      advice(
        'admit-deletion',
        `let ${by} admit the deletion, or delete it if it is not needed: the namespace controller continues by itself`,
      ),
    ],
  };
}

function restore(tracked: TrackedView, call: FailedCall): OfferedRemedy[] {
  const promise = 'what waits for it then continues by itself';
  const found = answerAdvice(tracked, call, { id: `restore-webhook/${call.service}`, promise });
  return found === undefined ? [] : [found];
}

function unreachedClause(tracked: TrackedView, call: FailedCall): string {
  const words = unreachedWords(tracked, call);
  return words === undefined ? '' : `; the Service ${words}`;
}

function unansweredWebhook(tracked: TrackedView, hook: string, call: FailedCall): Refusal {
  const ifGone =
    'if what it belonged to is gone: what it was to refuse or to change is let through then, and the deletion continues by itself';
  return {
    why: `webhook ${shownName(hook)}${call.service === '' ? '' : `, behind Service ${call.service},`} must be called first and ${FailedCall.verb(call)}: ${call.why}${unreachedClause(tracked, call)}`,
    remedies: () => {
      const found = configurationsWith(tracked, hook);
      const removals = found.map(each =>
        deleteObject(tracked, each, 'background', {
          risk: 'caution',
          title: `delete ${each.type.kind} ${each.name}, ${ifGone}`,
        }),
      );
      const look = adviceToLook(
        `find-webhook/${hook}`,
        `see which webhook configuration has ${shownName(hook)}, and delete that, ${ifGone}`,
        ['get', 'validatingwebhookconfigurations,mutatingwebhookconfigurations'],
      );
      return [...restore(tracked, call), ...(removals.length > 0 ? removals : [look])];
    },
  };
}

function configurationsWith(tracked: TrackedView, hook: string): KubeObject[] {
  const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'];
  return kinds.flatMap(kind => {
    const type = tracked.type('admissionregistration.k8s.io/v1', kind);
    const all = type === undefined ? [] : [...tracked.all(type)];
    return all.filter(
      ({ facts }) =>
        facts?.kind === 'WebhookConfiguration' && facts.webhooks.some(({ name }) => name === hook),
    );
  });
}

function unansweredConversion(tracked: TrackedView, failure: ConversionFailure): Refusal {
  const { apiVersion, kind, why } = failure;
  const call = FailedCall.in(why);
  return {
    why: `${ConversionFailure.words(failure)}: ${call.why}${unreachedClause(tracked, call)}`,
    unlisted: true,
    remedies: () => {
      const { group } = parseApiVersion(apiVersion);
      const name = definitionOf(tracked, group, kind)?.name;
      return [
        ...restore(tracked, call),
        name === undefined
          ? adviceToLook(
              `stop-conversion/${kind}.${group}`,
              `find the CustomResourceDefinition of ${shownName(kind)} in ${shownName(group)}, and set its spec.conversion.strategy to None, ${IF_GONE}`,
              ['get', 'customresourcedefinitions'],
            )
          : stopConversion(name),
      ];
    },
  };
}

function definitionOf(tracked: TrackedView, group: string, kind: string): KubeObject | undefined {
  const type = tracked.type('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  if (type === undefined) return undefined;
  for (const each of tracked.all(type)) {
    const { facts } = each;
    if (facts?.kind === 'CustomResourceDefinition' && facts.group === group && facts.definedKind === kind)
      return each;
  }
  return undefined;
}
