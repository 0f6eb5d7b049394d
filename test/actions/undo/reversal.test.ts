import { describe, expect, it } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { Ended } from '../../../src/actions/run/run-ports.ts';
import { type Reversal, Undo } from '../../../src/actions/undo/plan-undo.ts';
import { outcomeWords } from '../../../src/text/actions/outcome.ts';
import { deployment, nodes } from '../../forecast/fixtures.ts';
import { ActingWorld } from '../acting-world.ts';

async function deleted(yaml: string, uid: string): Promise<{ ended: Ended; reversal: Reversal }> {
  const world = await ActingWorld.of(yaml);
  const ended = await actionRun.perform(world.delete('background', uid), world.ports());
  return { ended, reversal: await Undo.reversal(ended, world) };
}

/** What is said of it, behind how it ended. */
function said({ ended, reversal }: { ended: Ended; reversal: Reversal }): string[] {
  const told = { reversal, command: () => [{ words: ['undo', 'ENTRY'] }], list: [{ words: ['undo'] }] };
  const linesWith = (undo: typeof told | undefined): string[] =>
    [...outcomeWords.lines(ended, { took: 0, followed: true, undo })].map(({ spans }) =>
      spans.map(({ text }) => text).join(''),
    );
  return linesWith(told).slice(linesWith(undefined).length);
}

describe('what is said of taking an action back', () => {
  it('is the command where it brings everything back', async () => {
    expect(said(await deleted('- {kind: ConfigMap, name: x}', 'x'))).toEqual(['Undo: undo ENTRY']);
  });

  it('is what cannot come back besides, where some can', async () => {
    expect(said(await deleted('- {kind: ServiceAccount, name: x}', 'x'))).toEqual([
      'Undo: undo ENTRY',
      '  cannot come back: the tokens of ServiceAccount x: recreated, it has another uid',
    ]);
  });

  it('is no command where that would be refused', async () => {
    const held = await deleted('- {kind: ConfigMap, name: x, finalizers: [example.com/hold]}', 'x');
    expect(said(held)).toEqual([
      'Undo cannot restore:',
      '  ConfigMap x is being deleted, which cannot be undone',
    ]);
    expect(said(await deleted(nodes + deployment('api', 1), 'api-h-0'))).toEqual([
      'Undo cannot restore:',
      '  Pod api-h-0 as it was: ReplicaSet api-h creates its own',
    ]);
  });

  it('is no promise before the cluster has come to rest', async () => {
    const world = await ActingWorld.of('- {kind: ConfigMap, name: x}');
    const ended = await actionRun.perform(world.delete('background', 'x'), world.ports({ timeout: 0 }));
    expect(ended.state).toBe('unfinished');
    const reversal = await Undo.reversal(ended, world);
    expect(said({ ended, reversal })).toEqual(['What can be undone shows when it is done: undo']);
  });

  it('is nothing where nothing was sent', async () => {
    const world = await ActingWorld.of('- {kind: ConfigMap, name: x}');
    const ports = world.ports({ confirm: () => Promise.resolve(false) });
    const ended = await actionRun.perform(world.delete('background', 'x'), ports);
    expect(said({ ended, reversal: await Undo.reversal(ended, world) }).join(' ')).not.toMatch(
      /[Uu]nd(?:o|one)/u,
    );
  });

  it('says so where its backup is no longer there', async () => {
    const { ended } = await deleted('- {kind: ConfigMap, name: x}', 'x');
    const another = await ActingWorld.of('- {kind: ConfigMap, name: y}');
    expect(await Undo.reversal(ended, another)).toMatchObject({
      entries: [],
      lost: [expect.stringMatching(/^entry \S+ is no longer in the journal$/u)],
    });
  });
});
