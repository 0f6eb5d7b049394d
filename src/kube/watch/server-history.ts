/**
 * Whether an API server still has the history that was followed. It doesn't where etcd was restored from a backup: its
 * resource versions go back, and a watch that begins at a version still to come stays silent until that version has
 * passed (v1.36, storage/cacher/watch_cache.go).
 *
 * Two reads of the newest state, one after the other, never go back in one history, whichever replica answers: a lower
 * version means another history. A higher version proves nothing, for the new history may have passed the old one. What
 * proves that it is the same is a process that served before and still serves, for a backup is restored with every API
 * server stopped (kubernetes.io, "Operating etcd clusters for Kubernetes"). Each renews a lease of its own every ten
 * seconds, under an identity that is new at each start (v1.26, pkg/controlplane/apiserver/server.go).
 */
import { list, record, text } from '../../model/json/json.ts';
import { compareResourceVersions } from '../../model/object.ts';
import type { Transport } from '../transport/transport.ts';
import { getJson } from '../transport/whole-answer.ts';

/** What one look says of the history since the look before. */
export interface HistorySign {
  /** It is another one. */
  readonly wentBack: boolean;
  /** It is the same one. */
  readonly isSame: boolean;
  /** Other processes serve than before: the data may have been changed meanwhile. */
  readonly isDoubtful: boolean;
}

const leases = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=${encodeURIComponent('apiserver.kubernetes.io/identity=kube-apiserver')}`;

/** Small lists of what kube-apiserver itself stores, the most telling one first. */
const places: readonly string[] = [leases, '/api/v1/namespaces?limit=1'];

/** What is known where nothing can be read. */
export const NO_SIGN: HistorySign = { wentBack: false, isSame: false, isDoubtful: false };

export class ServerHistory {
  readonly #transport: Transport;
  /** Those that may be read, as far as known. */
  #places = places;
  #version = '';
  /** By identity of the process, in milliseconds since the epoch. */
  #renewals: ReadonlyMap<string, number> = new Map();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends one small request, none where nothing may be read. Rejects as the transport does. */
  async look(signal: AbortSignal): Promise<HistorySign> {
    const [place] = this.#places;
    if (place === undefined) return NO_SIGN;
    const { status, json } = await getJson(this.#transport, place, { signal });
    if (status === 403 || status === 404 || status === 405) {
      // Not asked for again: each refusal is a line in somebody's audit log.
      this.#places = this.#places.slice(1);
      return this.look(signal);
    }
    return status === 200 ? this.#compare(json) : NO_SIGN;
  }

  #compare(json: unknown): HistorySign {
    const version = text(record(record(json)['metadata'])['resourceVersion']);
    const renewals = readRenewals(json);
    const wentBack = (compareResourceVersions(version, this.#version) ?? 0) < 0;
    const isKept = [...renewals].some(([identity, at]) => at > (this.#renewals.get(identity) ?? Infinity));
    const isOther =
      this.#renewals.size > 0 && [...renewals.keys()].some(identity => !this.#renewals.has(identity));
    this.#version = version;
    this.#renewals = renewals;
    return { wentBack, isSame: isKept && !wentBack, isDoubtful: isOther && !isKept };
  }
}

function readRenewals(json: unknown): ReadonlyMap<string, number> {
  const renewals = new Map<string, number>();
  for (const lease of list(record(json)['items'])) {
    const spec = record(record(lease)['spec']);
    const at = Date.parse(text(spec['renewTime']));
    if (!Number.isNaN(at)) renewals.set(text(spec['holderIdentity']), at);
  }
  return renewals;
}
