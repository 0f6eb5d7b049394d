/** The cursor's place for the title: cluster, namespace and owners. The mouse looks up the same parts. */
import type { GraphNode } from '../../graph/index.ts';
import { objectTitleIn, shownName, type Uid } from '../../model/index.ts';
import { type Line, type Span, truncate, truncated } from '../../text/index.ts';
import { glyphsOf } from '../drawing/fit.ts';
import type { State } from '../state/state.ts';
import { currentNode } from '../views/current.ts';

export type CrumbTarget =
  | { readonly of: 'context' }
  | { readonly of: 'scope' }
  | { readonly of: 'namespace'; readonly namespace: string }
  | { readonly of: 'object'; readonly uid: Uid }
  /** Owners without room. */
  | { readonly of: 'more' };

export interface Crumb {
  readonly target: CrumbTarget;
  readonly span: Span;
}

/** Detail of the owners, from widest to narrowest; the last also cuts the context. */
export type CrumbDetail = 'all' | 'nearest' | 'cut' | 'none' | 'bare';

/** Owners beyond these are an ellipsis. */
const MOST_OWNERS = 8;
const CUT_COLUMNS = 16;
/** Columns of a context, which may be a file's path. */
const CONTEXT_COLUMNS = 24;

/** Lists the crumbs, the outermost first. */
export function crumbsOf(state: State, detail: CrumbDetail): readonly Crumb[] {
  const { info, cluster } = state;
  if (info === undefined || cluster === undefined) return [];
  const { ellipsis } = glyphsOf(state);
  const scope = cluster.namespace;
  const context = shownName(info.context ?? info.source);
  const isCut = detail === 'cut' || detail === 'bare';
  const crumbs: Crumb[] = [
    crumb({ of: 'context' }, isCut ? truncated.middle(context, CONTEXT_COLUMNS, ellipsis) : context, 'plain'),
    crumb({ of: 'scope' }, scope === undefined ? 'all namespaces' : shownName(scope), 'title'),
  ];
  if (detail === 'none' || detail === 'bare') return crumbs;
  const node = currentNode(state);
  const namespace = node?.identity.namespace ?? '';
  if (scope === undefined && namespace !== '')
    crumbs.push(crumb({ of: 'namespace', namespace }, shownName(namespace), 'plain'));
  const owners = node === undefined ? [] : ownersAbove(state, node);
  const shown = detail === 'all' && owners.length <= MOST_OWNERS ? owners : owners.slice(-1);
  if (shown.length < owners.length) crumbs.push(crumb({ of: 'more' }, ellipsis, 'muted'));
  for (const owner of shown) {
    const title = objectTitleIn(owner.identity, scope ?? namespace);
    const text = detail === 'cut' ? truncate(title, CUT_COLUMNS, ellipsis) : title;
    crumbs.push(crumb({ of: 'object', uid: owner.uid }, text, 'plain'));
  }
  return crumbs;
}

function crumb(target: CrumbTarget, text: string, style: Span['style']): Crumb {
  return { target, span: { text, style } };
}

/** Lists the row's owners in the tree, elsewhere the object's first ones. */
function ownersAbove(state: State, node: GraphNode): readonly GraphNode[] {
  const owners: GraphNode[] = [];
  if (state.view === 'tree') {
    for (let at = state.tree.selected?.parent; at?.kind === 'object'; at = at.parent) owners.unshift(at.node);
    return owners;
  }
  const seen = new Set([node]);
  for (let [at] = state.cluster?.owners(node) ?? []; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    owners.unshift(at);
    [at] = state.cluster?.owners(at) ?? [];
  }
  return owners;
}

function separator(state: State): Span {
  return { text: state.options.ascii ? ' > ' : ' ▸ ', style: 'muted' };
}

export function crumbSpans(state: State, crumbs: readonly Crumb[]): Line {
  return crumbs.flatMap(({ span }, i) => (i === 0 ? [span] : [separator(state), span]));
}
