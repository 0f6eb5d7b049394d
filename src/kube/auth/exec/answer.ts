/** An exec plugin's answer, read as client-go reads it. Nothing of it appears in an error, for it holds credentials. */
import { SourceError } from '../../../source/source.ts';
import type { ExecConfig } from '../../config/kubeconfig.ts';
import type { LoginCredential } from '../login-credential.ts';
import { plainText } from '../plain-text.ts';

/** `name` is what errors call the plugin. Throws a `SourceError` for an answer that is of no use. */
export function readAnswer(stdout: string, exec: ExecConfig, name: string): LoginCredential {
  const wrong = (what: string) => new SourceError(`${name} ${what}; run it by hand to see why.`);
  let answer: { apiVersion?: unknown; status?: Record<string, unknown> | null } | null;
  try {
    answer = JSON.parse(stdout) as typeof answer;
  } catch {
    throw wrong('printed no ExecCredential');
  }
  if (answer?.apiVersion !== exec.apiVersion) {
    const returned = typeof answer?.apiVersion === 'string' ? plainText(answer.apiVersion, 60) : 'none';
    throw wrong(`is set to API version ${exec.apiVersion} but answers in ${returned}`);
  }
  const status = answer.status;
  if (typeof status !== 'object' || status === null) throw wrong('returned no status');
  const text = (key: string) => (typeof status[key] === 'string' ? status[key] : '');
  const token = text('token');
  const certificate = text('clientCertificateData');
  const key = text('clientKeyData');
  if (token === '' && certificate === '' && key === '') throw wrong('returned neither token nor certificate');
  if ((certificate === '') !== (key === '')) throw wrong('returned only one of certificate and key');
  const expires = Date.parse(text('expirationTimestamp'));
  return { token, certificate, key, expires: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires };
}
