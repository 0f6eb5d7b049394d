/** `Warning` headers of API servers, webhooks and proxies, each kept once to be shown as in kubectl. */
import { isUtf8 } from 'node:buffer';
import { prose } from '../../model/index.ts';
import { concealed } from '../config/known-credentials.ts';
import { type Transport, type WireRequest, withRequest } from './transport.ts';

/** The API server sends at most 4,096 in all (apiserver v0.36, endpoints/filters/warning.go). */
const MOST_CHARACTERS = 1_000;
const MOST_WARNINGS = 20;

export class ServerWarnings {
  readonly #texts = new Set<string>();

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

/** Adds the warnings of the transport's answers to `warnings`. */
export function withWarnings(transport: Transport, warnings: ServerWarnings): Transport {
  return withRequest(transport, async request => {
    const response = await transport.request(request);
    for (const text of warningsIn(response.headers['warning'] ?? ''))
      if (!isOurs(request, text)) warnings.add(text);
    return response;
  });
}

/** Reads texts with code 299 up to the first malformed one (apimachinery v0.36, `ParseWarningHeaders`). */
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

// Detects deprecation warnings for kinds that only this program reads. kube-controller-manager also hides them
// (cmd/kube-controller-manager/app/controllermanager.go, v1.36). The wording is from apiserver's endpoints/deprecation
// and apiextensions-apiserver's customresource_handler.
function isOurs({ method }: WireRequest, text: string): boolean {
  return method === 'GET' && /^\S+ \S+ is deprecated(?: in v\d+\.\d+\+|;|$)/.test(text);
}
