/** Credentials that nobody could mistake for anything else, planted everywhere, and the search for what is left of them. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Each unlike the others, with nothing in it that only some credentials have. */
export function plant(name: string): string {
  return `Plant3d+${name}/q7Xk`;
}

/** The forms in which a value may turn up: as it is, in base64 wherever in it, in a URL, in JSON. */
function formsOf(value: string): string[] {
  const inBase64 = [0, 1, 2].flatMap(before => {
    const bytes = Buffer.from('\0'.repeat(before) + value);
    // The characters at both ends depend on what stands beside the value.
    const inside = (text: string): string =>
      text.replace(/=+$/u, '').slice(before === 0 ? 0 : before + 1, -2);
    return [inside(bytes.toString('base64')), inside(bytes.toString('base64url'))];
  });
  return [value, encodeURIComponent(value), encodeURIComponent(encodeURIComponent(value)), ...inBase64];
}

export class Needles {
  readonly #forms: readonly (readonly [string, string])[];

  constructor(values: readonly string[]) {
    this.#forms = values.flatMap(value => [...new Set(formsOf(value))].map(form => [form, value] as const));
  }

  /** Which values are in a text, whatever their form. */
  in(text: string): string[] {
    return [...new Set(this.#forms.flatMap(([form, value]) => (text.includes(form) ? [value] : [])))];
  }

  /** The same of all files below a folder, as `value in path`. */
  below(folder: string): string[] {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap(name => {
      const file = path.join(folder, name);
      const found = this.in(name);
      if (statSync(file).isFile()) found.push(...this.in(readFileSync(file, 'latin1')));
      return found.map(value => `${value} in ${name}`);
    });
  }
}
