/** `activity --from`: what the history of a `serve` tells, printed as `activity` prints its own. */
import { readFileSync } from 'node:fs';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { get as getTls } from 'node:https';
import { isIP } from 'node:net';
import { type ActivityEntry, ActivityKind } from '../../../activity/index.ts';
import {
  counted,
  type JsonRecord,
  jsonValue,
  list,
  prose,
  record,
  shownName,
  text,
  textEscapes,
  type Uid,
} from '../../../model/index.ts';
import { ConnectionFlags } from '../../../source/index.ts';
import { activityWords, connectionWords } from '../../../text/index.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { type Flags, filesFlag, flagOf } from '../../runtime/flags.ts';
import { lineLook } from '../../runtime/format.ts';
import { unlessInterrupted } from '../../runtime/io.ts';
import { formatOf } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { parseTargets } from '../../targets/targets.ts';
import { kindsOf } from './activity-scope.ts';
import { byAction } from './printer.ts';

const PATIENCE_MS = 30_000;
const MOST_BYTES = 64 * 2 ** 20;
const PATH = '/v1alpha1/history';

/** Connection flags that say how to reach the server, or what to ask of it. */
const used: ReadonlySet<string> = new Set([
  'namespace',
  'token',
  'certificateAuthority',
  'insecureSkipTlsVerify',
]);

interface Served {
  readonly item: JsonRecord;
  readonly id: unknown;
  readonly what: ActivityKind;
  cause: Served | undefined;
}

export async function servedActivity(command: TargetCommand, from: string): Promise<number> {
  const { flags, io, output } = command;
  const url = addressOf(from, command);
  const format = formatOf('activity', flags.output);
  const kinds = kindsOf(flags.what);
  const answer = await unlessInterrupted(io, answered(url, flags));
  const served = servedIn(answer).filter(({ what }) => kinds?.has(what) !== false);
  if (format === 'text') await output.write(linesOf(served, command));
  else
    for (const [place, { item }] of served.entries()) {
      const { apiVersion, basis } = answer;
      const document = { apiVersion, kind: 'ActivityEntry', basis, ...item };
      if (format === 'json') await output.write([`${textEscapes.json(document)}\n`]);
      else await output.write([...(place === 0 ? [] : ['---\n']), ...printDocument(document, 'yaml')]);
    }
  for (const note of notesOf(answer, served.length)) say(io, note);
  return EXIT_DONE;
}

function addressOf(from: string, { flags, targets }: TargetCommand): URL {
  const given = ConnectionFlags.all.find(name => !used.has(name) && flags[name] !== undefined);
  const other =
    filesFlag(flags) ??
    (flags.demo !== undefined ? '--demo' : flags.replay !== undefined ? '--replay' : undefined) ??
    (flags.watch === true ? '--watch' : given && flagOf(given));
  if (other !== undefined)
    throw new UsageError(`--from asks a server, so ${other} would do nothing. Leave one of them out.`);
  const base = URL.parse(from);
  if (base === null || (base.protocol !== 'https:' && base.protocol !== 'http:') || base.username !== '')
    throw new UsageError('--from needs the address of a serve, such as https://gc-tree.example.com:8443.');
  if (base.protocol === 'http:' && flags.token !== undefined && !isLocal(base.hostname))
    throw new UsageError('--from: a token needs https on a non-loopback address.');
  const { words } = parseTargets(targets, flags);
  const [target, second] = words;
  if (second !== undefined) throw new UsageError('--from takes one target at a time.');
  if (flags.namespace === undefined && flags.allNamespaces !== true)
    throw new UsageError('--from knows no current namespace: add -n NAMESPACE or -A.');
  const url = new URL(PATH, base);
  if (flags.allNamespaces === true) url.searchParams.set('all-namespaces', 'true');
  else url.searchParams.set('namespace', flags.namespace ?? '');
  if (target !== undefined) url.searchParams.set('kind', target.type);
  if (target?.name !== undefined) url.searchParams.set('name', target.name);
  if (flags.since !== undefined) url.searchParams.set('since', flags.since);
  return url;
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Rejects with a `UsageError` for anything but an ActivityList. */
async function answered(url: URL, flags: Flags): Promise<JsonRecord> {
  const { status, body } = await received(url, flags).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--from: ${url.origin} does not answer: ${why}`);
  });
  const answer = record(parsed(body));
  if (status !== 200)
    throw new UsageError(`--from: ${url.origin} answers ${status}: ${prose(text(answer['message']))}`);
  if (answer['kind'] !== 'ActivityList')
    throw new UsageError(`--from: ${url.origin} answers no history. Is it a kubectl gc-tree serve?`);
  return answer;
}

function parsed(body: string): unknown {
  try {
    return jsonValue(body);
  } catch {
    return undefined;
  }
}

function received(url: URL, flags: Flags): Promise<{ readonly status: number; readonly body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const take = (response: IncomingMessage): void => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) response.destroy(new Error(`more than ${MOST_BYTES} bytes`));
      chunks.push(chunk);
    });
    response.once('error', reject);
    response.once('end', () =>
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }),
    );
  };
  const { token, certificateAuthority: ca, insecureSkipTlsVerify } = flags;
  const options = {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(PATIENCE_MS),
  };
  const request =
    url.protocol === 'http:'
      ? getPlain(url, options, take)
      : getTls(
          url,
          {
            ...options,
            ...(ca === undefined ? {} : { ca: authorityOf(ca) }),
            rejectUnauthorized: insecureSkipTlsVerify !== true,
          },
          take,
        );
  request.once('error', reject);
  return promise;
}

function authorityOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`--certificate-authority: ${file} cannot be read (${why}).`);
  }
}

/** Returns those that this version knows, each below its cause. */
function servedIn(answer: JsonRecord): readonly Served[] {
  const byId = new Map<unknown, Served>();
  for (const item of list(answer['items']).map(record)) {
    const what = ActivityKind.all.find(each => each === item['what']);
    if (what === undefined || Number.isNaN(Date.parse(text(item['at'])))) continue;
    const cause = byId.get(item['causedBy']);
    byId.set(item['id'], { item, id: item['id'], what, cause });
  }
  return byAction([...byId.values()]);
}

function linesOf(served: readonly Served[], command: TargetCommand): readonly string[] {
  const now = command.io.now();
  const lines = served.map(each => {
    const { apiVersion, kind, namespace, name, uid } = record(each.item['object']);
    const object: ActivityEntry['object'] = {
      apiVersion: text(apiVersion),
      kind: text(kind),
      namespace: text(namespace),
      name: text(name),
      uid: text(uid) as Uid,
    };
    const at = Date.parse(text(each.item['at']));
    let depth = 0;
    for (let { cause } = each; cause !== undefined; cause = cause.cause) depth += 1;
    return activityWords.told({ at, what: each.what, object, why: whyOf(each.item), depth }, now);
  });
  const titled = command.flags.headers && lines.length > 0 ? [activityWords.titles, ...lines] : lines;
  return titled.map(line => printLine(line, lineLook(command)));
}

function whyOf(item: JsonRecord): string {
  const askers = list(item['requests'])
    .map(record)
    .map(({ user, verb }) => `${prose(text(verb))} by ${shownName(text(user))}`);
  return [prose(text(item['because'])), ...askers].join('; ');
}

function notesOf(answer: JsonRecord, shown: number): readonly string[] {
  const { since, omitted, hidden, basis } = answer;
  const spots = list(record(basis)['blindSpots']).map(record);
  const unseen = connectionWords.unseen(
    spots.map(({ resource, reason }) => ({ resource: text(resource), reason: text(reason) })),
  );
  const entries = (count: number): string => counted(count, 'entry', 'entries');
  return [
    ...(shown === 0 ? ['Nothing of that is in the history.\n'] : []),
    `The history begins at ${prose(text(since))}.\n`,
    ...(Number(omitted) > 0
      ? [`Left out as older: ${entries(Number(omitted))}. Ask for less, as with --since.\n`]
      : []),
    ...(Number(hidden) > 0
      ? [`Left out because of objects that you may not list: ${entries(Number(hidden))}.\n`]
      : []),
    ...(unseen === '' ? [] : [`${unseen[0]?.toUpperCase() ?? ''}${unseen.slice(1)}.\n`]),
  ];
}
