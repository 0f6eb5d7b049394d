/** The direction of imports below `src/`, as data. `npm run lint` holds it; CONTRIBUTING.md draws it. */

import path from 'node:path';

/** What no computing folder may load: it does no input or output, and draws nothing. */
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
const surface = [...diagnosis, 'activity', 'actions', 'source', 'text', 'documents', 'disk', 'platform'];

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
  documents: { from: [...diagnosis, 'activity', 'actions', 'source', 'text'] },
  library: { from: [] },
  serve: { from: [...diagnosis, 'source'], without: screen },
  mcp: { from: ['model', 'text'], without: screen },
  cli: { from: [...surface, 'serve', 'mcp'] },
  app: { from: surface, without: screen },
  ui: { from: ['app', 'model', 'graph', 'collector', 'source', 'text', 'documents', 'platform'] },
};

/**
 * What a folder may not come to in any number of imports, later ones included: who answers programs can neither change a
 * cluster nor keep anything of it.
 */
export const outOfReach: Readonly<Record<string, readonly string[]>> = {
  'src/mcp': ['src/actions', 'src/kube', 'src/app', 'src/ui'],
  'src/cli/asking': ['src/actions', 'src/kube', 'src/app', 'src/ui'],
  'src/cli/commands/mcp': ['src/actions', 'src/kube', 'src/app', 'src/ui'],
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
