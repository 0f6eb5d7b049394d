import { describe, expect, it } from 'vitest';
import { currentUid } from '../../src/app/views/current.ts';
import { ScreenDriver } from './screen-driver.ts';

const helm = `labels: { app.kubernetes.io/managed-by: Helm },
    annotations: { meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop }`;

const release = `
- { kind: Deployment, name: web, ${helm} }
- { kind: ReplicaSet, name: web-5d, owners: [apps/v1 Deployment web web +c], ${helm} }
- { kind: Pod, name: web-5d-x, owners: [apps/v1 ReplicaSet web-5d web-5d +c] }
- { kind: Service, name: web, uid: s, ${helm} }`;

const rest = `
- { kind: ConfigMap, name: by-hand }
- { kind: ConfigMap, name: flux, labels: { kustomize.toolkit.fluxcd.io/name: apps,
    kustomize.toolkit.fluxcd.io/namespace: flux-system } }`;

describe('the column of managers in the tree', () => {
  it('comes and goes with t, with the copies in parentheses', () => {
    const driver = ScreenDriver.complete(release + rest, { columns: 109 });
    expect(driver.rows().join('\n')).not.toContain('Helm');
    driver.press('t');
    const rows = driver.rows();
    const cell = (name: string) => rows.find(row => row.includes(name))?.split(/ {2,}/u);
    expect(cell('Deployment web')).toContain('Helm/web');
    expect(cell('ReplicaSet web-5d')).toContain('(Helm/web)');
    expect(cell('Pod web-5d-x')).toContain('(Helm/web)');
    expect(cell('by-hand')).toContain('<none>');
    expect(driver.press('t').rows().join('\n')).not.toContain('Helm');
  });

  it.each([60, 80, 120, 200])('keeps each row as wide as the list at %i columns', columns => {
    const driver = ScreenDriver.complete(release + rest, { columns });
    const widths = () => new Set(driver.rows().map(row => row.length <= columns));
    expect(widths()).toEqual(new Set([true]));
    driver.press('t');
    expect(widths()).toEqual(new Set([true]));
    expect(driver.rows().join('\n')).toContain('Helm/web');
  });
});

describe('the Managers view', () => {
  const opened = (yaml: string): ScreenDriver => {
    const driver = ScreenDriver.complete(yaml);
    driver.press('T');
    return driver;
  };
  const sorted = (yaml: string): ScreenDriver => {
    const driver = opened(yaml);
    driver.sort();
    return driver;
  };

  it('says so while it sorts', () => {
    const driver = opened(release);
    expect(driver.rows()).toEqual(['Everything has arrived and is being sorted by who manages it.']);
    expect(driver.effects).toContainEqual({ type: 'sortManagers' });
  });

  it('has a heading for each manager, with what it manages below', () => {
    expect(sorted(release + rest).rows()).toEqual([
      ' ▾ Flux Kustomization flux-system/apps (1)',
      '>  ConfigMap flux  60m',
      ' ▾ Helm release shop/web (2)  4 with what they control',
      '   Deployment web (1)  0/1  60m',
      '   Service web  60m',
      ' ▸ No manager (1)',
    ]);
  });

  it('folds and unfolds a group, and shows an object in the tree', () => {
    const driver = sorted(release + rest);
    driver.press('G', 'right');
    expect(driver.rows().at(-1)).toBe('   ConfigMap by-hand  60m');
    driver.press('down', 'enter');
    expect(driver.state.view).toBe('tree');
    expect(currentUid(driver.state)).toBe('by-hand');
  });

  it('narrows to the words of a manager or of an object', () => {
    const driver = sorted(release + rest);
    driver.press('/', ...'service', 'tab').sort();
    expect(driver.rows()).toEqual([
      ' ▾ Helm release shop/web (1)  4 with what they control',
      '>  Service web  60m',
    ]);
    driver.press('escape', '/', ...'flux', 'tab').sort();
    expect(driver.rows()).toHaveLength(2);
  });

  it('answers a key before it has looked at the rows, and looks at them in slices', () => {
    const many = Array.from({ length: 40 }, (_, at) => `- { kind: ConfigMap, name: number-${at} }`).join(
      '\n',
    );
    const driver = sorted(`${release}\n${many}`);
    const before = driver.rows();
    driver.press('/', ...'number-3', 'tab');
    expect(driver.rows().slice(2)).toEqual(before.slice(2));
    expect(driver.effects.at(-1)).toEqual({ type: 'sortManagers' });
    const { managers } = driver.state.cluster ?? {};
    expect(managers?.sortMore(10)).toBe(true);
    // Further words don't wait for those before.
    driver.press('/', ...'number-39', 'tab');
    expect(managers?.sortMore(10)).toBe(true);
    driver.sort();
    expect(driver.rows()).toEqual([
      expect.stringMatching(/No manager \(1\)/u),
      '>  ConfigMap number-39  60m',
    ]);
    driver.change('- { kind: ConfigMap, name: number-390 }');
    expect(driver.rows()).toHaveLength(3);
    driver.press('escape').sort();
    expect(driver.rows()).toHaveLength(before.length);
  });

  it('tells of a heading in the details', () => {
    const driver = sorted(release + rest);
    driver.press('down');
    expect(driver.details()).toMatch(/^Helm release shop\/web\n2 objects with its marks; 4 with what these/u);
  });

  it('follows what comes and goes', () => {
    const driver = sorted(release + rest);
    driver.change('- { kind: ConfigMap, name: flux }');
    expect(driver.rows()).toEqual([
      ' ▾ Helm release shop/web (2)  4 with what they control',
      expect.stringContaining('Deployment web'),
      expect.stringContaining('Service web'),
      expect.stringContaining('▸ No manager (2)'),
    ]);
    driver.change('- { kind: Deployment, name: web }');
    // The ReplicaSet's marks were a copy; now they are all that is left.
    expect(driver.rows()[0]).toBe(' ▾ Helm release shop/web (2)  3 with what they control');
    driver.remove('- { kind: Service, name: web, uid: s }');
    expect(driver.rows().slice(0, 2)).toEqual([
      expect.stringMatching(/Helm release shop\/web \(1\) {2}2 with/u),
      expect.stringContaining('ReplicaSet web-5d'),
    ]);
  });

  it('shows what is in scope alone', () => {
    const driver = sorted(`${release}\n- { kind: ConfigMap, name: else, namespace: infra }`);
    expect(driver.rows().join('\n')).not.toContain('No manager');
    driver.state.cluster?.setScope('infra');
    driver.sort();
    expect(driver.rows()).toEqual([expect.stringContaining('▸ No manager (1)')]);
  });
});
