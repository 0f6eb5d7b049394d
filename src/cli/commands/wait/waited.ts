/** The objects that `wait` waits for. A GET confirms deletions: lists may be outdated, or empty without permission. */

import type { Identity } from '../../../graph/index.ts';
import { Connection, prose, ResourceType, record, type Uid } from '../../../model/index.ts';
import { SourceError } from '../../../source/index.ts';
import { connectionWords } from '../../../text/index.ts';
import type { WaitItem } from '../../documents/wait/wait-result.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Io } from '../../runtime/io.ts';
import type { ClusterSession } from '../../session/session.ts';
import { absentSentence, namespaceIn, seekManifest } from '../../targets/manifests.ts';
import { findTargets, knownTypes, type TargetQuery, type TargetWord } from '../../targets/targets.ts';

/** A GET is repeated after this long without an answer. */
const PATIENCE_MILLISECONDS = 10_000;
const AT_ONCE = 8;

interface Waited {
  readonly object: Identity;
  readonly type: ResourceType;
  /** Undefined while the object exists, according to the watch. */
  end: Extract<WaitItem, { readonly outcome: 'Absent' | 'Deleted' | 'Recreated' }> | undefined;
  /** True if the watch shows the object. */
  isConfirmed?: boolean;
  /** A clause on why it couldn't be checked. */
  doubt: string | undefined;
}

/** A name without a known object. `place`: its namespace, undefined for any. */
interface Missing {
  readonly type: ResourceType;
  readonly place: string | undefined;
  readonly name: string;
}

type Existence =
  | { readonly state: 'there'; readonly uid: Uid }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly because: string; readonly forbidden: boolean };

export class WaitedObjects {
  readonly #session: ClusterSession;
  readonly #io: Io;
  readonly #begun: number;
  #all: Waited[] = [];

  constructor(session: ClusterSession, io: Io) {
    this.#session = session;
    this.#io = io;
    this.#begun = io.now();
  }

  /** Throws a `UsageError` for an unknown type, and for one that can't be seen. */
  async choose(query: TargetQuery, namespace: string | undefined): Promise<void> {
    const { view } = this.#session;
    // Absence is an answer, but invisibility isn't. The search starts anew after each further read.
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

  #missing({ type: word, name, manifest }: TargetWord, namespace: string | undefined): readonly Missing[] {
    const { catalog } = this.#session.view;
    if (manifest !== undefined) {
      const sought = seekManifest(this.#session.view, manifest, namespace);
      // kubectl asks for each by its kind, and fails too.
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

  /** Checks with the API server: an outdated list may lack it. */
  async #takeMissing(type: ResourceType, namespace: string | undefined, name: string): Promise<void> {
    const { apiVersion, kind } = type;
    const object = { apiVersion, kind, namespace: namespace ?? '', name, uid: '' as Uid };
    // There is no GET over all namespaces.
    const found: Existence =
      namespace === undefined ? { state: 'absent' } : await this.#existence(type, object);
    if (found.state === 'there')
      this.#all.push({ object: { ...object, uid: found.uid }, type, end: undefined, doubt: undefined });
    else if (found.state === 'absent' || found.forbidden)
      this.#all.push({ object, type, end: { object, outcome: 'Absent' }, doubt: undefined });
    else this.#all.push({ object, type, end: undefined, doubt: found.because });
  }

  /** Throws a `UsageError` if wanted objects could exist unseen. */
  #requireSight({ words }: TargetQuery, namespace: string | undefined): void {
    const { view } = this.#session;
    for (const { type: word, manifest } of words) {
      const types =
        manifest === undefined
          ? knownTypes(view.catalog, word)
          : [view.catalog.resolveKind(manifest.apiVersion, manifest.kind)].flatMap(type => type ?? []);
      for (const type of (types ?? []).filter(ResourceType.isMonitored)) {
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
          `${type.resource} cannot be listed${place === undefined ? ' in all namespaces' : ''} (${prose(reason)}), so it is unknown when they are deleted.`,
        );
      }
    }
  }

  get size(): number {
    return this.#all.length;
  }

  get remaining(): readonly Identity[] {
    return this.#all.filter(({ end }) => end === undefined).map(({ object }) => object);
  }

  /** Checks objects that seem gone, or all on a last call without a connection. Resolves with new ends. */
  async settle(isLast: boolean): Promise<readonly WaitItem[]> {
    const askAll = isLast && Connection.isBehind(this.#session.view.connection);
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
      // The watch reported the deletion itself.
      waited.end = this.#deleted(waited, milliseconds);
    else waited.doubt = found.because;
  }

  #isFollowed(type: ResourceType, namespace: string): boolean {
    const { view } = this.#session;
    return view.reads(type, namespace) && !Connection.isBehind(view.connection);
  }

  /** Detects a successor of the same name. */
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

  items(
    answers: ReadonlyMap<Uid, Extract<WaitItem, { readonly outcome: 'Remaining' }>['answer']>,
  ): WaitItem[] {
    const { connection } = this.#session.view;
    return this.#all.map((waited): WaitItem => {
      const { object, end, doubt, isConfirmed } = waited;
      if (end?.outcome === 'Deleted') return this.#deleted(waited, end.milliseconds);
      if (end !== undefined) return end;
      const behind = connectionWords.behindNote(connection).replace(/\.$/u, '');
      if (behind !== '' && isConfirmed !== true) return { object, outcome: 'Unknown', because: behind };
      const answer = answers.get(object.uid);
      if (answer !== undefined) return { object, outcome: 'Remaining', answer };
      return { object, outcome: 'Unknown', because: doubt ?? 'nothing reports it any more' };
    });
  }
}

function unknown(because: string): Extract<Existence, { readonly state: 'unknown' }> {
  return { state: 'unknown', because, forbidden: false };
}
