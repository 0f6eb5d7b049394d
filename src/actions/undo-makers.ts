/** What taking an action back works on: objects of the backup, and who will be there to be referred to by them. */
import type { ClusterView } from '../graph/cluster-view.ts';
import { isDeleting } from '../graph/deletion.ts';
import type { Identity } from '../graph/node.ts';
import type { ActRequest } from '../model/act.ts';
import type { JsonRecord } from '../model/json.ts';
import type { Uid } from '../model/object.ts';

/** What the backup of an entry holds of one object. */
export interface KeptObject {
  readonly object: Identity;
  /** Undefined where it could not be read, or was gone already. */
  readonly json: JsonRecord | undefined;
  /** What the backup lacks. */
  readonly without?: string;
}

/** How one object is brought back. */
export interface Step {
  readonly request?: ActRequest;
  readonly does?: string;
  readonly lost: readonly string[];
}

/** Who will be there to be referred to, or to make objects anew. */
export class Makers {
  readonly view: ClusterView;
  private readonly kept: ReadonlyMap<string, KeptObject>;
  private readonly gone: ReadonlySet<Uid>;

  constructor(view: ClusterView, kept: readonly KeptObject[], gone: ReadonlySet<Uid>) {
    this.view = view;
    this.kept = new Map(kept.map(each => [each.object.uid, each]));
    this.gone = gone;
  }

  /**
   * The uid to refer to in place of one: the same where its object lives or will be made again (then the request
   * is told the new uid when it is sent), that of the object of the same name where another lives now, and none
   * where nobody does.
   */
  ownerFor(reference: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly namespace: string;
  }): string | undefined {
    const uid = reference.uid as Uid;
    if (this.view.graph.get(uid)?.object !== undefined) return uid;
    const type = this.view.catalog.resolveKind(reference.apiVersion, reference.kind);
    const namespace = type?.namespaced === true ? reference.namespace : '';
    const other = type && this.view.graph.find(type, namespace, reference.name)?.object;
    if (other !== undefined) return isDeleting(other) ? undefined : other.uid;
    return this.gone.has(uid) && this.kept.get(uid)?.json !== undefined ? uid : undefined;
  }
}
