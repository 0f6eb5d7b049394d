/** XML for CI reports: elements with attributes, and text that XML 1.0 can hold. */

export interface XmlElement {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
  readonly children?: string | readonly XmlElement[];
}

const INDENT = '  ';

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

// XML 1.0 cannot represent these, not even as references.
const forbidden = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function text(value: string): string {
  // A parser turns a bare carriage return into a line break.
  return value.replace(forbidden, '\ufffd').replace(/[&<>\r]/gu, entity);
}

/** A parser turns bare line breaks and tabs into spaces. */
function attribute(value: string): string {
  return value.replace(forbidden, '\ufffd').replace(/[&<>"\t\n\r]/gu, entity);
}

function entity(character: string): string {
  return entities[character] ?? `&#${character.codePointAt(0) ?? 0};`;
}
