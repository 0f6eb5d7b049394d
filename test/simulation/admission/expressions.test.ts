import { describe, expect, test } from 'vitest';
import {
  evaluateCondition,
  Fields,
  unknown,
  type Value,
} from '../../../src/simulation/api/admission/expressions.ts';

const values: Readonly<Record<string, Value>> = {
  object: null,
  request: new Fields(
    {
      operation: 'DELETE',
      name: 'web',
      resource: new Fields({ group: '', version: unknown, resource: 'pods' }),
      userInfo: new Fields({
        username: 'system:serviceaccount:kube-system:generic-garbage-collector',
        groups: ['system:serviceaccounts', 'system:authenticated'],
      }),
    },
    'open',
  ),
  oldObject: new Fields(
    {
      metadata: new Fields(
        { labels: new Fields({ app: 'web', 'a/b': '' }), finalizers: ['x/y'], ownerReferences: undefined },
        'open',
      ),
    },
    'open',
  ),
};

function judge(expression: string): boolean | 'unknown' {
  const truth = evaluateCondition(expression, name => values[name] ?? (name in values ? null : unknown));
  return truth === unknown ? 'unknown' : truth;
}

describe('a condition in CEL', () => {
  test.each<[string, boolean]>([
    ['true', true],
    ['!!false', false],
    ['request.operation == \'DELETE\' && request.name != "api"', true],
    ['request.operation in ["CREATE", "UPDATE"]', false],
    ["!('system:serviceaccounts' in request.userInfo.groups)", false],
    ["request.userInfo.groups.exists(g, g.startsWith('system:service'))", true],
    ["request.userInfo.groups.all(g, g.startsWith('system:service'))", false],
    ["request.userInfo.username.startsWith('system:serviceaccount:kube-system:')", true],
    ['object == null', true],
    ['oldObject != null', true],
    ["has(oldObject.metadata.labels) && 'app' in oldObject.metadata.labels", true],
    ["oldObject.metadata.labels['a/b'] == ''", true],
    ["has(oldObject.metadata.labels.tier) && oldObject.metadata.labels.tier == 'x'", false],
    ['has(oldObject.metadata.ownerReferences)', false],
    ['request.resource.resource == "pods" // only those', true],
    ["object == null ? oldObject.metadata.labels.app == 'web' : object.spec.x", true],
  ])('is judged: %s', (expression, expected) => {
    expect(judge(expression)).toBe(expected);
    expect(judge(`!(${expression}\n)`)).toBe(!expected);
  });

  test.each([
    // It isn't known.
    'oldObject.spec.replicas == 1',
    'has(oldObject.metadata.annotations)',
    'request.resource.version == "v1"',
    'authorizer.group("").resource("pods").check("get").allowed()',
    'params == null',
    // It fails when it is evaluated.
    'object.metadata.name == "x"',
    "oldObject.metadata.labels.tier == 'x'",
    'request.name == 1',
    // It isn't understood.
    'request.name.matches("w.*")',
    'oldObject.metadata.?labels.orValue({}) == {}',
    'r"web" == request.name',
    "'''web''' == request.name",
    '"w\\x65b" == request.name',
    'size(oldObject.metadata.labels) > 1',
    '1.0 == 1.0',
    'request.operation ==',
    '(('.repeat(200),
    '',
  ])('is not: %s', expression => {
    expect(judge(expression)).toBe('unknown');
  });

  test.each([
    ['parentheses', `${'('.repeat(10_000)}true${')'.repeat(10_000)}`],
    ['fields of fields', `request${'.a'.repeat(40_000)} == 1`],
    ['indexes of indexes', `request${'[0]'.repeat(30_000)} == 1`],
    ['calls of calls', `request${'.f(1)'.repeat(19_000)}`],
    ['fields around parentheses', `${'('.repeat(90)}request${`${'.a'.repeat(90)})`.repeat(90)}`],
    ['lists in lists', `${'['.repeat(40_000)}${']'.repeat(40_000)} == null`],
    ['lists of many', `1 in [${'2, '.repeat(40_000)}1].filter(x, x == 1)`],
    ['more than the API server compiles', `true || ${'true || '.repeat(13_000)}true`],
    [
      'searches in long strings',
      `[${'1, '.repeat(50)}1].exists(x, [${'1, '.repeat(50)}1].exists(y, '${'a'.repeat(40_000)}'.contains('${'a'.repeat(10_000)}b${'a'.repeat(10_000)}')))`,
    ],
    [
      'lists by lists',
      Array.from({ length: 20 }, (_, index) => `[1, 2, 3, 4, 5].all(x${index}, `).join('') +
        `true${')'.repeat(20)}`,
    ],
  ])('is given up where it is made of %s', (_, expression) => {
    expect(judge(expression)).toBe('unknown');
  });

  test('is judged however many parts it has', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `request.name == 'n${index}'`).join(' || ');
    expect(judge(names)).toBe(false);
    expect(judge(`${names} || request.name == 'web'`)).toBe(true);
    expect(judge(`1 in [${'2, '.repeat(30_000)}1]`)).toBe(true);
  });

  test('is judged where what decides is known, whatever the rest comes to', () => {
    expect(judge('oldObject.spec.x == 1 || object == null')).toBe(true);
    expect(judge('oldObject.spec.x == 1 && object != null')).toBe(false);
    expect(judge('oldObject.spec.x == 1 && object == null')).toBe('unknown');
    expect(judge('object.x == 1 || object == null')).toBe(true);
  });
});
