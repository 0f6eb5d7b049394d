/** Everything of the product that reads bytes which somebody else wrote, or which may be damaged. */
import type { Target } from './target.ts';
import { fileTargets } from './targets/files.ts';
import { keptTargets } from './targets/kept.ts';
import { servedTargets } from './targets/served.ts';
import { wireTargets } from './targets/wire.ts';

export const targets: readonly Target[] = [...wireTargets, ...fileTargets, ...keptTargets, ...servedTargets];
