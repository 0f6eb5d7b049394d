/**
 * Why an object is still there, survived, or will be deleted, for people: the one sentence first, then the way down to
 * what decides, the evidence, what happens next, and what can be done. Lines of sanitised spans.
 */

import type { ProbeOutcome } from '../../diagnosis/admission/answers.ts';
import {
  type ChainLink,
  type Finding,
  isApplicable,
  type OfferedRemedy,
} from '../../diagnosis/engine/finding.ts';
import type { Explanation } from '../../diagnosis/explain/explain.ts';
import type { Provenance } from '../../diagnosis/explain/provenance.ts';
import type { Statement } from '../../diagnosis/explain/statements.ts';
import type { Identity } from '../../graph/node.ts';
import type { ShellCommand, ShellCommands } from '../../model/text/shell-line.ts';
import { showHidden, shownName } from '../../model/text/shown.ts';
import { objectTitle, objectTitleIn } from '../../model/text/titles.ts';
import { formatDuration } from '../terminal/age.ts';
import type { Glyphs } from '../terminal/glyphs.ts';
import type { Span } from '../terminal/style.ts';
import { commandLine, emptyLine, type TextLine, textLine } from '../terminal/text-line.ts';
import { displayWidth } from '../terminal/width.ts';
import { riskStyle, severityStyle } from './finding.ts';
import { managerSentence } from './managers.ts';
import { statementLines } from './statements.ts';

/** A link of the chain, with who set the finalizer or the reference that leads there, where that is known. */
export interface AnswerLink extends ChainLink {
  readonly setBy?: Provenance;
}

/** The answer about one object, with everything that had to be asked for. */
export interface WhyAnswer
  extends Pick<
    Explanation,
    'summary' | 'telling' | 'survived' | 'because' | 'course' | 'managedBy' | 'context' | 'findings'
  > {
  readonly object: Identity;
  /** From the object to what decides. */
  readonly chain: readonly AnswerLink[];
  /** What becomes of it if nobody acts; empty where there is nothing to tell. */
  readonly next: readonly string[];
  /** With their effects, the safest first. */
  readonly remedies: readonly OfferedRemedy[];
  /** What the objects that it ends at say themselves, failures first; undefined where nobody was asked. */
  readonly statements?: readonly Statement[];
  /** Why events about them cannot be read, where they cannot. */
  readonly eventsUnseen?: string;
  /** What dry runs were answered; undefined where none was asked for, empty where there is nothing to ask. */
  readonly probes?: readonly Pick<ProbeOutcome, 'result' | 'message' | 'evidence'>[];
}

export interface WhyTextOptions {
  /** Adds certainty, related objects and the requests as kubectl commands. */
  readonly wide: boolean;
  /** For a narrow column: states below the names of the chain, not beside them, and remedies before the evidence. */
  readonly stacked?: boolean;
  readonly glyphs: Glyphs;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Columns of the terminal, where that decides how the chain is drawn. */
  readonly width?: number | undefined;
  /** The command for a remedy of the object. */
  command(remedy: OfferedRemedy): ShellCommand;
  /** kubectl commands as they find the same cluster; left out, as they are. */
  readonly kubectl?: (commands: ShellCommands) => ShellCommands;
}

export function* whyLines(answer: WhyAnswer, options: WhyTextOptions): Generator<TextLine> {
  const { findings, summary, telling, course, managedBy, context, next, remedies } = answer;
  yield textLine(summary, telling === undefined ? 'title' : severityStyle[telling.severity]);
  if (answer.chain.length > 1) {
    yield emptyLine;
    yield* chainLines(answer, options);
  }
  yield* saidLines(answer, options);
  const tellsRemedies = remedies.length > 0;
  // A column that follows a cursor shows its first lines: what to do is worth more there than the evidence.
  if (tellsRemedies && options.stacked === true) yield* remedyLines(remedies, options);
  yield* becauseLines(answer, options);
  if (course.length > 0) yield* section('What happened', course);
  if (managedBy.length > 0)
    yield* section(
      'Managed by',
      managedBy.map(each => managerSentence(each, answer.object.namespace)),
    );
  yield* besideLines(
    findings.filter(finding => finding !== telling),
    options,
  );
  if (context.length > 0)
    yield* section(
      'What else acts on it',
      context.map(({ words }) => words),
    );
  if (answer.probes !== undefined) yield* section('What dry runs show', probeSentences(answer.probes));
  if (next.length > 0) yield* section('What happens next', next);
  if (tellsRemedies && options.stacked !== true) yield* remedyLines(remedies, options);
}

function* saidLines(
  { object, statements = [], eventsUnseen }: WhyAnswer,
  { now, wide, stacked }: WhyTextOptions,
): Generator<TextLine> {
  const unseen = wide ? eventsUnseen : undefined;
  if (statements.length === 0 && unseen === undefined) return;
  yield emptyLine;
  yield textLine('What it says', 'title');
  yield* statementLines(object, statements, { now, whole: wide || stacked === true });
  if (unseen !== undefined) yield textLine(`  Events about it cannot be read (${unseen}).`, 'muted', 2);
}

function* section(title: string, sentences: readonly string[]): Generator<TextLine> {
  yield emptyLine;
  yield textLine(title, 'title');
  for (const sentence of sentences) yield textLine(`  ${sentence}`, 'plain', 2);
}

/** `Helm release shop/api (annotation meta.helm.sh/release-name: api)` */
/** Asked with the account of whoever asks: a webhook may answer a controller otherwise. */
function probeSentences(probes: NonNullable<WhyAnswer['probes']>): readonly string[] {
  return probes.length === 0
    ? ['Nothing to ask: no controller that is known here would send a request for it now.']
    : [...probes.map(({ message }) => message), 'Asked with your own account; nothing was stored.'];
}

const LEAST_GAP = 3;
// With fewer columns than this for the reasons they stand below the names.
const LEAST_REASON = 36;
// Names longer than this don't push the reasons out of sight.
const WIDEST_NAME = 56;

/** The way down as a small tree: names on the left, states and reasons in a column of their own. */
function* chainLines(
  { object, chain }: WhyAnswer,
  { glyphs, now, stacked, width: columns }: WhyTextOptions,
): Generator<TextLine> {
  const names = chain.map((link, depth): readonly Span[] => {
    const lead = depth === 0 ? '' : glyphs.blank.repeat(depth - 1) + glyphs.lastBranch;
    const [first, ...rest] = linkName(link, chain[depth - 1], object);
    return [{ ...first, text: `  ${lead}${first.text}` }, ...rest];
  });
  const reasons = chain.map((link, index) => (isOwn(link, chain[index - 1]) ? '' : reasonWords(link, now)));
  const beside = names.filter((_, index) => reasons[index] !== '');
  const width = Math.min(WIDEST_NAME, Math.max(0, ...beside.map(name => widthOf(name) - 2)));
  const room = columns === undefined ? Number.POSITIVE_INFINITY : columns - (2 + width + LEAST_GAP);
  const crowded = room < LEAST_REASON && reasons.some(reason => displayWidth(reason) > room);
  for (const [index] of chain.entries()) {
    const name = names[index] ?? [];
    const reason = reasons[index] ?? '';
    if (reason === '') {
      yield { spans: name, indent: 4 };
      continue;
    }
    if (stacked === true || crowded) {
      const lead = ' '.repeat(2 + displayWidth(glyphs.blank) * index);
      yield { spans: name, indent: lead.length };
      yield { spans: [{ text: `${lead}${reason}`, style: 'muted' }], indent: lead.length };
      continue;
    }
    const indent = 2 + width + LEAST_GAP;
    const gap = Math.max(0, width + 2 - widthOf(name)) + LEAST_GAP;
    yield {
      spans: [...name, { text: ' '.repeat(gap), style: 'plain' }, { text: reason, style: 'muted' }],
      indent,
    };
  }
}

/** It says something of the object of the link before, and leads to no other. */
function isOwn(link: ChainLink, before: ChainLink | undefined): boolean {
  return link.finalizer === undefined && before !== undefined && link.object.uid === before.object.uid;
}

/** `blocked by Pod web-2`, `held by finalizer example.com/drain`, `waits for the garbage collector` */
function linkName(
  link: ChainLink,
  before: ChainLink | undefined,
  about: Identity,
): readonly [Span, ...Span[]] {
  const by = link.by === '' ? '' : `${showHidden(link.by)} `;
  const plain = (text: string): Span => ({ text, style: 'plain' });
  if (isOwn(link, before))
    return [plain(`${by}${by === 'owned by ' ? 'itself: ' : ''}${showHidden(link.because)}`)];
  if (link.finalizer !== undefined) return [plain(`${by}finalizer ${shownName(link.finalizer)}`)];
  const { uid } = link.object;
  const name = plain(objectTitleIn(link.object, about.namespace));
  return [plain(by), uid === about.uid ? name : { ...name, link: { to: 'object', uid } }];
}

function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + displayWidth(text), 0);
}

/** Who set it, where that is known, and how it is. */
function reasonWords(link: AnswerLink, now: number): string {
  const state = stateWords(link, now);
  if (link.setBy === undefined) return state;
  const { manager, at } = link.setBy;
  const what = link.finalizer === undefined ? 'reference set' : 'set';
  // Managed fields tell when the manager last wrote any of its fields.
  const when = at === undefined ? '' : ` ${formatDuration(Math.max(0, now - at))} ago or before`;
  const set = `${what} by ${shownName(manager)}${when}`;
  return link.finalizer === undefined ? `${state}; ${set}` : `${set}; ${state}`;
}

/** The age stands behind the state itself, before what is said of it besides: `deleting for 12m, blocks`. */
function stateWords({ because, since }: ChainLink, now: number): string {
  const words = showHidden(because);
  if (since === undefined) return words;
  const age = `for ${formatDuration(Math.max(0, now - since))}`;
  if (words === '') return age;
  const end = /[,;:(]/u.exec(words)?.index;
  return end === undefined
    ? `${words} ${age}`
    : `${words.slice(0, end).trimEnd()} ${age}${spaced(words.slice(end))}`;
}

function spaced(rest: string): string {
  return rest.startsWith('(') ? ` ${rest}` : rest;
}

function* becauseLines({ telling, because }: WhyAnswer, { wide, now }: WhyTextOptions): Generator<TextLine> {
  if (because.length === 0 && telling === undefined) return;
  yield emptyLine;
  yield { spans: [{ text: 'Because', style: 'title' }, ...labelOf(telling, now)], indent: 0 };
  for (const each of because) yield textLine(`  ${each}`, 'plain', 4);
  if (telling?.certainty === 'assumed')
    yield textLine('  Not certain: something that cannot be seen could change this.', 'warning', 2);
  if (wide && telling !== undefined && telling.related.length > 0)
    yield textLine(`  related: ${telling.related.map(objectTitle).join(', ')}`, 'muted', 4);
}

/** The code, for looking it up, and since when it is so. */
function labelOf(telling: Finding | undefined, now: number): Span[] {
  if (telling === undefined) return [];
  const { code, since } = telling;
  const age = since === undefined ? '' : `, for ${formatDuration(Math.max(0, now - since))}`;
  return [
    { text: '  ', style: 'plain' },
    { text: code, style: 'muted', link: { to: 'finding', code } },
    { text: age, style: 'muted' },
  ];
}

/** Further findings on the same object. */
function* besideLines(findings: readonly Finding[], options: WhyTextOptions): Generator<TextLine> {
  if (findings.length === 0) return;
  yield emptyLine;
  yield textLine('Also', 'title');
  for (const { code, severity, message, evidence } of findings) {
    const spans: Span[] = [
      { text: `  ${severity.padEnd(7)}  `, style: severityStyle[severity] },
      { text: `${showHidden(message)}  `, style: 'plain' },
      { text: code, style: 'muted', link: { to: 'finding', code } },
    ];
    yield { spans, indent: 11 };
    if (options.wide) for (const each of evidence) yield textLine(`           ${each}`, 'muted', 13);
  }
}

const RISK_WIDTH = 'dangerous'.length;
/** The number of a remedy and the blanks around it. */
const LEAD_WIDTH = 5;
const TEXT_INDENT = LEAD_WIDTH + RISK_WIDTH + 2;

/** What can be applied has a number; advice has none. */
function* remedyLines(remedies: readonly OfferedRemedy[], options: WhyTextOptions): Generator<TextLine> {
  yield emptyLine;
  yield textLine('What you can do', 'title');
  // A narrow column has no room for a second one.
  const indent = options.stacked === true ? LEAD_WIDTH : TEXT_INDENT;
  let number = 0;
  for (const remedy of remedies) {
    const applicable = isApplicable(remedy);
    if (applicable) number += 1;
    const lead = applicable ? String(number).padStart(3) : '   ';
    yield {
      spans: [
        { text: `${lead}  `, style: 'plain' },
        { text: remedy.risk.padEnd(RISK_WIDTH), style: riskStyle[remedy.risk] },
        { text: `  ${showHidden(remedy.title)}`, style: 'plain' },
      ],
      indent,
    };
    const below = ' '.repeat(indent);
    if (remedy.effect !== '') yield textLine(`${below}${remedy.effect}`, 'muted', indent);
    const kubectl = options.kubectl?.(remedy.kubectl) ?? remedy.kubectl;
    if (applicable) {
      yield commandLine(below, [options.command(remedy)], 'info', indent + 2);
      if (options.wide) yield commandLine(below, kubectl, 'muted', indent + 2);
    } else if (kubectl.length > 0) yield commandLine(below, kubectl, 'info', indent + 2);
  }
}
