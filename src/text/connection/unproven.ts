/** A warning for server versions whose sources weren't examined. */
import { ServerBehaviour, serverReleases, showHidden } from '../../model/index.ts';

/** Returns `''` for an examined or unknown version. */
export function unprovenWarning(serverVersion: string | undefined): string {
  const { unproven } = new ServerBehaviour(serverVersion);
  const [oldest = ''] = serverReleases.read;
  const newest = serverReleases.read.at(-1) ?? '';
  if (unproven === 'newer')
    return showHidden(
      `Kubernetes ${serverVersion} is newer than this tool knows: it takes the server to do what ${newest} does, which is not proven.`,
    );
  if (unproven === 'older')
    return showHidden(
      `Kubernetes ${serverVersion} is older than this tool knows: where it knows nothing else, it takes the server to do what ${oldest} does, which is not proven.`,
    );
  return '';
}
