/** Waits that the finalizer catalogue describes: what the controller of a finalizer is known to wait for, or to need. */
import { isDeleting } from '../../graph/index.ts';
import { FinalizerEntry, type KubeObject, Labels, ResourceType, text } from '../../model/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { Handler } from '../finalizers/handler.ts';
import { type Held, namesIn, typeNamed, valuesAt } from '../finalizers/naming.ts';
import { identifyMissing, type Wait } from './edge.ts';

type ObjectPattern = NonNullable<FinalizerEntry['waitsFor']>[number];

/** Lists objects that have to come back before objects that have to be gone. */
export function cataloguedWaits(tracked: TrackedView, object: KubeObject, handler: Handler): readonly Wait[] {
  const { needs = [], waitsFor = [] } = handler.entry ?? {};
  const asked = { tracked, object, handler };
  return [
    ...needs.filter(each => applies(asked, each)).flatMap(each => missing(asked, each)),
    ...waitsFor.filter(each => applies(asked, each)).flatMap(each => present(asked, each)),
  ];
}

interface Asked {
  readonly tracked: TrackedView;
  readonly object: KubeObject;
  readonly handler: Handler;
}

function applies(
  { tracked, object }: Asked,
  { on, if: all = {}, unless: none = {} }: ObjectPattern,
): boolean {
  const has = ([path, value]: readonly [string, string]): boolean =>
    valuesAt(tracked, object, path).some(each => String(each) === value);
  const isOn =
    on?.some(each => FinalizerEntry.matcher(each)(ResourceType.groupResource(object.type))) ?? true;
  return isOn && Object.entries(all).every(has) && !Object.entries(none).some(has);
}

function missing(asked: Asked, pattern: ObjectPattern): Wait[] {
  const { tracked, object } = asked;
  return referred(asked, pattern).flatMap((place): Wait[] => {
    const on = identifyMissing(tracked, place);
    if (on === undefined) return [];
    const says = `${placeOf(pattern)}: ${on.kind} ${on.name}, which doesn't exist`;
    return [waitOn(object, pattern, { on, isMissing: true, says })];
  });
}

function present(asked: Asked, pattern: ObjectPattern): Wait[] {
  const { tracked, object } = asked;
  const found =
    pattern.named === undefined
      ? related(asked, pattern)
      : referred(asked, pattern).flatMap(
          ({ type, namespace, name }) => tracked.find(type, namespace, name) ?? [],
        );
  return found
    .filter(each => pattern.deleting === undefined || isDeleting(each) === pattern.deleting)
    .flatMap(each => (pattern.itsOwner === true ? controllerOf(tracked, each) : each))
    .map(on => {
      const says =
        pattern.named === undefined
          ? `${on.type.kind} ${on.name}${relationOf(pattern)}`
          : `${placeOf(pattern)}: ${on.type.kind} ${on.name}`;
      return waitOn(object, pattern, { on, isMissing: false, says });
    })
    .sort((a, b) => Number(isDeleting(b.on)) - Number(isDeleting(a.on)));
}

function waitOn<On extends Wait['on']>(
  { type, name }: KubeObject,
  { assumed }: ObjectPattern,
  { on, isMissing, says }: { readonly on: On; readonly isMissing: boolean; readonly says: string },
): Wait & { readonly on: On } {
  return {
    on,
    isMissing,
    isReported: assumed !== true,
    certainty: assumed === true ? 'assumed' : 'exact',
    evidence: [`${type.kind} ${name}: ${says}`],
  };
}

function placeOf({ named }: ObjectPattern): string {
  return named?.label === undefined ? (named?.field ?? 'metadata.finalizers') : `label ${named.label}`;
}

function relationOf({ labelled, referring, owned }: ObjectPattern): string {
  if (referring !== undefined) return ` names it in ${referring}`;
  if (labelled !== undefined) return ` has the label ${labelled}`;
  return owned === true ? ' is owned by it' : ' exists';
}

function controllerOf(tracked: TrackedView, { owners }: KubeObject): KubeObject | [] {
  const owner = owners.find(({ controller }) => controller === true);
  return (owner && tracked.node(owner.uid)?.object) ?? [];
}

interface Place {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/** Resolves the names that the object gives. */
function referred(asked: Asked, pattern: ObjectPattern): Place[] {
  const { tracked, object, handler } = asked;
  const held: Held = { object, finalizer: handler.finalizer };
  return namesIn(tracked, held, pattern.named ?? {}).flatMap(({ name, kind, type: known, ...named }) => {
    const types = known === undefined ? typesOf(asked, pattern) : [known];
    return types
      .filter(type => kind === '' || type.kind === kind)
      .flatMap((type): Place[] => {
        const namespace = named.namespace || namespaceOf(asked, pattern);
        if (!type.namespaced) return [{ type, namespace: '', name }];
        return namespace === '' ? [] : [{ type, namespace, name }];
      });
  });
}

function namespaceOf({ object, handler }: Asked, { namespace }: ObjectPattern): string {
  return namespace === 'controller' ? (handler.workloads[0]?.namespace ?? '') : object.namespace;
}

/** Objects of a kind whose fields are read. */
const MOST_READ = 50;

/** Finds objects by a label, a field, an owner reference or their namespace. */
function related(asked: Asked, pattern: ObjectPattern): KubeObject[] {
  const { tracked, object } = asked;
  const { labelled, referring, owned } = pattern;
  const fits = (each: KubeObject): boolean =>
    (labelled === undefined || Labels.value(each.labels, labelled) === object.name) &&
    (referring === undefined || valuesAt(tracked, each, referring).includes(object.name)) &&
    (owned !== true || each.owners.some(({ uid }) => uid === object.uid));
  return typesOf(asked, pattern).flatMap(type => {
    const isEverywhere = !type.namespaced || object.namespace === '' || pattern.namespace === 'any';
    const all = isEverywhere ? tracked.all(type) : tracked.list(type, object.namespace);
    return [...all].slice(0, referring === undefined ? undefined : MOST_READ).filter(fits);
  });
}

/** Resolves kinds whose group is the object's own or, for `{group}`, a domain above it. */
function typesOf({ tracked, object }: Asked, { kinds = [] }: ObjectPattern): ResourceType[] {
  return kinds.flatMap(kind => {
    const written = kind.replaceAll(/\{(?!group\})([^}]+)\}/gu, (_, path: string) =>
      valuesAt(tracked, object, path).map(text).join(''),
    );
    const names = written.includes('{group}')
      ? domainsOf(object.type.group).map(each => written.replace('{group}', each))
      : [written];
    for (const name of names) {
      const type = typeNamed(tracked, name);
      if (type !== undefined) return [type];
    }
    return [];
  });
}

/** Returns `s3.aws.upbound.io`, `aws.upbound.io` and `upbound.io`. */
function domainsOf(group: string): string[] {
  const labels = group.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}
