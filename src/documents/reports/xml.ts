/** XML as reports for CI systems need it: elements with attributes, and text that XML 1.0 can hold. */

export interface XmlElement {
  readonly name: string;
  /** An attribute that is undefined is left out. */
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  /** Text, or elements; not both. */
  readonly children?: string | readonly XmlElement[];
}

const INDENT = '  ';

/** The document in pieces of at least one line. */
export function* printXml(root: XmlElement): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield* printElement(root, '');
}

function* printElement(
  { name, attributes = {}, children = '' }: XmlElement,
  indent: string,
): Generator<string> {
  let open = `${indent}<${name}`;
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) open += ` ${key}="${attribute(String(value))}"`;
  if (children.length === 0) yield `${open}/>\n`;
  else if (typeof children === 'string') yield `${open}>${text(children)}</${name}>\n`;
  else {
    yield `${open}>\n`;
    for (const child of children) yield* printElement(child, indent + INDENT);
    yield `${indent}</${name}>\n`;
  }
}

// XML 1.0 has no way to write these, not even as references; unpaired surrogates aren't characters at all.
const forbidden = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function text(value: string): string {
  // A parser would make a line break of a carriage return.
  return value.replace(forbidden, '\ufffd').replace(/[&<>\r]/gu, entity);
}

/** Line breaks and tabs would be read as spaces. */
function attribute(value: string): string {
  return value.replace(forbidden, '\ufffd').replace(/[&<>"\t\n\r]/gu, entity);
}

function entity(character: string): string {
  return entities[character] ?? `&#${character.codePointAt(0) ?? 0};`;
}
