import { describe, expect, test } from 'vitest';
import { dialogView } from '../../src/app/dialogs/dialog-view.ts';
import { ScreenDriver } from './screen-driver.ts';

const shop = `
- {kind: Deployment, name: api}
- {kind: Deployment, name: web}
- {kind: ConfigMap, name: settings}
- {kind: ConfigMap, name: far, namespace: infra}
- {kind: Secret, name: token, namespace: infra}
- {kind: ConfigMap, name: held, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}
`;

function typed(line: string, driver = ScreenDriver.complete(shop)): ScreenDriver {
  return driver.press(':', ...Array.from(line, letter => (letter === ' ' ? 'space' : letter)));
}

function run(line: string, driver = ScreenDriver.complete(shop)): ScreenDriver {
  return typed(line, driver).press('enter');
}

function offered(driver: ScreenDriver): readonly string[] {
  const { dialog } = driver.state;
  return dialog?.kind === 'command' ? dialog.items.map(({ id }) => id) : [];
}

describe(': takes', () => {
  test('a namespace, all of them, and a picker where none is named', () => {
    expect(run('ns infra').title()).toContain('▸ infra');
    expect(run('ns infr').title()).toContain('▸ infra');
    expect(run('all').title()).toContain('all namespaces');
    expect(run('ns all').title()).toContain('all namespaces');
    expect(run('ns *').title()).toContain('all namespaces');
    expect(run('ns').state.dialog).toMatchObject({ kind: 'picker', purpose: 'namespace' });
  });

  test.each(['deploy', 'deployments', 'deployment', 'Deployment', 'deployments.apps'])('a kind: %s', word => {
    const driver = run(word);
    expect(driver.rows()).toEqual([
      expect.stringContaining('Deployment api'),
      expect.stringContaining('Deployment web'),
    ]);
    expect(driver.banner()).toContain('Only Deployments and their owners.');
  });

  test('a kind with words, and says where it has none here', () => {
    expect(run('deploy api').rows()).toEqual([expect.stringContaining('Deployment api')]);
    expect(run('secrets').banner()).toContain('No Secrets in namespace shop; :all shows all namespaces');
  });

  test('an order, a view, an action, and leaving', () => {
    expect(run('sort age').state.tree.sort).toBe('age');
    expect(run('problems').state.view).toBe('problems');
    expect(run('podgc').state.view).toBe('podgc');
    const driver = run('delete');
    expect(driver.state.dialog).toMatchObject({ kind: 'action' });
    expect(run('q').effects.at(-1)).toEqual({ type: 'quit', code: 0 });
    expect(run('help').state.dialog).toMatchObject({ kind: 'text', title: 'Help' });
  });

  test('why of the row, and of an object that is named', () => {
    expect(run('why').state.focus).toBe('details');
    const driver = run('why cm/far');
    expect(driver.title()).toContain('▸ infra');
    expect(driver.details()).toContain('ConfigMap infra/far');
  });

  test('words that a title has, and typing errors, which run only if they are chosen', () => {
    expect(offered(typed('fold everyth'))[0]).toBe('fold-all');
    expect(offered(typed('delte'))).toContain('delete');
    expect(offered(typed('deploymens'))).toContain('deployments');
    expect(run('ns ifnra').banner()).toContain('No namespace "ifnra". Did you mean infra?');
    expect(typed('ns ifnra').press('down', 'enter').title()).toContain('▸ infra');
    expect(typed('fold everyth').press('down', 'enter').state.typedLines).toEqual(['fold-all']);
  });

  test.each(['foo', 'fold every', 'del', 'top', 'restart', 'scale', 'ns nowhere'])(
    'nothing for what names nothing exactly, and keeps it: %s',
    line => {
      const driver = typed(line);
      expect(driver.state.dialog).toMatchObject({ cursor: -1 });
      driver.press('enter');
      expect(driver.state.dialog).toMatchObject({ kind: 'command', query: line });
      expect(driver.state).toMatchObject({ view: 'tree', notice: { style: 'warning' } });
      expect(driver.state.typedLines).toEqual([]);
    },
  );

  test.each([
    ['foo', 'No command or kind "foo".'],
    ['top', 'gc-tree has no :top. Run kubectl top, or add it to commands in config.yaml.'],
    ['restart', 'Run kubectl rollout restart,'],
    ['scale', 'Run kubectl scale,'],
  ])('what another screen has, and says what to do instead: %s', (line, said) => {
    expect(run(line).banner()).toContain(said);
  });

  test('the kind that a short name stands for, before commands that begin so', () => {
    const driver = run('sa', ScreenDriver.complete(`${shop}- {kind: ServiceAccount, name: ci}\n`));
    expect(driver.rows()).toEqual([expect.stringContaining('ServiceAccount ci')]);
    expect(driver.effects).not.toContainEqual({ type: 'export' });
    expect(offered(typed('sa'))[0]).toBe('sa');
  });

  test.each(['finalizer', 'free', 'force', 'remove', 'stuck'])('%s as unblock', line => {
    const driver = run('why cm/held');
    expect(offered(typed(line, driver))[0]).toBe('unblock');
    expect(driver.state.dialog).toMatchObject({ cursor: 0 });
    driver.press('enter');
    expect(driver.state.dialog).toMatchObject({ kind: 'action' });
    const idle = run(line, run('why cm/settings'));
    expect(idle.state.dialog).toBeUndefined();
    expect(idle.banner()).toMatch(/nothing|no remedy/iu);
  });

  test('kill as delete', () => {
    expect(typed('kill').state.dialog).toMatchObject({ cursor: 0 });
    expect(offered(typed('kill'))[0]).toBe('delete');
    expect(run('kill').state.dialog).toMatchObject({ kind: 'action' });
  });

  test('and says what fits where words mean nothing', () => {
    expect(run('xyzzy').banner()).toContain('No command or kind "xyzzy".');
    expect(run('ns nowhere').banner()).toContain('No namespace "nowhere". :ns lists them.');
    expect(run('sort size').banner()).toContain('No order "size": trouble, name, age.');
    expect(run('sort constructor').banner()).toContain('No order "constructor"');
    expect(run('why foo/bar').banner()).toContain('write TYPE/NAME');
  });
});

describe('in the line', () => {
  test('Tab completes, and goes on with what the word takes', () => {
    const driver = typed('nam').press('tab');
    expect(driver.state.dialog).toMatchObject({ query: 'ns ' });
    expect(offered(driver)).toEqual(['ns infra', 'ns shop', 'ns *']);
    expect(driver.press('i', 'tab').state.dialog).toMatchObject({ query: 'ns infra ' });
    expect(driver.press('enter').title()).toContain('▸ infra');
  });

  test('arrows go through what was typed before, and back to what is new', () => {
    const driver = run('sort age');
    run('ns infra', driver).press(':', 'up');
    expect(driver.state.dialog).toMatchObject({ query: 'ns infra' });
    driver.press('up');
    expect(driver.state.dialog).toMatchObject({ query: 'sort age' });
    driver.press('down', 'down');
    expect(driver.state.dialog).toMatchObject({ query: '' });
    driver.press('up', 'enter');
    expect(driver.state.typedLines).toEqual(['sort age', 'ns infra']);
  });

  test('taking back the colon leaves it', () => {
    expect(typed('').press('backspace').state.dialog).toBeUndefined();
  });
});

describe('names', () => {
  test('of a kind: those in the namespace that is shown first, and all that have the words', () => {
    expect(offered(typed('cm '))).toEqual(['cm', 'cm held', 'cm settings', 'cm far']);
    expect(offered(typed('cm se'))).toEqual(['cm se', 'cm settings']);
    expect(offered(typed('cm settings'))).toEqual(['cm settings']);
    expect(run('cm settings').rows()).toEqual([expect.stringContaining('ConfigMap settings')]);
  });

  test('of why: kinds, which are not run without a name, then names', () => {
    const driver = typed('why configm').press('tab');
    expect(driver.state.dialog).toMatchObject({ query: 'why configmaps/' });
    expect(offered(driver)).toEqual(['why configmaps/held', 'why configmaps/settings', 'why configmaps/far']);
    driver.press('f', 'enter');
    expect(driver.details()).toContain('ConfigMap infra/far');
    expect(run('why cm').state.dialog).toMatchObject({ kind: 'command', query: 'why cm/' });
    expect(run('why cm/nowhere').banner()).toContain('No ConfigMap of the name nowhere can be seen.');
  });

  test('of contexts, which are read anew for each line', () => {
    const driver = typed('ctx');
    expect(driver.effects).not.toContainEqual({ type: 'listContexts' });
    driver.press('space');
    expect(offered(driver)).toEqual(['ctx ']);
    expect(driver.effects.at(-1)).toEqual({ type: 'listContexts' });
    driver.send({ type: 'contexts', names: ['test', 'prod-eu', 'prod'] });
    expect(offered(driver)).toEqual(['ctx test', 'ctx prod-eu', 'ctx prod']);
    driver.press('p', 'r', 'o', 'd');
    // Its own name before one that begins so.
    expect(offered(driver)).toEqual(['ctx prod', 'ctx prod-eu']);
    driver.press('backspace', 'enter');
    expect(driver.banner()).toContain('No context "pro", but prod-eu, prod.');
    driver.press('d', 'down').send({ type: 'contexts', names: ['prod', 'prod-ap', 'prod-eu'] });
    driver.press('enter');
    expect(driver.effects.at(-1)).toEqual({ type: 'open', context: 'prod-eu' });
    expect(driver.effects.filter(({ type }) => type === 'listContexts')).toHaveLength(1);
  });

  test('of a context that is none: nothing but what was typed is gone to at once', () => {
    const driver = typed('ctx ');
    driver.send({ type: 'contexts', names: ['prod-eu'] });
    driver.press(...Array.from('prod-us'));
    expect(offered(driver)).toEqual(['ctx prod-us', 'ctx prod-eu']);
  });

  test('that nothing fits are said to fit nothing', () => {
    expect(typed('ns nowhere').press('enter').banner()).toContain('No namespace "nowhere"');
    const { state } = typed('sort size');
    const { dialog } = state;
    expect(dialog && dialogView(state, dialog).status).toBe(
      'Nothing fits "size". Backspace lists what does.',
    );
  });
});

test('survivors are marked at once, and what there is none of is said', () => {
  expect(run('survivors').banner()).toContain('nothing of that kind here to mark');
});

describe('what the user wrote down', () => {
  const settings = {
    commands: [{ name: 'restart', kubectl: ['rollout', 'restart', '{target}'], kinds: ['Deployment'] }],
    views: {
      broken: { namespace: 'infra', problems: true },
      old: { namespace: 'shop', sort: 'age', filter: 'settings' },
      everything: { namespace: '', view: 'problems' },
    },
  } as const;
  const mine = (): ScreenDriver => ScreenDriver.complete(shop, { settings });

  test('a view takes what it names, and leaves the rest', () => {
    const driver = run('view old', mine());
    expect(driver.state.tree.sort).toBe('age');
    expect(driver.rows()).toEqual([expect.stringContaining('ConfigMap settings')]);
    run('view everything', driver);
    expect(driver.title()).toContain('all namespaces');
    expect(driver.state.view).toBe('problems');
    expect(driver.state.tree.sort).toBe('age');
  });

  test('a view that says what cannot be is told of', () => {
    expect(run('view broken', mine()).title()).toContain('▸ infra');
    expect(run('view odd', mine()).banner()).toContain('No view "odd". Did you mean old?');
    expect(run('view constructor', mine()).banner()).toContain('No view "constructor".');
    expect(offered(typed('view ', mine()))).toEqual(['view broken', 'view old', 'view everything']);
  });

  test('a command runs by its name, on the kinds that it is for', () => {
    const driver = mine()
      .press('/', ...Array.from('api'))
      .press('escape');
    expect(run('why deploy/api', driver).state.focus).toBe('details');
    run('restart', driver);
    expect(driver.effects.at(-1)).toMatchObject({
      type: 'readKubectl',
      call: { verb: 'restart', words: ['rollout', 'restart', 'deployments.v1.apps/api'] },
    });
    expect(run('restart', run('why cm/settings', mine())).banner()).toContain(
      'restart is for Deployment, and this is a ConfigMap.',
    );
  });

  test('colours are others at once', () => {
    expect(run('theme high-contrast').state.theme).toBe('high-contrast');
    expect(run('theme pink').banner()).toContain('No theme "pink": auto, dark, light');
  });
});
