import { type AdmissionRule, type AdmissionWebhook, ResourceType } from '../../../model/index.ts';
import type { AdmissionOperation } from './admission-request.ts';
import { AdmissionWorld } from './matching.ts';

/** Returns true if selectors or conditions exclude some requests. */
function isChoosy({ namespaceSelector, objectSelector, matchConditions }: AdmissionWebhook): boolean {
  const chooses = (selector: AdmissionWebhook['objectSelector']): boolean =>
    selector !== undefined && selector.matchLabels.length + selector.matchExpressions.length > 0;
  return matchConditions.length > 0 || chooses(namespaceSelector) || chooses(objectSelector);
}

const operations: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE'];

function kindsUnder(
  types: readonly ResourceType[],
  rules: readonly AdmissionRule[],
): readonly ResourceType[] {
  const match = { rules, matchPolicy: 'Equivalent' };
  return types.filter(type =>
    operations.some(
      operation =>
        AdmissionWorld.ruleMatch({ types: () => types }, match, { operation, type, subresource: '' }) !==
        undefined,
    ),
  );
}

const NAMED = 3;

/** `configmaps, pods and 2 more kinds`, `any kind` */
function kindWords(types: readonly ResourceType[], rules: readonly AdmissionRule[]): string {
  const isAll = rules.some(({ groups, resources }) => groups.includes('*') && resources[0]?.startsWith('*'));
  if (isAll) return 'any kind';
  const names = [...new Set(kindsUnder(types, rules).map(type => ResourceType.groupResource(type)))];
  const more = names.length - NAMED;
  const shown = more > 0 ? [...names.slice(0, NAMED), `${more} more kinds`] : names;
  return [shown.slice(0, -1).join(', '), ...shown.slice(-1)].filter(part => part !== '').join(' and ');
}

/** `CREATE and UPDATE`, `change` */
function operationWords(rules: readonly AdmissionRule[]): string {
  const named = [...new Set(rules.flatMap(rule => rule.operations))];
  return named.includes('*') ? 'change' : named.join(' and ');
}

export const ruleWords = { isChoosy, kindsUnder, kinds: kindWords, operations: operationWords };
