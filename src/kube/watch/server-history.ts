/**
 * Checks if an API server still has the followed history. After etcd was restored from a backup, resource versions go
 * back, and watches from a future version stay silent (v1.36, storage/cacher/watch_cache.go).
 *
 * A lower version than in an earlier read of the newest state means another history, whichever replica answers. A
 * higher one proves nothing, but a process that still serves proves the same history, because a backup is restored with
 * every API server stopped (kubernetes.io, "Operating etcd clusters for Kubernetes"). Each renews its own lease every
 * ten seconds, under an identity that is new at each start (v1.26, pkg/controlplane/apiserver/server.go).
 */
import { list, ResourceVersion, record, text } from '../../model/index.ts';
import type { Transport } from '../transport/transport.ts';
import { getJson } from '../transport/whole-answer.ts';

export interface HistorySign {
  readonly wentBack: boolean;
  readonly isSame: boolean;
  /** Other API server processes serve than before: the data may have been changed meanwhile. */
  readonly isDoubtful: boolean;
}

const leases = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=${encodeURIComponent('apiserver.kubernetes.io/identity=kube-apiserver')}`;

/** Small lists stored by kube-apiserver itself, the most informative first. */
const places: readonly string[] = [leases, '/api/v1/namespaces?limit=1'];

export const NO_SIGN: HistorySign = { wentBack: false, isSame: false, isDoubtful: false };

export class ServerHistory {
  readonly #transport: Transport;
  #places = places;
  #version = '';
  /** Renewal times by the identity of an API server's process. */
  #renewals: ReadonlyMap<string, number> = new Map();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Sends one small request, or none if nothing may be read. Rejects as the transport does. */
  async look(signal: AbortSignal): Promise<HistorySign> {
    const [place] = this.#places;
    if (place === undefined) return NO_SIGN;
    const { status, json } = await getJson(this.#transport, place, { signal });
    if (status === 403 || status === 404 || status === 405) {
      // A refused place isn't tried again, because each refusal adds a line to an audit log.
      this.#places = this.#places.slice(1);
      return this.look(signal);
    }
    return status === 200 ? this.#compare(json) : NO_SIGN;
  }

  #compare(json: unknown): HistorySign {
    const version = text(record(record(json)['metadata'])['resourceVersion']);
    const renewals = readRenewals(json);
    const wentBack = (ResourceVersion.compare(version, this.#version) ?? 0) < 0;
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
