/** What is in the bundle as a CycloneDX document, for whoever has to know it: packages, versions, licences, archives. */
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import type { BundledPackage } from './bundled-packages.ts';

export interface Product {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** What comes along with the bundle: the program that runs it, and libraries of that. */
export interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** An SPDX identifier, or an expression. */
  readonly licence: string;
  /** Of its archive: SHA-256 or SHA-512, and its hexadecimal digits. */
  readonly hash: readonly ['SHA-256' | 'SHA-512', string];
}

/** JSON of CycloneDX 1.6; the same for the same bundle, so that a build can be repeated. */
export function billOfMaterials(
  product: Product,
  packages: readonly BundledPackage[],
  runtime: readonly Component[] = [],
): string {
  const components = new Map(packages.map(each => [each.folder, component(each)]));
  const root = new Models.Component(Enums.ComponentType.Application, product.name, {
    version: product.version,
    description: product.description,
    bomRef: `pkg:npm/${product.name}@${product.version}`,
    purl: `pkg:npm/${product.name}@${product.version}`,
  });
  root.licenses.add(new Models.SpdxLicense(product.license));
  const used = new Set(packages.flatMap(({ uses }) => uses));
  for (const { name, folder, uses } of packages) {
    const own = components.get(folder);
    if (own === undefined) continue;
    // Asked for by the product itself, or by a package whose own code isn't in the bundle.
    const direct = folder === `node_modules/${name}` && name in product.devDependencies;
    if (direct || !used.has(folder)) root.dependencies.add(own.bomRef);
    for (const other of uses) {
      const ref = components.get(other)?.bomRef;
      if (ref !== undefined) own.dependencies.add(ref);
    }
  }
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: root }) });
  for (const each of components.values()) bom.components.add(each);
  for (const { name, version, purl, licence, hash } of runtime) {
    const made = new Models.Component(Enums.ComponentType.Application, name, { version, purl, bomRef: purl });
    made.licenses.add(
      licence.includes(' ') ? new Models.LicenseExpression(licence) : new Models.SpdxLicense(licence),
    );
    made.hashes.set(Enums.HashAlgorithm[hash[0]], hash[1]);
    bom.components.add(made);
    root.dependencies.add(made.bomRef);
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function component({ name, version, folder, licence, integrity }: BundledPackage): Models.Component {
  const slash = name.indexOf('/');
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const made = new Models.Component(Enums.ComponentType.Library, name.slice(slash + 1), {
    version,
    purl,
    // Two packages may have the same version of a third one, each its own.
    bomRef: folder.indexOf('node_modules/', 1) < 0 ? purl : `${purl}#${folder}`,
    ...(slash < 0 ? {} : { group: name.slice(0, slash) }),
  });
  made.licenses.add(new Models.SpdxLicense(licence));
  made.hashes.set(Enums.HashAlgorithm['SHA-512'], sha512Of(integrity, `${name} ${version}`));
  return made;
}

/** As hexadecimal digits, of what a lock file says of an archive. */
export function sha512Of(integrity: string, which: string): string {
  const digest = /^sha512-(.+)$/u.exec(integrity)?.[1];
  if (digest === undefined) throw new Error(`${which}: the lock file has no SHA-512 of its archive`);
  return Buffer.from(digest, 'base64').toString('hex');
}
