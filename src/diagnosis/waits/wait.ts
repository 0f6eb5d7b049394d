/**
 * Waits past a finalizer: the objects that its controller waits for before it removes the finalizer. General rules need
 * no knowledge of the kind: they follow names in conditions and events, lists in the status, and dependents.
 */
import { type Identity, isDeleting } from '../../graph/index.ts';
import {
  BuiltInKind,
  type JsonRecord,
  type KubeObject,
  list,
  type ResourceType,
  record,
  type Said,
  saidWords,
  text,
} from '../../model/index.ts';
import { obstaclesIn } from '../engine/obstacles.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { belongsTo } from '../finalizers/domain.ts';
import type { Handler } from '../finalizers/handler.ts';
import { referenceIn } from '../finalizers/naming.ts';
import { cataloguedWaits } from './catalogued.ts';
import { cleanupWaits, untilFinished } from './cleanups.ts';
import { drainWaits } from './drains.ts';
import { identifyMissing, isName, kindNamed, type Wait } from './edge.ts';
import { neededBy } from './needs.ts';
import { nodeWaits } from './nodes.ts';
import { protectionWaits } from './protections.ts';
import { DEEPEST, deletedReferrers, liveReferrers } from './referrers.ts';
import { storageWaits } from './storage.ts';

/** Lists what the object's finalizer waits for, the most specific first. Empty if nothing shows it. */
export function waitsOf(tracked: TrackedView, object: KubeObject, handler: Handler): readonly Wait[] {
  const content = tracked.content(object) ?? { json: {} };
  const { json } = content;
  const { waitsFor, needs } = handler.entry ?? {};
  const said = obstaclesIn(object, content);
  const found = [
    ...drainWaits(tracked, object, handler),
    ...storageWaits(tracked, object, handler),
    ...protectionWaits(tracked, object, handler),
    ...cataloguedWaits(tracked, object, handler),
    ...said.flatMap(each => namedIn(tracked, object, each)),
    ...cleanupWaits(tracked, object),
    // A catalogued wait leaves nothing to guess.
    ...(waitsFor === undefined
      ? [
          ...listedIn(tracked, object, json),
          ...ownedBy(tracked, object),
          ...deletedReferrers(tracked, object),
          ...namespaceOf(tracked, object),
        ]
      : []),
    ...(needs === undefined ? [...nodeWaits(tracked, object), ...neededBy(tracked, object, json)] : []),
  ];
  const owners = new Set<string>(object.owners.map(({ uid }) => uid));
  const waits = found.filter(isNamed(said)).filter(
    ({ on, isReported }, index, all) =>
      on.uid !== object.uid &&
      // A dependent refers to its owner without waiting for it.
      (isReported || !owners.has(on.uid)) &&
      index === all.findIndex(each => isSame(each.on, on)),
  );
  const failures = said.filter(({ failing }) => failing);
  const isInUse = failures.some(({ message }) => inUse.test(message));
  const isExplained = waits.length > 0 || failures.length > 0 || handler.entry !== undefined;
  return isExplained && !isInUse ? waits : [...waits, ...liveReferrers(tracked, object)];
}

/** Drops guesses about missing objects if the object reports failures that don't mention them. */
function isNamed(said: readonly Said[]): (wait: Wait) => boolean {
  const failures = said.filter(({ failing }) => failing);
  return ({ on, isMissing, isReported, certainty }) =>
    !isMissing ||
    isReported ||
    certainty === 'exact' ||
    failures.length === 0 ||
    failures.some(({ message }) => message.includes(on.name));
}

function isSame(a: Wait['on'], b: Wait['on']): boolean {
  return a.uid === b.uid && a.name === b.name && a.namespace === b.namespace;
}

const absence = /not found|no such|n[o']t exist|does not exist|missing|unable to create/iu;
/** Messages that wait for an object to be gone, not for it to be ready. */
const departure = /delet|terminat|remov|gone|in use|used by|referenc|depend|still|exist|remain/iu;
const patient = /\bwait|\bblock|in use|used by|depend|referenc/iu;
/** Messages of providers that refuse to delete what others use. */
const inUse = /\bin use\b|has dependen|dependent object|dependencyviolation|deleteconflict/iu;
/** Characters of a message that are searched. */
const SEARCHED = 500;

/** Finds objects by kind and name in a message: `Waiting on NodeClaim termination for default-4jf2r`. */
function namedIn(tracked: TrackedView, object: KubeObject, said: Said): Wait[] {
  const words = said.message.slice(0, SEARCHED).match(/[A-Za-z0-9][A-Za-z0-9._/-]*/gu) ?? [];
  const tokens = words.map(word => word.replace(/[./-]+$/u, ''));
  const found: Wait[] = [];
  for (const [at, token] of tokens.entries()) {
    const type = kindNamed(tracked, token, object.type.group);
    if (type === undefined) continue;
    // The name nearest after the kind, or before it.
    const near = [...tokens.slice(at + 1), ...tokens.slice(0, at).reverse()];
    const there =
      firstFound(tracked, object, { type, names: near }) ?? origin(tracked, object, { type, names: near });
    // Failures may name an owner that the controller doesn't wait for.
    if (there !== undefined && isOwner(object, there) && !patient.test(said.message)) continue;
    // Its own namespace waits for it.
    if (there?.facts?.kind === 'Namespace' && there.name === object.namespace) continue;
    const evidence = [saidEvidence(object, said)];
    const reported = { isReported: true, certainty: 'assumed', evidence } as const;
    if (there?.facts?.kind === 'Workload' && BuiltInKind.of(there.type) === 'Job' && !isDeleting(there)) {
      found.push({
        ...untilFinished(tracked, there, 'named in a report since the deletion began'),
        ...reported,
      });
    } else if (there !== undefined) {
      if (isDeleting(there) || departure.test(said.message))
        found.push({ on: there, isMissing: false, ...reported });
    } else if (absence.test(said.message)) {
      const on = lackingNamed(tracked, object, type, tokens[at + 1] ?? '');
      const isQuoted = said.message.includes(`${words[at]} "${words[at + 1]}"`);
      if (on !== undefined && (isQuoted || isDistinctive(tracked, on.name)))
        found.push({ on, isMissing: true, ...reported });
    }
  }
  return found;
}

function isOwner({ owners }: KubeObject, other: KubeObject): boolean {
  return owners.some(({ uid }) => uid === other.uid);
}

function firstFound(
  tracked: TrackedView,
  object: KubeObject,
  { type, names }: { readonly type: ResourceType; readonly names: readonly string[] },
): KubeObject | undefined {
  for (const each of names) {
    const { namespace, name } = placed(object, type, each);
    const there = isName(name) ? tracked.find(type, namespace, name) : undefined;
    if (there !== undefined && there.uid !== object.uid) return there;
  }
  return undefined;
}

/** Finds a deleting object from whose name one was generated: `[orders-08e2b560-21c9]`. */
function origin(
  tracked: TrackedView,
  { uid, namespace }: KubeObject,
  { type, names }: { readonly type: ResourceType; readonly names: readonly string[] },
): KubeObject | undefined {
  const generated = names.filter(each => /-[a-z0-9]*\d[a-z0-9]*/u.test(each));
  if (generated.length === 0 || type.namespaced !== (namespace !== '')) return undefined;
  return [...tracked.list(type, namespace)].find(
    each => each.uid !== uid && isDeleting(each) && generated.some(name => name.startsWith(`${each.name}-`)),
  );
}

function placed(
  object: KubeObject,
  type: ResourceType,
  word: string,
): { readonly namespace: string; readonly name: string } {
  const [first = '', second] = word.split('/');
  if (!type.namespaced) return { namespace: '', name: second ?? first };
  return second === undefined
    ? { namespace: object.namespace, name: first }
    : { namespace: first, name: second };
}

function lackingNamed(
  tracked: TrackedView,
  object: KubeObject,
  type: ResourceType,
  word: string,
): Identity | undefined {
  const { namespace, name } = placed(object, type, word);
  if (!isName(name)) return undefined;
  const given =
    type.namespaced && !word.includes('/') ? namespaceGiven(tracked.content(object)?.json, name) : '';
  return identifyMissing(tracked, { type, namespace: given || namespace, name });
}

/** Returns the namespace with which a field of the object gives a name. */
function namespaceGiven(value: unknown, name: string, depth = 0): string {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return '';
  const fields = record(value);
  if (fields['name'] === name && text(fields['namespace']) !== '') return text(fields['namespace']);
  for (const each of Object.values(value)) {
    const given = namespaceGiven(each, name, depth + 1);
    if (given !== '') return given;
  }
  return '';
}

/** Rejects an English word, or another kind, after a kind: neither is a name. */
function isDistinctive(tracked: TrackedView, name: string): boolean {
  return /[-.\d]/u.test(name) && kindNamed(tracked, name, '') === undefined;
}

function saidEvidence(object: KubeObject, said: Said): string {
  const what = said.from === 'event' ? `event ${said.reason}` : saidWords.head(said);
  return `${object.type.kind} ${object.name}: ${what}: ${saidWords.shortened(said.message, 200)}`;
}

/** Fields of a status or spec in which controllers list the objects that they made. */
const inventories = ['resources', 'resourceRefs', 'resourceRef', 'inventory', 'managedResources', 'entries'];

/** Lists objects in an inventory that are being deleted; its controller has yet to delete the others. */
function listedIn(tracked: TrackedView, object: KubeObject, json: JsonRecord): Wait[] {
  const waits: Wait[] = [];
  for (const part of ['status', 'spec'] as const)
    for (const field of inventories) {
      const value = record(json[part])[field];
      const entries = Array.isArray(value) ? list(value) : [...list(record(value)['entries']), value];
      for (const [index, entry] of entries.entries()) {
        const there = referred(tracked, object, record(entry));
        if (there === undefined || !isDeleting(there)) continue;
        const path = Array.isArray(value) ? `${part}.${field}[${index}]` : `${part}.${field}`;
        const evidence = [`${object.type.kind} ${object.name}: ${path}: ${there.type.kind} ${there.name}`];
        waits.push({ on: there, isMissing: false, isReported: false, certainty: 'assumed', evidence });
      }
    }
  return waits;
}

/** Finds the object that a record with a kind and a name refers to. */
function referred(tracked: TrackedView, object: KubeObject, entry: JsonRecord): KubeObject | undefined {
  const { type, namespace, name } = referenceIn(tracked, object, entry);
  if (type === undefined || name === '') return undefined;
  return tracked.find(type, type.namespaced ? namespace || object.namespace : '', name);
}

/** Lists dependents that are being deleted as well: controllers wait for what they made. */
function ownedBy(tracked: TrackedView, object: KubeObject): Wait[] {
  const node = tracked.node(object.uid);
  const dependents = node === undefined ? [] : tracked.dependents(node);
  return dependents.filter(isDeleting).map(on => ({
    on,
    isMissing: false,
    isReported: false,
    certainty: 'assumed',
    evidence: [`${on.type.kind} ${on.name} is owned by ${object.name}, and is being deleted as well`],
  }));
}

/** Kinds that may create a namespace of their name; for others, reading it would be in vain. */
const namespaced = /namespace|project|tenant|space|team/iu;

/** Finds a deleting namespace that was created for the object: it has its name, and a label of its project. */
function namespaceOf(tracked: TrackedView, { type, name, namespace }: KubeObject): Wait[] {
  if (namespace === name || !namespaced.test(type.kind)) return [];
  const on = tracked.findKind('v1', 'Namespace', '', name);
  const domains = (on?.labels ?? [])
    .filter((_, index) => index % 2 === 0)
    .map(key => key.split('/')[0] ?? '');
  if (on === undefined || !isDeleting(on) || !domains.some(each => belongsTo(each, type.group))) return [];
  const evidence = [`Namespace ${name} has a label of ${type.group}, and is being deleted as well`];
  return [{ on, isMissing: false, isReported: false, certainty: 'assumed', evidence }];
}
