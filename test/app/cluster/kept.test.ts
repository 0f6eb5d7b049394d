/** What is kept of a cluster is what is there, however much has come and gone. */
import { queryObjects } from 'node:v8';
import { expect, it } from 'vitest';
import { OwnershipNode } from '../../../src/graph/ownership-node.ts';
import { KubeObject } from '../../../src/model/object.ts';
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

/** Live ones; those of other tests in this process among them. */
function living(): { readonly objects: number; readonly nodes: number } {
  const count = (of: Parameters<typeof queryObjects>[0]): number => queryObjects(of, { format: 'count' });
  return { objects: count(KubeObject), nodes: count(OwnershipNode) };
}

const ROUNDS = 60;

it.each([[[]], [['5']], [['T', '1']]])(
  'of objects that are gone neither the object nor its node is kept, after the keys %j',
  keys => {
    const screen = ScreenDriver.complete(owners(0));
    screen.press(...keys);
    const round = (number: number): void => {
      screen.change(owners(number));
      screen.change(loosened(number));
      screen.remove(owners(number - 1));
      screen.judge();
      screen.rows();
      screen.wait(60_000);
    };
    round(1);
    round(2);
    const before = living();
    for (let number = 3; number <= ROUNDS; number++) round(number);
    const after = living();
    // Forty in each round; what was told last may still be looked at.
    expect(after.objects - before.objects).toBeLessThan(100);
    expect(after.nodes - before.nodes).toBeLessThan(100);
    expect(screen.state.cluster?.view.graph.size).toBeLessThan(100);
  },
);
