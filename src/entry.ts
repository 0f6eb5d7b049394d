/**
 * What the entry points hand to the command line. Cluster client and screen are loaded when they are needed,
 * so that `--help` waits for neither, and the first frame not for the cluster.
 */
import type { Deps } from './cli/deps.ts';

declare const __VERSION__: string;

export const deps: Deps = {
  version: __VERSION__,
  async openSource(flags, io) {
    const { openCluster } = await import('./kube/open-cluster.ts');
    return openCluster(flags, {
      env: io.env,
      verbosity: flags.verbosity ?? 0,
      log: line => io.stderr.write(`${line}\n`),
      interactive: io.stdinIsTerminal,
    });
  },
  async openScreen(request, io) {
    const { openScreen } = await import('./ui/open-screen.tsx');
    return openScreen(request, io);
  },
  async kubeconfigNames(flags, io) {
    const { kubeconfigNames } = await import('./kube/open-cluster.ts');
    return kubeconfigNames(flags, io.env);
  },
};
