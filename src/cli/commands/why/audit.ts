/** `why --audit-log`: explains a deletion and its consequences from audit logs alone, without a cluster. */
import {
  auditActors,
  DeletionLog,
  type HistorySubject,
  type ObjectHistory,
  wordsOf,
} from '../../../diagnosis/index.ts';
import { type AuditOwner, counted, shownName, TypeCatalog } from '../../../model/index.ts';
import { builtInTypes, readAuditLogs } from '../../../source/index.ts';
import { historyWords, timeText } from '../../../text/index.ts';
import { deletionHistoryDocument } from '../../documents/findings/deletion-history.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { standingFlag } from '../../runtime/flags.ts';
import { lineLook } from '../../runtime/format.ts';
import { formatOf, isDocument } from '../../runtime/output-formats.ts';
import { warn } from '../../runtime/say.ts';
import { parseTargets, type TargetWord } from '../../targets/targets.ts';

/** Owners of owners may be deleted by the collector too; each costs another pass through the log. */
const MOST_OWNERS = 4;

/** Throws a `UsageError` for incompatible flags, and if the log lacks the object. */
export async function whyFromAuditLog(command: TargetCommand, files: readonly string[]): Promise<number> {
  const { flags, targets, output } = command;
  const format = formatOf('why', flags.output);
  refuseSources(command, files);
  const [word, ...more] = parseTargets(targets, flags).words;
  const name = word?.name;
  if (word === undefined || name === undefined || more.length > 0)
    throw new UsageError('--audit-log explains one object: why TYPE/NAME --audit-log FILE.');
  // A log covers all namespaces, like files.
  const subject = {
    isOf: resourceTest(word),
    namespace: flags.allNamespaces === true ? undefined : flags.namespace,
    name,
  };
  const reading = await read(command, files, subject);
  const { log, histories, unreadable } = reading;
  const skipped =
    unreadable === 0 ? undefined : `${counted(unreadable, 'line')} that may speak of it could not be read.`;
  if (histories.length === 0)
    throw new UsageError(
      `${shownName(word.type)} ${shownName(name)} is not in ${files.length === 1 ? 'the log' : 'the logs'}${where(flags.namespace)}: no request there created, changed or deleted it.${skipped === undefined ? '' : ` ${skipped}`}`,
    );
  const all = [...histories, ...(await ownersOf(command, files, histories))];
  if (isDocument(format)) {
    const told = {
      files,
      ...(log.from !== undefined && { from: timeText.timestamp(log.from) }),
      ...(log.to !== undefined && { to: timeText.timestamp(log.to) }),
      unreadableLines: unreadable,
      metadataOnly: log.hasMetadataOnly,
      truncated: log.truncated,
    };
    await output.write(printDocument(deletionHistoryDocument(all, told, kindOf), format));
    return EXIT_DONE;
  }
  if (format === 'name' || format === 'markdown')
    throw new UsageError('--audit-log prints text, json or yaml.');
  const look = lineLook(command);
  await output.write(
    all.flatMap((history, index) => [
      ...(index === 0 ? [] : ['\n']),
      ...historyWords.lines(history, kindOf, all.length > 1).map(line => printLine(line, look)),
    ]),
  );
  if (skipped !== undefined) warn(command.io, skipped);
  if (log.truncated) warn(command.io, 'the log has more about it: only the first 20,000 requests were kept.');
  return EXIT_DONE;
}

function refuseSources({ flags, io }: TargetCommand, files: readonly string[]): void {
  const other = standingFlag(flags) ?? (flags.demo === undefined ? undefined : '--demo');
  if (other !== undefined) throw new UsageError(`--audit-log is read by itself: leave ${other} out.`);
  if (flags.probe === true)
    throw new UsageError('--probe asks an API server, and a log has none. Leave it out.');
  if (files.filter(file => file === '-').length > 1)
    throw new UsageError('standard input is read once: give --audit-log - once.');
  if (files.includes('-') && io.stdinIsTerminal)
    throw new UsageError(
      '--audit-log - reads standard input, which is the terminal here. Pipe something into it.',
    );
}

interface Reading {
  readonly log: DeletionLog;
  readonly histories: readonly ObjectHistory[];
  readonly unreadable: number;
}

async function read(
  { io }: TargetCommand,
  files: readonly string[],
  subject: HistorySubject,
): Promise<Reading> {
  const log = new DeletionLog(subject);
  const { unreadable } = await readAuditLogs(
    { files, words: wordsOf(subject), stdin: () => io.stdin() },
    event => log.take(event),
  );
  return { log, histories: log.histories(), unreadable };
}

/** Finds deletions of the owners, one pass per level, unless a file can be read only once. */
async function ownersOf(
  command: TargetCommand,
  files: readonly string[],
  histories: readonly ObjectHistory[],
): Promise<ObjectHistory[]> {
  if (files.includes('-')) return [];
  const found: ObjectHistory[] = [];
  const seen = new Set(histories.map(({ uid }) => uid));
  const open = histories
    .filter(wasCollected)
    .flatMap(each => each.owners.map(owner => ({ owner, of: each })));
  while (open.length > 0 && found.length < MOST_OWNERS) {
    const next = open.shift();
    if (next === undefined || seen.has(next.owner.uid)) continue;
    const { owner, of } = next;
    seen.add(owner.uid);
    const subject = {
      isOf: ownerTest(owner),
      namespace: of.namespace || undefined,
      name: owner.name,
      uid: owner.uid,
    };
    for (const history of (await read(command, files, subject)).histories) {
      found.push(history);
      if (wasCollected(history)) open.push(...history.owners.map(each => ({ owner: each, of: history })));
    }
  }
  return found;
}

function wasCollected({ deletions: [first] }: ObjectHistory): boolean {
  return first !== undefined && auditActors.controller(first.event) === auditActors.collector;
}

const catalog = new TypeCatalog(builtInTypes);

/** Matches built-in kinds by kubectl's rules, and others by plural. */
function resourceTest({ type: word }: TargetWord): HistorySubject['isOf'] {
  const resolved = catalog.resolveWord(word);
  if (resolved.known)
    return (group, resource) =>
      resolved.types.some(each => each.group === group && each.resource === resource);
  const [first = '', ...rest] = word.toLowerCase().split('.');
  const ofGroup = rest.join('.');
  return (group, resource) =>
    [first, `${first}s`, `${first}es`].includes(resource) &&
    (ofGroup === '' || ofGroup === group || ofGroup.endsWith(`.${group}`));
}

function ownerTest({ apiVersion, kind }: AuditOwner): HistorySubject['isOf'] {
  const type = catalog.resolveKind(apiVersion, kind);
  if (type !== undefined) return (group, resource) => group === type.group && resource === type.resource;
  const slash = apiVersion.indexOf('/');
  const ofGroup = slash < 0 ? '' : apiVersion.slice(0, slash);
  return group => group === ofGroup;
}

function kindOf(group: string, resource: string): string {
  return builtInTypes.find(each => each.group === group && each.resource === resource)?.kind ?? resource;
}

function where(namespace: string | undefined): string {
  return namespace === undefined ? '' : ` in namespace ${shownName(namespace)}`;
}
