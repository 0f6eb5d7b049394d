/** Webhooks for admission or conversion that reject or don't answer, read from the namespace controller's errors. */
import { behaviourOf } from '../../../graph/server-behaviour.ts';
import type { KubeObject } from '../../../model/object.ts';
import { shownName } from '../../../model/text/shown.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';
import { rejectionIn } from '../../admission/answers.ts';
import { advice, adviceToLook, type OfferedRemedy } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { deleteObject } from '../../remedies/deletion.ts';
import { listPathOf, undecodableAdvice, undecodableIn, undecodableWords } from '../apis/undecodable.ts';

export interface Refusal {
  /** A clause that may hold text from the cluster: `webhook keep.example.com rejects the deletion: backups run`. */
  readonly why: string;
  /** Set if the affected objects can't be listed, so that an empty namespace proves nothing. */
  readonly unlisted?: true;
  remedies(tracked: TrackedView, namespace: KubeObject): readonly OfferedRemedy[];
}

/** Ends a message at the next of several listed errors: the first is as good as any. */
const next = String.raw`(?=, (?:Internal error occurred|admission webhook|conversion webhook|unexpected items)|$)`;
const silentWebhook = new RegExp(String.raw`failed calling webhook "([^"]+)"[:;] (.*?)${next}`, 'su');
const silentConversion = new RegExp(
  String.raw`conversion webhook for ([^\s,]+), Kind=(\w+) failed: (.*?)${next}`,
  'su',
);
/** apiserver pkg/util/webhook, apiextensions-apiserver pkg/apiserver/conversion, v0.36; no quotes before v1.20. */
const call = /Post "?https:\/\/([a-z0-9-]+)\.([a-z0-9-]+)\.svc\S*: (.*)$/su;

export function refusalIn(said: string): Refusal | undefined {
  const [, hook, why = ''] = silentWebhook.exec(said) ?? [];
  if (hook !== undefined) return unansweredWebhook(hook, calledService(why));
  const [, apiVersion = '', kind, reason = ''] = silentConversion.exec(said) ?? [];
  if (kind !== undefined) return unansweredConversion(apiVersion, kind, calledService(reason));
  const undecodable = undecodableIn(said);
  if (undecodable !== undefined)
    return {
      why: `${undecodableWords(undecodable, undefined)}: ${said}`,
      unlisted: true,
      remedies: tracked =>
        undecodableAdvice(undecodable, listPathOf(tracked, undecodable.resources), behaviourOf(tracked.view)),
    };
  const { by, words } = rejectionIn(said);
  if (by === undefined) return undefined;
  return {
    why: `${by} rejects the deletion${words === '' ? '' : `: ${words}`}`,
    remedies: () => [
      advice(
        'admit-deletion',
        `let ${by} admit the deletion, or take it away if nobody needs it: the namespace controller goes on by itself`,
      ),
    ],
  };
}

interface CalledService {
  readonly namespace: string;
  readonly name: string;
  readonly why: string;
}

function calledService(words: string): CalledService {
  const [, name = '', namespace = '', why = words] = call.exec(words) ?? [];
  return { namespace, name, why };
}

const behind = ({ namespace, name }: CalledService): string =>
  name === '' ? '' : `, behind Service ${namespace}/${name},`;

/** Offers nothing if the Service is in the namespace being deleted, in which nothing can be created. */
function restore({ namespace, name }: CalledService, deleting: KubeObject): OfferedRemedy[] {
  if (name === '' || namespace === deleting.name) return [];
  return [
    advice(
      `restore-webhook/${namespace}/${name}`,
      `bring back what answers behind Service ${namespace}/${name}: what waits for it goes on by itself then`,
    ),
  ];
}

function unansweredWebhook(hook: string, service: CalledService): Refusal {
  const ifGone =
    'if what it belonged to is gone: what it was to refuse or to change is let through then, and the deletion goes on by itself';
  return {
    why: `webhook ${shownName(hook)}${behind(service)} has to be asked first and doesn't answer: ${service.why}`,
    remedies: (tracked, namespace) => {
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
      return [...restore(service, namespace), ...(removals.length > 0 ? removals : [look])];
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

function unansweredConversion(apiVersion: string, kind: string, service: CalledService): Refusal {
  return {
    why: `the conversion webhook of ${shownName(kind)} (${shownName(apiVersion)})${behind(service)} doesn't answer: ${service.why}`,
    remedies: (tracked, namespace) => {
      const { group } = parseApiVersion(apiVersion);
      const name = definitionOf(tracked, group, kind)?.name;
      const ifGone =
        'if what converted its objects is gone: they are served as they are stored then, and can be deleted';
      const title =
        name === undefined
          ? `find the CustomResourceDefinition of ${shownName(kind)} in ${shownName(group)}, and set its spec.conversion.strategy to None, ${ifGone}`
          : `set spec.conversion.strategy of CustomResourceDefinition ${name} to None, ${ifGone}`;
      const patch = '{"spec":{"conversion":{"strategy":"None","webhook":null}}}';
      const words =
        name === undefined
          ? ['get', 'customresourcedefinitions']
          : ['patch', 'customresourcedefinition', name, '--type=merge', '-p', patch];
      return [
        ...restore(service, namespace),
        {
          ...adviceToLook(`stop-conversion/${kind}.${group}`, title, words),
          risk: name === undefined ? 'safe' : 'caution',
        },
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
