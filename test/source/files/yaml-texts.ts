/** Random YAML as people and programs write it: every style, merge keys, anchors, tags, and scalars that look like something. */
import fc from 'fast-check';

const words = [
  'a',
  'web',
  'x-1',
  'y',
  'n',
  'yes',
  'No',
  'on',
  'OFF',
  'true',
  'False',
  'null',
  '~',
  'NULL',
  '<<',
  '-',
  '- a',
  '?',
  ':',
  'a: b',
  'a:b',
  ':a',
  '-a',
  '?a',
  'a #b',
  '#c',
  "it's",
  '"q"',
  '{',
  '}',
  '[x]',
  ',',
  'a,b',
  '&a',
  '*a',
  '!b',
  '|',
  '>',
  '%x',
  '@x',
  '`x`',
  '---',
  '...',
  '--- a',
  '=',
  '',
] as const;
const numbers = [
  '0',
  '1',
  '-1',
  '+1',
  '007',
  '08',
  '0777',
  '-0777',
  '0o17',
  '0O17',
  '0x1F',
  '-0xff',
  '0xg',
  '0b101',
  '0b2',
  '1_000',
  '_1',
  '1_',
  '-_5',
  '+',
  '1e3',
  '1E-3',
  '1e400',
  '.5',
  '-.5',
  '+.5',
  '.5e2',
  '5.',
  '._5',
  '1.10',
  '1:30',
  '190:20:30',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '-9223372036854775809',
  '2001-01-01',
  '2001-12-14t21:59:43.10-05:00',
  '12e03',
  '0.',
  '00',
  '1.5.2',
  '0x',
  '1__0',
  '.e1',
  '0_7',
  '1e+06',
] as const;
const texts = [
  'two words',
  'two\nlines',
  'para\n\ngraph\n',
  ' lead',
  'trail ',
  'tab\tin',
  '\n',
  '\n\n',
  ' \n',
  'x\n y\n',
  'é',
  '\u0085',
  '\u2028',
  '\u{1F600}',
  'a\u0007b',
  'long '.repeat(30),
  'x'.repeat(100),
  "'",
  '"',
  '\\',
  'a\\nb',
  '${x}',
  '{{ .x }}',
] as const;

/** What a node is written as, on one line where it must be. */
interface Written {
  /** Stands behind `key:` or `-` on the same line. */
  readonly inline: string | undefined;
  /** Lines of a block, not indented yet. */
  readonly block: readonly string[] | undefined;
}

type Draw = (most: number) => number;

/** A document `data: …` for a ConfigMap of this name, from random numbers. */
export function configMap(name: string, draws: readonly number[]): string {
  let at = 0;
  const draw: Draw = most => {
    const value = draws[at % draws.length] ?? 0;
    // The same numbers again, but other ones: a small list makes a large document.
    at += 1;
    return (value + Math.floor(at / draws.length) * 7919) % most;
  };
  const writer = new Writer(draw);
  const lines = writer.mapping(0, 'block').block ?? ['a: b'];
  return [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata:',
    `  name: ${name}`,
    'data:',
    ...indented(lines, 2),
    '',
  ].join('\n');
}

export const drawn = fc.array(fc.nat({ max: 100_000 }), { minLength: 40, maxLength: 200 });

function indented(lines: readonly string[], by: number): string[] {
  return lines.map(line => (line === '' ? '' : ' '.repeat(by) + line));
}

class Writer {
  readonly #draw: Draw;
  #anchors = 0;
  readonly #complete: { readonly name: string; readonly is: 'mapping' | 'other' }[] = [];

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#draw(from.length)] as T;
  }

  #node(depth: number, flow: boolean): Written {
    const kind = this.#draw(10);
    const name = this.#draw(6) === 0 ? `n${this.#anchors++}` : undefined;
    if (kind === 0 && this.#complete.length > 0)
      return { inline: `*${this.#pick(this.#complete).name} `, block: undefined };
    const collection = kind < 4 && depth < 4;
    const written = !collection
      ? this.#scalar(flow)
      : kind % 2 === 0
        ? this.mapping(depth + 1, flow ? 'flow' : this.#style())
        : this.#sequence(depth + 1, flow ? 'flow' : this.#style());
    if (name === undefined) return written;
    this.#complete.push({ name, is: collection && kind % 2 === 0 ? 'mapping' : 'other' });
    return written.inline === undefined
      ? { inline: `&${name}`, block: written.block }
      : { inline: `&${name} ${written.inline}`, block: written.block };
  }

  #style(): 'block' | 'flow' {
    return this.#draw(3) === 0 ? 'flow' : 'block';
  }

  #scalar(flow: boolean): Written {
    const text: string = this.#pick([words, numbers, texts][this.#draw(3)] ?? words);
    const tag =
      this.#draw(12) === 0 ? `${this.#pick(['!!str', '!!int', '!!float', '!!bool', '!own', '!'])} ` : '';
    switch (this.#draw(flow ? 3 : 5)) {
      case 0:
        return { inline: tag + JSON.stringify(text), block: undefined };
      case 1:
        if (/[\n\p{Cc}\u2028]|^\s|\s$/u.test(text))
          return { inline: tag + JSON.stringify(text), block: undefined };
        return { inline: `${tag}'${text.replaceAll("'", "''")}'`, block: undefined };
      case 2:
        // Whatever that means, or doesn't.
        if (/[\n\t]|\p{Cc}/u.test(text)) return { inline: `${tag}plain`, block: undefined };
        return { inline: tag + text, block: undefined };
      case 3: {
        if (/(?!\n)\p{Cc}|\u2028|^\s|\n /u.test(text))
          return { inline: JSON.stringify(text), block: undefined };
        return { inline: tag + this.#pick(['|', '|-', '|+', '>', '>-', '>+']), block: text.split('\n') };
      }
      default:
        return {
          inline:
            tag + this.#pick(['word', 'several words', 'a\n    b', "'a\n\n    b'", '"a\\\n    b c\n    d"']),
          block: undefined,
        };
    }
  }

  mapping(depth: number, style: 'block' | 'flow'): Written {
    const count = this.#draw(5);
    const parts: { readonly key: string; readonly value: Written }[] = [];
    const used = new Set<string>();
    for (let index = 0; index < count; index++) {
      const merge = this.#draw(5) === 0;
      if (merge) {
        const value = this.#merged(depth);
        if (value !== undefined) parts.push({ key: '<<', value: { inline: value, block: undefined } });
        continue;
      }
      const key = this.#pick([
        `k${this.#draw(6)}`,
        `k${this.#draw(6)}`,
        `"q${this.#draw(3)}"`,
        '"<<"',
        "'s'",
        'on',
        '0x10',
        '1.5',
        '1e6',
        'two words',
      ]);
      if (used.has(key)) continue;
      used.add(key);
      parts.push({ key, value: this.#node(depth, style === 'flow') });
    }
    if (parts.length === 0) return { inline: '{}', block: undefined };
    if (style === 'flow')
      return {
        inline: this.#enclosed(
          '{',
          parts.map(({ key, value }) => `${key}: ${value.inline ?? ''}`),
          '}',
        ),
        block: undefined,
      };
    return { inline: undefined, block: parts.flatMap(({ key, value }) => this.#entry(`${key}:`, value, 2)) };
  }

  /** On one line, or on several that are not indented at all. */
  #enclosed(open: string, parts: readonly string[], close: string): string {
    return this.#draw(4) === 0
      ? `${open}\n${parts.join(',\n')}\n${close}`
      : `${open}${parts.join(', ')}${close}`;
  }

  /** What a merge key may have behind it, and now and then what it may not. */
  #merged(depth: number): string | undefined {
    const mappings = this.#complete.filter(({ is }) => is === 'mapping');
    const one = (): string => {
      if (mappings.length > 0 && this.#draw(2) === 0) return `*${this.#pick(mappings).name} `;
      return this.mapping(depth + 2, 'flow').inline ?? '{}';
    };
    switch (this.#draw(8)) {
      case 0:
        return this.#complete.length === 0 ? undefined : `*${this.#pick(this.#complete).name} `;
      case 1:
      case 2:
        return `[${[one(), one()].join(', ')}]`;
      default:
        return one();
    }
  }

  #sequence(depth: number, style: 'block' | 'flow'): Written {
    const items = Array.from({ length: this.#draw(4) }, () => this.#node(depth, style === 'flow'));
    if (items.length === 0) return { inline: '[]', block: undefined };
    if (style === 'flow')
      return {
        inline: this.#enclosed(
          '[',
          items.map(({ inline }) => inline ?? '{}'),
          ']',
        ),
        block: undefined,
      };
    return { inline: undefined, block: items.flatMap(item => this.#entry('-', item, 2)) };
  }

  #entry(head: string, { inline, block }: Written, by: number): string[] {
    const comment =
      this.#draw(15) === 0 && block === undefined && inline?.includes('\n') !== true ? ' # why' : '';
    const first = `${head}${inline === undefined ? '' : ` ${inline}`}${comment}`;
    if (block === undefined) return [first];
    // A sequence may stand at the column of its key, and a block behind a dash on its line.
    if (head === '-' && inline === undefined && this.#draw(2) === 0) {
      const [top = '', ...rest] = block;
      if (top !== '') return [`- ${top}`, ...indented(rest, 2)];
    }
    const column =
      head !== '-' && inline === undefined && block[0]?.startsWith('-') === true && this.#draw(2) === 0
        ? 0
        : by;
    return [first, ...indented(block, column)];
  }
}
