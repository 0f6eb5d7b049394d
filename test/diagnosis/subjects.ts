/** Findings and tracked views of small clusters, from YAML briefs, with types that cannot be listed where a test says so. */

import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import type { FindingCode } from '../../src/diagnosis/engine/codes.ts';
import type { Finding } from '../../src/diagnosis/engine/finding.ts';
import { TrackedView } from '../../src/diagnosis/engine/tracked-view.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';

/** `blind`: resources that cannot be listed, as `statefulsets.apps`. */
function seen(yaml: string, blind: readonly string[]): ClusterView {
  const view = viewOf(yaml);
  const types = builtInTypes.filter(
    type => type.preferred && blind.includes(ResourceType.groupResource(type)),
  );
  if (types.length < blind.length) throw new Error(`not all types: ${blind.join(', ')}`);
  view.apply(
    {
      changes: [],
      statuses: types.map(type => ({ type, state: 'blind', count: 0, facts: false, reason: 'forbidden' })),
    },
    0,
  );
  return view;
}

export function trackedViewOf(yaml: string, blind: readonly string[] = []): TrackedView {
  return new TrackedView(seen(yaml, blind), now);
}

/** All findings, by the objects' names. */
export function diagnose(yaml: string, blind: readonly string[] = [], at = now): readonly Finding[] {
  const found = [...diagnoseCluster(seen(yaml, blind), at).all()];
  return found.sort((a, b) => (a.object.name < b.object.name ? -1 : 1));
}

export function findings(yaml: string, code: FindingCode, at = now): readonly Finding[] {
  return diagnose(yaml, [], at).filter(each => each.code === code);
}

export function theObject(yaml: string, name: string): KubeObject {
  for (const { object } of viewOf(yaml).graph.nodes()) if (object?.name === name) return object;
  throw new Error(`no ${name}`);
}
