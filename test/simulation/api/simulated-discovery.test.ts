import { describe, expect, test } from 'vitest';
import type { CrdFacts } from '../../../src/model/facts/facts.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { SimulatedDiscovery } from '../../../src/simulation/api/simulated-discovery.ts';
import { types } from '../../graph/fixtures.ts';

const facts: CrdFacts = {
  kind: 'CustomResourceDefinition',
  group: 'acme.io',
  definedKind: 'Rocket',
  plural: 'rockets',
  singular: 'rocket',
  shortNames: [],
  categories: [],
  namespaced: true,
  versions: [
    { name: 'v1beta1', served: true, storage: false },
    { name: 'v1', served: true, storage: true },
    { name: 'v2alpha1', served: false, storage: false },
  ],
  conversion: '',
  conditions: [],
};

describe('what the API server serves', () => {
  test('versions are preferred as Kubernetes prefers them', () => {
    const names = ['foo1', 'v1alpha1', 'v10', 'v11beta2', 'v2', 'v1', 'v3beta1', 'v10beta3', 'foo10'];
    expect(names.sort(ResourceType.compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v11beta2',
      'v10beta3',
      'v3beta1',
      'v1alpha1',
      'foo1',
      'foo10',
    ]);
  });

  test('a definition’s served versions come with it, keep their identity when it changes, and go with it', () => {
    const discovery = new SimulatedDiscovery([types.pod]);
    discovery.define(facts);
    const stable = discovery.catalog.resolveKind('acme.io/v1', 'Rocket');
    expect(stable?.preferred).toBe(true);
    expect(discovery.catalog.resolveKind('acme.io/v1beta1', 'Rocket')?.preferred).toBe(false);
    expect(discovery.catalog.resolveKind('acme.io/v2alpha1', 'Rocket')).toBeUndefined();
    const [before] = facts.versions;
    discovery.define({ ...facts, versions: facts.versions.filter(version => version !== before) });
    expect(discovery.catalog.resolveKind('acme.io/v1beta1', 'Rocket')).toBeUndefined();
    expect(discovery.catalog.resolveKind('acme.io/v1', 'Rocket')).toBe(stable);
    discovery.undefine(facts);
    expect(discovery.catalog.resolveKind('acme.io/v1', 'Rocket')).toBeUndefined();
  });

  test('a definition that changes doesn’t mend a kind that fails', () => {
    const discovery = new SimulatedDiscovery([]);
    discovery.define(facts);
    const type = discovery.catalog.resolveKind('acme.io/v1', 'Rocket');
    if (type === undefined) throw new Error('rockets are not served');
    discovery.setAvailability(type, 'failing');
    discovery.define({ ...facts, shortNames: ['rk'] });
    expect(discovery.availability(type)).toBe('failing');
    expect(discovery.catalog.resolveKind('acme.io/v1', 'Rocket')).toBe(type);
  });

  test('an undiscoverable group is reported by its versions and missing from the catalogue', () => {
    const discovery = new SimulatedDiscovery([types.pod, types.widget]);
    discovery.setAvailability(types.widget, 'undiscoverable');
    expect(discovery.failedGroupVersions).toEqual(['example.com/v1']);
    expect(discovery.catalog.serves(types.widget)).toBe(false);
    discovery.setAvailability(types.widget, 'served');
    expect(discovery.failedGroupVersions).toEqual([]);
    expect(discovery.catalog.serves(types.widget)).toBe(true);
  });
});
