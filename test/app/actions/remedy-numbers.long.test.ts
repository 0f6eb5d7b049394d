/** The remedies of an object are the same ones, by the same numbers, in the details, in the list of `U` and for `u`. */
import { describe, expect, test } from 'vitest';
import { proposedRemedy, remedyChoices } from '../../../src/app/actions/intent.ts';
import { actionView } from '../../../src/app/dialogs/action-panel.ts';
import type { ActionChoice } from '../../../src/app/state/action-dialog.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { isApplicable } from '../../../src/diagnosis/engine/finding.ts';
import { explain } from '../../../src/diagnosis/explain/explanation.ts';
import { Sliced } from '../../../src/model/slices.ts';
import { showHidden } from '../../../src/model/text/shown.ts';
import { playScenario } from '../../../src/source/demo/play-scenario.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';
import { whyLines } from '../../../src/text/diagnosis/why-lines.ts';
import { Glyphs } from '../../../src/text/terminal/glyphs.ts';
import { viewOf } from '../../conformance/findings/judge-simulated.ts';
import { ScreenDriver } from '../screen-driver.ts';

const now = Date.parse('2027-03-01T10:00:00Z');
const scenarios = await readScenarios();

/** `2 clear the block of web-2`, as the details pane numbers them. */
function numbersIn(lines: readonly string[]): string[] {
  return lines.flatMap(line => {
    const [, number, title] = /^[ >]{1,3}(\d+)  +(?:safe|caution|dangerous) +(.*)$/u.exec(line) ?? [];
    return number === undefined ? [] : [`${number} ${title}`];
  });
}

/** The list of `U` on a screen that is wide enough for it. */
class ListOnScreen {
  readonly #driver = ScreenDriver.complete('- {kind: ConfigMap, name: any}', {
    columns: 800,
    rows: 60,
  }).press('d');
  readonly #choices: readonly ActionChoice[];

  constructor(choices: readonly ActionChoice[]) {
    this.#choices = choices;
    const stage = { at: 'choosing', question: 'Which remedy?', as: 'list', choices, cursor: -1 } as const;
    this.#driver.send({ type: 'action', number: 1, news: { stage, lines: [] } });
  }

  /** As they are drawn, also those that the list scrolls to. */
  get lines(): readonly string[] {
    const seen = new Set<string>();
    for (const _ of this.#choices) {
      this.#driver.press('down');
      for (const { spans } of actionView(this.#driver.state, this.#dialog).entries) {
        seen.add(
          `  ${spans
            .map(({ text }) => text)
            .join('')
            .slice(1)
            .trimEnd()}`,
        );
      }
    }
    return [...seen];
  }

  /** The id of what the cursor is on after this key. */
  by(number: string): string | undefined {
    this.#driver.press(number);
    const { stage } = this.#dialog;
    return stage.at === 'choosing' ? stage.choices[stage.cursor]?.id : undefined;
  }

  get #dialog() {
    const { dialog } = this.#driver.state;
    if (dialog?.kind !== 'action') throw new Error('no list');
    return dialog;
  }
}

/** How many objects had more than one remedy that can be applied. */
let compared = 0;

describe('the remedies of every object', () => {
  test.each(scenarios)('have the same numbers in $name', async scenario => {
    const { world } = await playScenario(scenario, now);
    const view = viewOf(world.cluster);
    const diagnosis = diagnoseCluster(view, now);
    for (const uid of new Set(Array.from(diagnosis.all(), ({ object }) => object.uid))) {
      const node = view.graph.get(uid);
      if (node?.object === undefined) continue;
      const { remedies, ...explained } = explain(diagnosis, node);
      const offered = remedies();
      const applicable = offered.filter(isApplicable);
      const answer = { ...explained, object: node.identity, next: [], remedies: offered };
      const pane = [
        ...whyLines(answer, {
          wide: false,
          stacked: true,
          glyphs: Glyphs.unicode,
          now,
          command: () => ({ words: [] }),
        }),
      ].map(({ spans }) => spans.map(({ text }) => text).join(''));
      const { choices, recommended } = Sliced.atOnce(
        remedyChoices(diagnosis, node.object, { all: true, view, now }),
      );
      const list = new ListOnScreen(choices);
      const inPane = numbersIn(pane);
      expect(inPane).toEqual(applicable.map(({ title }, i) => `${i + 1} ${showHidden(title)}`));
      expect(numbersIn(list.lines).slice(0, inPane.length)).toEqual(inPane);
      for (const [i, { id }] of applicable.slice(0, 9).entries()) expect(list.by(`${i + 1}`)).toBe(id);
      // What is called safe in the details is safe in the forecast too.
      for (const { id, risk } of applicable) expect(choices.find(each => each.id === id)?.hint).toBe(risk);
      const proposed = Sliced.atOnce(proposedRemedy(diagnosis, node.object, { view, now }));
      if (recommended !== undefined) {
        expect(recommended).toMatchObject({ id: proposed?.id, title: proposed?.title });
        expect(inPane.join('\n')).toContain(showHidden(recommended.title));
      }
      // Without a choice it asks about one of those that U lists.
      if (proposed !== undefined) expect(choices.map(({ id }) => id)).toContain(proposed.id);
      if (applicable.length > 1) compared += 1;
    }
  });

  test('are several of many objects', () => {
    expect(compared).toBeGreaterThan(30);
  });
});
