/** What the pictures of the documentation show: keys are pressed as a person would, and the terminal's cells are drawn. */
import { keys } from '../../test/terminal/terminal.ts';
import { onStage, type Size, type Stage } from './stage.ts';
import { animatedPicture, type Frame, snapshot, stillPicture } from './svg.ts';

interface Shot {
  /** Of the file. */
  readonly name: string;
  readonly title: string;
  /** From where the shot before it ended. */
  readonly play: (stage: Stage) => Promise<void>;
}

const wide: Size = { cols: 120, rows: 34 };

const walks: readonly { readonly scenario: string; readonly size: Size; readonly shots: readonly Shot[] }[] =
  [
    {
      scenario: 'shop',
      size: wide,
      shots: [
        {
          name: 'first-glance',
          title: 'The screen as it opens on a namespace where a deletion hangs',
          play: () => Promise.resolve(),
        },
        {
          name: 'problems',
          title: 'All problems of the namespace, worst first',
          play: ({ press }) => press('2', /^>.*StatefulSet web/mu),
        },
        {
          name: 'search',
          title: 'Search in every kind, namespace and name, with a letter too few',
          play: async ({ press, type }) => {
            await press('1');
            await press('/');
            await type('deploymnt ap');
          },
        },
        {
          name: 'forecast',
          title: 'What deleting a Deployment would do, before anything is sent',
          play: async ({ press }) => {
            await press(keys.enter, /^>.*Deployment api/mu);
            await press('d');
          },
        },
        {
          name: 'unblock',
          title: 'A deletion that hangs: what would end it, and what that would leave behind',
          play: async ({ goTo, press, pass }) => {
            await press(keys.escape, /^>.*Deployment api/mu);
            await pass(5);
            await goTo('statefulset web', /^>.*StatefulSet web/mu);
            await press('u', /\by\b/u);
          },
        },
      ],
    },
    {
      scenario: 'forty-stuck',
      size: wide,
      shots: [
        {
          name: 'causes',
          title: 'Twenty stuck namespaces, and their one cause',
          play: async ({ press }) => {
            await press('0');
            await press('2', /^>▸ ✗ example\.com\/drain/mu);
          },
        },
        {
          name: 'cause-unfolded',
          title: 'The cause, unfolded, and the objects that it holds',
          play: ({ press }) => press(keys.enter, /^>▾ ✗ example\.com\/drain/mu),
        },
        {
          name: 'free-all',
          title: 'One question frees all that the cause holds',
          // The final screen shows its duration, which differs from run to run.
          play: ({ press }) => press('u', /Type 40/u),
        },
      ],
    },
    {
      scenario: 'statefulset-survivors',
      size: wide,
      shots: [
        {
          name: 'survivors-adopted',
          title: 'Pods that survived their StatefulSet, and the new one that adopts them',
          // The next screen shows its age, which differs from run to run.
          play: async ({ press }) => {
            await press('U', /Which remedy/u);
            await press('1');
            await press(keys.enter, /y confirms/u);
          },
        },
      ],
    },
    {
      scenario: 'shop',
      size: { cols: 60, rows: 15 },
      shots: [
        {
          name: 'small',
          title: 'The same on a terminal of 60 columns and 15 rows',
          play: ({ goTo }) => goTo('statefulset web', /^>.*StatefulSet web/mu),
        },
      ],
    },
  ];

/** Find it, see it, free it. */
function cast(main: string): Promise<string> {
  return onStage(
    main,
    ['demo', 'shop'],
    { cols: 100, rows: 26 },
    async ({ terminal, press, goTo, pass, until }) => {
      const frames: Frame[] = [];
      const take = (caption: string, seconds: number): void => {
        frames.push({ rows: snapshot(terminal), caption, seconds });
      };
      const onSet = /^>.*StatefulSet web/mu;
      if (!onSet.test(terminal.text())) await goTo('statefulset web', onSet);
      take('Find it: StatefulSet web was deleted 12 minutes ago, and it waits for its pod web-2.', 5);
      await press('d');
      take('See it: d shows what deleting it again would do. Nothing is sent.', 5);
      await press('2');
      take('2: in the foreground it would hang again.', 4);
      await press(keys.escape, onSet);
      await pass(5);
      await press('u', /\by\b/u);
      take('Free it: u proposes the way that loses nothing, with the request that would be sent.', 6);
      terminal.send('y');
      await until(/As forecast/u);
      take('y: it is gone, as forecast, and its pod is still there.', 5);
      await press(keys.escape);
      await pass(5);
      take('z would take it back.', 4);
      return animatedPicture(frames, 'Find a deletion that hangs, see why, and free it');
    },
  );
}

/** Each picture by the name of its file, without a folder. `main`: the program, bundled. */
export async function pictures(main: string): Promise<ReadonlyMap<string, string>> {
  const moving = cast(main);
  const stills = await Promise.all(
    walks.map(({ scenario, size, shots }) =>
      onStage(main, ['demo', scenario], size, async stage => {
        const found: [string, string][] = [];
        for (const { name, title, play } of shots) {
          await play(stage);
          found.push([`${name}.svg`, stillPicture(snapshot(stage.terminal), title)]);
        }
        return found;
      }),
    ),
  );
  return new Map([...stills.flat(), ['find-see-free.svg', await moving]]);
}
