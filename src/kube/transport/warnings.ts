/** `Warning` headers of API servers, webhooks and proxies, which kubectl shows. Kept once each until they are shown. */
import { isUtf8 } from 'node:buffer';
import { prose } from '../../model/text/shown.ts';
import { concealed } from '../config/known-credentials.ts';
import { type Transport, type WireRequest, withRequest } from './transport.ts';

/** The API server itself sends 4,096 at most for all (apiserver v0.36, endpoints/filters/warning.go). */
const MOST_CHARACTERS = 1_000;
const MOST_WARNINGS = 20;

/** Each text once, in the order in which they came. */
export class ServerWarnings {
  readonly #texts = new Set<string>();

  /** Lines for people, made safe for a terminal; the last one says so where there are too many to be shown. */
  get lines(): readonly string[] {
    return [...this.#texts];
  }

  add(text: string): void {
    const characters = Array.from(prose(concealed(text)).trim());
    const isLong = characters.length > MOST_CHARACTERS;
    const line = isLong ? `${characters.slice(0, MOST_CHARACTERS).join('')}…` : characters.join('');
    if (line === '' || this.#texts.has(line)) return;
    if (this.#texts.size < MOST_WARNINGS) this.#texts.add(line);
    else this.#texts.add('the API server sends more warnings, which are not shown.');
  }
}

/** The same transport; what its answers warn of is added to `warnings`. */
export function withWarnings(transport: Transport, warnings: ServerWarnings): Transport {
  return withRequest(transport, async request => {
    const response = await transport.request(request);
    for (const text of warningsIn(response.headers['warning'] ?? ''))
      if (!isOurs(request, text)) warnings.add(text);
    return response;
  });
}

/**
 * The texts of one or several `Warning` headers, joined by commas: those with the code 299, as client-go has it
 * (apimachinery v0.36, `ParseWarningHeaders`). What isn't one ends the reading, and what was read before it counts.
 */
export function warningsIn(header: string): string[] {
  const texts: string[] = [];
  const entry = /\s*(\d{3}) (\S+) "((?:[^"\\]|\\.)*)"\s*(?:"[^"]*"\s*)?(?:,|$)/gsy;
  const text = asUtf8(header);
  for (let found = entry.exec(text); found !== null && found[0] !== ''; found = entry.exec(text)) {
    const [, code, , quoted = ''] = found;
    if (code === '299' && quoted !== '') texts.push(quoted.replace(/\\(.)/gs, '$1'));
  }
  return texts;
}

// Over HTTP/2 Node reads each byte of a header as a character.
function asUtf8(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return /^[\0-\xff]*$/.test(header) && isUtf8(bytes) ? bytes.toString('utf8') : header;
}

// Every kind is read, deprecated ones as well, without the user having asked for those. So does
// kube-controller-manager, which shows no warnings at all (cmd/kube-controller-manager/app/controllermanager.go, v1.36).
// The words are those of apiserver's endpoints/deprecation and apiextensions-apiserver's customresource_handler.
function isOurs({ method }: WireRequest, text: string): boolean {
  return method === 'GET' && /^\S+ \S+ is deprecated(?: in v\d+\.\d+\+|;|$)/.test(text);
}
