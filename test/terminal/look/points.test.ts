/** Which terminal tests show each promise of the screen, each of them at every one of the sizes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sizes } from '../program.ts';

/** Files below `test/terminal`, and what their tests are named. */
const points: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  'causes first': [
    ['views/opening', 'a namespace with errors opens on its problems, the cause first'],
    ['views/opening', 'a quiet namespace names the cause elsewhere'],
    ['look/every-size', 'a quiet cluster opens on the pulse'],
  ],
  'one key frees': [
    ['actions/many-at-once', 'u on a cause frees forty objects in twenty namespaces after one question'],
    ['demo/from-the-footer', '$what'],
  ],
  'a namespace is an object': [
    ['actions/remedies', 'the heading of a namespace acts on the Namespace'],
    ['views/opening', 'the namespaces to choose from show their problems'],
  ],
  'nothing cut': [
    ['views/problems', 'names the cause first and whole'],
    ['views/problems', 'fits'],
    ['look/panels', 'a list is a box over the view'],
    ['look/every-size', 'a forecast names the finalizer on the row that it holds'],
  ],
  rows: [['look/every-size', 'rows have guide lines, the heading marks their order']],
  survivors: [
    ['look/every-size', 'survivors are marked in the tree'],
    ['views/opening', 'a typed name is one if they are hidden'],
  ],
  adoption: [['actions/many-at-once', 'U creates a StatefulSet for its survivors']],
  commands: [['look/every-size', 'words of users lead to unblock']],
  panels: [
    ['look/every-size', 'the YAML of an object scrolls and is searched in a panel'],
    ['kubectl/hand-over', 'is read in a panel of the screen'],
    ['kubectl/hand-over', 'that are followed keep their end in view'],
  ],
  forecasts: [
    ['look/every-size', 'a forecast says what would be, and then what is'],
    ['actions/choices', 'z paints what an undo brings back'],
    ['actions/arrivals', 'a new pod takes the place of its ghost'],
  ],
  'the future on the tree': [
    ['actions/forecast-steps', '. and , play an orphaning request by request'],
    ['views/replay', 'fits'],
    ['look/every-size', 'stepping says what the collector does in sentences'],
    ['files', 'a played forecast is written as an asciicast'],
  ],
  wording: [
    ['look/every-size', 'what happens without the action too is said in words of the review'],
    ['actions/standing-question', 'what happens in any case is one grey line'],
  ],
};

const rows = Object.entries(points).flatMap(([point, tests]) => tests.map(each => [point, ...each] as const));

/** Checks that the test, or the block it is in, runs once a size. */
function runsAtEachSize(source: string, title: string): boolean {
  const at = source.indexOf(title);
  const before = source.slice(0, at);
  const begun = Math.max(before.lastIndexOf('each(sizes)('), before.lastIndexOf('test.each(each)('));
  return at >= 0 && begun >= 0 && !before.slice(begun).includes('\n});');
}

test('there are twelve points and five sizes', () => {
  expect(Object.keys(points)).toHaveLength(12);
  expect(sizes.map(size => size.join('×'))).toEqual(['200×50', '140×40', '100×30', '80×24', '60×15']);
});

test.each(rows)('%s: %s tests "%s" at each size', (_, file, title) => {
  const source = readFileSync(path.join(import.meta.dirname, '..', `${file}.long.test.ts`), 'utf8');
  expect(runsAtEachSize(source, title)).toBe(true);
});
