/**
 * Evaluates the part of CEL that is understood: to `unknown` if unknown values decide, evaluation would fail, or the
 * expression has other parts.
 */

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

interface Scope {
  readonly variables: Variables;
  readonly budget: { steps: number };
}

interface Expression {
  /** Levels of expressions in it. */
  readonly depth: number;
  evaluate(scope: Scope): Value;
  /** Set for a name alone. */
  readonly name: string | undefined;
  /** Set for a field of another expression. */
  readonly field: { readonly of: Expression; readonly name: string } | undefined;
}

const parsed = new Map<string, Expression | undefined>();
const MOST = 1000;

/** The most steps of one evaluation: nested lists may need any number, and the API server has a limit, too. */
const MOST_STEPS = 100_000;

class TooMuch extends Error {}
class NotUnderstood extends Error {}

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
    return expression.evaluate({ variables, budget: { steps: MOST_STEPS } });
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

function spend({ budget }: Scope, steps: number): void {
  budget.steps -= steps;
  if (budget.steps < 0) throw new TooMuch();
}

/** Ten characters of a string cost one step. */
function portions(value: string): number {
  return Math.ceil(value.length / 10);
}

/** Limits the depth, because evaluation is recursive. */
const DEEPEST = 100;

function compose(
  parts: readonly Expression[],
  evaluate: Expression['evaluate'],
  field?: Expression['field'],
): Expression {
  const inner = parts.reduce((most, { depth }) => Math.max(most, depth), 0);
  if (inner >= DEEPEST) throw new NotUnderstood();
  return { ...leaf(evaluate), depth: inner + 1, field };
}

function leaf(evaluate: Expression['evaluate'], name?: string): Expression {
  const spending = (scope: Scope): Value => {
    spend(scope, 1);
    return evaluate(scope);
  };
  return { depth: 0, evaluate: spending, name, field: undefined };
}

const tests: Readonly<Record<string, (of: string, given: string) => boolean>> = {
  startsWith: (of, given) => of.startsWith(given),
  endsWith: (of, given) => of.endsWith(given),
  contains: (of, given) => of.includes(given),
};

function call(
  name: string,
  of: Expression,
  [first, second, ...more]: readonly Expression[],
): Expression['evaluate'] {
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined;
  return scope => {
    const target = of.evaluate(scope);
    if (first === undefined) return unknown;
    if (name === 'exists' || name === 'all') {
      if (first.name === undefined || second === undefined || more.length > 0 || !isList(target))
        return unknown;
      const { variables, budget } = scope;
      const truths = target.values().map(item => {
        const own: Variables = each => (each === first.name ? item : variables(each));
        return truthOf(second.evaluate({ variables: own, budget }));
      });
      return name === 'all' ? allOf(truths) : anyOf(truths);
    }
    const text = first.evaluate(scope);
    if (test === undefined || second !== undefined) return unknown;
    if (typeof target !== 'string' || typeof text !== 'string') return unknown;
    // CEL's cost (cel-go checker/cost.go): a search may compare each character with each.
    spend(scope, portions(text) * (name === 'contains' ? portions(target) : 1));
    return test(target, text);
  };
}

function relation(operator: string, left: Expression, right: Expression): Expression['evaluate'] {
  return scope => {
    const a = left.evaluate(scope);
    const b = right.evaluate(scope);
    if (typeof a === 'string') spend(scope, portions(a));
    if (operator === '==') return equal(a, b);
    if (operator === '!=') return not(equal(a, b));
    if (b instanceof Fields) return typeof a === 'string' ? b.has(a) : unknown;
    if (!isList(b)) return unknown;
    spend(scope, b.length);
    return anyOf(b.values().map(each => equal(a, each)));
  };
}

function elementAt(of: Value, at: Value): Value {
  if (of instanceof Fields && typeof at === 'string') return of.get(at);
  const item = isList(of) && typeof at === 'number' ? of[at] : undefined;
  return item === undefined ? unknown : item;
}

/** The API server's limit in characters (github.com/google/cel-go parser/parser.go, v0.26). */
const LONGEST = 100_000;

function parseExpression(source: string): Expression | undefined {
  if (source.length > LONGEST) return undefined;
  try {
    return new Parser(tokensOf(source)).whole();
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

interface Token {
  readonly is: 'name' | 'symbol' | 'string' | 'number' | 'end';
  readonly text: string;
}

const blank = /[\s]+|\/\/[^\n]*/uy;
const word = /[A-Za-z_]\w*/uy;
const integer = /\d+(?![\w.])/uy;
const quoted = /"(?:[^"\\\n]|\\["'\\])*"|'(?:[^'\\\n]|\\["'\\])*'/uy;
const symbol = /==|!=|&&|\|\||[!?:.,()[\]]/uy;

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  while (at < source.length) {
    if (take(blank) !== undefined) continue;
    const name = take(word);
    // A prefix of letters would make another kind of string.
    if (name !== undefined && (source[at] === '"' || source[at] === "'")) throw new NotUnderstood();
    const number = name === undefined ? take(integer) : undefined;
    const text = name ?? number;
    if (text !== undefined) {
      tokens.push({ is: name === undefined ? 'number' : 'name', text });
      continue;
    }
    if (source.startsWith('"""', at) || source.startsWith("'''", at)) throw new NotUnderstood();
    const string = take(quoted);
    const sign = string === undefined ? take(symbol) : undefined;
    if (string !== undefined)
      tokens.push({ is: 'string', text: string.slice(1, -1).replaceAll(/\\(.)/gu, '$1') });
    else if (sign !== undefined) tokens.push({ is: 'symbol', text: sign });
    else throw new NotUnderstood();
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#choice();
    if (this.#next().is !== 'end') throw new NotUnderstood();
    return expression;
  }

  #next(): Token {
    return this.#tokens[this.#at] ?? { is: 'end', text: '' };
  }

  #accept(text: string, is: 'symbol' | 'name' = 'symbol'): boolean {
    const next = this.#next();
    if (next.is !== is || next.text !== text) return false;
    this.#at += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw new NotUnderstood();
  }

  #choice(): Expression {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new NotUnderstood();
    const condition = this.#chain('||', anyOf, () => this.#chain('&&', allOf, () => this.#relation()));
    let expression = condition;
    if (this.#accept('?')) {
      const yes = this.#choice();
      this.#expect(':');
      const no = this.#choice();
      expression = compose([condition, yes, no], scope => {
        const truth = truthOf(condition.evaluate(scope));
        return truth === unknown ? unknown : (truth ? yes : no).evaluate(scope);
      });
    }
    this.#depth -= 1;
    return expression;
  }

  /** A deciding operand makes unknown others irrelevant, as in CEL. */
  #chain(
    operator: string,
    combine: (truths: IteratorObject<Truth>) => Truth,
    part: () => Expression,
  ): Expression {
    const first = part();
    const parts = [first];
    while (this.#accept(operator)) parts.push(part());
    if (parts.length === 1) return first;
    return compose(parts, scope => combine(parts.values().map(each => truthOf(each.evaluate(scope)))));
  }

  #relation(): Expression {
    const a = this.#unary();
    const operator =
      ['==', '!='].find(each => this.#accept(each)) ?? (this.#accept('in', 'name') ? 'in' : '');
    if (operator === '') return a;
    const b = this.#unary();
    return compose([a, b], relation(operator, a, b));
  }

  #unary(): Expression {
    let negated = false;
    while (this.#accept('!')) negated = !negated;
    const of = this.#member();
    return negated ? compose([of], scope => not(truthOf(of.evaluate(scope)))) : of;
  }

  #member(): Expression {
    let expression = this.#primary();
    for (;;) {
      const of = expression;
      if (this.#accept('.')) {
        const name = this.#name();
        if (this.#accept('(')) {
          const given = this.#items(')');
          expression = compose([of, ...given], call(name, of, given));
        } else
          expression = compose(
            [of],
            scope => {
              const value = of.evaluate(scope);
              return value instanceof Fields ? value.get(name) : unknown;
            },
            { of, name },
          );
      } else if (this.#accept('[')) {
        const at = this.#choice();
        this.#expect(']');
        expression = compose([of, at], scope => elementAt(of.evaluate(scope), at.evaluate(scope)));
      } else return expression;
    }
  }

  #primary(): Expression {
    const next = this.#next();
    if (next.is === 'string' || next.is === 'number') {
      this.#at += 1;
      const value = next.is === 'string' ? next.text : Number(next.text);
      return leaf(() => value);
    }
    if (this.#accept('(')) {
      const expression = this.#choice();
      this.#expect(')');
      return expression;
    }
    if (this.#accept('[')) {
      const items = this.#items(']');
      return compose(items, scope => items.map(each => each.evaluate(scope)));
    }
    const name = this.#name();
    if (name === 'true' || name === 'false') return leaf(() => name === 'true');
    if (name === 'null') return leaf(() => null);
    if (!this.#accept('(')) return leaf(({ variables }) => variables(name), name);
    const given = this.#items(')');
    if (name !== 'has') return compose(given, () => unknown);
    const [only] = given;
    if (only?.field === undefined || given.length !== 1) throw new NotUnderstood();
    const { of, name: field } = only.field;
    return compose([of], scope => {
      const value = of.evaluate(scope);
      return value instanceof Fields ? value.has(field) : unknown;
    });
  }

  #name(): string {
    const next = this.#next();
    if (next.is !== 'name') throw new NotUnderstood();
    this.#at += 1;
    return next.text;
  }

  #items(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.#accept(end)) {
      if (items.length > 0) this.#expect(',');
      items.push(this.#choice());
    }
    return items;
  }
}
