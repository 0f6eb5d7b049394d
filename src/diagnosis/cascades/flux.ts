/**
 * Flux: the deletion of a Kustomization or a HelmRelease, and of what they manage. Sources: kustomizations.md (v1) of
 * kustomize-controller and `finalize` in internal/controller/kustomization_controller.go; helmreleases.md (v2) of
 * helm-controller and `reconcileDelete` in internal/controller/helmrelease_controller.go.
 */

import {
  BuiltInKind,
  type JsonRecord,
  type KubeObject,
  Labels,
  list,
  record,
  shownName,
  text,
  truth,
} from '../../model/index.ts';
import {
  type CascadeContext,
  type CascadeRule,
  type Located,
  located,
  type Managing,
} from './cascade-context.ts';
import { deletedByHandler, type Fate, kept, keptWithoutFinalizer, maybeDeleted } from './fates.ts';
import { RELEASE, releasedAs, storedReleases } from './helm.ts';
import { keptByHelm, markOf, type Recreation } from './tool-marks.ts';

const FINALIZER = 'finalizers.fluxcd.io';
const KUSTOMIZE = 'kustomize.toolkit.fluxcd.io';
const HELM = 'helm.toolkit.fluxcd.io';
const SOURCE = 'source.toolkit.fluxcd.io';
const PRUNE = `${KUSTOMIZE}/prune`;
const RECONCILE = `${KUSTOMIZE}/reconcile`;
const SSA = `${KUSTOMIZE}/ssa`;
const DRIFT_DETECTION = `${HELM}/driftDetection`;

function kustomizationCascade(context: CascadeContext, { node, object, by, json }: Managing): void {
  const cluster = clusterOf(json);
  const objects = inventoryOf(context, json, cluster);
  const account = accountOf(context, object, json);
  const stays =
    staysWhole(context, object, json) ??
    notPruned(record(json['spec'])) ??
    (account.gone === undefined ? undefined : kept(account.gone));
  if (objects === undefined) {
    if (stays === undefined)
      context.cannotTell(by, 'it has no status.inventory, and without one Flux prunes nothing');
    return;
  }
  for (const located of objects) {
    if (located.node === node) continue;
    const fate = stays ?? prunedAs(context, { located, object, going: account.going });
    context.tell({ object: located.identity, by, ...fate, cluster }, located.node);
  }
}

function staysWhole(context: CascadeContext, object: KubeObject, json: JsonRecord): Fate | undefined {
  const stays = keptWithoutFinalizer(context, object, { finalizer: FINALIZER, tool: 'Flux' });
  return stays ?? (truth(record(json['spec'])['suspend']) ? kept('spec.suspend is true') : undefined);
}

function notPruned(spec: JsonRecord): Fate | undefined {
  const policy = text(spec['deletionPolicy']) || 'MirrorPrune';
  if (policy === 'Delete' || policy === 'WaitForTermination') return undefined;
  if (policy !== 'MirrorPrune') return kept(`spec.deletionPolicy is ${shownName(policy)}`);
  return truth(spec['prune']) ? undefined : kept('spec.prune is false');
}

/** Labels or annotations, in any case, that make Flux leave an object (fluxcd/pkg, ssa/utils/meta.go). */
const keeping = [
  [PRUNE, 'disabled'],
  [RECONCILE, 'disabled'],
  [SSA, 'ignore'],
] as const;

function hasMark({ labels, annotations }: KubeObject, key: string, value: string): boolean {
  return [labels, annotations].some(each => Labels.value(each, key)?.toLowerCase() === value);
}

/**
 * Checks the ServiceAccount that Flux prunes and uninstalls as. If it is gone, Flux releases the object and leaves what
 * it applied (fluxcd/pkg, runtime/client/impersonator.go, and `reconcileReleaseDeletion` in helmrelease_controller.go);
 * if it is being deleted, the order decides.
 */
function accountOf(
  context: CascadeContext,
  { namespace }: KubeObject,
  json: JsonRecord,
): { readonly gone?: string; readonly going?: string } {
  const name = text(record(json['spec'])['serviceAccountName']);
  if (name === '') return {};
  const place = { group: '', version: 'v1', kind: 'ServiceAccount', namespace, name };
  const { state, node } = context.locate(place);
  const title = `ServiceAccount ${shownName(name)} of its spec.serviceAccountName`;
  if (state === 'absent') return { gone: `there is no ${title}` };
  if (node === undefined || !context.goes(node.uid)) return {};
  return { going: `the ${title} goes too, and without that nothing is removed` };
}

function prunedAs(
  context: CascadeContext,
  {
    located,
    object,
    going,
  }: { readonly located: Located; readonly object: KubeObject; readonly going: string | undefined },
): Fate {
  const because = `its finalizer ${FINALIZER} has Flux prune its inventory`;
  const found = located.node?.object;
  if (found !== undefined) {
    const mark = keeping.find(([key, value]) => hasMark(found, key, value));
    if (mark !== undefined) return kept(`${mark[0]} is ${mark[1]} on it`);
    const name = Labels.value(found.labels, `${KUSTOMIZE}/name`);
    const namespace = Labels.value(found.labels, `${KUSTOMIZE}/namespace`);
    if (name !== object.name || namespace !== object.namespace)
      return kept('its labels do not say that this Kustomization applies it');
  }
  return deletedUnless(context, object, {
    because,
    unsure: found === undefined ? context.notRead('whether labels keep them is not known') : going,
  });
}

function deletedUnless(
  context: CascadeContext,
  object: KubeObject,
  { because, unsure }: { readonly because: string; readonly unsure: string | undefined },
): Fate {
  const fate = deletedByHandler(context, object, FINALIZER, because);
  return unsure === undefined || fate.when === 'unknown' ? fate : maybeDeleted(`${because}; ${unsure}`);
}

/** Omits objects that are certainly absent; undefined without an inventory. */
function inventoryOf(
  context: CascadeContext,
  json: JsonRecord,
  cluster: string | undefined,
): readonly Located[] | undefined {
  const { entries } = record(record(json['status'])['inventory']);
  if (!Array.isArray(entries) || entries.length === 0) return undefined;
  return list(entries).flatMap(each => {
    const { id, v } = record(each);
    const parsed = parseInventoryId(text(id));
    if (parsed === undefined) return [];
    return context.present({ ...parsed, ...(text(v) !== '' && { version: text(v) }) }, cluster);
  });
}

/** Parses `namespace_name_group_kind`; `__` is a role name's colon (cli-utils, pkg/object/objmetadata.go). */
export function parseInventoryId(
  id: string,
):
  | { readonly namespace: string; readonly name: string; readonly group: string; readonly kind: string }
  | undefined {
  const first = id.indexOf('_');
  const last = id.lastIndexOf('_');
  const middle = id.lastIndexOf('_', last - 1);
  if (first < 0 || middle <= first || last <= middle) return undefined;
  const name = id.slice(first + 1, middle).replaceAll('__', ':');
  const kind = id.slice(last + 1);
  if (name === '' || kind === '' || name.includes('_')) return undefined;
  return { namespace: id.slice(0, first), name, group: id.slice(middle + 1, last), kind };
}

/** Returns the Secret that names the target cluster; undefined for Flux's own. */
function clusterOf(json: JsonRecord): string | undefined {
  const { kubeConfig } = record(json['spec']);
  if (typeof kubeConfig !== 'object' || kubeConfig === null) return undefined;
  const { secretRef, configMapRef } = record(kubeConfig);
  const name = text(record(secretRef)['name']) || text(record(configMapRef)['name']);
  return `the cluster of kubeConfig ${shownName(name)}`;
}

function helmReleaseCascade(context: CascadeContext, { node, object, by, json }: Managing): void {
  const spec = record(json['spec']);
  const cluster = clusterOf(json);
  const release = releaseOf(json, object);
  const account = cluster === undefined ? accountOf(context, object, json) : {};
  const stays = staysWhole(context, object, json) ?? notUninstalled(json, account);
  const listed = inventoryOf(context, json, cluster) ?? [];
  if (cluster !== undefined && listed.length === 0) {
    const does = stays === undefined ? 'it uninstalls' : 'it leaves';
    return context.cannotTell(by, `${does} its release in ${cluster}, which is not this one`);
  }
  const objects = [...listed, ...(cluster === undefined ? releasedAs(context, release).map(located) : [])];
  const propagation = text(record(spec['uninstall'])['deletionPropagation']);
  const because = `its finalizer ${FINALIZER} has Flux uninstall release ${shownName(release.namespace)}/${shownName(release.name)}${propagation === 'orphan' ? ', which orphans what these own' : ''}`;
  for (const located of objects) {
    if (located.node === node) continue;
    const found = located.node?.object;
    const fate =
      stays ??
      keptOfChart(located) ??
      deletedUnless(context, object, {
        because,
        unsure:
          found === undefined ? context.notRead('whether annotations keep them is not known') : account.going,
      });
    context.tell(
      { object: located.identity, by, ...fate, cluster },
      propagation === 'orphan' ? undefined : located.node,
    );
  }
  if (stays === undefined && cluster === undefined && !truth(record(spec['uninstall'])['keepHistory']))
    for (const secret of storedReleases(
      context,
      text(record(json['status'])['storageNamespace']),
      release.name,
    ))
      context.tell({
        object: secret.identity,
        by,
        ...deletedUnless(context, object, { because, unsure: account.going }),
      });
  chartOf(context, object, json);
  if (listed.length === 0 && context.unseen !== undefined && stays === undefined)
    context.cannotTell(by, context.unseen);
}

function notUninstalled(json: JsonRecord, { gone }: { readonly gone?: string }): Fate | undefined {
  if (gone !== undefined) return kept(gone);
  return text(record(json['status'])['storageNamespace']) === ''
    ? kept('its status names no storageNamespace, and so Flux takes it for not installed')
    : undefined;
}

/** Records the HelmChart that Flux made of `spec.chart`, which may be in its source's namespace. */
function chartOf(context: CascadeContext, object: KubeObject, json: JsonRecord): void {
  const [namespace = '', name = ''] = text(record(json['status'])['helmChart']).split('/');
  if (name === '' || staysWhole(context, object, json) !== undefined) return;
  const chart = context.locate({ group: SOURCE, kind: 'HelmChart', namespace, name });
  if (chart.state === 'absent') return;
  const because = `its finalizer ${FINALIZER} has Flux delete the HelmChart of its spec.chart`;
  const by = `Flux HelmRelease ${shownName(object.namespace)}/${shownName(object.name)}`;
  context.tell(
    { object: chart.identity, by, ...deletedUnless(context, object, { because, unsure: undefined }) },
    chart.node,
  );
}

/** Returns what Helm keeps. Definitions in a chart's folder lack the release's marks. */
function keptOfChart({ node, identity }: Located): Fate | undefined {
  const { object } = node ?? {};
  if (object === undefined) return undefined;
  if (keptByHelm(object)) return kept('the annotation helm.sh/resource-policy says keep');
  return BuiltInKind.of(identity) === 'CustomResourceDefinition' &&
    Labels.value(object.annotations, RELEASE) === undefined
    ? kept('Helm never deletes the definitions of the crds folder of a chart')
    : undefined;
}

interface Release {
  readonly name: string;
  readonly namespace: string;
}

/** Returns the release in the newest history entry, or the one it would be named. */
function releaseOf(json: JsonRecord, { namespace, name }: KubeObject): Release {
  const spec = record(json['spec']);
  const newest = record(list(record(json['status'])['history'])[0]);
  const target = text(spec['targetNamespace']);
  return {
    name: text(newest['name']) || text(spec['releaseName']) || (target === '' ? name : `${target}-${name}`),
    namespace: text(newest['namespace']) || target || namespace,
  };
}

const WITHOUT = 'remove it from the source';

export function reapplied(json: JsonRecord, object: KubeObject): Recreation {
  const spec = record(json['spec']);
  const title = shownName(text(record(json['metadata'])['name']));
  const instead = `${WITHOUT} of the Kustomization; flux suspend kustomization ${title} stops it for a while`;
  if (clusterOf(json) !== undefined)
    return { when: 'unknown', because: 'the Kustomization of that name applies to another cluster' };
  if (truth(spec['suspend']))
    return {
      when: 'onRequest',
      because: 'spec.suspend is true: it is recreated when a user resumes it',
      instead,
    };
  if (markOf(object, RECONCILE) === 'disabled')
    return {
      when: 'unknown',
      because: `${RECONCILE} is disabled on it, which is deleted with it unless its source says so`,
      instead,
    };
  const interval = text(spec['interval']);
  return {
    when: 'automatically',
    because: `it is applied again${interval === '' ? '' : ` every ${shownName(interval)}`}, as spec.suspend is not set`,
    instead,
  };
}

export function redrifted(json: JsonRecord, object: KubeObject): Recreation {
  const spec = record(json['spec']);
  const title = shownName(text(record(json['metadata'])['name']));
  const instead = `${WITHOUT} or the values of the chart; flux suspend helmrelease ${title} stops it for a while`;
  if (clusterOf(json) !== undefined)
    return { when: 'unknown', because: 'the HelmRelease of that name installs into another cluster' };
  if (truth(spec['suspend']))
    return {
      when: 'onRequest',
      because: 'spec.suspend is true: it is recreated when a user resumes and upgrades it',
      instead,
    };
  const { mode, ignore } = record(spec['driftDetection']);
  if (mode !== 'enabled')
    return {
      when: 'onRequest',
      because: `spec.driftDetection.mode is ${text(mode) === '' ? 'not set' : shownName(text(mode))}: it is recreated with the next upgrade of the release`,
      instead,
    };
  if (markOf(object, DRIFT_DETECTION) === 'disabled' || list(ignore).length > 0)
    return { when: 'unknown', because: 'drift is corrected, and exceptions from that are set', instead };
  const interval = text(spec['interval']);
  return {
    when: 'automatically',
    because: `spec.driftDetection.mode is enabled${interval === '' ? '' : `, every ${shownName(interval)}`}`,
    instead,
  };
}

export const fluxRules: readonly CascadeRule[] = [
  { tool: 'Flux', of: `${KUSTOMIZE}/Kustomization`, cascade: kustomizationCascade },
  { tool: 'Flux', of: `${HELM}/HelmRelease`, cascade: helmReleaseCascade },
];
