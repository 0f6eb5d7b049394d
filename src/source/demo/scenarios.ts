/** The built-in scenarios by name. */
import { shopManifests, shopTakenAt } from './shop.ts';

export interface Scenario {
  readonly name: string;
  /** One line for `demo --list`. */
  readonly title: string;
  /** The namespace in which the tool starts. */
  readonly namespace: string;
  /** RFC 3339: the moment that the manifests show. */
  readonly takenAt: string;
  /** YAML documents as `kubectl get -o yaml` writes them, uids included. */
  readonly manifests: string;
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'shop',
    title: 'a web shop: one deletion that hangs, and one of each odd owner reference',
    namespace: 'shop',
    takenAt: shopTakenAt,
    manifests: shopManifests,
  },
];
