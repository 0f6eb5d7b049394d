/** The licences of what is in the bundle: each is known, and its text goes along. */
import type { BundledPackage } from './bundled-packages.ts';

/** SPDX identifiers of licences under which code may be in a bundle under Apache-2.0, with nothing but their text beside it. */
const fitting: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'Unlicense',
]);

/** A text that begins another way may be anything. */
const LEAST_CHARACTERS = 300;

/** Throws where a package has no licence that is known to fit, or no text of it, and says which. */
export function thirdPartyNotice(packages: readonly BundledPackage[]): string {
  const wrong = packages.flatMap(complaint);
  if (wrong.length > 0) throw new Error(`what is in the bundle lacks licences:\n${wrong.join('\n')}`);
  const parts = packages.map(
    ({ name, version, licence, texts }) =>
      `${name} ${version}\nLicence: ${licence}\n\n${texts.join('\n\n')}\n`,
  );
  return parts.join(`\n${'-'.repeat(72)}\n\n`);
}

function complaint({ name, version, licence, texts }: BundledPackage): string[] {
  const which = `${name} ${version}`;
  if (!fitting.has(licence))
    return [`${which}: its licence ${licence === '' ? 'is not named' : `${licence} is not known to fit`}`];
  if ((texts[0] ?? '').length < LEAST_CHARACTERS)
    return [`${which}: it comes without a text of its licence. Keep one in scripts/supply-chain/licences`];
  return [];
}
