/**
 * Scenario files read: every field checked, so that a slip of the pen is a message and not a scenario that tells
 * another story. Apart from the format, which more of the product knows than reads files.
 */
import { parseAllDocuments } from 'yaml';
import { type JsonRecord, list, record } from '../../model/json/json.ts';
import {
  type ControlStep,
  type DeleteStep,
  type ExpectedFinding,
  type NodeState,
  type PickedObject,
  parseName,
  type Scenario,
  type ScenarioCascade,
  ScenarioError,
  type ScenarioManifest,
  type ScenarioStep,
  type TaintEffect,
} from './scenario.ts';

type Fail = (what: string) => never;

/**
 * The scenarios in a file's text, in order: of each YAML document one, or one for each combination of its
 * `variants`, whose values take the place of `<name>` everywhere. Throws a `ScenarioError` that names the file
 * and what is wrong with it.
 */
export function parseScenarios(text: string, file: string): readonly Scenario[] {
  const fail: Fail = what => {
    throw new ScenarioError(`${file}: ${what}`);
  };
  const documents = parseAllDocuments(text, { merge: true });
  if (!Array.isArray(documents) || documents.length === 0) return fail('no scenario in it');
  return documents.flatMap(document => {
    const [error] = document.errors;
    if (error !== undefined) fail(error.message.split('\n')[0] ?? 'not YAML');
    const { variants, ...rest } = fields(document.toJS(), 'the scenario', fail);
    return combinations(variants, fail).map(values => readScenario(substituted(rest, values), fail));
  });
}

/** Each combination of the variants' values. */
function combinations(variants: unknown, fail: Fail): readonly ReadonlyMap<string, unknown>[] {
  let found: readonly ReadonlyMap<string, unknown>[] = [new Map()];
  if (variants === undefined) return found;
  for (const [name, values] of Object.entries(fields(variants, 'variants', fail))) {
    if (list(values).length === 0) fail(`variants.${name} has no values`);
    found = found.flatMap(each => list(values).map(value => new Map([...each, [`<${name}>`, value]])));
  }
  return found;
}

/** A copy with the placeholders replaced, in keys too. One that stands alone keeps the type of its value. */
function substituted(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') {
    if (values.has(value)) return values.get(value);
    let text = value;
    for (const [placeholder, each] of values) text = text.replaceAll(placeholder, String(each));
    return text;
  }
  if (Array.isArray(value)) return value.map(each => substituted(each, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [String(substituted(key, values)), substituted(each, values)]),
  );
}

function readScenario(value: unknown, fail: Fail): Scenario {
  const scenario = fields(value, 'the scenario', fail);
  const {
    title,
    about,
    namespace,
    nodes,
    scheduler,
    quiet,
    patience,
    steps,
    live,
    findings,
    statuses,
    ...rest
  } = scenario;
  onlyKeys(rest, [], 'the scenario', fail);
  if (typeof title !== 'string' || title === '') return fail('no title');
  if (!Array.isArray(steps)) return fail('no steps');
  return {
    title,
    ...(about === undefined ? {} : { about: string(about, 'about', fail).trim() }),
    ...(namespace === undefined ? {} : { namespace: string(namespace, 'namespace', fail) }),
    ...(nodes === undefined ? {} : { nodes: whole(nodes, 'nodes', fail) }),
    ...(scheduler === undefined ? {} : { scheduler: boolean(scheduler, 'scheduler', fail) }),
    ...(quiet === undefined ? {} : { quiet: whole(quiet, 'quiet', fail) }),
    ...(patience === undefined ? {} : { patience: whole(patience, 'patience', fail) }),
    steps: steps.map((step, index) => readStep(step, `steps[${index}]`, { live: false, fail })),
    ...(live === undefined ? {} : { live: readLive(live, fail) }),
    ...(findings === undefined ? {} : { findings: readFindings(findings, fail) }),
    ...(statuses === undefined ? {} : { statuses: readStatuses(statuses, fail) }),
  };
}

function readLive(value: unknown, fail: Fail): readonly ScenarioStep[] {
  if (!Array.isArray(value)) return fail('live is not a list of steps');
  const steps = value.map((step, index) => readStep(step, `live[${index}]`, { live: true, fail }));
  const waits = steps.some(step => step !== 'settle' && 'wait' in step && step.wait > 0);
  return waits ? steps : fail('live has no wait, so its steps would be repeated in no time');
}

interface StepContext {
  readonly live: boolean;
  readonly fail: Fail;
}

/** What a step may say beside the word that makes it one. */
const stepKeys: Readonly<Record<string, readonly string[]>> = {
  create: [],
  delete: ['cascade', 'gracePeriodSeconds', 'force'],
  patch: ['with', 'subresource'],
  controllerManager: [],
  wait: [],
  node: [],
};

function readStep(value: unknown, where: string, context: StepContext): ScenarioStep {
  const { fail } = context;
  if (value === 'settle') return value;
  const step = fields(value, where, fail);
  const verbs = Object.keys(stepKeys).filter(key => key in step);
  const [verb] = verbs;
  if (verb === undefined || verbs.length > 1) return fail(`${where} is not a step: ${JSON.stringify(value)}`);
  onlyKeys(step, [verb, ...(stepKeys[verb] ?? [])], where, fail);
  switch (verb) {
    case 'create':
      if (!Array.isArray(step['create'])) return fail(`${where}.create is not a list of manifests`);
      return {
        create: step['create'].map((each, index) => readManifest(each, `${where}.create[${index}]`, fail)),
      };
    case 'delete':
      return readDelete(step, where, context);
    case 'patch':
      return {
        patch: objectName(step['patch'], `${where}.patch`, fail),
        with: fields(step['with'], `${where}.with`, fail),
        ...(step['subresource'] === undefined
          ? {}
          : { subresource: oneOf(step['subresource'], ['status'] as const, `${where}.subresource`, fail) }),
      };
    default:
      return readControl(verb, step, { where, fail });
  }
}

function readControl(
  verb: string,
  step: JsonRecord,
  { where, fail }: { readonly where: string; readonly fail: Fail },
): ControlStep {
  const at = `${where}.${verb}`;
  if (verb === 'controllerManager') {
    return { controllerManager: oneOf(step[verb], ['start', 'stop'] as const, at, fail) };
  }
  if (verb === 'wait') return { wait: duration(step[verb], at, fail) };
  const node = fields(step['node'], at, fail);
  onlyKeys(node, ['name', 'state', 'effect'], at, fail);
  const states: readonly NodeState[] = ['stopped', 'started', 'deleted', 'tainted'];
  const effects: readonly TaintEffect[] = ['NoExecute', 'NoSchedule'];
  const { effect } = node;
  const state = oneOf(node['state'], states, `${at}.state`, fail);
  if (effect !== undefined && state !== 'tainted') fail(`${at}.effect is for a node that is tainted`);
  return {
    node: {
      name: string(node['name'], `${at}.name`, fail),
      state,
      ...(effect === undefined ? {} : { effect: oneOf(effect, effects, `${at}.effect`, fail) }),
    },
  };
}

function readDelete(step: JsonRecord, where: string, { live, fail }: StepContext): DeleteStep {
  const { cascade, gracePeriodSeconds, force } = step;
  const words = ['background', 'foreground', 'orphan', 'default', 'none'] as const;
  const policy = oneOf(cascade ?? 'background', words, `${where}.cascade`, fail);
  if (force !== undefined && gracePeriodSeconds !== undefined) {
    fail(`${where}: force is a gracePeriodSeconds of 0; say one of them`);
  }
  const grace =
    force !== undefined && boolean(force, `${where}.force`, fail)
      ? 0
      : gracePeriodSeconds === undefined
        ? undefined
        : whole(gracePeriodSeconds, `${where}.gracePeriodSeconds`, fail);
  const target = step['delete'];
  return {
    delete:
      live && typeof target === 'object' && target !== null
        ? readPick(target, `${where}.delete`, fail)
        : objectName(target, `${where}.delete`, fail),
    cascade: (policy === 'none' ? 'default' : policy) satisfies ScenarioCascade,
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
  };
}

function readPick(value: unknown, where: string, fail: Fail): PickedObject {
  const pick = fields(value, where, fail);
  onlyKeys(pick, ['ownedBy', 'kind', 'pick'], where, fail);
  return {
    ownedBy: objectName(pick['ownedBy'], `${where}.ownedBy`, fail),
    kind: string(pick['kind'], `${where}.kind`, fail),
    pick: oneOf(pick['pick'], ['oldest', 'youngest'] as const, `${where}.pick`, fail),
  };
}

const referenceKeys = ['of', 'apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];

/** Of a manifest only what identifies it and its owners is looked at: the rest is the API server's business. */
function readManifest(value: unknown, where: string, fail: Fail): ScenarioManifest {
  const manifest = fields(value, where, fail);
  const metadata = fields(manifest['metadata'], `${where}.metadata`, fail);
  const { namespace, finalizers, ownerReferences } = metadata;
  string(manifest['apiVersion'], `${where}.apiVersion`, fail);
  string(manifest['kind'], `${where}.kind`, fail);
  string(metadata['name'], `${where}.metadata.name`, fail);
  if (namespace !== undefined) string(namespace, `${where}.metadata.namespace`, fail);
  if (finalizers !== undefined && !Array.isArray(finalizers)) fail(`${where}.metadata.finalizers is no list`);
  if (ownerReferences !== undefined && !Array.isArray(ownerReferences)) {
    fail(`${where}.metadata.ownerReferences is no list`);
  }
  for (const [index, each] of list(ownerReferences).entries()) {
    const at = `${where}.metadata.ownerReferences[${index}]`;
    const reference = fields(each, at, fail);
    onlyKeys(reference, referenceKeys, at, fail);
    if (reference['of'] !== undefined) objectName(reference['of'], `${at}.of`, fail);
  }
  // Checked above as far as it is relied on.
  return manifest as ScenarioManifest;
}

function readFindings(value: unknown, fail: Fail): readonly ExpectedFinding[] {
  if (!Array.isArray(value)) return fail('findings is no list');
  return value.map((each, index) => {
    const where = `findings[${index}]`;
    const [, code = '', object] = /^(\w+) (.+)$/.exec(string(each, where, fail)) ?? [];
    if (code === '') return fail(`${where} is not "Code Kind namespace/name"`);
    return { code, object: objectName(object, where, fail) };
  });
}

function readStatuses(value: unknown, fail: Fail): readonly string[] {
  if (!Array.isArray(value)) return fail('statuses is no list');
  return value.map((each, index) => {
    const name = objectName(each, `statuses[${index}]`, fail);
    return name.startsWith('Pod ') ? name : fail(`statuses[${index}] is not a pod`);
  });
}

function fields(value: unknown, where: string, fail: Fail): JsonRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail(`${where} has no fields`);
  return record(value);
}

function onlyKeys(value: JsonRecord, known: readonly string[], where: string, fail: Fail): void {
  const unknown = Object.keys(value).find(key => !known.includes(key));
  if (unknown !== undefined) fail(`${where}: unknown field ${unknown}`);
}

function string(value: unknown, where: string, fail: Fail): string {
  return typeof value === 'string' && value !== '' ? value : fail(`${where} is not a text`);
}

function boolean(value: unknown, where: string, fail: Fail): boolean {
  return typeof value === 'boolean' ? value : fail(`${where} is neither true nor false`);
}

function whole(value: unknown, where: string, fail: Fail): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : fail(`${where} is not a whole number`);
}

function objectName(value: unknown, where: string, fail: Fail): string {
  return typeof value === 'string' && parseName(value) !== undefined
    ? value
    : fail(`${where} is not "Kind namespace/name" or "Kind name"`);
}

function oneOf<T extends string>(value: unknown, words: readonly T[], where: string, fail: Fail): T {
  return words.find(word => word === value) ?? fail(`${where} is none of ${words.join(', ')}`);
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `12m`, `1h30m`, `2d` in milliseconds. */
function duration(value: unknown, where: string, fail: Fail): number {
  if (typeof value !== 'string' || !/^(?:\d+[smhd])+$/.test(value)) {
    return fail(`${where} is not a duration such as 90s, 12m, 1h30m or 2d`);
  }
  let sum = 0;
  for (const [, number, unit = ''] of value.matchAll(/(\d+)([smhd])/g))
    sum += Number(number) * (units[unit] ?? 0);
  return sum;
}
