import { describe, expect, test } from 'vitest';
import { ServerBehaviour } from '../../src/model/server/server-behaviour.ts';
import { PodGcRules } from '../../src/podgc/passes/rules-of-version.ts';
import { holdPage, readPage } from './checked-page.ts';

/** The minor versions of Kubernetes at which the product's rules become others than in the one before. */
function changes(): readonly string[] {
  const found: string[] = [];
  let before = '';
  for (let minor = 0; ; minor++) {
    const { version, assumed, ...rules } = PodGcRules.of(new ServerBehaviour(`v1.${minor}.0`));
    // Before the first that is known, and after the last.
    if (assumed && found.length > 0) return found;
    if (assumed) continue;
    const now = JSON.stringify(rules);
    if (now !== before) found.push(version);
    before = now;
  }
}

describe('docs/podgc.md', () => {
  test('has a row for each version that changed the rules, in order', () => {
    const rows = [...readPage('podgc.md').matchAll(/^\| (1\.\d+) \|/gmu)].map(([, version]) => version);
    expect(rows.filter(version => changes().includes(version ?? ''))).toEqual(changes());
  });

  holdPage('podgc.md');
});
