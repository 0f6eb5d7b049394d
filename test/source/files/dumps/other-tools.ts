/** A dump as kubectl writes it, and the same cluster as other tools and older servers write it. */
import type { JsonRecord } from '../../../../src/model/json/json.ts';
import { isoTime } from '../../../../src/model/json/json.ts';
import type { Dump } from './dump.ts';

const SPACE = 'kube-system';

/** Its kinds have names of Kubernetes' own. */
export const foreignGroup = 'storage.example.com';

interface Made {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
  readonly uid?: string;
  readonly namespace?: string;
  readonly owner?: { readonly apiVersion: string; readonly kind: string; readonly name: string };
  readonly more?: JsonRecord;
}

function made({
  apiVersion = 'v1',
  kind,
  name,
  uid = `u-${kind}-${name}`,
  namespace,
  owner,
  more,
}: Made): JsonRecord {
  const ownerReferences = owner === undefined ? [] : [{ ...owner, uid: `u-${owner.kind}-${owner.name}` }];
  const metadata = {
    name,
    uid,
    resourceVersion: '7',
    ...(namespace !== undefined && { namespace }),
    ownerReferences,
  };
  return { apiVersion, kind, metadata, ...more };
}

const list = (items: readonly JsonRecord[], kind = 'List', apiVersion = 'v1'): JsonRecord => ({
  apiVersion,
  kind,
  items,
});

/** Kinds of which there is none: lists that hold nothing say so, wherever they stand. */
const absent = [
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  { apiVersion: 'example.com/v1', kind: 'Widget' },
] as const;

const definition: JsonRecord = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com', uid: 'u-widgets', resourceVersion: '7' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [{ name: 'v1', served: true, storage: true }],
  },
};

const pod = (more: JsonRecord): JsonRecord =>
  made({
    kind: 'Pod',
    name: 'bare',
    namespace: SPACE,
    more: { spec: { nodeName: 'n1', containers: [] }, ...more },
  });

const ingress = (apiVersion: string): JsonRecord =>
  made({ apiVersion, kind: 'Ingress', name: 'web', namespace: SPACE });

/** Of each: as kubectl writes it, then as others do. */
export function asOthersWrite(dump: Dump, now: number): readonly [Dump, Dump] {
  const both: Readonly<Record<string, JsonRecord>> = {
    'node.json': made({ kind: 'Node', name: 'n1' }),
    'spaces.json': list(['default', 'kube-node-lease'].map(name => made({ kind: 'Namespace', name }))),
    'owned.json': list(
      absent.map(({ apiVersion, kind }) =>
        made({
          kind: 'Secret',
          name: `of-${kind.toLowerCase()}`,
          namespace: SPACE,
          owner: { apiVersion, kind, name: 'gone' },
        }),
      ),
    ),
    'service.json': made({ kind: 'Service', name: 'kubernetes', namespace: 'default' }),
    'z-definition.json': definition,
    'ingresses.json': list([ingress('networking.k8s.io/v1')]),
  };
  const [nested, named, later] = absent.map(({ apiVersion, kind }) => list([], `${kind}List`, apiVersion));
  const future = isoTime(now + 20 * 3_600_000);
  const foreign = (kind: string, name: string, namespace: string, more?: JsonRecord): JsonRecord =>
    made({
      apiVersion: `${foreignGroup}/v1`,
      kind,
      name,
      namespace,
      uid: `other-${kind}`,
      ...(more && { more }),
    });
  return [
    including(dump, {
      ...both,
      'absent.json': list(
        absent.map(({ apiVersion, kind }) => made({ apiVersion, kind, name: 'another', namespace: SPACE })),
      ),
      'pods.json': list([pod({ status: { phase: 'Running' } })]),
    }),
    including(withTokens(dump), {
      ...Object.fromEntries(Object.entries(both).map(([file, each]) => [file, withToken(each)])),
      [`${SPACE}/all.json`]: list(nested === undefined ? [] : [nested]),
      [`claims/${SPACE}.json`]: named ?? {},
      [`${SPACE}/a-widgets.json`]: later ?? {},
      'pods.json': list([pod({})]),
      'old-ingresses.json': list([ingress('extensions/v1beta1')]),
      'foreign.json': list([
        foreign('Node', 'n1', SPACE),
        foreign('Namespace', SPACE, SPACE),
        foreign('Service', 'kubernetes', 'default'),
        foreign('Lease', 'n1', 'kube-node-lease', { spec: { renewTime: future } }),
        foreign('Event', 'e', SPACE, { lastTimestamp: future }),
      ]),
    }),
  ];
}

function withTokens(dump: Dump): Dump {
  return new Map([...dump].map(([file, documents]) => [file, documents.map(withToken)]));
}

/** `null` as text, as some tools write it where no token is. */
function withToken(document: JsonRecord): JsonRecord {
  return Array.isArray(document['items']) ? { ...document, metadata: { continue: 'null' } } : document;
}

function including(dump: Dump, files: Readonly<Record<string, JsonRecord>>): Dump {
  return new Map([...dump, ...Object.entries(files).map(([file, document]) => [file, [document]] as const)]);
}
