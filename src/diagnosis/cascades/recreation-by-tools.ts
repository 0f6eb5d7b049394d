/** Predicts the recreation of deleted objects by their own marks; a controller recreates its objects anyway. */
import type { ChangedObject } from '../../forecast/index.ts';
import type { GraphNode } from '../../graph/index.ts';
import { controllerOf, type JsonRecord, type KubeObject, ownEntry, shownName } from '../../model/index.ts';
import { type ManagedBy, managedBy } from '../explain/managed-by.ts';
import { generated, generatorOf, listsResource, resync } from './argo-cd.ts';
import { byTitle, type CascadeContext } from './cascade-context.ts';
import { composerOf, recomposed } from './crossplane.ts';
import { reapplied, redrifted } from './flux.ts';
import { isStoredRelease, isUninstalled, upgraded } from './helm.ts';
import { redeployed } from './kapp.ts';
import type { Recreation } from './tool-marks.ts';

/** Argo CD's usual namespace, because its tracking ids omit it. */
const ARGO_CD = 'argocd';

export function recreation(context: CascadeContext, node: GraphNode): void {
  const { object } = node;
  if (object === undefined) return;
  for (const { by, ...made } of recreatorsOf(context, node))
    context.tell({
      object: node.identity,
      by,
      effect: 'recreated',
      ...inItsNamespace(context, object, made),
    });
}

function inItsNamespace(
  context: CascadeContext,
  { namespace }: KubeObject,
  { createsNamespace = false, ...made }: Recreation,
): Recreation {
  const { view } = context;
  const type = namespace === '' ? undefined : view.catalog.resolveKind('v1', 'Namespace');
  const around = type && view.graph.find(type, '', namespace);
  if (around === undefined || !context.goes(around.uid) || made.when !== 'automatically') return made;
  return createsNamespace
    ? { ...made, because: `${made.because}, and CreateNamespace=true` }
    : {
        ...made,
        when: 'onRequest',
        because: `${made.because}, once there is a Namespace ${shownName(namespace)} again`,
      };
}

function* recreatorsOf(
  context: CascadeContext,
  node: GraphNode,
): Generator<Recreation & { readonly by: string }> {
  const { view } = context;
  const { object } = node;
  if (object === undefined) return;
  const generator = generatorOf(context, object);
  if (generator !== undefined && !context.goes(generator.uid)) yield generated(generator);
  const composer = composerOf(context, object);
  if (composer !== undefined && !context.goes(composer.uid)) {
    yield { by: byTitle('Crossplane', composer), ...recomposed(composer) };
    return;
  }
  // A controller recreates or deletes its objects itself; a stored release is never written again.
  if (controllerOf(object) !== undefined || isStoredRelease(object)) return;
  const managers = managedBy(view, node).filter(({ through }) => through === undefined);
  // Flux installs charts with Helm's own marks.
  const isOfFlux = managers.some(({ called }) => called === 'HelmRelease');
  for (const manager of managers) {
    if (isOfFlux && manager.called === 'release') continue;
    if (isUninstalled(context, manager)) continue;
    if (manager.object !== undefined && context.goes(manager.object.uid)) continue;
    const made = madeBy(context, object, manager);
    if (made !== undefined) yield { by: titleOf(manager), ...made };
  }
}

/** `Helm release shop/api`, `Argo CD Application shop` */
function titleOf({ tool, called, name, namespace = '' }: ManagedBy): string {
  return `${shownName(tool)} ${shownName(called)} ${namespace === '' ? '' : `${shownName(namespace)}/`}${shownName(name)}`;
}

function madeBy(context: CascadeContext, object: KubeObject, manager: ManagedBy): Recreation | undefined {
  switch (`${manager.tool}/${manager.called}`) {
    case 'Argo CD/Application':
      return fromSpec(context, manager, json => resync(json, object), object);
    case 'Flux/Kustomization':
      return fromSpec(context, manager, json => reapplied(json, object));
    case 'Flux/HelmRelease':
      return fromSpec(context, manager, json => redrifted(json, object));
    case 'Helm/release':
      return upgraded(manager.name, manager.namespace);
    case 'Operator Lifecycle Manager/ClusterServiceVersion':
      return {
        when: 'automatically',
        because: 'OLM installs what a ClusterServiceVersion lacks again',
        instead: 'delete the Subscription and the ClusterServiceVersion',
      };
    case 'cert-manager/Certificate':
      return {
        when: 'automatically',
        because: 'cert-manager has it issued again for its Certificate, which is still there',
        instead: 'delete the Certificate first',
      };
    case 'kapp/app':
      return redeployed();
    case 'kubectl apply/ApplySet':
    case 'cli-utils/inventory':
      return {
        when: 'onRequest',
        because: 'no controller is known to apply it: it is recreated with the next apply',
        instead: 'remove it from the source and apply that with pruning',
      };
    case 'Crossplane/claim':
      return {
        when: 'automatically',
        because: 'its claim is still there',
        instead: 'delete the claim',
      };
    // Their objects have owner references.
    case 'Cluster API/Cluster':
    case 'Knative/Service':
    case 'Tekton/PipelineRun':
    case 'Crossplane/composite resource':
      return undefined;
    default:
      return { when: 'unknown', because: `whether ${shownName(manager.tool)} creates it again is not known` };
  }
}

function fromSpec(
  context: CascadeContext,
  manager: ManagedBy,
  tell: (json: JsonRecord) => Recreation,
  listed?: KubeObject,
): Recreation {
  const resource = ownEntry(resources, manager.called);
  const type = resource && context.view.catalog.preferredOf(resource);
  const unsure = (why: string): Recreation => ({
    when: 'unknown',
    because: `${manager.evidence}; that ${manager.called} cannot be seen here${why}`,
  });
  if (type === undefined) return unsure('');
  const namespace = manager.namespace ?? (listed === undefined ? undefined : ARGO_CD);
  if (namespace === undefined) return unsure('');
  const whole = context.whole({ type, namespace, name: manager.name });
  if (whole.state === 'absent') return unsure(': it may be in another cluster');
  if (whole.state === 'unread') return unsure(` (${whole.reason})`);
  // Tracking IDs may omit the namespace, so names can collide.
  if (listed !== undefined && !listsResource(whole.json, listed)) return unsure('');
  const metadata = whole.json['metadata'];
  const isGoing = typeof metadata === 'object' && metadata !== null && 'deletionTimestamp' in metadata;
  return isGoing
    ? { when: 'unknown', because: `the ${manager.called} is being deleted itself` }
    : tell(whole.json);
}

const resources: Readonly<Record<string, { readonly group: string; readonly resource: string }>> = {
  Application: { group: 'argoproj.io', resource: 'applications' },
  Kustomization: { group: 'kustomize.toolkit.fluxcd.io', resource: 'kustomizations' },
  HelmRelease: { group: 'helm.toolkit.fluxcd.io', resource: 'helmreleases' },
};

/**
 * Predicts that a tool restores an owner reference the action removes. Finalizers can't be restored: the action removes
 * them from deleting objects, which accept none (ValidateNoNewFinalizers in pkg/api/validation/objectmeta.go of
 * apimachinery, v0.36). A tool restores only what its source sets, seldom owner references. Argo CD compares those with
 * the live object (diff-strategies.md of its user guide). Flux ignores most metadata when it looks for drift, but once
 * it finds some it applies everything (`hasDrifted` and `prepareObjectForDiff` in ssa/manager_diff.go of fluxcd/pkg).
 */
export function reversion(
  context: CascadeContext,
  { object: changed, ownerReferencesRemoved }: ChangedObject,
): void {
  const node = context.view.graph.get(changed.uid);
  const { object } = node ?? {};
  if (node === undefined || object === undefined || ownerReferencesRemoved.length === 0) return;
  for (const manager of managedBy(context.view, node)) {
    if (manager.through !== undefined || madeBy(context, object, manager)?.when !== 'automatically') continue;
    if (manager.object !== undefined && context.goes(manager.object.uid)) continue;
    const effect = revertedBy(manager);
    if (effect !== undefined)
      context.tell({ object: changed, by: titleOf(manager), effect: 'reverted', ...effect });
  }
}

function revertedBy({ tool, called }: ManagedBy): Pick<Recreation, 'when' | 'because'> | undefined {
  const source = 'if its source sets the owner reference';
  if (tool === 'Argo CD' && called === 'Application')
    return {
      when: 'unknown',
      because: `${source}, self-healing puts that back, and the garbage collector looks for an owner that is gone`,
    };
  if (tool === 'Flux' && called === 'Kustomization')
    return {
      when: 'onRequest',
      because: `${source}, that comes back once a label, an annotation or anything that is no metadata is applied again, and the garbage collector looks for an owner that is gone`,
    };
  return undefined;
}
