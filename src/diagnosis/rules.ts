/** All rules, in the order in which they are asked: the generic ones come last and heed what was found before. */
import type { Rule } from './rule.ts';
import { survivorRules } from './survivors.ts';

export const rules: readonly Rule[] = [
  ...survivorRules,
];
