/** Adopts and recreates ControllerRevisions (pkg/controller/history, v1.36). The pods' label names the current one. */
import {
  type BuiltInKind,
  controllerOf,
  type KubeObject,
  type LabelSelector,
  Labels,
  labelRules,
  type Uid,
} from '../../../model/index.ts';
import { type ControllerContext, isKind } from '../../runtime/controller.ts';
import { adoptedOwners, claim, controllerReference, OrphanIndex } from '../claiming.ts';

const HASH_LABEL = 'controller-revision-hash';

export interface RevisionsOptions {
  readonly context: ControllerContext;
  readonly owner: BuiltInKind;
  /** Set for DaemonSets, which sync when a revision is deleted; StatefulSets wait for their next sync. */
  readonly wake?: (owner: KubeObject) => void;
}

export class Revisions {
  readonly #options: RevisionsOptions;
  /** Deleted revisions by owner, until they are recreated or found unneeded. */
  readonly #lost = new Map<Uid, KubeObject[]>();
  readonly #first = new Set<Uid>();
  readonly #names = new Map<Uid, string>();
  #orphans: OrphanIndex | undefined;

  constructor(options: RevisionsOptions) {
    this.#options = options;
    const { context } = options;
    context.informer('ControllerRevision', {
      added: revision => this.#orphans?.observe(revision),
      updated: revision => this.#orphans?.observe(revision),
      deleted: revision => this.#deleted(revision),
    });
  }

  adopt(owner: KubeObject, selector: LabelSelector): boolean {
    const { context } = this.#options;
    const type = context.type('ControllerRevision');
    if (type === undefined) return true;
    this.#orphans ??= new OrphanIndex(context.cache, type);
    for (const revision of this.#orphans.in(owner.namespace)) {
      const matches = labelRules.selects(selector, revision.labels);
      // Only StatefulSets reach this while being deleted, and stop here (adoptOrphanRevisions).
      if (matches && owner.deletionTimestamp !== undefined) return false;
      if (claim(owner, revision, matches) !== 'adopt') continue;
      const live = context.api.get(owner);
      if (!live.ok || live.object.uid !== owner.uid || live.object.deletionTimestamp !== undefined)
        return false;
      const answer = context.api
        .because(`${owner.type.kind} ${owner.name} selects it and it has no controller`)
        .patch(revision, current => ({ owners: adoptedOwners(current, owner) }), { uid: revision.uid });
      if (!answer.ok && answer.status !== 404) return false;
      // It counts before the cache shows the adoption, as orphans do (ListControllerRevisions).
      if (answer.ok) this.#first.add(owner.uid);
    }
    return true;
  }

  /** Recreates the current revision: the one in the pods' label, or any if nothing else is left. False if refused. */
  restore(owner: KubeObject, labels: Labels, pods: readonly KubeObject[]): boolean {
    const lost = this.#lost.get(owner.uid);
    if (lost === undefined) return this.#createFirst(owner, labels);
    const hashes = new Set(pods.map(pod => Labels.value(pod.labels, HASH_LABEL)));
    const current =
      lost.find(({ name }) => hashes.has(name) || hashes.has(name.slice(owner.name.length + 1))) ??
      (this.#hasAny(owner) ? undefined : lost.at(-1));
    if (current === undefined) {
      this.#lost.delete(owner.uid);
      return true;
    }
    const written = this.#write(owner, {
      type: current.type,
      name: current.name,
      labels: labelRules.withLabel(
        labels,
        HASH_LABEL,
        Labels.value(current.labels, HASH_LABEL) ?? current.name,
      ),
    });
    if (written === 'done') this.#lost.delete(owner.uid);
    return written !== 'failed';
  }

  /** Creates the first revision of an owner newer than the snapshot. */
  #createFirst(owner: KubeObject, labels: Labels): boolean {
    const { context } = this.#options;
    const type = context.type('ControllerRevision');
    if (type === undefined || this.#first.has(owner.uid) || context.base?.get(owner.uid) !== undefined) {
      return true;
    }
    if (this.#hasAny(owner)) {
      this.#first.add(owner.uid);
      return true;
    }
    const hash = context.random.name(9);
    const name = `${owner.name}-${hash}`;
    const written = this.#write(owner, {
      type,
      name,
      labels: labelRules.withLabel(labels, HASH_LABEL, hash),
    });
    if (written === 'done') {
      this.#first.add(owner.uid);
      this.#names.set(owner.uid, name);
    }
    return written !== 'failed';
  }

  #write(
    owner: KubeObject,
    revision: Pick<KubeObject, 'type' | 'name' | 'labels'>,
  ): 'done' | 'exists' | 'failed' {
    const answer = this.#options.context.api.because(`${owner.name} has no revision of its template`).create({
      ...revision,
      namespace: owner.namespace,
      owners: [controllerReference(owner)],
    });
    if (answer.ok || answer.reason === 'NamespaceTerminating') return 'done';
    return answer.reason === 'AlreadyExists' ? 'exists' : 'failed';
  }

  /** Returns a sibling's label, else the first revision's name for StatefulSets, or its hash for DaemonSets. */
  hashLabel(owner: KubeObject, sibling: KubeObject | undefined): string | undefined {
    const like = sibling && Labels.value(sibling.labels, HASH_LABEL);
    const name = this.#names.get(owner.uid);
    if (like !== undefined || name === undefined) return like;
    return owner.type.kind === 'StatefulSet' ? name : name.slice(owner.name.length + 1);
  }

  #deleted(revision: KubeObject): void {
    this.#orphans?.forget(revision);
    const reference = controllerOf(revision);
    const owner = reference && this.#options.context.cache.byUid(reference.uid);
    if (owner === undefined || !isKind(owner.type, this.#options.owner)) return;
    this.#lost.set(owner.uid, [...(this.#lost.get(owner.uid) ?? []), revision]);
    this.#options.wake?.(owner);
  }

  #hasAny(owner: KubeObject): boolean {
    return this.#options.context.cache
      .ownedBy(owner.uid)
      .some(each => isKind(each.type, 'ControllerRevision'));
  }
}
