/** All rules, in the order in which they are asked: the generic ones come last and heed what was found before. */

import { heldRules } from '../finalizers/held.ts';
import { definitionRules } from '../rules/apis/definitions.ts';
import { foregroundRules } from '../rules/foreground/foreground.ts';
import { namespaceRules } from '../rules/namespaces/namespaces.ts';
import { controllerRules } from '../rules/owners/controllers.ts';
import { cycleRules } from '../rules/owners/cycles.ts';
import { orphaningRules } from '../rules/owners/orphaning.ts';
import { referenceRules } from '../rules/owners/references.ts';
import { heldPodRules } from '../rules/pods/held.ts';
import { podRules } from '../rules/pods/pods.ts';
import { survivorRules } from '../rules/survivors/survivors.ts';
import { claimOwnerRules } from '../rules/volumes/claim-owners.ts';
import { claimRules } from '../rules/volumes/claims-in-use.ts';
import { volumeRules } from '../rules/volumes/volumes.ts';
import type { Rule } from './rule.ts';

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
