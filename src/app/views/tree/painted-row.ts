/** Draws a forecast on a row of the tree: sign, name and words in place of the state. */
import type { GraphNode } from '../../../graph/index.ts';
import { formatCount, type Uid } from '../../../model/index.ts';
import {
  displayWidth,
  type Glyphs,
  type Line,
  padEnd,
  type Span,
  type Style,
  truncate,
  truncated,
} from '../../../text/index.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import type { GroupItem, ObjectItem, TreeItem } from '../../cluster/tree/item.ts';
import { widthOf } from '../../drawing/fit.ts';
import type { FateGroup, GhostRow, PaintedFate, Painting, Progress } from '../../painting/painting.ts';
import { currentStep } from '../../state/forecast-step.ts';
import type { State } from '../../state/state.ts';

export interface PaintedRow {
  /** One ASCII character before the row. */
  readonly sign: Span;
  readonly name: Style;
  /** Title of an object yet to be created. */
  readonly title: string | undefined;
  /** Replaces the state, if set. */
  readonly words: Span | undefined;
  /** Replaces words that don't fit, if set. */
  readonly cause?: string | undefined;
  /** Effects below a folded row. */
  readonly below: Line;
}

const FLASH_MS = 700;

export function paintedRow(state: State, item: ObjectItem, glyphs: Glyphs): PaintedRow | undefined {
  const { cluster } = state;
  const painting = cluster?.painting;
  if (cluster === undefined || painting === undefined) return undefined;
  const ghost = cluster.beside?.ghost(item.uid);
  if (ghost !== undefined)
    return {
      sign: { text: '+', style: 'good' },
      name: 'ghost',
      title: ghost.title(cluster.beside?.leftOf(ghost) ?? ghost.count),
      words: { text: createdWords(state, ghost), style: 'muted' },
      below: [],
    };
  const fate = painting.of(item.uid);
  const hasCome = fate === undefined && cluster.beside?.hasCome(item.uid) === true;
  const progress = progressOf(state, item.node);
  const folded = item.children === undefined && !item.cycle;
  return {
    sign: hasCome ? { text: '+', style: 'good' } : { text: fate?.sign ?? ' ', style: signStyle(fate) },
    name: fate === undefined ? (item.node.virtual ? 'ghost' : 'plain') : fate.anyway ? 'muted' : fate.style,
    title: undefined,
    words: fate === undefined ? leftover(progress) : wordsOf(fate, progress, state),
    cause: fate?.cause && wordsOf({ ...fate, words: fate.cause, anyway: false }, progress, state).text,
    below: folded ? countWords(countsBelow(state, painting, item.uid, item.node), glyphs) : [],
  };
}

/** Returns how far the shown step leaves an object, or the cluster itself. An uncertain end stays uncertain. */
function progressOf(state: State, node: GraphNode): Progress {
  const actual = state.cluster?.beside?.progressOf(node) ?? 'before';
  const step = currentStep(state);
  if (step === undefined || step.painting.of(node.uid)?.group === 'uncertain') return actual;
  const forecast = step.painting.steps().progressOf(node.uid, step.n);
  return forecast === 'before' || actual === 'gone' ? actual : forecast;
}

/** Returns `1 of 2 created by ReplicaSet shop/api-1` at a step that leaves some to be created. */
function createdWords(state: State, ghost: GhostRow): string {
  const step = currentStep(state);
  const created = step?.painting.steps().createdOf(ghost, step.n) ?? ghost.count;
  return created === ghost.count
    ? ghost.words
    : `${formatCount(created)} of ${formatCount(ghost.count)} ${ghost.words}`;
}

function signStyle(fate: PaintedFate | undefined): Style {
  if (fate === undefined) return 'plain';
  if (fate.anyway) return 'muted';
  return fate.style === 'struck' ? 'danger' : fate.style;
}

/** Marks an object of an earlier forecast that has been deleted. */
function leftover(progress: Progress): Span | undefined {
  return progress === 'gone' ? { text: 'gone', style: 'muted' } : undefined;
}

function isConfirmed({ dialog }: State): boolean {
  return dialog?.kind === 'action' && (dialog.stage.at === 'following' || dialog.stage.at === 'ended');
}

/** Says what would happen until the user confirms it, then how far it is. */
function wordsOf({ group, style, words, anyway }: PaintedFate, progress: Progress, state: State): Span {
  const calm = anyway ? 'muted' : style === 'struck' ? 'danger' : style;
  if (progress === 'gone') return { text: 'gone', style: group === 'altered' ? 'danger' : 'muted' };
  if (progress === 'deleting' && group !== 'stuck') return { text: 'deleting', style: 'danger' };
  if (progress === 'altered' && group === 'altered') return { text: `done: ${words}`, style: 'good' };
  if (progress === 'deleting' && currentStep(state) !== undefined)
    return { text: `deleting, ${words}`, style: 'warning' };
  const certain = anyway || isConfirmed(state);
  const text = group === 'deleted' ? `${certain ? 'will' : 'would'} be ${words}` : words;
  return { text: anyway ? `${text} either way` : text, style: calm };
}

export function isFlashing({ cluster, now }: State, item: TreeItem): boolean {
  const at = item.kind === 'object' ? cluster?.beside?.changedAt(item.uid) : undefined;
  return at !== undefined && now - at < FLASH_MS;
}

/** Returns true for the row of the shown step's object. */
export function isInStep(state: State, item: TreeItem): boolean {
  const step = currentStep(state);
  return item.kind === 'object' && item.uid === step?.painting.steps().object(step.n);
}

/** Draws the state in exactly `width` columns, the last one blank. Names of finalizers are cut in the middle. */
export function paintedCell(
  { words, cause, below }: PaintedRow,
  width: number,
  { ellipsis }: Glyphs,
): Line | undefined {
  if (words === undefined && below.length === 0) return undefined;
  const belowWidth = widthOf(below);
  const gap = words === undefined || belowWidth === 0 ? 0 : 2;
  const room = Math.max(0, width - 1 - belowWidth - gap);
  const whole = words?.text ?? '';
  const text =
    cause === undefined || displayWidth(whole) <= room
      ? truncate(whole, room, ellipsis)
      : truncated.middle(cause, room, ellipsis);
  const used = displayWidth(text) + gap + belowWidth;
  return [
    { text, style: words?.style ?? 'plain' },
    { text: ' '.repeat(gap), style: 'plain' },
    ...below,
    { text: padEnd('', Math.max(0, width - used)), style: 'plain' },
  ];
}

type Counts = Record<FateGroup | 'gone' | 'created', number>;

/** Counts per painting and row version, so that returning to a policy counts nothing again. */
const counted = new WeakMap<Painting, Counted>();

interface Counted {
  readonly version: number;
  readonly n: number | undefined;
  readonly by: Map<string, Counts>;
}

/** Counts effects on a folded group's roots and below. */
export function paintedGroup(state: State, item: GroupItem, glyphs: Glyphs): Line {
  const { painting, rows } = state.cluster ?? {};
  if (painting === undefined || rows === undefined || item.children !== undefined) return [];
  const counts = countsBelow(state, painting, item.group.key, undefined, () => rows.rootsIn(item.group));
  return countWords(counts, glyphs);
}

/** Counts effects below, each object once; cached until rows change. */
function countsBelow(
  state: State,
  painting: Painting,
  key: string,
  node: GraphNode | undefined,
  roots: () => readonly GraphNode[] = () => [],
): Counts {
  const { cluster } = state;
  if (cluster === undefined) return none();
  const version = cluster.beside?.version ?? 0;
  const n = currentStep(state)?.n;
  let known = counted.get(painting);
  if (known?.version !== version || known.n !== n)
    counted.set(painting, (known = { version, n, by: new Map() }));
  let counts = known.by.get(key);
  if (counts === undefined) {
    counts = count(state, cluster, node === undefined ? roots() : below(cluster, node));
    known.by.set(key, counts);
  }
  return counts;
}

function none(): Counts {
  return { deleted: 0, stuck: 0, broken: 0, uncertain: 0, altered: 0, gone: 0, created: 0 };
}

function below({ beside }: ClusterModel, node: GraphNode): readonly GraphNode[] {
  return [...node.dependents, ...(beside?.below(node.uid) ?? [])];
}

function count(state: State, cluster: ClusterModel, from: readonly GraphNode[]): Counts {
  const counts = none();
  const { beside, painting } = cluster;
  const step = currentStep(state);
  const seen = new Set<Uid>();
  const open = [...from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node.uid)) continue;
    seen.add(node.uid);
    const ghost = beside?.ghost(node.uid);
    if (ghost !== undefined) {
      counts.created +=
        step?.painting.steps().createdOf(ghost, step.n) ?? beside?.leftOf(ghost) ?? ghost.count;
      open.push(...(beside?.below(node.uid) ?? []));
      continue;
    }
    if (!cluster.inScope(node)) continue;
    for (const each of below(cluster, node)) open.push(each);
    const fate = painting?.of(node.uid);
    if (fate === undefined || fate.anyway) continue;
    counts[progressOf(state, node) === 'gone' ? 'gone' : fate.group] += 1;
  }
  return counts;
}

/** Returns `-12 ⚠1 ~3 ?2 +2`: signs also work without colours. */
function countWords(counts: Counts, { warning }: Glyphs): Line {
  const parts: readonly (readonly [number, string, Style])[] = [
    [counts.deleted, `-${formatCount(counts.deleted)}`, 'danger'],
    [counts.stuck, `${warning}${formatCount(counts.stuck)}`, 'warning'],
    [counts.broken, `x${formatCount(counts.broken)}`, 'danger'],
    [counts.altered, `~${formatCount(counts.altered)}`, 'info'],
    [counts.uncertain, `?${formatCount(counts.uncertain)}`, 'warning'],
    [counts.created, `+${formatCount(counts.created)}`, 'good'],
    [counts.gone, `${formatCount(counts.gone)} gone`, 'muted'],
  ];
  return parts
    .filter(([number]) => number > 0)
    .map(([, text, style], i) => ({ text: i === 0 ? text : ` ${text}`, style }));
}
