/** Evaluates CEL to `unknown` if unknown values decide or evaluation would fail. */
import { type Expression, parseExpression } from './expression-syntax.ts';

/** Unknown or an error; nothing is concluded from either. */
export const unknown: unique symbol = Symbol('unknown');

/** Known fields: `unknown` for fields with unknown values, undefined for absent ones. */
export class Fields {
  readonly #isOpen: boolean;
  readonly #values: ReadonlyMap<string, Value | undefined>;

  constructor(
    values: Readonly<Record<string, Value | undefined>> | ReadonlyMap<string, Value | undefined>,
    completeness: 'complete' | 'open' = 'complete',
  ) {
    this.#values = values instanceof Map ? values : new Map(Object.entries(values));
    this.#isOpen = completeness === 'open';
  }

  get(name: string): Value {
    const value = this.#values.get(name);
    return value === undefined ? unknown : value;
  }

  has(name: string): Truth {
    if (this.#values.get(name) !== undefined) return true;
    return this.#isOpen && !this.#values.has(name) ? unknown : false;
  }
}

export type Value = string | number | boolean | null | Fields | readonly Value[] | typeof unknown;

export type Truth = boolean | typeof unknown;

export type Variables = (name: string) => Value;

const parsed = new Map<string, Expression | undefined>();
const MOST = 1000;

/** The most steps of one evaluation: nested lists may need any number, and the API server has a limit, too. */
const MOST_STEPS = 100_000;

class TooMuch extends Error {}

interface Scope {
  readonly variables: Variables;
  readonly budget: { steps: number };
}

export function evaluateCondition(source: string, variables: Variables): Truth {
  return truthOf(evaluateExpression(source, variables));
}

export function evaluateExpression(source: string, variables: Variables): Value {
  let expression = parsed.get(source);
  if (expression === undefined && !parsed.has(source)) {
    if (parsed.size >= MOST) parsed.clear();
    expression = parseExpression(source);
    parsed.set(source, expression);
  }
  if (expression === undefined) return unknown;
  try {
    return evaluate(expression, { variables, budget: { steps: MOST_STEPS } });
  } catch (error) {
    if (error instanceof TooMuch) return unknown;
    throw error;
  }
}

export function allOf(truths: Iterable<Truth>): Truth {
  let result: Truth = true;
  for (const each of truths) {
    if (each === false) return false;
    if (each === unknown) result = unknown;
  }
  return result;
}

export function not(truth: Truth): Truth {
  return truth === unknown ? unknown : !truth;
}

function truthOf(value: Value): Truth {
  return typeof value === 'boolean' ? value : unknown;
}

function spend({ budget }: Scope, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new TooMuch();
}

function evaluate(expression: Expression, scope: Scope): Value {
  spend(scope, 1);
  const value = (of: Expression): Value => evaluate(of, scope);
  switch (expression.is) {
    case 'literal':
      return expression.value;
    case 'name':
      return scope.variables(expression.name);
    case 'list':
      return expression.items.map(value);
    case 'not':
      return not(truthOf(value(expression.of)));
    case 'has': {
      const of = value(expression.of);
      return of instanceof Fields ? of.has(expression.name) : unknown;
    }
    case 'field': {
      const of = value(expression.of);
      return of instanceof Fields ? of.get(expression.name) : unknown;
    }
    case 'index': {
      const of = value(expression.of);
      const at = value(expression.at);
      if (of instanceof Fields && typeof at === 'string') return of.get(at);
      const item = isList(of) && typeof at === 'number' ? of[at] : undefined;
      return item === undefined ? unknown : item;
    }
    case 'choice': {
      const condition = truthOf(value(expression.if));
      if (condition === unknown) return unknown;
      return value(condition ? expression.yes : expression.no);
    }
    case 'chain':
      return chain(expression.operator, expression.parts.values().map(value));
    case 'relation':
      return relation(expression.operator, { a: value(expression.a), b: value(expression.b) }, scope);
    case 'call':
      return call(expression, scope);
  }
}

/** A deciding operand makes unknown others irrelevant, as in CEL. */
function chain(operator: '&&' | '||', values: IteratorObject<Value>): Truth {
  const truths = values.map(truthOf);
  return operator === '&&' ? allOf(truths) : anyOf(truths);
}

function relation(operator: string, { a, b }: { readonly a: Value; readonly b: Value }, scope: Scope): Truth {
  if (typeof a === 'string') spend(scope, portions(a));
  if (operator === '==') return equal(a, b);
  if (operator === '!=') return not(equal(a, b));
  if (b instanceof Fields) return typeof a === 'string' ? b.has(a) : unknown;
  if (!isList(b)) return unknown;
  spend(scope, b.length);
  return anyOf(b.values().map(each => equal(a, each)));
}

function anyOf(truths: IteratorObject<Truth>): Truth {
  return not(allOf(truths.map(not)));
}

function equal(a: Value, b: Value): Truth {
  if (a === unknown || b === unknown) return unknown;
  if (a === null || b === null) return a === b;
  // Operands of different types may not compile.
  return isPlain(a) && isPlain(b) && typeof a === typeof b ? a === b : unknown;
}

function isPlain(value: Value): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

const ofStrings: Readonly<Record<string, (of: string, given: string) => boolean>> = {
  startsWith: (of, given) => of.startsWith(given),
  endsWith: (of, given) => of.endsWith(given),
  contains: (of, given) => of.includes(given),
};

function call(expression: Expression & { readonly is: 'call' }, scope: Scope): Value {
  const { function: name, of, given } = expression;
  if (of === undefined) return unknown;
  const target = evaluate(of, scope);
  const [first, second] = given;
  if (first === undefined) return unknown;
  if (name === 'exists' || name === 'all') {
    if (first.is !== 'name' || second === undefined || given.length !== 2 || !isList(target)) return unknown;
    const { variables, budget } = scope;
    const truths = target.values().map(item => {
      const own: Variables = each => (each === first.name ? item : variables(each));
      return truthOf(evaluate(second, { variables: own, budget }));
    });
    return name === 'all' ? allOf(truths) : anyOf(truths);
  }
  const test = Object.hasOwn(ofStrings, name) ? ofStrings[name] : undefined;
  const text = evaluate(first, scope);
  if (test === undefined || given.length !== 1) return unknown;
  if (typeof target !== 'string' || typeof text !== 'string') return unknown;
  // CEL's cost (cel-go checker/cost.go): a search may compare each character with each.
  spend(scope, portions(text) * (name === 'contains' ? portions(target) : 1));
  return test(target, text);
}

/** Ten characters of a string cost one step. */
function portions(value: string): number {
  return Math.ceil(value.length / 10);
}
