import type { KubeObject } from '../../model/index.ts';
import type { Controller, ControllerContext } from '../runtime/controller.ts';
import type { SyncResult } from '../runtime/work-queue.ts';
import { hasKubelet, type NodeOptions } from './pods/kubelet-nodes.ts';
import { type PutBack, putBack } from './put-back.ts';

/** Recreates deleted objects as one controller in `put-back.ts` does. */
export class PutBackController implements Controller {
  readonly name: string;
  readonly #options: NodeOptions;

  constructor(name: string, options: NodeOptions) {
    this.name = name;
    this.#options = options;
  }

  start(context: ControllerContext): void {
    const queue = context.queue<KubeObject>('put back', object => this.#sync(context, object));
    const notice = (object: KubeObject): void => {
      const row = putBack.of(object);
      if (row?.by === this.name && typeof row.after === 'number') queue.addAfter(object, row.after);
    };
    context.informer('all', { deleted: notice });
    if (context.start === 'resume') return;
    // A controller that starts also recreates objects that were deleted before.
    for (const [uid, object] of context.cache.changes()) {
      const before = object === null ? context.base?.get(uid)?.object : undefined;
      if (before !== undefined) notice(before);
    }
  }

  #sync(context: ControllerContext, object: KubeObject): SyncResult {
    const row = putBack.of(object);
    if (row === undefined || !this.#isWanted(context, row, object)) return 'done';
    const { type, namespace, labels, annotations, facts } = object;
    const owners = object.owners.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === row.owner);
    const name =
      row.renamed === true ? `${object.name.replace(/-[^-]*$/u, '')}-${context.random.name()}` : object.name;
    const draft = { type, namespace, name, generation: 1, labels, owners, annotations, facts };
    const answer = context.api.because('Kubernetes always has one').create(draft);
    return answer.ok || answer.objection === undefined ? 'done' : 'retry';
  }

  #isWanted(context: ControllerContext, { wanted, program }: PutBack, object: KubeObject): boolean {
    const { namespace } = object;
    if (namespace !== '' && !acceptsObjects(context, namespace)) return false;
    if (program === 'kubelet' && !hasKubelet(context, putBack.node(object), this.#options)) return false;
    return (
      wanted?.({ find: (...of) => context.find(...of), list: kind => context.list(kind) }, object) !== false
    );
  }
}

/** Returns true for a namespace that isn't being deleted, or that the snapshot doesn't know. */
function acceptsObjects(context: ControllerContext, name: string): boolean {
  const { base } = context;
  const found = context.find('Namespace', '', name);
  if (found !== undefined) return found.deletionTimestamp === undefined;
  const kind = context.type('Namespace');
  return base !== undefined && (kind === undefined || base.find(kind, '', name) === undefined);
}

/** Returns the controllers of one program that recreate deleted objects. */
export function putBackControllers(program: PutBack['program'], options: NodeOptions): PutBackController[] {
  const names = putBack.rows
    .filter(row => row.program === program && typeof row.after === 'number')
    .map(({ by }) => by);
  return [...new Set(names)].map(name => new PutBackController(name, options));
}
