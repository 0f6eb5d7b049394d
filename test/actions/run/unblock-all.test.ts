import { describe, expect, it } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { Question } from '../../../src/actions/run/run-ports.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { outcomeWords } from '../../../src/text/actions/outcome.ts';
import { questionWords } from '../../../src/text/actions/question.ts';
import { ActingWorld, lines } from '../acting-world.ts';

const deleting = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0';
const held = (name: string, finalizers: string, owner = ''): string =>
  `\n- {kind: ConfigMap, name: ${name}, ${deleting}, finalizers: [${finalizers}]${owner === '' ? '' : `, owners: [v1 ConfigMap ${owner} ${owner} +b]`}}`;
const chain =
  held('top', 'foregroundDeletion, example.org/copy') +
  held('middle', 'foregroundDeletion, example.net/count', 'top') +
  held('root', 'example.com/drain', 'middle') +
  '\n- {kind: ConfigMap, name: kept}';

const ALL = 'unblock-all';

/** Does something in the cluster when the request about the object is sent. */
function at(world: ActingWorld, name: string, act: () => void): void {
  world.intercept = ({ path }) => {
    if (path.endsWith(`/${name}`)) {
      world.intercept = () => undefined;
      act();
    }
    return undefined;
  };
}

function said(ended: Awaited<ReturnType<typeof actionRun.perform>>): string[] {
  const options = { took: 0, undo: undefined, followed: true };
  return [...outcomeWords.lines(ended, options)].map(({ spans }) => spans.map(({ text }) => text).join(''));
}

describe('unblocking an object and everything it waits for', () => {
  it('is one question and one entry in the journal, from what decides up, and is undone as one', async () => {
    const world = await ActingWorld.of(chain);
    const asked: Question[] = [];
    const confirm = (question: Question): Promise<boolean> => {
      asked.push(question);
      return Promise.resolve(true);
    };
    const ended = await actionRun.perform(world.unblock('top', ALL), world.ports({ confirm }));
    expect(ended.state).toBe('reached');
    expect(asked).toHaveLength(1);
    expect(lines(world.sent)).toEqual(['PATCH root', 'PATCH middle', 'PATCH top']);
    const shown = world.events.flatMap(each =>
      each.event === 'sending' ? questionWords.sending(each.prepared, each.request) : [],
    );
    expect(shown[1]).toBe(
      'step 2 of 3: remove example.net/count from middle: the resources it protects are left behind',
    );
    expect(['top', 'middle', 'root', 'kept'].filter(uid => world.has(uid))).toEqual(['kept']);
    const [entry, ...others] = await world.journal.list();
    expect(others).toEqual([]);
    const undo = Undo.plan(entry!, await world.journal.backupOf(entry!), world.view);
    expect(undo.requests.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
  });

  it('stops at an object that has got another owner, and says so', async () => {
    const world = await ActingWorld.of(chain);
    at(world, 'root', () => world.giveTo('middle', 'kept'));
    const ended = await actionRun.perform(world.unblock('top', ALL), world.ports());
    expect(ended).toMatchObject({ state: 'departed', taken: 1 });
    expect(lines(world.sent)).toEqual(['PATCH root']);
    expect(said(ended)).toEqual([
      'The cluster did not follow the forecast:',
      '  ConfigMap shop/middle has another owner now, ConfigMap kept; the forecast was that it has only those that it had',
      'It stopped there: 1 of 3 requests was sent.',
    ]);
    const [entry] = await world.journal.list();
    expect(entry?.ended?.outcome).toBe('departed');
  });

  it('stops at another object of the same name', async () => {
    const world = await ActingWorld.of(chain);
    at(world, 'root', () => world.replace('middle'));
    const ended = await actionRun.perform(world.unblock('top', ALL), world.ports());
    expect(ended).toMatchObject({ state: 'departed', taken: 1 });
    expect(said(ended)[1]).toContain('ConfigMap shop/middle is another object now');
  });

  it('stops where something else is deleted that the forecast keeps', async () => {
    const owned = chain.replace(
      'finalizers: [foregroundDeletion, example.org/copy]',
      '$&, owners: [v1 ConfigMap kept kept]',
    );
    const world = await ActingWorld.of(owned);
    at(world, 'root', () => world.remove('kept'));
    const ended = await actionRun.perform(world.unblock('top', ALL), world.ports());
    expect(ended).toMatchObject({ state: 'departed', taken: 1 });
    expect(said(ended)[1]).toBe('  ConfigMap shop/kept is gone; the forecast was that it stays as it is');
  });

  it('goes on where a controller has done a step in the meantime', async () => {
    const world = await ActingWorld.of(chain);
    at(world, 'root', () => world.letGo('middle'));
    const ended = await actionRun.perform(world.unblock('top', ALL), world.ports());
    expect(ended.state).toBe('reached');
    expect(['top', 'middle', 'root'].some(uid => world.has(uid))).toBe(false);
  });
});
