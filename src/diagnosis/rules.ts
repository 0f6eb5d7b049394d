/** All rules, in the order in which they are asked: the generic ones come last and heed what was found before. */
import { claimOwnerRules } from './claim-owners.ts';
import { controllerRules } from './controllers.ts';
import { definitionRules } from './definitions.ts';
import { namespaceRules } from './namespaces.ts';
import { podRules } from './pods.ts';
import { referenceRules } from './references.ts';
import type { Rule } from './rule.ts';
import { survivorRules } from './survivors.ts';

export const rules: readonly Rule[] = [
  ...namespaceRules,
  ...definitionRules,
  ...referenceRules,
  ...controllerRules,
  ...claimOwnerRules,
  ...survivorRules,
  ...podRules,
];
