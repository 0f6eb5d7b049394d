/** Columns of the user's own: which of them there is room for, and what they say of an object. */

import { describe, expect, test } from 'vitest';
import { columnNames, type WrittenColumn } from '../../../src/app/settings/chosen-columns.ts';
import { layoutOf, UNCUT_COLUMNS } from '../../../src/app/state/layout.ts';
import { viewOf } from '../../../src/app/views/registry.ts';
import { treeColumns } from '../../../src/app/views/tree/columns.ts';
import { keptAnnotations } from '../../../src/model/annotations.ts';
import { displayWidth } from '../../../src/text/terminal/width.ts';
import { ScreenDriver } from '../screen-driver.ts';

const yaml = `
- {kind: Deployment, apiVersion: apps/v1, name: api, labels: {app: api, tier: "出\\u202eback"}, finalizers: [a.example.com/x, b]}
- {kind: ReplicaSet, apiVersion: apps/v1, name: api-1, owners: [apps/v1 Deployment api x, apps/v1 Deployment api api +c]}
- {kind: Pod, apiVersion: v1, name: api-1-x, owners: [apps/v1 ReplicaSet api-1], spec: {nodeName: node-7}, deletionTimestamp: "2026-11-21T11:58:30Z", deletionGracePeriodSeconds: 30}
- {kind: Secret, apiVersion: v1, name: token, annotations: {example.com/note: s3cret}}
- {kind: ServiceAccount, apiVersion: v1, name: notes, annotations: {example.com/note: "two\\nlines \\u001b[31mred"}}
${['a', 'b', 'c', 'd', 'e', 'f'].map(name => `- {kind: Service, apiVersion: v1, name: held-${name}, finalizers: [example.com/drain], deletionTimestamp: "2026-11-21T11:00:00Z", deletionGracePeriodSeconds: 0}`).join('\n')}
${['a', 'b', 'c', 'd', 'e', 'f'].map(name => `- {kind: ConfigMap, apiVersion: v1, name: lone-${name}}`).join('\n')}
`;

function drawn(columns: readonly WrittenColumn[], width = 160): ScreenDriver {
  const driver = ScreenDriver.complete(yaml, { columns: width, settings: { columns } });
  driver.press('i');
  return driver;
}

/** What is in the columns of an object's row, by their headings, blanks at the ends left out. */
function cells(driver: ScreenDriver, name: string): Readonly<Record<string, string>> {
  const { state } = driver;
  const { name: start, others } = treeColumns(state, UNCUT_COLUMNS);
  const rows = [...viewOf(state).lines(state, UNCUT_COLUMNS).rows(0, 100)].map(({ spans }) =>
    spans.map(({ text }) => text).join(''),
  );
  const row = rows.find(text => text.slice(0, start).includes(name));
  if (row === undefined) throw new Error(`no row of ${name}`);
  let at = start;
  return Object.fromEntries(
    others.map(({ title, width }) => {
      const content = row.slice(at, (at += width)).trim();
      return [title, content];
    }),
  );
}

function header(driver: ScreenDriver, width: number): string {
  return viewOf(driver.state)
    .lines(driver.state, width)
    .header.map(({ text }) => text)
    .join('');
}

describe('what columns say', () => {
  test('each fact of an object under its heading', () => {
    const driver = drawn([...columnNames, 'label:app']);
    expect(cells(driver, 'api-1-x')).toEqual({
      STATE: expect.stringMatching(/\S/u),
      AGE: '60m',
      KIND: 'Pod',
      NAMESPACE: 'shop',
      'API VERSION': 'v1',
      READY: '',
      REASON: '',
      NODE: 'node-7',
      'MANAGED BY': '<none>',
      OWNER: 'ReplicaSet api-1',
      OWNERS: 'plain',
      DEPENDENTS: '0',
      FINALIZERS: '',
      CREATED: '2026-11-21T11:00:00Z',
      DELETING: '2m',
      UID: 'api-1-x',
      APP: '',
    });
    expect(cells(driver, 'api-1 ')).toMatchObject({
      OWNER: 'Deployment api',
      OWNERS: 'plain,controller',
      DEPENDENTS: '1',
    });
  });

  test('finalizers one by one, and labels by their key', () => {
    const driver = drawn(['finalizers', 'label:app', { column: 'label:tier', title: 'layer' }]);
    expect(cells(driver, 'Deployment api')).toMatchObject({ FINALIZERS: 'a.example.com/x,b', APP: 'api' });
  });

  test('nothing in a label can touch the terminal, or turn what stands beside it', () => {
    expect(cells(drawn(['label:tier']), 'Deployment api')['TIER']).toBe('出%E2%80%AEback');
  });

  test('a label is headed by its name, as kubectl get -L has it', () => {
    expect(header(drawn(['label:app.kubernetes.io/part-of']), 120)).toMatch(/^ NAME +PART-OF +$/u);
  });

  test('an annotation on one line, and none of a Secret', () => {
    keptAnnotations.add(['example.com/note']);
    const driver = drawn(['annotation:example.com/note']);
    expect(cells(driver, 'notes')['NOTE']).toBe('two lines red');
    expect(cells(driver, 'token')['NOTE']).toBe('');
  });

  test('an owner that is only heard of has what the references say of it, and nothing else', () => {
    const driver = ScreenDriver.complete(
      '- {kind: ConfigMap, name: left, owners: [v1 ConfigMap lost lost-uid]}',
      { settings: { columns: ['kind', 'uid', 'age', 'owners', 'dependents', 'label:app'] } },
    );
    expect(cells(driver, 'lost')).toEqual({
      KIND: 'ConfigMap',
      UID: 'lost-uid',
      AGE: '',
      OWNERS: '',
      DEPENDENTS: '1',
      APP: '',
    });
  });

  test('what has a column of its own is no part of the name', () => {
    const nameOf = (columns: WrittenColumn[]): string | undefined => {
      const driver = ScreenDriver.complete(yaml, { namespace: undefined, settings: { columns } });
      return driver
        .rows()
        .find(line => line.includes('token'))
        ?.replace(/^[ └├│]+/u, '');
    };
    expect(nameOf(['label:app'])).toBe('Secret token');
    expect(nameOf(['kind', 'namespace'])).toMatch(/^token +Secret +shop$/u);
  });
});

describe('the room that there is', () => {
  const many: readonly WrittenColumn[] = [
    'state',
    'label:app',
    'owner',
    { column: 'uid', wide: true },
    'age',
  ];

  test.each([
    [60, ['STATE', 'APP']],
    [72, ['STATE', 'APP', 'OWNER']],
    [80, ['STATE', 'APP', 'OWNER', 'AGE']],
    [110, ['STATE', 'APP', 'OWNER', 'AGE']],
    [200, ['STATE', 'APP', 'OWNER', 'UID', 'AGE']],
  ])('in %i columns, what does not fit is left out from the right, wide ones first', (width, titles) => {
    expect(treeColumns(drawn(many).state, width).others.map(({ title }) => title)).toEqual(titles);
  });

  test('the name stays, whatever is beside it', () => {
    for (const columns of [many, columnNames, [{ column: 'uid', width: 200 }], ['name']] as const) {
      const { state } = drawn(columns);
      for (let width = 60; width <= 260; width++) {
        const { name, others } = treeColumns(state, width);
        expect(name).toBeGreaterThanOrEqual(28);
        expect(name + others.reduce((sum, each) => sum + each.width, 0)).toBe(width);
      }
    }
  });

  test.each([[many], [['name']], [columnNames], [['age']]] as const)(
    'every line is as wide as the list, headings of groups too: %j',
    columns => {
      for (const width of [60, 72, 80, 120, 200]) {
        const driver = ScreenDriver.complete(yaml, {
          columns: width,
          namespace: undefined,
          settings: { columns },
        });
        driver.press('i');
        const { header: head, rows, length } = viewOf(driver.state).lines(driver.state, width);
        expect(driver.rows()).toContainEqual(expect.stringMatching(/shop .*✗ 6/u));
        expect(length).toBeGreaterThan(5);
        for (const spans of [head, ...[...rows(0, 100)].map(row => row.spans)])
          expect(displayWidth(spans.map(({ text }) => text).join(''))).toBe(width);
      }
    },
  );

  test('a width of its own is kept', () => {
    const { others } = treeColumns(drawn([{ column: 'label:app', width: 33 }, 'age']).state, 100);
    expect(others.map(({ width }) => width)).toEqual([33, 7]);
  });

  test('without columns of one’s own the tree has what it always had', () => {
    const titles = (width: number): readonly string[] =>
      treeColumns(ScreenDriver.complete(yaml).state, width).others.map(({ title }) => title);
    expect(titles(60)).toEqual(['STATE', 'AGE']);
    expect(titles(103)).toEqual(['STATE', 'AGE']);
    expect(titles(104)).toEqual(['STATE', 'NODE', 'AGE']);
  });
});

describe('together with the rest', () => {
  const titlesOf = (driver: ScreenDriver): readonly string[] =>
    treeColumns(driver.state, 160).others.map(({ title }) => title);
  const typed = (driver: ScreenDriver, line: string): ScreenDriver =>
    driver.press('escape', ':', ...Array.from(line, letter => (letter === ' ' ? 'space' : letter)), 'enter');

  test(':columns chooses others, and those of the settings again', () => {
    const driver = drawn(['age']);
    expect(titlesOf(typed(driver, 'columns state label:app'))).toEqual(['STATE', 'APP']);
    expect(typed(driver, 'columns size').banner()).toContain('"size" is no column; those are name, state');
    driver.press('escape');
    expect(typed(driver, 'columns annotation:example.com/other').banner()).toContain('was not read');
    driver.press('escape');
    expect(titlesOf(driver)).toEqual(['STATE', 'APP']);
    expect(titlesOf(typed(driver, 'columns'))).toEqual(['AGE']);
  });

  test(':columns completes the last word', () => {
    const driver = drawn(['age']).press(':', ...Array.from('columns'), 'space', 'f');
    expect(driver.state.dialog).toMatchObject({ items: [{ id: 'columns finalizers', label: 'finalizers' }] });
  });

  test(':view brings its columns, and leaves them where it has none', () => {
    const driver = ScreenDriver.complete(yaml, {
      settings: { views: { ids: { columns: ['uid'] }, old: { sort: 'age' } } },
    });
    expect(titlesOf(typed(driver, 'view ids'))).toEqual(['UID']);
    expect(titlesOf(typed(driver, 'view old'))).toEqual(['UID']);
  });

  test('the column of the managers comes and goes at its place', () => {
    const driver = drawn(['age', 'managed-by', 'state']);
    expect(titlesOf(driver)).toEqual(['AGE', 'MANAGED BY', 'STATE']);
    expect(titlesOf(typed(driver, 'managed-by'))).toEqual(['AGE', 'STATE']);
    const other = drawn(['age', 'state', 'kind']);
    expect(titlesOf(typed(other, 'managed-by'))).toEqual(['AGE', 'STATE', 'MANAGED BY', 'KIND']);
  });

  test.each([
    ['state', 'trouble'],
    ['created', 'age'],
    ['kind', 'name'],
  ])(':sort takes the column %s', (column, sort) => {
    expect(typed(drawn(['age']), `sort ${column}`).state.tree.sort).toBe(sort);
  });
});

describe('the heading', () => {
  const heading = ({ state }: ScreenDriver): string =>
    viewOf(state)
      .lines(state, layoutOf(state).tree?.width ?? 0)
      .header.map(({ text }) => text)
      .join('');

  test('marks the order, and a click on a column chooses its own', () => {
    const driver = drawn(['state', 'label:app', 'age']);
    expect(heading(driver)).toMatch(/^ NAME +STATE↑ +APP +AGE $/u);
    const click = (title: string): void => {
      const { tree } = layoutOf(driver.state);
      const column = heading(driver).indexOf(title);
      driver.send({ type: 'click', column, row: (tree?.top ?? 0) - 1 });
      driver.wait(60_000);
    };
    click('AGE');
    expect(driver.state.tree.sort).toBe('age');
    expect(heading(driver)).toMatch(/^ NAME +STATE +APP +AGE↑ $/u);
    click('APP');
    expect(driver.state.tree.sort).toBe('age');
    click('NAME');
    expect(heading(driver)).toMatch(/^ NAME↑ +STATE +APP +AGE $/u);
    click('STATE');
    expect(driver.state.tree.sort).toBe('trouble');
  });

  test('marks it in ASCII, where folds have other signs than deletions', () => {
    const driver = ScreenDriver.complete(yaml, { ascii: true });
    expect(heading(driver)).toContain('STATE^');
    expect(driver.rows().join('\n')).toMatch(/^.v (?:Deployment|StatefulSet)/mu);
    expect(driver.press('-').rows().join('\n')).toMatch(/^.> /mu);
    expect(driver.rows().join('\n')).not.toMatch(/^.[+-] /mu);
  });
});
