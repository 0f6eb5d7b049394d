/**
 * Sends the requests of `helm uninstall`, in its order (Helm pkg/action/uninstall.go, pkg/action/hooks.go and
 * pkg/kube/client.go, v3.22). What hooks create and do isn't simulated.
 */
import type { KubeObject, ShellCommands, Uid } from '../model/index.ts';
import type { ApiClient } from '../simulation/index.ts';
import {
  Cascade,
  type DeleteAction,
  type SendRequest,
  type Uninstall,
  type UninstallHook,
} from './action.ts';

interface Step {
  readonly of: 'pre-delete' | 'manifest' | 'post-delete' | 'stored';
  readonly objects: readonly KubeObject[];
}

/** Returns the objects that Helm deletes, in its order, each once. */
export function uninstallTargets(uninstall: Uninstall): KubeObject[] {
  return [...new Set(stepsOf(uninstall).flatMap(({ objects }) => objects))];
}

function stepsOf({ hooks, objects, stored, stops }: Uninstall): Step[] {
  const replaced = (event: UninstallHook['event']): Step[] => {
    const ofEvent = hooks.filter(hook => hook.event === event);
    const failing = ofEvent.findIndex(({ fails }) => fails !== undefined);
    return ofEvent
      .slice(0, failing < 0 ? undefined : failing)
      .flatMap(({ replaces }) => (replaces === undefined ? [] : { of: event, objects: [replaces] }));
  };
  if (stops !== undefined) return replaced('pre-delete');
  return [
    ...replaced('pre-delete'),
    { of: 'manifest', objects },
    ...replaced('post-delete'),
    { of: 'stored', objects: stored },
  ];
}

/** Hands out the requests in batches: Helm waits until a hook's former object is gone. */
export class UninstallRequests {
  readonly #steps: Step[];
  readonly #action: DeleteAction;
  readonly #exists: (uid: Uid) => boolean;
  #awaited: Step | undefined;
  #isRefused = false;

  constructor(action: DeleteAction, uninstall: Uninstall, exists: (uid: Uid) => boolean) {
    this.#action = action;
    this.#steps = stepsOf(uninstall);
    this.#exists = exists;
  }

  /** Returns undefined if Helm sends nothing more, or nothing yet. */
  next(asked: ApiClient): readonly SendRequest[] | undefined {
    if (this.#isWaiting()) return undefined;
    const requests: SendRequest[] = [];
    for (let step = this.#steps.shift(); step !== undefined; step = this.#steps.shift()) {
      requests.push(...this.#requestsOf(step, asked));
      if (step.of === 'pre-delete' || step.of === 'post-delete') {
        this.#awaited = step;
        break;
      }
    }
    return requests.length === 0 ? undefined : requests;
  }

  /** A hook that can't be replaced ends everything before the deletion, and only the hooks after it. */
  #isWaiting(): boolean {
    const { objects = [], of } = this.#awaited ?? {};
    if (!objects.some(({ uid }) => this.#exists(uid))) return false;
    if (of === 'pre-delete') return true;
    while (this.#steps[0]?.of === 'post-delete') this.#steps.shift();
    return false;
  }

  #requestsOf({ of, objects }: Step, asked: ApiClient): SendRequest[] {
    const propagationPolicy = of === 'manifest' ? Cascade.policies[this.#action.cascade] : 'Background';
    const options = of === 'stored' ? {} : { propagationPolicy };
    return objects.map(object => () => {
      // After a refusal Helm sends the rest of the manifest, but ends before hooks and the release.
      if (this.#isRefused && of !== 'manifest') return [];
      const answer = asked.delete(object, options);
      if (of === 'manifest' && !answer.ok && answer.status !== 404) this.#isRefused = true;
      return answer;
    });
  }
}

export function helmUninstall({ release, namespace, switches }: Uninstall): ShellCommands {
  return [{ words: ['helm', 'uninstall', release, '-n', namespace, ...switches] }];
}
