/** `version`: text requests nothing; documents include the API server's version, in `kubectl version`'s fields. */

import type { TargetCommand } from '../runtime/command.ts';
import { EXIT_DONE } from '../runtime/errors.ts';
import { sourceFlags } from '../runtime/flags.ts';
import { formatOf, isDocument } from '../runtime/output-formats.ts';

/** Prints the client's version even if the server doesn't answer, like kubectl. */
export async function version({ flags, io, services, output }: TargetCommand): Promise<number> {
  const format = formatOf('version', flags.output);
  if (!isDocument(format)) {
    await output.write([`kubectl gc-tree ${services.version}\n`]);
    return EXIT_DONE;
  }
  // Its width tables load slowly, and text doesn't need them.
  const { printDocument } = await import('../documents/print/document.ts');
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

const goNames: Readonly<Record<string, string>> = { win32: 'windows', x64: 'amd64', ia32: '386' };

/** Puts Node in the field of kubectl's Go version. */
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
