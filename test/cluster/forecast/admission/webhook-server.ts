/**
 * A small real webhook: it answers admission reviews over TLS at an address of a Service, or at a URL, for as long as a pod
 * behind the Service is there. What answers requests for a Service is elsewhere a proxy on each node.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { list, record, text } from '../../../../src/model/json/json.ts';
import { authorityExtensions, issueCertificate } from '../../../harness/certificates.ts';
import type { Cluster } from '../../../harness/cluster.ts';
import { oneDeployment } from '../../manifests.ts';

/** Addresses of Services: the API server reaches them without a proxy, because they are its own. */
export const SERVICE_RANGE = '127.77.0.0/24';

export interface WebhookServerOptions {
  readonly cluster: Cluster;
  /** Its Service, as which it shows its certificate. */
  readonly namespace: string;
  readonly name: string;
  /** In the range of Services. */
  readonly address: string;
  /** It only answers while a pod with the label `app: <name>` runs. */
  readonly pods: boolean;
}

/** `refuse`: answers that nothing is allowed. `silent`: takes requests and never answers. */
export type WebhookManner = 'allow' | 'refuse' | 'silent';

export interface AskedRequest {
  readonly operation: string;
  readonly kind: string;
  readonly name: string;
  /** Of the object before; `''` where the review has none. */
  readonly oldName: string;
  readonly hasObject: boolean;
  readonly user: string;
}

export class WebhookServer {
  manner: WebhookManner = 'allow';
  /** A JSON patch that it answers with, as a mutating webhook does. */
  patch: readonly unknown[] | undefined;
  readonly asked: AskedRequest[] = [];
  readonly #options: WebhookServerOptions;
  readonly #server: Server;
  readonly #ca: string;

  private constructor(options: WebhookServerOptions, server: Server, ca: string) {
    this.#options = options;
    this.#server = server;
    this.#ca = ca;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void this.#answer(Buffer.concat(chunks).toString())
          // Where the pods can't be seen, nobody is there: the cluster may be ending.
          .catch(() => undefined)
          .then(answer => {
            if (answer === undefined) request.socket.destroy();
            else if (answer !== '') response.setHeader('content-type', 'application/json').end(answer);
          });
      });
    });
  }

  static async start(options: WebhookServerOptions): Promise<WebhookServer> {
    const folder = await mkdtemp(join(tmpdir(), 'webhook-'));
    const issuer = await issueCertificate(folder, 'webhook-ca', { extensions: authorityExtensions });
    const host = `${options.name}.${options.namespace}.svc`;
    const made = await issueCertificate(folder, 'webhook', {
      issuer,
      extensions: ['basicConstraints=CA:FALSE', `subjectAltName=IP:${options.address},DNS:${host}`],
    });
    const [key, cert] = await Promise.all([readFile(made.key), readFile(made.certificate)]);
    const server = createServer({ key, cert });
    // Connections stay open until they are closed here, however long it takes until the next request.
    server.keepAliveTimeout = 0;
    await new Promise<void>(resolve => server.listen(0, options.address, resolve));
    return new WebhookServer(options, server, readFileSync(issuer.certificate).toString('base64'));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The Service by which it is reached, and the pods behind it where it needs any. */
  get manifests(): string {
    const { namespace, name, address, pods } = this.#options;
    const service = `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {clusterIP: ${address}, ports: [{port: ${this.port}}]${pods ? `, selector: {app: ${name}}` : ''}}
`;
    if (!pods) return service;
    return `${service}---${oneDeployment(name, namespace, ', terminationGracePeriodSeconds: 1')}`;
  }

  /** In flow style, for `webhooks[].clientConfig`. */
  get clientConfig(): string {
    const { namespace, name } = this.#options;
    return `{service: {namespace: ${namespace}, name: ${name}, port: ${this.port}}, caBundle: ${this.#ca}}`;
  }

  /** The same at a URL. */
  get urlConfig(): string {
    return `{url: "https://${this.#options.address}:${this.port}/", caBundle: ${this.#ca}}`;
  }

  /** From now on it is looked for anew. */
  disconnect(): void {
    this.#server.closeAllConnections();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Undefined where nobody is there, `''` where nobody answers. */
  async #answer(review: string): Promise<string | undefined> {
    if (this.#options.pods && !(await this.#hasPod())) return undefined;
    const request = record(record(JSON.parse(review))['request']);
    const { uid, operation, kind, name, object, oldObject, userInfo } = request;
    this.asked.push({
      operation: text(operation),
      kind: text(record(kind)['kind']),
      name: text(name),
      oldName: text(record(record(oldObject)['metadata'])['name']),
      hasObject: typeof object === 'object' && object !== null,
      user: text(record(userInfo)['username']),
    });
    if (this.manner === 'silent') return '';
    const patch = this.patch && {
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(this.patch)).toString('base64'),
    };
    const response = { uid: text(uid), allowed: this.manner === 'allow', ...patch };
    return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
  }

  async #hasPod(): Promise<boolean> {
    const { cluster, namespace, name } = this.#options;
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${name}`;
    const { body } = await cluster.api.send({ path });
    return list(record(JSON.parse(body))['items']).some(pod => {
      const { metadata, status } = record(pod);
      return (
        text(record(status)['phase']) === 'Running' && record(metadata)['deletionTimestamp'] === undefined
      );
    });
  }
}
