/** The ValidatingWebhookConfiguration that has API servers ask the guard, and never wait for it. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { admissionKinds } from '../../../simulation/index.ts';
import { UsageError } from '../../runtime/errors.ts';
import { ADMISSION_PATH } from '../http/routes.ts';
import { unaskedUsers } from './reviewed-action.ts';

const NAME = 'gc-tree-guard';
const TIMEOUT_SECONDS = 2;

const { components, SYSTEM_ACCOUNTS, NODES, ACCOUNTS } = unaskedUsers;

/** Checks if a list has an entry in the old object and lacks it in the new one. */
const taken = (field: string, isKept: string): string =>
  `(has(oldObject.metadata.${field}) && oldObject.metadata.${field}.exists(x, !has(object.metadata.${field}) || !${isKept}))`;

/** In the order in which the API server tries them: only an update's last one is costly. */
const matchConditions = [
  {
    name: 'not-the-control-plane',
    expression: `!(request.userInfo.username in [${components.map(each => `'${each}'`).join(', ')}]) && !request.userInfo.username.startsWith('${SYSTEM_ACCOUNTS}') && !('${NODES}' in request.userInfo.groups)`,
  },
  {
    name: 'not-leases-and-events',
    expression: `!(request.resource.resource == 'events' || request.resource.group == 'coordination.k8s.io')`,
  },
  {
    name: 'updates-that-release',
    expression: `request.operation != 'UPDATE' || !('${ACCOUNTS}' in request.userInfo.groups) && (${taken('finalizers', 'object.metadata.finalizers.exists(y, y == x)')} || ${taken('ownerReferences', 'object.metadata.ownerReferences.exists(y, y.uid == x.uid)')})`,
  },
];

interface Target {
  readonly clientConfig: Readonly<Record<string, unknown>>;
  readonly namespaces: readonly string[];
}

/** `refuses`: by a policy. Throws a `UsageError` if the address is neither an HTTPS URL nor NAMESPACE/SERVICE. */
function configuration(
  address: string,
  { certFile, refuses }: { readonly certFile: string | undefined; readonly refuses: boolean },
): object {
  if (certFile === undefined)
    throw new UsageError('--print-webhook needs --tls-cert-file: API servers ask over TLS alone.');
  const { clientConfig, namespaces } = targetOf(address);
  const all = ['*'];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: NAME },
    webhooks: [
      {
        name: refuses ? admissionKinds.refusalWebhook : admissionKinds.warningWebhook,
        admissionReviewVersions: ['v1'],
        clientConfig: { ...clientConfig, caBundle: bundleOf(certFile) },
        rules: [
          { operations: ['DELETE', 'UPDATE'], apiGroups: all, apiVersions: all, resources: all },
          { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'] },
        ],
        matchConditions,
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', ...namespaces] },
          ],
        },
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        timeoutSeconds: TIMEOUT_SECONDS,
      },
    ],
  };
}

function targetOf(address: string): Target {
  const url = URL.parse(address);
  if (url?.protocol === 'https:')
    return { clientConfig: { url: new URL(ADMISSION_PATH, url).href }, namespaces: [] };
  const [, namespace, name, port] =
    /^([a-z0-9][a-z0-9-]*)\/([a-z0-9][a-z0-9-]*)(?::(\d{1,5}))?$/u.exec(address) ?? [];
  if (namespace === undefined || name === undefined)
    throw new UsageError(
      `--print-webhook: ${JSON.stringify(address)} is neither a URL, such as https://192.0.2.1:8443, nor a Service, such as gc-tree/gc-tree.`,
    );
  const service = { namespace, name, path: ADMISSION_PATH, port: port === undefined ? 443 : Number(port) };
  return { clientConfig: { service }, namespaces: [namespace] };
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu;

/** Takes only the certificates of the file, which may hold a private key too. */
function bundleOf(file: string): string {
  const found = textOf(file).match(certificates) ?? [];
  if (found.length === 0 || !found.every(isCertificate))
    throw new UsageError(`${file} holds no certificate, in PEM.`);
  return Buffer.from(`${found.join('\n')}\n`).toString('base64');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`${file} cannot be read (${why}).`);
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

export const Webhook = { configuration };
