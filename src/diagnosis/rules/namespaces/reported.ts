/** Unseen content that only the namespace's conditions count, with the finalizers that hold it. */
import { ReportedContent } from '../../../forecast/index.ts';
import { enumerated, shownName } from '../../../model/index.ts';
import {
  advice,
  adviceToLook,
  chainLink,
  type FindingDraft,
  type OfferedRemedy,
} from '../../engine/finding.ts';
import { reportedIn } from '../../engine/live-holds.ts';
import { type Handler, handlerOf } from '../../finalizers/handler.ts';
import { controllerRemedies } from './content-holds.ts';
import { type NamespaceCase, namespaceEvidence } from './namespace-case.ts';

/** Milliseconds in which a finalizer's controller usually finishes. */
const PATIENCE = 120_000;

export function reportedFinding(at: NamespaceCase): FindingDraft | undefined {
  const { tracked, namespace, since } = at;
  const content = reportedIn(tracked, namespace);
  if (content.resources.length === 0) return undefined;
  const handlers = content.finalizers.map(each => handlerOf(tracked, each));
  const absent = handlers.find(({ presence }) => presence === 'absent');
  const running = handlers.length > 0 && handlers.every(({ presence }) => presence === 'present');
  const lasting = tracked.lasted(since, PATIENCE);
  const severity = absent !== undefined || (lasting && !running) ? 'error' : lasting ? 'warning' : 'info';
  const what = leftWords(content);
  const who = [...new Set(handlers.map(each => `; ${handlerWords(each)}`))].join('');
  return {
    code: 'NamespaceContentStuck',
    severity,
    since,
    message: `Namespace ${namespace.name} ${severity === 'info' ? 'is being emptied' : "isn't emptied"}: its controller reports that ${what}${who}.`,
    brief: what,
    evidence: [...namespaceEvidence(at), ...new Set(handlers.flatMap(({ evidence }) => evidence))],
    certainty: 'assumed',
    chain: [
      chainLink(namespace, '', 'deleting, and not empty', since),
      chainLink(namespace, 'still contains', `${ReportedContent.words(content)}${heldBy(content)}`),
    ],
    remedies: () => reportedRemedies(at, content),
  };
}

function leftWords(content: ReportedContent): string {
  const total = content.resources.reduce((sum, { count }) => sum + count, 0);
  return `${ReportedContent.words(content)} ${total === 1 ? 'is' : 'are'} left in it${heldBy(content)}`;
}

function heldBy({ finalizers }: ReportedContent): string {
  if (finalizers.length === 0) return '';
  return `, held by the ${finalizers.length === 1 ? 'finalizer' : 'finalizers'} ${enumerated(finalizers.map(shownName))}`;
}

/** A controller's own pods are deleted first if it runs in this namespace. */
function handlerWords({ presence, words, name }: Handler): string {
  return presence === 'unknown'
    ? `${name} may have been deleted first, if it ran in this namespace: whether it is there cannot be seen`
    : words;
}

/** Adds the content that only the namespace controller reports, as the end of a sentence on visible content. */
export function besidesClause(content: ReportedContent): string {
  return content.resources.length === 0
    ? ''
    : `; in addition, its controller reports that ${leftWords(content)}, which cannot be seen`;
}

/** Lists what is left first, then each finalizer's handler, then the dangerous removal by hand. */
export function reportedRemedies(
  { tracked, namespace }: NamespaceCase,
  content: ReportedContent,
): OfferedRemedy[] {
  const { resources, finalizers } = content;
  const handlers = finalizers.map(each => handlerOf(tracked, each));
  const perController = Map.groupBy(handlers, ({ name }) => name);
  return [
    ...(resources.length === 0 ? [] : [listAdvice(resources, namespace.name)]),
    ...[...perController.values()].flatMap(([first]) =>
      first === undefined ? [] : controllerRemedies(first),
    ),
    ...handlers.map(({ finalizer, entry }) =>
      advice(
        `remove-finalizers/${finalizer}`,
        `remove ${shownName(finalizer)} from each of them, once it is certain that nothing handles it: ${entry?.cost ?? 'the resources it protects are left behind'}`,
        'dangerous',
      ),
    ),
  ];
}

/** Takes bare resource names, because a condition may name kinds of which nothing else is known. */
export function listAdvice(
  kinds: readonly { readonly resource: string }[],
  namespace: string,
): OfferedRemedy {
  const names = kinds.map(({ resource }) => resource);
  return adviceToLook(
    `list-content/${names[0]}`,
    `list the ${enumerated(names.map(shownName))} that are left`,
    ['get', names.join(','), '-n', namespace],
  );
}
