/** The answer of `why` as sanitised spans: one sentence, the chain, the evidence, the future, and remedies. */

import {
  type Cause,
  type ChainLink,
  type Explanation,
  type Finding,
  isApplicable,
  type OfferedRemedy,
  type ProbeOutcome,
  type Provenance,
  type Statement,
  type Users,
} from '../../diagnosis/index.ts';
import type { Identity } from '../../graph/index.ts';
import {
  counted,
  enumerated,
  objectTitle,
  objectTitleIn,
  prose,
  type ShellCommand,
  type ShellCommands,
  showHidden,
  shownName,
  wordForms,
} from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import type { Glyphs } from '../terminal/glyphs.ts';
import type { Span } from '../terminal/style.ts';
import { TextLine } from '../terminal/text-line.ts';
import { displayWidth } from '../terminal/width.ts';
import { causeText } from './check-lines.ts';
import { findingWords, riskStyle } from './finding-lines.ts';
import { managerSentence } from './manager-words.ts';
import { statementLines } from './statement-lines.ts';

/** A link with the manager that set its finalizer or reference, if known. */
export interface AnswerLink extends ChainLink {
  readonly setBy?: Provenance;
}

/** The answer on one object, including fetched details. */
export interface WhyAnswer
  extends Pick<
    Explanation,
    'summary' | 'telling' | 'survived' | 'because' | 'course' | 'managedBy' | 'context' | 'findings'
  > {
  readonly object: Identity;
  readonly chain: readonly AnswerLink[];
  readonly next: readonly string[];
  /** For a namespace, definition, node or application: causes that hold its objects, worst first, as in the summary. */
  readonly causes?: readonly Cause[];
  readonly remedies: readonly OfferedRemedy[];
  /** Statements by the chain's ends, failures first; undefined if not requested. */
  readonly statements?: readonly Statement[];
  /** The reason that events can't be read. */
  readonly eventsUnseen?: string;
  /** Answers to dry runs; undefined if not requested, empty if there was nothing to test. */
  readonly probes?: readonly Pick<ProbeOutcome, 'result' | 'message' | 'evidence'>[];
  /** Undefined if nothing can use it, or if its users weren't requested. */
  readonly usedBy?: Awaited<ReturnType<Users['of']>>;
  /** Undefined if it can use nothing, or if its fields weren't requested. */
  readonly uses?: ReturnType<Users['usedIn']>;
}

export interface WhyTextOptions {
  /** Adds certainty, related objects, and requests as kubectl commands. */
  readonly wide: boolean;
  /** For a narrow column: states below the chain's names, and remedies before the evidence. */
  readonly stacked?: boolean;
  readonly glyphs: Glyphs;
  readonly now: number;
  /** The terminal's columns, if they affect the chain. */
  readonly width?: number | undefined;
  command(remedy: OfferedRemedy): ShellCommand;
  /** Adapts kubectl commands to the same cluster; the default leaves them as they are. */
  readonly kubectl?: (commands: ShellCommands) => ShellCommands;
}

export function* whyLines(answer: WhyAnswer, options: WhyTextOptions): Generator<TextLine> {
  const { findings, summary, telling, course, managedBy, context, next, remedies } = answer;
  yield TextLine.of(summary, telling === undefined ? 'title' : findingWords.severityStyle[telling.severity]);
  yield* causeLines(answer, options);
  if (answer.chain.length > 1) {
    yield TextLine.empty;
    yield* chainLines(answer, options);
  }
  yield* saidLines(answer, options);
  const tellsRemedies = remedies.length > 0;
  // In a column that follows the cursor only the first lines show, so remedies come before evidence.
  if (tellsRemedies && options.stacked === true) yield* remedyLines(remedies, options);
  yield* becauseLines(answer, options);
  if (course.length > 0) yield* section('What happened', course);
  if (managedBy.length > 0)
    yield* section(
      'Managed by',
      managedBy.map(each => managerSentence(each, answer.object.namespace)),
    );
  yield* besideLines(
    findings.filter(finding => finding !== telling && !summary.includes(finding.message)),
    options,
  );
  if (context.length > 0)
    yield* section(
      'What else acts on it',
      context.map(({ words }) => words),
    );
  if (answer.probes !== undefined) yield* section('What dry runs show', probeSentences(answer.probes));
  if (next.length > 0) yield* section('What happens next', next);
  yield* useLines(answer);
  if (tellsRemedies && options.stacked !== true) yield* remedyLines(remedies, options);
}

function* useLines({ usedBy, uses = [], telling, object, context }: WhyAnswer): Generator<TextLine> {
  if (usedBy !== undefined) {
    const acting = new Set(context.map(each => each.object.uid));
    const users = usedBy.uses.filter(({ user }) => !acting.has(user.uid));
    const sentences = userSentences({ ...usedBy, uses: users }, object.namespace);
    if (sentences.length > 0) yield* section('Used by', sentences);
  }
  if (uses.length > 0 && telling === undefined) yield* section('Uses', usedSentences(uses, object.namespace));
}

function userSentences(users: Parameters<typeof userWords>[0], namespace: string): readonly string[] {
  return userWords(users, namespace).map(({ user, how }) => (user === '' ? how : `${user} ${how}`));
}

function usedSentences(uses: NonNullable<WhyAnswer['uses']>, namespace: string): readonly string[] {
  return uses.map(({ used, how, ...use }) => {
    const title = objectTitleIn(used, namespace);
    return `${how.replace(/\bit\b/u, () => title)}${withoutIt(use)}`;
  });
}

/** Describes users, and those that cannot be seen, with an empty `user`. */
function userWords(
  { uses, unseen, byName }: NonNullable<WhyAnswer['usedBy']>,
  namespace: string,
): readonly { readonly user: string; readonly how: string }[] {
  const users = uses.map(({ user, how, pods, ...use }) => {
    const many = pods.size > 0 && user.kind !== 'Pod' ? ` (${counted(pods.size, 'pod', 'pods')})` : '';
    return { user: objectTitleIn(user, namespace), how: `${how}${many}${withoutIt(use)}` };
  });
  const nothing = users.length === 0 && byName ? ['nothing of a built-in kind that can be seen'] : [];
  const unread = unseen.map(
    ({ kinds, because }) =>
      `${enumerated(kinds.map(kind => wordForms.plural(kind)))} cannot be read (${prose(because)}): more of them may use it`,
  );
  return [...users, ...[...nothing, ...unread].map(how => ({ user: '', how }))];
}

export const useWords = { ofUsers: userWords, users: userSentences, used: usedSentences };

function withoutIt({ optional }: { readonly optional: boolean }): string {
  return optional ? ', and does without it' : '';
}

/** Causes to list; `-o wide` lists all. */
const CAUSES_LISTED = 5;

function* causeLines({ causes = [] }: WhyAnswer, { now, wide }: WhyTextOptions): Generator<TextLine> {
  if (causes.length < 2) return;
  const listed = wide ? causes : causes.slice(0, CAUSES_LISTED);
  const more = causes.length - listed.length;
  yield* section('What holds its objects', [
    ...listed.map(each => causeText(each, now)),
    ...(more > 0 ? [`${more} more (-o wide)`] : []),
  ]);
}

function* saidLines(
  { object, statements = [], eventsUnseen }: WhyAnswer,
  { now, wide, stacked }: WhyTextOptions,
): Generator<TextLine> {
  const unseen = wide ? eventsUnseen : undefined;
  if (statements.length === 0 && unseen === undefined) return;
  yield TextLine.empty;
  yield TextLine.of('What it says', 'title');
  yield* statementLines(object, statements, { now, whole: wide || stacked === true });
  if (unseen !== undefined) yield TextLine.of(`  Events about it cannot be read (${unseen}).`, 'muted', 2);
}

function* section(title: string, sentences: readonly string[]): Generator<TextLine> {
  yield TextLine.empty;
  yield TextLine.of(title, 'title');
  for (const sentence of sentences) yield TextLine.of(`  ${sentence}`, 'plain', 2);
}

/** Mentions the account, as a webhook may answer a controller differently. */
function probeSentences(probes: NonNullable<WhyAnswer['probes']>): readonly string[] {
  return probes.length === 0
    ? ['Nothing to ask: no controller that is known here would send a request for it now.']
    : [...probes.map(({ message }) => message), 'Asked with your own account; nothing was stored.'];
}

const LEAST_GAP = 3;
// Narrower reasons go below the names.
const LEAST_REASON = 36;
// Longer names don't widen their column, so that reasons stay visible.
const WIDEST_NAME = 56;

/** Draws the chain as a small tree, with states and reasons in a second column. */
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

/** Matches a link about the same object as the previous link. */
function isOwn(link: ChainLink, before: ChainLink | undefined): boolean {
  return link.finalizer === undefined && before !== undefined && link.object.uid === before.object.uid;
}

/** Returns `blocked by Pod web-2`, `held by finalizer example.com/drain`, `waits for the garbage collector`. */
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

function reasonWords(link: AnswerLink, now: number): string {
  const state = stateWords(link, now);
  if (link.setBy === undefined) return state;
  const { manager, at } = link.setBy;
  const what = link.finalizer === undefined ? 'reference set' : 'set';
  // Managed fields only record the manager's last write to any field.
  const when = at === undefined ? '' : ` ${timeText.duration(Math.max(0, now - at))} ago or before`;
  const set = `${what} by ${shownName(manager)}${when}`;
  return link.finalizer === undefined ? `${state}; ${set}` : `${set}; ${state}`;
}

/** Inserts the age after the state itself: `deleting for 12m, blocks`. */
function stateWords({ because, since }: ChainLink, now: number): string {
  const words = showHidden(because);
  if (since === undefined) return words;
  const age = `for ${timeText.duration(Math.max(0, now - since))}`;
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
  yield TextLine.empty;
  yield { spans: [{ text: 'Because', style: 'title' }, ...labelOf(telling, now)], indent: 0 };
  for (const each of because) yield TextLine.of(`  ${each}`, 'plain', 4);
  if (telling?.certainty === 'assumed')
    yield TextLine.of('  Not certain: something that cannot be seen could change this.', 'warning', 2);
  if (wide && telling !== undefined && telling.related.length > 0)
    yield TextLine.of(`  related: ${telling.related.map(objectTitle).join(', ')}`, 'muted', 4);
}

function labelOf(telling: Finding | undefined, now: number): Span[] {
  if (telling === undefined) return [];
  const { code, since } = telling;
  const age = since === undefined ? '' : `, for ${timeText.duration(Math.max(0, now - since))}`;
  return [
    { text: '  ', style: 'plain' },
    { text: code, style: 'muted', link: { to: 'finding', code } },
    { text: age, style: 'muted' },
  ];
}

function* besideLines(findings: readonly Finding[], options: WhyTextOptions): Generator<TextLine> {
  if (findings.length === 0) return;
  yield TextLine.empty;
  yield TextLine.of('Also', 'title');
  for (const { code, severity, message, evidence } of findings) {
    const spans: Span[] = [
      { text: `  ${severity.padEnd(7)}  `, style: findingWords.severityStyle[severity] },
      { text: `${showHidden(message)}  `, style: 'plain' },
      { text: code, style: 'muted', link: { to: 'finding', code } },
    ];
    yield { spans, indent: 11 };
    if (options.wide) for (const each of evidence) yield TextLine.of(`           ${each}`, 'muted', 13);
  }
}

const RISK_WIDTH = 'dangerous'.length;
const LEAD_WIDTH = 5;
const TEXT_INDENT = LEAD_WIDTH + RISK_WIDTH + 2;

/** Numbers remedies that can be applied; advice has no number. */
function* remedyLines(remedies: readonly OfferedRemedy[], options: WhyTextOptions): Generator<TextLine> {
  yield TextLine.empty;
  yield TextLine.of('What you can do', 'title');
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
    if (remedy.effect !== '') yield TextLine.of(`${below}${remedy.effect}`, 'muted', indent);
    const kubectl = options.kubectl?.(remedy.kubectl) ?? remedy.kubectl;
    if (applicable) {
      yield TextLine.command(below, [options.command(remedy)], 'info', indent + 2);
      if (options.wide) yield TextLine.command(below, kubectl, 'muted', indent + 2);
    } else if (kubectl.length > 0) yield TextLine.command(below, kubectl, 'info', indent + 2);
  }
}
