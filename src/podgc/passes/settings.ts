/** What PodGC of a cluster does, by what is known of the cluster beside its objects. */
import type { ClusterSettings } from '../../graph/cluster-view.ts';
import { DEFAULT_TERMINATED_POD_THRESHOLD } from './passes.ts';
import { type PodGcRules, rulesOfVersion } from './rules-of-version.ts';

export interface PodGcSettings {
  /** A number of finished pods; zero or less is no limit. The default where nobody gave one. */
  readonly threshold: number;
  readonly rules: PodGcRules;
}

export function podGcSettings({ settings }: { readonly settings: ClusterSettings }): PodGcSettings {
  return {
    threshold: settings.terminatedPodGcThreshold ?? DEFAULT_TERMINATED_POD_THRESHOLD,
    rules: rulesOfVersion(settings.serverVersion),
  };
}
