/** Parses the part of CEL that is understood; nothing is concluded from other expressions. */

export type Expression =
  | { readonly is: 'literal'; readonly value: string | number | boolean | null }
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'field'; readonly of: Expression; readonly name: string }
  | { readonly is: 'index'; readonly of: Expression; readonly at: Expression }
  | { readonly is: 'list'; readonly items: readonly Expression[] }
  | { readonly is: 'not'; readonly of: Expression }
  | { readonly is: 'has'; readonly of: Expression; readonly name: string }
  | { readonly is: 'choice'; readonly if: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly is: 'chain'; readonly operator: Logical; readonly parts: readonly Expression[] }
  | { readonly is: 'relation'; readonly operator: string; readonly a: Expression; readonly b: Expression }
  | {
      readonly is: 'call';
      readonly function: string;
      readonly of: Expression | undefined;
      readonly given: readonly Expression[];
    };

type Logical = '&&' | '||';

type Token =
  | { readonly is: 'name' | 'symbol'; readonly text: string }
  | { readonly is: 'string'; readonly text: string }
  | { readonly is: 'number'; readonly value: number }
  | { readonly is: 'end' };

class NotUnderstood extends Error {}

/** The API server's limit in characters (github.com/google/cel-go parser/parser.go, v0.26). */
const LONGEST = 100_000;

export function parseExpression(source: string): Expression | undefined {
  if (source.length > LONGEST) return undefined;
  try {
    return new Parser(tokensOf(source)).whole();
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
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
    // A prefix of letters would make another kind of string.
    const name = take(word);
    if (name !== undefined) {
      if (source[at] === '"' || source[at] === "'") throw new NotUnderstood();
      tokens.push({ is: 'name', text: name });
      continue;
    }
    const number = take(integer);
    if (number !== undefined) {
      tokens.push({ is: 'number', value: Number(number) });
      continue;
    }
    if (source.startsWith('"""', at) || source.startsWith("'''", at)) throw new NotUnderstood();
    const string = take(quoted);
    if (string !== undefined) {
      tokens.push({ is: 'string', text: string.slice(1, -1).replaceAll(/\\(.)/gu, '$1') });
      continue;
    }
    const text = take(symbol);
    if (text === undefined) throw new NotUnderstood();
    tokens.push({ is: 'symbol', text });
  }
  return [...tokens, { is: 'end' }];
}

const DEEPEST = 100;

class Parser {
  readonly #tokens: readonly Token[];
  readonly #depths = new WeakMap<Expression, number>();
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
    return this.#tokens[this.#at] ?? { is: 'end' };
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

  /** Limits the depth, because evaluation is recursive. */
  #made(expression: Expression, parts: readonly Expression[]): Expression {
    let depth = 0;
    for (const each of parts) depth = Math.max(depth, this.#depths.get(each) ?? 0);
    if (depth >= DEEPEST) throw new NotUnderstood();
    this.#depths.set(expression, depth + 1);
    return expression;
  }

  #choice(): Expression {
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new NotUnderstood();
    const condition = this.#chain('||', () => this.#chain('&&', () => this.#relation()));
    let expression = condition;
    if (this.#accept('?')) {
      const yes = this.#choice();
      this.#expect(':');
      const no = this.#choice();
      expression = this.#made({ is: 'choice', if: condition, yes, no }, [condition, yes, no]);
    }
    this.#depth -= 1;
    return expression;
  }

  #chain(operator: Logical, part: () => Expression): Expression {
    const first = part();
    const parts = [first];
    while (this.#accept(operator)) parts.push(part());
    return parts.length === 1 ? first : this.#made({ is: 'chain', operator, parts }, parts);
  }

  #relation(): Expression {
    const a = this.#unary();
    const operator =
      ['==', '!='].find(each => this.#accept(each)) ?? (this.#accept('in', 'name') ? 'in' : '');
    if (operator === '') return a;
    const b = this.#unary();
    return this.#made({ is: 'relation', operator, a, b }, [a, b]);
  }

  #unary(): Expression {
    let negated = false;
    while (this.#accept('!')) negated = !negated;
    const of = this.#member();
    return negated ? this.#made({ is: 'not', of }, [of]) : of;
  }

  #member(): Expression {
    let expression = this.#primary();
    for (;;) {
      if (this.#accept('.')) {
        const name = this.#name();
        const of = expression;
        if (this.#accept('(')) {
          const given = this.#items(')');
          expression = this.#made({ is: 'call', function: name, of, given }, [of, ...given]);
        } else expression = this.#made({ is: 'field', of, name }, [of]);
      } else if (this.#accept('[')) {
        const at = this.#choice();
        this.#expect(']');
        expression = this.#made({ is: 'index', of: expression, at }, [expression, at]);
      } else return expression;
    }
  }

  #primary(): Expression {
    const next = this.#next();
    if (next.is === 'string' || next.is === 'number') {
      this.#at += 1;
      return { is: 'literal', value: next.is === 'string' ? next.text : next.value };
    }
    if (this.#accept('(')) {
      const expression = this.#choice();
      this.#expect(')');
      return expression;
    }
    if (this.#accept('[')) {
      const items = this.#items(']');
      return this.#made({ is: 'list', items }, items);
    }
    const name = this.#name();
    if (name === 'true' || name === 'false') return { is: 'literal', value: name === 'true' };
    if (name === 'null') return { is: 'literal', value: null };
    if (!this.#accept('(')) return { is: 'name', name };
    const given = this.#items(')');
    if (name !== 'has') return this.#made({ is: 'call', function: name, of: undefined, given }, given);
    const [only] = given;
    if (only?.is !== 'field' || given.length !== 1) throw new NotUnderstood();
    return this.#made({ is: 'has', of: only.of, name: only.name }, [only.of]);
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
