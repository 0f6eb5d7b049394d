/** What the graph takes in as the collector's graph builder does, and what it asks for in return. */
import type { KubeObject, OwnerReference } from '../model/object.ts';
import type { GraphNode, Identity } from './node.ts';

/** What the collector does outside the graph while it takes in an event, in that order. */
export interface GraphEffects {
  /** `rateLimited` asks for the item's backoff before it is queued. */
  attemptToDelete(node: GraphNode, rateLimited: boolean): void;
  attemptToOrphan(node: GraphNode): void;
  /** The Warning `OwnerRefInvalidNamespace` on `dependent`, about its reference to `owner`'s uid. */
  invalidNamespace(dependent: GraphNode, reference: OwnerReference): void;
}

export type GraphEvent =
  /** `old` is what the watch had before: undefined for an addition. */
  | { readonly op: 'upsert'; readonly object: KubeObject; readonly old: KubeObject | undefined }
  | { readonly op: 'delete'; readonly object: KubeObject }
  /** A look-up proved that nothing goes by this identity. */
  | { readonly op: 'virtualDelete'; readonly identity: Identity };
