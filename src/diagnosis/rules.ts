/** All rules, in the order in which they are asked: the generic ones come last and heed what was found before. */

import { claimOwnerRules } from './claim-owners.ts';
import { claimRules } from './claims-in-use.ts';
import { controllerRules } from './controllers.ts';
import { cycleRules } from './cycles.ts';
import { definitionRules } from './definitions.ts';
import { foregroundRules } from './foreground.ts';
import { heldRules } from './held.ts';
import { heldPodRules } from './held-pods.ts';
import { namespaceRules } from './namespaces.ts';
import { orphaningRules } from './orphaning.ts';
import { podRules } from './pods.ts';
import { referenceRules } from './references.ts';
import type { Rule } from './rule.ts';
import { survivorRules } from './survivors.ts';
import { volumeRules } from './volumes.ts';

export const rules: readonly Rule[] = [
  ...namespaceRules,
  ...definitionRules,
  ...referenceRules,
  ...controllerRules,
  ...claimOwnerRules,
  ...survivorRules,
  ...podRules,
  ...claimRules,
  ...volumeRules,
  ...foregroundRules,
  ...cycleRules,
  ...orphaningRules,
  ...heldPodRules,
  // Last: what nothing before explains.
  ...heldRules,
];
