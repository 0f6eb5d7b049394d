/** Links from findings to the documentation. */
import type { FindingCode } from '../../diagnosis/index.ts';

/** The product's home, as in plugin.yaml. */
const HOME = 'https://github.com/kubectl-gc-tree/kubectl-gc-tree';

/** The built version; undefined when run from source. */
declare const __VERSION__: string | undefined;

/** Links to the code's row in docs/diagnosis.md, by the release's tag or, for unreleased versions, on main. */
export function helpUriOf(
  code: FindingCode,
  version = typeof __VERSION__ === 'undefined' ? '' : __VERSION__,
): string {
  const pages = /^\d+\.\d+\.\d+$/u.test(version) ? `v${version}` : 'main';
  return `${HOME}/blob/${pages}/docs/diagnosis.md#${code.toLowerCase()}`;
}
