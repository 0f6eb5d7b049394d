/** Reads facts from JSON and writes them, by their table. */
import { fixed, jsonReader, none, writeAt, writeJson } from '../json/codecs.ts';
import {
  count,
  integer,
  isRecord,
  type JsonRecord,
  list,
  pairs,
  record,
  text,
  texts,
  time,
} from '../json/json.ts';
import { getOrInsert } from '../maps.ts';
import { type Condition, Facts, FactsTable, type GroupKind, type PodFacts, Toleration } from './facts.ts';
import { isManagerPod, managerFlags } from './manager-flags.ts';

const readers = new Map<NonNullable<ReturnType<typeof FactsTable.of>>, ReturnType<typeof jsonReader>>();

/** Returns undefined for a kind without facts. Missing and mistyped fields get the empty value of the table. */
function factsFromJson(type: GroupKind, object: JsonRecord): Facts | undefined {
  const table = FactsTable.of(type);
  if (table === undefined) return undefined;
  if (table === FactsTable.ofPods) return podFactsFromJson(object);
  const read = getOrInsert(readers, table, () => jsonReader({ kind: fixed(table.kind), ...table.fields }));
  // Metadata alone has no state.
  if (Facts.areOfState(type) && !isRecord(object['status'])) return undefined;
  const values = read(object);
  // The table of a kind has its facts.
  return (table.complete?.(values) ?? values) as Facts;
}

/** Returns the API server's JSON without fields that aren't kept. */
function factsToJson(type: GroupKind, facts: Facts): JsonRecord {
  const table = FactsTable.of(type);
  if (table === undefined) return {};
  const values = { ...facts };
  const written = { ...writeJson(table.fields, values) };
  for (const [path, all] of Object.entries(table.listsToJson?.(values) ?? {}))
    writeAt(written, path.split('.'), all);
  return written;
}

/** Reads pods without the table, which would take half as long as parsing their JSON. */
function podFactsFromJson(object: JsonRecord): PodFacts {
  const spec = record(object['spec']);
  const status = record(object['status']);
  const containers = list(spec['containers']);
  const statuses = list(status['containerStatuses']).map(record);
  const volumes = list(spec['volumes']).map(record);
  return {
    kind: 'Pod',
    phase: text(status['phase']) || 'Pending',
    reason: text(status['reason']),
    nodeName: text(spec['nodeName']),
    nodeSelector: spec['nodeSelector'] === undefined ? none : pairs(spec['nodeSelector']),
    terminationGracePeriodSeconds: integer(spec['terminationGracePeriodSeconds']),
    containers: containers.length,
    readyContainers: statuses.filter(each => each['ready'] === true).length,
    restarts: statuses.reduce((sum, each) => sum + count(each['restartCount']), 0),
    containerReason: statuses.map(containerReason).find(reason => reason !== '') ?? '',
    claims: volumes.flatMap(each => text(record(each['persistentVolumeClaim'])['claimName']) || []),
    ephemeralVolumes: volumes.flatMap(each => (isRecord(each['ephemeral']) ? text(each['name']) : [])),
    hasEmptyDir: volumes.some(each => isRecord(each['emptyDir'])),
    schedulingGroup: text(record(spec['schedulingGroup'])['podGroupName']),
    tolerations: Toleration.shared(list(spec['tolerations']).map(tolerationFromJson)),
    managerFlags: isManagerPod(nameIn(object)) ? managerFlags(containers.flatMap(commandLine)) : none,
    conditions: list(status['conditions']).map(podConditionFromJson),
  };
}

function nameIn(object: JsonRecord): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = record(object['metadata']);
  return { namespace: text(namespace), name: text(name) };
}

function containerReason({ state }: JsonRecord): string {
  const { waiting, terminated } = record(state);
  return text(record(waiting)['reason']) || text(record(terminated)['reason']);
}

function commandLine(container: unknown): readonly string[] {
  const { command, args } = record(container);
  return [...texts(command), ...texts(args)];
}

function tolerationFromJson(json: unknown): Toleration {
  const { key, operator, value, effect, tolerationSeconds } = record(json);
  return {
    key: text(key),
    operator: text(operator),
    value: text(value),
    effect: text(effect),
    tolerationSeconds: integer(tolerationSeconds),
  };
}

function podConditionFromJson(json: unknown): Condition {
  const { type, status, reason, message, lastTransitionTime } = record(json);
  return {
    type: text(type),
    status: text(status),
    reason: text(reason),
    message: text(message),
    since: status === 'True' ? undefined : time(lastTransitionTime),
  };
}

export const factsJson = { read: factsFromJson, write: factsToJson };
