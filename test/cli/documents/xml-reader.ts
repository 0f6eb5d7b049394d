/**
 * A reader of XML for tests, as strict as a parser where it matters here: tags that nest, attributes in quotes,
 * known entities, no character that XML 1.0 forbids. Throws where a document isn't well-formed.
 */
interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

const piece = /<\?xml [^?]*\?>|<(\/?)([A-Za-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/gu;
const forbidden = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function decode(text: string): string {
  if (text.includes(']]>')) throw new Error(`"]]>" in text: ${text}`);
  return text.replace(/&([^;]*)(;?)/gu, (whole, name: string, end: string) => {
    const number = /^#(\d+)$/u.exec(name)?.[1];
    const character = number === undefined ? entities[name] : String.fromCodePoint(Number(number));
    if (character === undefined || end === '') throw new Error(`unknown entity ${whole}`);
    return character;
  });
}

/** All elements of a name, in the order in which they begin. */
export function elementsOf(xml: string, wanted: string): Element[] {
  if (forbidden.test(xml)) throw new Error('a character that XML forbids');
  const found: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const open: typeof found = [];
  let at = 0;
  for (const match of xml.matchAll(piece)) {
    if (match.index !== at) throw new Error(`not well-formed: ${xml.slice(at, at + 80)}`);
    at += match[0].length;
    const [, closing, name, attributes = '', empty, text] = match;
    if (text !== undefined) {
      const element = open.at(-1);
      if (element !== undefined) element.text += decode(text);
    } else if (name === undefined) continue;
    else if (closing === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      const pairs = [...attributes.matchAll(/ ([a-z]+)="([^"]*)"/gu)];
      const element = {
        name,
        attributes: Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, decode(value)])),
        text: '',
      };
      found.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  if (at !== xml.length || open.length > 0) throw new Error('the document ends early');
  return found.filter(({ name }) => name === wanted);
}
