/**
 * The objects that `wait` waits for. A watch says when one is gone; before that is told, the API server is asked for the
 * object itself, because a list may be behind, and a kind that may no longer be listed looks empty.
 */
import type { WaitItem } from '../../../documents/wait/result.ts';
import type { Identity } from '../../../graph/node.ts';
import { isBehind } from '../../../model/exchange/changes.ts';
import { record } from '../../../model/json/json.ts';
import type { Uid } from '../../../model/object.ts';
import { prose } from '../../../model/text/shown.ts';
import { isMonitored, type ResourceType } from '../../../model/types/resource-type.ts';
import { SourceError } from '../../../source/source.ts';
import { behindNote } from '../../../text/connection/connection.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Io } from '../../runtime/io.ts';
import type { ClusterSession } from '../../session/session.ts';
import { absentSentence, namespaceIn, seekManifest } from '../../targets/manifests.ts';
import { findTargets, knownTypes, type TargetQuery, type TargetWord } from '../../targets/targets.ts';

/** An answer to one GET is waited for so long; then it is asked again. */
const PATIENCE_MILLISECONDS = 10_000;
/** So many are asked about at a time. */
const AT_ONCE = 8;

interface Waited {
  readonly object: Identity;
  readonly type: ResourceType;
  /** Undefined while it is there, as far as anybody knows. */
  end: Extract<WaitItem, { readonly outcome: 'Absent' | 'Deleted' | 'Recreated' }> | undefined;
  /** The API server has it, as the watch says. */
  isConfirmed?: boolean;
  /** A clause: why it could not be asked about. */
  doubt: string | undefined;
}

/** A name that no known object has. `place`: its namespace; undefined for any. */
interface Missing {
  readonly type: ResourceType;
  readonly place: string | undefined;
  readonly name: string;
}

/** `there`: with this uid; `unknown` with a clause. */
type Existence =
  | { readonly state: 'there'; readonly uid: Uid }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly because: string; readonly forbidden: boolean };

export class WaitedObjects {
  readonly #session: ClusterSession;
  readonly #io: Io;
  readonly #begun: number;
  #all: Waited[] = [];

  /** From the moment at which the first answer is there. */
  constructor(session: ClusterSession, io: Io) {
    this.#session = session;
    this.#io = io;
    this.#begun = io.now();
  }

  /** Takes in what is meant. Throws a `UsageError` for an unknown type, and for one that cannot be seen. */
  async choose(query: TargetQuery, namespace: string | undefined): Promise<void> {
    const { view } = this.#session;
    // What isn't there is an answer, too; what cannot be seen is none.
    // Asked anew until everything that it looks for has been read.
    this.#all = [];
    const nodes = findTargets(view, { ...query, ignoresMissing: true }, namespace);
    this.#requireSight(query, namespace);
    for (const { identity, object } of nodes)
      if (object !== undefined)
        this.#all.push({ object: identity, type: object.type, end: undefined, doubt: undefined });
    for (const word of query.words)
      for (const { type, place, name } of this.#missing(word, namespace))
        await this.#takeMissing(type, place, name);
  }

  /** What a word names, where no object is known of that name. */
  #missing({ type: word, name, manifest }: TargetWord, namespace: string | undefined): readonly Missing[] {
    const { catalog } = this.#session.view;
    if (manifest !== undefined) {
      const sought = seekManifest(this.#session.view, manifest, namespace);
      // As kubectl, which asks for each by its kind.
      if (sought.is === 'unserved')
        throw new UsageError(absentSentence({ ...manifest, because: 'unserved' }));
      const type = catalog.resolveKind(manifest.apiVersion, manifest.kind);
      const watched = type && catalog.preferredOf(type);
      if (sought.is !== 'absent' || watched === undefined) return [];
      return [{ type: watched, place: sought.namespace, name: manifest.name }];
    }
    const [type] = knownTypes(catalog, word) ?? [];
    const watched = type && catalog.preferredOf(type);
    if (name === undefined || watched === undefined) return [];
    const isThere = this.#all.some(
      ({ object, type: { group, kind } }) =>
        object.name === name && group === watched.group && kind === watched.kind,
    );
    return isThere ? [] : [{ type: watched, place: watched.namespaced ? namespace : '', name }];
  }

  /** A list that is behind may not have it yet. */
  async #takeMissing(type: ResourceType, namespace: string | undefined, name: string): Promise<void> {
    const { apiVersion, kind } = type;
    const object = { apiVersion, kind, namespace: namespace ?? '', name, uid: '' as Uid };
    // Over all namespaces there is no object of this name to ask for.
    const found: Existence =
      namespace === undefined ? { state: 'absent' } : await this.#existence(type, object);
    if (found.state === 'there')
      this.#all.push({ object: { ...object, uid: found.uid }, type, end: undefined, doubt: undefined });
    else if (found.state === 'absent' || found.forbidden)
      this.#all.push({ object, type, end: { object, outcome: 'Absent' }, doubt: undefined });
    else this.#all.push({ object, type, end: undefined, doubt: found.because });
  }

  /** Throws a `UsageError` where objects of a kind that is meant could be there unseen. */
  #requireSight({ words }: TargetQuery, namespace: string | undefined): void {
    const { view } = this.#session;
    for (const { type: word, manifest } of words) {
      const types =
        manifest === undefined
          ? knownTypes(view.catalog, word)
          : [view.catalog.resolveKind(manifest.apiVersion, manifest.kind)].flatMap(type => type ?? []);
      for (const type of (types ?? []).filter(isMonitored)) {
        const place =
          manifest === undefined || !type.namespaced ? namespace : namespaceIn(manifest, namespace);
        const isSeen = type.namespaced
          ? place === undefined
            ? view.visibility(type) === 'visible'
            : view.reads(type, place)
          : view.reads(type, '');
        if (isSeen) continue;
        const reason = view.statusOf(type)?.reason ?? 'no reason given';
        throw new UsageError(
          `${type.resource} cannot be listed${place === undefined ? ' in all namespaces' : ''} (${prose(reason)}), so nobody can tell when they are deleted.`,
        );
      }
    }
  }

  get size(): number {
    return this.#all.length;
  }

  /** Those that are not known to be gone. */
  get remaining(): readonly Identity[] {
    return this.#all.filter(({ end }) => end === undefined).map(({ object }) => object);
  }

  /**
   * Asks about those that the watch says are gone; where the cluster isn't followed and it is the last time, about all.
   * Resolves with the ends that are new, in order.
   */
  async settle(isLast: boolean): Promise<readonly WaitItem[]> {
    const askAll = isLast && isBehind(this.#session.view.connection);
    const gone = this.#all.filter(
      ({ object, end }) => end === undefined && (askAll || !this.#isWatched(object.uid)),
    );
    const fresh: WaitItem[] = [];
    for (let first = 0; first < gone.length; first += AT_ONCE)
      await Promise.all(
        gone.slice(first, first + AT_ONCE).map(async each => {
          await this.#ask(each);
          if (each.end !== undefined) fresh.push(each.end);
        }),
      );
    return fresh;
  }

  #isWatched(uid: Uid): boolean {
    return uid !== '' && this.#session.view.graph.get(uid)?.object !== undefined;
  }

  async #ask(waited: Waited): Promise<void> {
    const { object, type } = waited;
    const found = await this.#existence(type, object);
    const milliseconds = Math.max(0, this.#io.now() - this.#begun);
    if (found.state === 'absent') waited.end = this.#deleted(waited, milliseconds);
    else if (found.state === 'there' && found.uid !== object.uid && object.uid !== '')
      waited.end = { object, outcome: 'Recreated', milliseconds, uid: found.uid };
    else if (found.state === 'there') {
      waited.isConfirmed = this.#isWatched(object.uid);
      waited.doubt = 'the API server has it, and the watch does not show it';
    } else if (found.forbidden && this.#isFollowed(type, object.namespace))
      // The watch has told of the deletion itself.
      waited.end = this.#deleted(waited, milliseconds);
    else waited.doubt = found.because;
  }

  #isFollowed(type: ResourceType, namespace: string): boolean {
    const { view } = this.#session;
    return view.reads(type, namespace) && !isBehind(view.connection);
  }

  /** One that came under its name meanwhile is told. */
  #deleted({ object, type }: Waited, milliseconds: number): NonNullable<Waited['end']> {
    if (object.uid === '') return { object, outcome: 'Absent' };
    const next = this.#session.view.graph.find(type, object.namespace, object.name);
    return next?.object === undefined || next.identity.uid === object.uid
      ? { object, outcome: 'Deleted', milliseconds }
      : { object, outcome: 'Recreated', milliseconds, uid: next.identity.uid };
  }

  async #existence(type: ResourceType, { namespace, name }: Identity): Promise<Existence> {
    const enough = new AbortController();
    try {
      const { source } = this.#session;
      const read =
        source.getMetadata?.(type, namespace, name) ?? source.get(type, namespace, name, enough.signal);
      const late = this.#io.pause(PATIENCE_MILLISECONDS, enough.signal).then(() => 'late' as const);
      const json = await this.#session.until(Promise.race([read, late]));
      if (json === 'late') return unknown('the API server does not answer');
      if (json === undefined) return { state: 'absent' };
      const uid = record(json['metadata'])['uid'];
      return typeof uid === 'string'
        ? { state: 'there', uid: uid as Uid }
        : unknown('the API server answered with no object');
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { ...unknown(prose(error.message)), forbidden: error.status === 403 };
    } finally {
      enough.abort();
    }
  }

  /** In the order of the command line. `answers`: why those are there that remain. */
  items(
    answers: ReadonlyMap<Uid, Extract<WaitItem, { readonly outcome: 'Remaining' }>['answer']>,
  ): WaitItem[] {
    const { connection } = this.#session.view;
    return this.#all.map((waited): WaitItem => {
      const { object, end, doubt, isConfirmed } = waited;
      if (end?.outcome === 'Deleted') return this.#deleted(waited, end.milliseconds);
      if (end !== undefined) return end;
      const behind = behindNote(connection).replace(/\.$/u, '');
      if (behind !== '' && isConfirmed !== true) return { object, outcome: 'Unknown', because: behind };
      const answer = answers.get(object.uid);
      if (answer !== undefined) return { object, outcome: 'Remaining', answer };
      return { object, outcome: 'Unknown', because: doubt ?? 'nothing tells of it any more' };
    });
  }
}

function unknown(because: string): Extract<Existence, { readonly state: 'unknown' }> {
  return { state: 'unknown', because, forbidden: false };
}
