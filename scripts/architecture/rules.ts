/** The direction of imports below `src/`, as data. `npm run lint` holds it; CONTRIBUTING.md draws it. */

import path from 'node:path';

/** Modules that no computing folder may load: it does no input or output, and draws nothing. */
const io: readonly RegExp[] = [/^node:/, /^ink$/, /^react$/, /^undici$/, /^@kubernetes\//];
const screen: readonly RegExp[] = [/^ink$/, /^react$/];

interface Rule {
  /** Folders below `src/` that it may import from, beside itself. */
  readonly from: readonly string[];
  /** Packages and modules of Node that it may not import. */
  readonly without?: readonly RegExp[];
}

const model = ['model'];
const graph = [...model, 'graph'];
const decisions = [...graph, 'collector', 'podgc'];
const forecast = [...decisions, 'simulation', 'forecast'];
const diagnosis = [...forecast, 'diagnosis'];
const surface = [...diagnosis, 'activity', 'actions', 'source', 'text', 'disk', 'platform'];

/**
 * By folder; the longest path that fits decides. A folder that isn't named here is an error, so that none is added
 * without its direction. Files in `src/` itself are entry points and may import everything.
 */
export const directions: Readonly<Record<string, Rule>> = {
  model: { from: [], without: io },
  graph: { from: model, without: io },
  collector: { from: graph, without: io },
  podgc: { from: graph, without: io },
  activity: { from: [...graph, 'collector'], without: io },
  simulation: { from: decisions, without: io },
  forecast: { from: [...decisions, 'simulation'], without: io },
  diagnosis: { from: forecast, without: io },
  platform: { from: [] },
  disk: { from: ['platform'] },
  actions: { from: [...diagnosis, 'disk', 'platform'], without: [...screen, /^undici$/, /^@kubernetes\//] },
  source: { from: ['model', 'disk', 'platform'] },
  'source/demo': { from: ['model', 'collector', 'simulation', 'source', 'disk'] },
  kube: { from: ['model', 'source', 'disk', 'platform'] },
  text: { from: [...diagnosis, 'activity', 'actions'], without: io },
  library: { from: ['cli'] },
  cli: { from: [...surface, 'cli/servers/http'] },
  'cli/servers/http': { from: [...diagnosis, 'source'], without: screen },
  app: { from: surface, without: screen },
  ui: { from: ['app', 'model', 'graph', 'collector', 'source', 'text', 'platform'] },
};

/**
 * Sub-folders of a room, bottom first: each may import those before it. Files that lie in the room itself stand at `.`,
 * or above all its folders. Rooms that aren't named here are free.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  podgc: ['passes', 'survey'],
  simulation: ['.', 'api', 'runtime', 'collector', 'controllers', 'comparison', 'stepping'],
  actions: ['journal', 'prepare', 'undo', 'run'],
  source: ['.', 'audit', 'files', 'helm', 'recording', 'demo'],
  app: [
    'settings',
    'drawing',
    'search',
    'painting',
    'cluster',
    'state',
    'background',
    'views',
    'kubectl',
    'actions',
    'commands',
    'config',
    'dialogs',
    'tour',
    'screen',
    'shell',
    'session',
  ],
  kube: ['wire', 'config', 'dial', 'transport', 'auth', 'discovery', 'watch', 'look-ups', 'objects'],
  diagnosis: [
    'engine',
    'cluster',
    'history',
    'finalizers',
    'remedies',
    'admission',
    'waits',
    'offers',
    'manager',
    'uses',
    'explain',
    'cascades',
    'rules',
  ],
  forecast: ['.', 'plan', 'nodes', 'compose'],
  cli: [
    'documents',
    'runtime',
    'program',
    'targets',
    'session',
    'commands',
    'asking',
    'servers',
    'completion',
  ],
  text: [
    'terminal',
    'connection',
    'activity',
    'collector',
    'plan',
    'diagnosis',
    'podgc',
    'actions',
    'vintage',
  ],
  ui: ['borrowed'],
};

/**
 * Folders that a folder may not reach through any number of imports: code that answers programs can neither change a
 * cluster nor keep anything of it.
 */
export const outOfReach: Readonly<Record<string, readonly string[]>> = {
  'src/cli/asking': ['src/actions', 'src/kube', 'src/app', 'src/ui'],
  'src/cli/servers/mcp': ['src/actions', 'src/kube', 'src/app', 'src/ui'],
};

/**
 * Files that import a file of another room past its face, `index.ts`: the types of documents and of the library, which the
 * build copies for other programs. An `import()` names the file too, since it loads that file alone, later.
 */
export const pastFaces: Readonly<Record<string, string>> = {
  'src/library.ts': 'src/library/exports.d.ts',
  'src/library/exports.d.ts': 'src/cli/documents/definitions.ts',
};

/** The folder below `src/` whose rule applies: `source/demo` before `source`. Undefined for the entry points. */
export function folderOf(file: string): string | undefined {
  const parts = path.posix.dirname(file).split('/').slice(1);
  for (let length = parts.length; length > 0; length--) {
    const folder = parts.slice(0, length).join('/');
    if (folder in directions) return folder;
  }
  return parts[0];
}
