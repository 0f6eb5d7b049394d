/** The register of kube-controller-manager is as complete as the simulation and the lists that it follows. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { controlPlane } from '../../../src/simulation/controllers/control-plane.ts';
import { useProtections } from '../../../src/simulation/controllers/protections.ts';
import { putBack } from '../../../src/simulation/controllers/put-back.ts';
import { controllerRegister } from '../../../src/simulation/controllers/register.ts';

const { rows, changingFieldsAlone } = controllerRegister;
const CLUSTER_TESTS = path.join(import.meta.dirname, '..', '..', 'cluster');

describe('the register of kube-controller-manager', () => {
  it('has every simulated controller, and simulates those that it calls simulated', () => {
    const manager = controlPlane().find(({ name }) => name === 'kube-controller-manager');
    const simulated = manager?.controllers().flatMap(({ name }) => (name === manager.name ? [] : name)) ?? [];
    const registered = rows.flatMap(row => row.simulated ?? []);
    expect([...new Set(simulated)].sort()).toEqual(registered.sort());
  });

  it('has every controller that recreates or keeps objects', () => {
    const names = rows.map(({ name }) => name);
    for (const { controller } of useProtections.list) expect(names).toContain(controller);
    for (const { by, program } of putBack.rows)
      if (program === 'kube-controller-manager' && by !== program) expect(names).toContain(by);
  });

  it('has each controller once, with something that it does', () => {
    const names = [...rows.map(({ name }) => name), ...changingFieldsAlone];
    expect(new Set(names).size).toBe(names.length);
    for (const row of rows) {
      const does = [row.deletes, ...controllerRegister.removes(row), ...controllerRegister.creates(row)];
      expect(does.some(each => each !== undefined) || row.unsimulated !== undefined, row.name).toBe(true);
    }
  });

  it('cites tests that exist, for each controller', () => {
    for (const { name, provenBy } of rows) expect(provenBy.length, name).toBeGreaterThan(0);
    const missing = rows
      .flatMap(({ provenBy }) => provenBy)
      .filter(each => !existsSync(path.join(CLUSTER_TESTS, each)));
    expect(missing).toEqual([]);
  });
});
