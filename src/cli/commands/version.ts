/**
 * `version`: of this program alone in text, which asks no server; as a document that of the API server, too, under the
 * names that `kubectl version` has for them.
 */

import type { TargetCommand } from '../runtime/command.ts';
import { EXIT_DONE } from '../runtime/errors.ts';
import { sourceFlags } from '../runtime/flags.ts';
import { formatOf, isDocument } from '../runtime/format.ts';

/** As kubectl does, it prints what it knows before it fails for want of an answer. */
export async function version({ flags, io, services, output }: TargetCommand): Promise<number> {
  const format = formatOf('version', flags.output);
  if (!isDocument(format)) {
    await output.write([`kubectl gc-tree ${services.version}\n`]);
    return EXIT_DONE;
  }
  // Measures widths, whose tables take longer to load than the text may.
  const { printDocument } = await import('../../documents/print/document.ts');
  const clientVersion = clientVersionOf(services.version);
  if (flags.client === true) {
    await output.write(printDocument({ clientVersion }, format));
    return EXIT_DONE;
  }
  const [asked] = await Promise.allSettled([services.serverVersion(sourceFlags(flags), io)]);
  const answer = asked.status === 'fulfilled' ? { serverVersion: asked.value } : {};
  await output.write(printDocument({ clientVersion, ...answer }, format));
  if (asked.status === 'rejected') throw asked.reason;
  return EXIT_DONE;
}

/** Go's names, where they aren't Node's. */
const goNames: Readonly<Record<string, string>> = { win32: 'windows', x64: 'amd64', ia32: '386' };

/** Node stands where kubectl names the Go that built it. */
function clientVersionOf(version: string): Readonly<Record<string, string>> {
  const [major = '', minor = ''] = version.split('.');
  const { platform, arch, versions } = process;
  return {
    major,
    minor,
    gitVersion: `v${version}`,
    nodeVersion: `v${versions.node}`,
    platform: [platform, arch].map(name => goNames[name] ?? name).join('/'),
  };
}
