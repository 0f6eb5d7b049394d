/** What is kept of a cluster is what is there, however much has come and gone. */
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { GraphNode } from '../../../src/graph/node.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { ScreenDriver } from '../screen-driver.ts';

/** Owners with dependents, each round others: some are orphaned, some are gone before their owners. */
function owners(round: number): string {
  return Array.from({ length: 20 }, (_, each) => {
    const [owner, dependent] = [`owner-${round}-${each}`, `dependent-${round}-${each}`];
    return `
- {kind: ConfigMap, name: ${owner}, labels: {app.kubernetes.io/managed-by: Helm}}
- {kind: ConfigMap, name: ${dependent}, owners: [v1 ConfigMap ${owner} +c +b, v1 ConfigMap other-${round}]}`;
  }).join('');
}

function loosened(round: number): string {
  return owners(round).replaceAll(/, v1 ConfigMap other-\d+\]/gu, ']');
}

setFlagsFromString('--expose-gc');
/** Frees at once what nothing holds on to, even where a process has much beside it. */
const collectGarbage = runInNewContext('gc') as () => void;

/** All that was ever seen of one class. */
class Seen<T extends WeakKey> {
  readonly #references: WeakRef<T>[] = [];
  readonly #known = new WeakSet<T>();

  note(each: T): void {
    if (this.#known.has(each)) return;
    this.#known.add(each);
    this.#references.push(new WeakRef(each));
  }

  get total(): number {
    return this.#references.length;
  }

  /** Those that are still kept by somebody. */
  get living(): number {
    return this.#references.filter(each => each.deref() !== undefined).length;
  }
}

const ROUNDS = 60;

it.each([[[]], [['5']], [['T', '1']]])(
  'of objects that are gone neither the object nor its node is kept, after the keys %j',
  async keys => {
    const screen = ScreenDriver.complete(owners(0));
    screen.press(...keys);
    const objects = new Seen<KubeObject>();
    const nodes = new Seen<GraphNode>();
    const note = (): void => {
      for (const node of screen.state.cluster?.view.graph.nodes() ?? []) {
        nodes.note(node);
        if (node.object !== undefined) objects.note(node.object);
      }
    };
    for (let number = 1; number <= ROUNDS; number++) {
      screen.change(owners(number));
      note();
      screen.change(loosened(number));
      note();
      screen.remove(owners(number - 1));
      screen.judge();
      screen.rows();
      screen.wait(60_000);
      // A weak reference that was made or read holds on until the task ends.
      await setImmediate();
    }
    collectGarbage();
    // Forty in each round, each of which is changed once; what was told last may still be looked at.
    expect(objects.total).toBeGreaterThan(ROUNDS * 60);
    expect(nodes.total).toBeGreaterThan(ROUNDS * 40);
    expect(objects.living).toBeLessThan(200);
    expect(nodes.living).toBeLessThan(200);
    expect(screen.state.cluster?.view.graph.size).toBeLessThan(100);
  },
);
