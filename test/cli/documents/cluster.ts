/** Small clusters for the tests of printers and commands, from YAML as a user would write it. */
import { parse } from 'yaml';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Change, SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';

export const now = Date.parse('2026-11-21T12:00:00Z');

interface Brief {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  /** The name where left out. */
  readonly uid?: string;
  /** `apps/v1 StatefulSet web [uid]`, with `+c` and `+b` for controller and blockOwnerDeletion. */
  readonly owners?: readonly string[];
  readonly [field: string]: unknown;
}

function reference(text: string): JsonRecord {
  const [apiVersion, kind, name, uid = name, ...flags] = text.split(' ');
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(flags.includes('+c') ? { controller: true } : {}),
    ...(flags.includes('+b') ? { blockOwnerDeletion: true } : {}),
  };
}

/** Objects from a YAML list of briefs; namespaced ones are in `shop` unless they say otherwise. */
export function objects(yaml: string, types = builtInTypes): Change[] {
  return (parse(yaml) as readonly Brief[]).map(({ kind, name, namespace, uid, owners, ...rest }) => {
    const type = types.find(each => each.kind === kind && each.preferred);
    const { spec, status, endpoints, webhooks, rules, aggregationRule, subjects, roleRef, ...metadata } =
      rest;
    const object =
      type === undefined
        ? undefined
        : objectJson.read(type, {
            metadata: {
              creationTimestamp: '2026-11-21T11:00:00Z',
              ...metadata,
              name,
              namespace: namespace ?? 'shop',
              uid: uid ?? name,
              ownerReferences: owners?.map(reference),
            },
            spec,
            status,
            endpoints,
            webhooks,
            rules,
            aggregationRule,
            subjects,
            roleRef,
          });
    if (object === undefined) throw new Error(`no object of ${kind} ${name}`);
    return { op: 'upsert', object };
  });
}

/** All kinds that Kubernetes itself serves, listed to the end: there is this and nothing else. */
export function listedBatch(changes: readonly Change[] = [], types = builtInTypes): SourceBatch {
  return {
    changes,
    types,
    failedGroups: [],
    statuses: types
      .filter(ResourceType.isMonitored)
      .map(type => ({ type, state: 'synced', count: 0, facts: true })),
    connection: { state: 'live' },
  };
}

export function listedView(changes: readonly Change[] = [], types = builtInTypes): ClusterView {
  const view = new ClusterView();
  view.apply(listedBatch(changes, types), 0);
  return view;
}

/** A view of a cluster that holds these objects and nothing else, completely listed. */
export function viewOf(yaml: string, types = builtInTypes): ClusterView {
  return listedView(objects(yaml, types), types);
}
