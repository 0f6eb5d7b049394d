/** Findings of small clusters in words that tests can compare. */
import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../src/diagnosis/engine/finding.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Uid } from '../../src/model/object.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';

/** Of a cluster in YAML briefs, or of a view, with findings of one object. `uid` is the name where briefs give none. */
export function findingsOn(cluster: string | ClusterView, uid: string, at = now): readonly Finding[] {
  const view = typeof cluster === 'string' ? viewOf(cluster) : cluster;
  return diagnoseCluster(view, at).of(uid as Uid);
}

export function codesOn(cluster: string | ClusterView, uid: string, at = now): readonly string[] {
  return findingsOn(cluster, uid, at).map(({ code }) => code);
}

/** The one finding of this code on the object. */
export function findingOn(cluster: string | ClusterView, uid: string, code: string, at = now): Finding {
  const all = findingsOn(cluster, uid, at);
  const [found, ...more] = all.filter(each => each.code === code);
  if (found === undefined || more.length > 0)
    throw new Error(
      `${more.length + Number(found !== undefined)} ${code} among ${all.map(each => each.code).join(', ')}`,
    );
  return found;
}

/** `safe repair-reference/owner` */
export function remediesIn({ remedies }: Finding): readonly string[] {
  return remedies().map(({ risk, id }) => `${risk} ${id}`);
}
