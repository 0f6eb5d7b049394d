/** Runs actions on the screen's side without a screen. */
import { ScreenAction, type ScreenActionOptions } from '../../../src/app/actions/screen-action.ts';
import { undoKey } from '../../../src/app/dialogs/footer-keys.ts';
import type { ActionChoice, ActionNews, ActionWish } from '../../../src/app/state/action-dialog.ts';
import type { Uid } from '../../../src/model/object.ts';
import type { ActingWorld } from '../../actions/acting-world.ts';

export interface Told {
  /** How it ended, with everything below that. */
  readonly end: ActionNews;
  readonly text: string;
  /** Choices, if it asked for one. */
  readonly choices: readonly ActionChoice[];
  /** The id of the one under the cursor at first. */
  readonly first: string | undefined;
  readonly question: string | undefined;
  /** Last title of the panel. */
  readonly title: string | undefined;
  /** Lines below the last question. */
  readonly asked: string;
}

/** Makes an action on a cluster, with the ports that the screen gives it. */
export function actionIn(
  world: ActingWorld,
  ports: Pick<ScreenActionOptions, 'show' | 'changed'>,
): ScreenAction {
  const cluster = {
    view: world.view,
    node: (uid: Uid) => world.view.graph.get(uid),
    problems: undefined,
  } as unknown as ScreenActionOptions['cluster'];
  const source = {
    ...world.source,
    info: { source: 'cluster', context: 'test' },
  } as unknown as ScreenActionOptions['source'];
  return new ScreenAction({
    cluster,
    source,
    journal: world.journal,
    since: 0,
    ports: {
      now: () => world.now,
      soon: run => {
        setImmediate(run);
        return () => {};
      },
    },
    columns: () => 120,
    undoKey: undoKey(),
    ...ports,
  });
}

/** Runs it on the screen's side, choosing the first that can be taken and answering every question alike. */
export async function told(world: ActingWorld, wish: ActionWish, yes = true): Promise<Told> {
  const news: ActionNews[] = [];
  let choices: readonly ActionChoice[] = [];
  let first: string | undefined;
  let question: string | undefined;
  let asked = '';
  const action: ScreenAction = actionIn(world, {
    show: each => {
      news.push(each);
      const { stage } = each;
      if (stage?.at === 'asking') {
        ({ question } = stage);
        asked = linesText(each);
        setImmediate(() => (yes ? action.dialog.answer(true) : action.dialog.close()));
      }
      if (stage?.at !== 'choosing') return;
      ({ choices } = stage);
      first = choices[stage.cursor]?.id;
      const open = choices.find(({ refused }) => refused !== true);
      setImmediate(() => (open === undefined ? action.dialog.close() : action.dialog.choose(open.id)));
    },
    changed: (milliseconds, signal) => {
      if (news.at(-1)?.stage?.at === 'asking')
        return new Promise(resolve => signal?.addEventListener('abort', () => resolve(), { once: true }));
      world.cluster.runFor(Math.min(milliseconds, 100));
      return Promise.resolve();
    },
  });
  await action.run(wish);
  const end = news.findLast(({ stage }) => stage?.at === 'ended') ?? {};
  const text = [end.stage?.at === 'ended' ? end.stage.outcome : '', linesText(end)].join('\n');
  const title = news.findLast(each => each.title !== undefined)?.title;
  return { end, text, choices, first, question, title, asked };
}

function linesText({ lines = [] }: ActionNews): string {
  return lines.map(({ spans }) => spans.map(({ text }) => text).join('')).join('\n');
}
