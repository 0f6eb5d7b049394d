/** Reads an exec plugin's answer as client-go does. Errors quote nothing of it, because it holds credentials. */
import { jsonValue, record, text } from '../../../model/index.ts';
import { SourceError } from '../../../source/index.ts';
import { readConfigYaml } from '../../config/config-file.ts';
import { plainText } from '../../config/known-credentials.ts';
import type { ExecConfig } from '../../config/kubeconfig.ts';
import { misfit, type Shape } from '../../config/shape.ts';
import type { LoginCredential } from '../login-attempt.ts';

/** Throws a `SourceError`, which calls the plugin `name`, for an unusable answer. */
export function readAnswer(stdout: string, exec: ExecConfig, name: string): LoginCredential {
  const wrong = (what: string) => new SourceError(`${name} ${what}; run it by hand to see why.`);
  const answer = read(stdout);
  const misfits = answer === undefined ? undefined : misfit(answer, answerShape);
  const { apiVersion, kind, status } = record(answer);
  if (answer === undefined || answer === null || misfits !== undefined || (text(kind) || KIND) !== KIND)
    throw wrong(`printed no ExecCredential${misfits === undefined ? '' : `: ${misfits}`}`);
  if (apiVersion !== exec.apiVersion) {
    const returned = typeof apiVersion === 'string' ? plainText(apiVersion, 60) : 'none';
    throw wrong(`is set to API version ${exec.apiVersion} but answers in ${returned}`);
  }
  if (status === undefined || status === null) throw wrong('returned no status');
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = record(status);
  const [certificate, key] = [text(clientCertificateData), text(clientKeyData)];
  if (text(token) === '' && certificate === '' && key === '')
    throw wrong('returned neither token nor certificate');
  if ((certificate === '') !== (key === '')) throw wrong('returned only one of certificate and key');
  const expires =
    typeof expirationTimestamp === 'string' ? momentOf(expirationTimestamp) : Number.POSITIVE_INFINITY;
  if (Number.isNaN(expires)) throw wrong('returned an expirationTimestamp that is no time of RFC 3339');
  return { token: text(token), certificate, key, expires };
}

const KIND = 'ExecCredential';

const answerShape: Shape = {
  fields: {
    kind: 'text',
    apiVersion: 'text',
    spec: { fields: { interactive: 'boolean' } },
    status: {
      fields: {
        token: 'text',
        clientCertificateData: 'text',
        clientKeyData: 'text',
        expirationTimestamp: 'text',
      },
    },
  },
};

/** Accepts JSON, or YAML as client-go does; undefined for anything else. */
function read(stdout: string): unknown {
  for (const parse of [jsonValue, readConfigYaml]) {
    try {
      return parse(stdout);
    } catch {}
  }
  return undefined;
}

/** Returns milliseconds since the epoch; NaN for times that Go rejects, such as a date alone. */
function momentOf(time: string): number {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(time)
    ? Date.parse(time.replace(',', '.'))
    : Number.NaN;
}

/** Lists possible credentials in an unusable answer: it may be cut short, or a bare token. */
export function secretsIn(stdout: string): string[] {
  const fields = [...stdout.matchAll(/"(?:token|clientKeyData)"\s*:\s*"((?:[^"\\]|\\.)*)/gu)];
  const written = fields.map(([, value = '']) => value);
  const alone = stdout.trim();
  return [
    ...written,
    ...written.map(value => value.replaceAll('\\n', '\n')),
    ...(/\s|^\{/u.test(alone) ? [] : [alone]),
  ];
}
