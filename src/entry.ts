/**
 * Services that the entry points give to the command line. The cluster client and the screen are loaded on demand: `--help`
 * waits for neither, and the first frame doesn't wait for the cluster.
 */
import { existsSync } from 'node:fs';
import { type ScreenTarget, type Settings, SettingsError, settingsFile } from './app/index.ts';
import { type Io, type ScreenRequest, type Services, type SourceFlags, UsageError } from './cli/index.ts';
import type { OpenOptions } from './kube/index.ts';
import type { Source } from './source/index.ts';

declare const __VERSION__: string;

export const services: Services = {
  version: __VERSION__,
  async openSource(flags, io) {
    const { openCluster, readPipedConfig } = await import('./kube/open-cluster.ts');
    await readPipedConfig(flags, io.env);
    return openCluster(flags, openOptions(flags, io));
  },
  async openNames(flags, io) {
    const { openNames, readPipedConfig } = await import('./kube/open-cluster.ts');
    await readPipedConfig(flags, io.env);
    return openNames(flags, openOptions(flags, io));
  },
  async serverVersion(flags, io) {
    const { readPipedConfig, readServerVersion } = await import('./kube/open-cluster.ts');
    await readPipedConfig(flags, io.env);
    return readServerVersion(flags, openOptions(flags, io));
  },
  tracesOfGone: async (...asked) => (await import('./cli/commands/actions/traces.ts')).tracesOfGone(...asked),
  async openScreen(request, io) {
    const { flags } = request;
    const settings = await settingsOf(io);
    const { askBackground, colourDepth } = await import('./ui/background.ts');
    const terminal = { stdin: process.stdin, stdout: process.stdout, env: io.env };
    const asked = request.colour && !request.screenReader ? askBackground(terminal) : undefined;
    const { openScreen } = await import('./ui/open-screen.tsx');
    const background = await asked;
    let source: Source | undefined;
    const exitCode = await openScreen({
      open: async context => {
        source = await request.openSource(context);
        return source;
      },
      contexts: () => request.contexts(),
      kubectl: opened => request.kubectl(opened),
      journal: async kind => (await import('./cli/commands/actions/action-session.ts')).journalOf(kind, io),
      options: {
        namespace: flags.namespace,
        allNamespaces: flags.allNamespaces === true,
        target: targetOf(request, () => flags.namespace ?? source?.info.namespace),
        ascii: request.ascii || settings.ascii === true,
        color: request.colour,
        colours: colourDepth(io.env),
        background,
        settings,
        screenReader: request.screenReader,
        tour: request.tour,
        terminatedPodGcThreshold: request.terminatedPodGcThreshold,
        readOnly: request.readOnly,
        // For terminals that lose track of partial updates.
        incremental: io.env['GC_TREE_FULL_FRAMES'] !== '1',
      },
      hold: stepAside => io.terminal.hold({ stepAside }),
      stdin: process.stdin,
      stdout: process.stdout,
    });
    // The screen is gone, and with it whatever would have covered them.
    const { warnings = [] } = source ?? {};
    if (warnings.length > 0) {
      // Measures widths, whose tables take longer to load than `version` may.
      const { warn } = await import('./cli/runtime/say.ts');
      for (const warning of warnings) warn(io, warning);
    }
    return exitCode;
  },
  async kubectl(flags, io, opened) {
    const { kubectlAccess } = await import('./kube/config/kubectl-access.ts');
    return kubectlAccess(flags, io.env, opened);
  },
  async kubeconfigNames(flags, io) {
    const { kubeconfigNames, readPipedConfig } = await import('./kube/open-cluster.ts');
    await readPipedConfig(flags, io.env);
    return kubeconfigNames(flags, io.env);
  },
};

/** How the user wants the screen. Rejects with a `UsageError`, before the screen takes the terminal. */
async function settingsOf({ env }: Io): Promise<Settings> {
  const file = settingsFile(env);
  // Most users have none, and start without what reads it.
  if (!existsSync(file)) return {};
  const { readSettings } = await import('./app/config/own-settings.ts');
  const { useOwnKeys } = await import('./app/config/own-keys.ts');
  const { shownAnnotations } = await import('./app/settings/saved-views.ts');
  const { keptAnnotations } = await import('./model/annotations.ts');
  try {
    const settings = await readSettings(file);
    useOwnKeys(settings);
    // Before anything is read.
    keptAnnotations.add(shownAnnotations(settings));
    return settings;
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(`${error.message}\nSee docs/screen.md.`) : error;
  }
}

function openOptions({ verbosity = 0 }: SourceFlags, io: Io): OpenOptions {
  return {
    env: io.env,
    verbosity,
    log: line => io.terminal.say(line),
    terminal: io.stdinIsTerminal ? io.terminal : undefined,
  };
}

/** Starts the screen at a named object as soon as it has arrived, or narrows it to the matches. */
function targetOf(request: ScreenRequest, namespace: () => string | undefined): ScreenTarget | undefined {
  const { targets, flags, matcher } = request;
  if (targets.length === 0 && flags.selector === undefined && flags.fieldSelector === undefined)
    return undefined;
  const scope = (): string | undefined => (flags.allNamespaces === true ? undefined : namespace());
  const labels = [
    ...(flags.selector === undefined ? [] : [`-l ${flags.selector}`]),
    ...(flags.fieldSelector === undefined ? [] : [`--field-selector ${flags.fieldSelector}`]),
  ];
  return {
    title: [...targets, ...labels].join(' '),
    matcher:
      matcher &&
      (({ view }) => {
        try {
          // This also reports a missing name among several.
          request.findTargets(view, scope());
          return matcher(view, scope());
        } catch {
          // `missing` reports the wrong use.
          return undefined;
        }
      }),
    find({ view }) {
      try {
        const [first] = request.findTargets(view, scope());
        return first;
      } catch {
        // Not there yet; `missing` reports it in the end.
        return undefined;
      }
    },
    missing({ view }) {
      try {
        request.findTargets(view, scope());
        return 'nothing in this scope fits what was asked for.';
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}
