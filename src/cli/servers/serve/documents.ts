/** Serves a document over HTTP: the command's `-o json`, limited to what the caller may list. Parameters are flags. */

import { textEscapes } from '../../../model/index.ts';
import { capturedIo, Gathered } from '../../asking/captured.ts';
import { printDocument } from '../../documents/print/document.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_WRONG } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import {
  activityList,
  type HistoryQuestion,
  historyQuestion,
  missingScope,
} from '../history/activity-list.ts';
import type { History } from '../history/history.ts';
import { BoundedQueue } from '../http/bounded-queue.ts';
import { allPermissions, type Permissions, permissionsOf } from '../http/caller-permissions.ts';
import { type Answer, failure } from '../http/http-server.ts';
import { RestrictedSource } from '../http/restricted-source.ts';
import type { Reviewer } from '../http/reviews.ts';
import { busy, type DocumentName, type DocumentRequest } from '../http/routes.ts';
import type { FollowedCluster } from './follow.ts';

/** Requests that wait while one is answered, which occupies a core. */
const MOST_WAITING = 8;
/** Limit for a document; larger ones have to be requested by namespace. */
const MOST_CHARACTERS = 128 * 1024 * 1024;

const selecting = ['namespace', 'all-namespaces', 'selector', 'field-selector', 'all'] as const;

type CommandName = Exclude<DocumentName, 'history'>;

/** Allowed flags in addition to `target` and `output`. */
const parameters: Readonly<Record<CommandName, readonly string[]>> = {
  tree: [...selecting, 'sort-by', 'flat'],
  why: selecting,
  check: [...selecting, 'codes', 'exclude-codes', 'sort-by', 'effects'],
  podgc: selecting,
  plan: [...selecting, 'action', 'cascade', 'grace-period', 'force', 'remedy', 'steps'],
};

const lists: ReadonlySet<string> = new Set(['target', 'codes', 'exclude-codes']);

const switches: ReadonlySet<string> = new Set(['all-namespaces', 'all', 'flat', 'force', 'steps']);

interface DocumentsOptions {
  readonly command: TargetCommand;
  readonly cluster: FollowedCluster;
  readonly reviewer: Reviewer | undefined;
  readonly history: History | undefined;
}

export class Documents {
  readonly #options: DocumentsOptions;
  readonly #queue = new BoundedQueue(MOST_WAITING);

  constructor(options: DocumentsOptions) {
    this.#options = options;
  }

  /** Rejects with `ReviewFailed`. */
  async answer(request: DocumentRequest): Promise<Answer> {
    const { cluster } = this.#options;
    if (!cluster.synced)
      return {
        ...failure(503, 'not everything has been listed yet: /readyz says when it has'),
        headers: { 'retry-after': '5' },
      };
    const { name } = request;
    if (name === 'history') return this.#history(request);
    const argv = argvOf({ ...request, name }, this.#options.command.flags);
    if (typeof argv === 'string') return failure(400, argv);
    // A queue limits the load on the API server.
    return this.#queue.run(() => this.#run(argv, request)) ?? busy('too many documents are asked for');
  }

  async #history(request: DocumentRequest): Promise<Answer> {
    const { cluster, history } = this.#options;
    if (history === undefined) return failure(404, 'serve --history FOLDER answers here');
    const question = historyQuestion(request.query, cluster.session.now());
    if (typeof question === 'string') return failure(400, question);
    const { session } = cluster;
    const permissions = await this.#permissionsOf(request);
    const list = activityList(history, question, { session, permissions });
    return { status: 200, body: `${textEscapes.json(list)}\n`, contentType: 'application/json' };
  }

  #permissionsOf({ query, caller }: DocumentRequest): Promise<Permissions> {
    const { cluster, reviewer } = this.#options;
    const namespace = query.get('namespace') ?? undefined;
    if (reviewer === undefined || caller === undefined) return Promise.resolve(allPermissions(namespace));
    return permissionsOf(reviewer, caller, { catalog: cluster.session.view.catalog, namespace });
  }

  async #run(argv: readonly string[], request: DocumentRequest): Promise<Answer> {
    const { gone, query } = request;
    const { command, cluster } = this.#options;
    const { view, source } = cluster.session;
    if (gone.aborted) return failure(503, 'the connection was closed');
    const permissions = await this.#permissionsOf(request);
    const stdout = new Gathered(MOST_CHARACTERS);
    const stderr = new Gathered(MOST_CHARACTERS);
    const code = await command.runLine(argv, capturedIo(command.io, { stdout, stderr, gone }), {
      ...command.services,
      openSource: () => Promise.resolve(new RestrictedSource(view, source.info, permissions)),
    });
    if (stdout.isFull) return failure(413, 'the document is too large: ask for less, by namespace or target');
    if (code === EXIT_WRONG)
      return (
        (await this.#gone(request, permissions)) ??
        failure(400, stderr.text.replace(/^kubectl gc-tree: /u, '').trim())
      );
    return documentAnswer(stdout.text, query);
  }

  /** Answers `why` for an object that the history saw deleted; undefined for others. */
  async #gone(
    { name, query, caller }: DocumentRequest,
    permissions: Permissions,
  ): Promise<Answer | undefined> {
    const { cluster, reviewer, history } = this.#options;
    const question = name === 'why' && history !== undefined ? goneQuestion(query) : undefined;
    if (question === undefined || history === undefined) return undefined;
    const path = { path: '/v1alpha1/history', verb: 'get' };
    if (reviewer && caller && !(await reviewer.allows(caller, { nonResourceAttributes: path })))
      return undefined;
    const list = activityList(history, question, { session: cluster.session, permissions });
    const isTold = list.items.some(({ object }) => object.name === question.name);
    const format = query.get('output') === 'yaml' ? 'yaml' : 'json';
    return isTold ? documentAnswer([...printDocument(list, format)].join(''), query) : undefined;
  }
}

function documentAnswer(body: string, query: URLSearchParams): Answer {
  const yaml = query.get('output') === 'yaml';
  return { status: 200, body, contentType: yaml ? 'application/yaml' : 'application/json' };
}

/** Returns undefined unless exactly one object is named. */
function goneQuestion(query: URLSearchParams): HistoryQuestion | undefined {
  const [target = '', ...others] = query.getAll('target');
  const [, kind, name] = /^([^/]+)\/([^/]+)$/u.exec(target) ?? [];
  const isSelecting = ['selector', 'field-selector', 'all'].some(each => query.has(each));
  if (kind === undefined || others.length > 0 || isSelecting) return undefined;
  return { namespace: query.get('namespace') ?? undefined, kind, name, since: Number.NEGATIVE_INFINITY };
}

/** Returns a sentence for a malformed request. */
function argvOf(
  { name, query }: DocumentRequest & { readonly name: CommandName },
  given: Flags,
): readonly string[] | string {
  const known = [...parameters[name], 'target', 'output'];
  const unknown = [...query.keys()].find(key => !known.includes(key));
  if (unknown !== undefined)
    return `there is no parameter ${JSON.stringify(unknown)} here. There is ${known.join(', ')}.`;
  const twice = [...query.keys()].find(key => !lists.has(key) && query.getAll(key).length > 1);
  if (twice !== undefined) return `give ${twice} once.`;
  const missing = missingScope(query);
  if (missing !== undefined) return missing;
  const output = query.get('output') ?? 'json';
  if (output !== 'json' && output !== 'yaml') return 'output is json or yaml.';
  const flags = ownFlags(name, given);
  for (const [key, value] of query) {
    if (key === 'target' || key === 'output' || key === 'action') continue;
    if (key === 'effects') {
      if (value === 'false') flags.push('--no-effects');
      else if (value !== 'true') return 'effects is true or false.';
    } else if (switches.has(key)) {
      if (value === 'true') flags.push(`--${key}`);
      else if (value !== 'false') return `${key} is true or false.`;
    } else flags.push(`--${key}=${value}`);
  }
  const action = query.getAll('action');
  return [name, `--output=${output}`, ...flags, '--', ...action, ...query.getAll('target')];
}

/** The server's own settings apply to every document. */
function ownFlags(
  name: CommandName,
  { terminatedPodGcThreshold: threshold, catalogue = [] }: Flags,
): string[] {
  return [
    ...(threshold === undefined || name === 'tree' ? [] : [`--terminated-pod-gc-threshold=${threshold}`]),
    ...(name === 'podgc' ? [] : catalogue.map(file => `--catalogue=${file}`)),
  ];
}
