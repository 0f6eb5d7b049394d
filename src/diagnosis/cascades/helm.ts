/**
 * Helm: it has no controller; its CLI keeps releases in Secrets, and only an upgrade recreates deleted objects.
 * Sources: helm pkg/storage/driver/secrets.go and pkg/action/uninstall.go (v3 and v4).
 */

import type { GraphNode } from '../../graph/index.ts';
import { controllerOf, type KubeObject, Labels, shownName } from '../../model/index.ts';
import type { ManagedBy } from '../explain/managed-by.ts';
import type { CascadeContext, CascadeRule, Managing } from './cascade-context.ts';
import { kept } from './fates.ts';
import type { Recreation } from './tool-marks.ts';

export const RELEASE = 'meta.helm.sh/release-name';
const PREFIX = 'sh.helm.release.v1.';

/** Returns a release's Secrets or ConfigMaps, one for each revision. */
export function storedReleases(
  context: CascadeContext,
  namespace: string,
  release: string,
): readonly GraphNode[] {
  return context.labelled('owner', 'helm').filter(({ object }) => {
    if (object === undefined || object.namespace !== namespace) return false;
    return releaseIn(object) === release;
  });
}

function releaseIn({ type, name, labels }: KubeObject): string | undefined {
  if (type.group !== '' || (type.kind !== 'Secret' && type.kind !== 'ConfigMap')) return undefined;
  if (!name.startsWith(PREFIX) || Labels.value(labels, 'owner') !== 'helm') return undefined;
  return Labels.value(labels, 'name');
}

/** Finds objects by a release's marks, except ReplicaSets, to which a Deployment copies them. */
export function releasedAs(
  context: CascadeContext,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): readonly GraphNode[] {
  return context.annotated(RELEASE, name).filter(({ object }) => {
    if (object === undefined || controllerOf(object) !== undefined) return false;
    return Labels.value(object.annotations, 'meta.helm.sh/release-namespace') === namespace;
  });
}

export function isStoredRelease(object: KubeObject): boolean {
  return releaseIn(object) !== undefined;
}

/** Checks if the action uninstalls the release that manages an object. */
export function isUninstalled(
  { forecast }: CascadeContext,
  { tool, name, namespace }: Pick<ManagedBy, 'tool' | 'name' | 'namespace'>,
): boolean {
  const { release } = forecast.action;
  return tool === 'Helm' && release?.name === name && release.namespace === namespace;
}

/** Notes that Helm forgets a release once every revision is deleted, and that its objects stay. */
function forgottenRelease(context: CascadeContext, { object }: Managing): void {
  const release = releaseIn(object);
  if (release === undefined) return;
  const { namespace } = object;
  const isUninstall = isUninstalled(context, { tool: 'Helm', name: release, namespace });
  const stored = storedReleases(context, namespace, release);
  if (stored.some(({ uid }) => !context.goes(uid))) return;
  const by = `Helm release ${shownName(namespace)}/${shownName(release)}`;
  const reported = new Set(context.forecast.uninstall?.kept.map(({ object: { uid } }) => uid));
  for (const node of releasedAs(context, { name: release, namespace })) {
    if (context.goes(node.uid) || reported.has(node.uid)) continue;
    context.tell(
      {
        object: node.identity,
        by,
        ...kept(
          isUninstall
            ? 'helm uninstall deletes only the objects in the manifest of the last revision'
            : "deleting Helm's records of a release uninstalls nothing: Helm only forgets it",
        ),
        ...(!isUninstall && { instead: `helm uninstall ${shownName(release)} -n ${shownName(namespace)}` }),
      },
      node,
    );
  }
}

export function upgraded(name: string, namespace: string | undefined): Recreation {
  const at = namespace === undefined ? '' : ` -n ${shownName(namespace)}`;
  return {
    when: 'onRequest',
    because: 'Helm has no controller: it is recreated with the next helm upgrade',
    instead: `take it out of the chart or its values and upgrade, or helm uninstall ${shownName(name)}${at}`,
  };
}

export const helmRules: readonly CascadeRule[] = [
  { tool: 'Helm', of: isStoredRelease, unread: true, cascade: forgottenRelease },
];
