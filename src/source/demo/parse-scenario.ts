/** Parses scenario files. Every field is checked, so that a typo is an error, not another story. */
import { parseAllDocuments } from 'yaml';
import { type JsonRecord, list, record } from '../../model/index.ts';
import { type Trial, trialVerbs } from '../source.ts';
import {
  type ControlStep,
  type DeleteStep,
  type ExpectedFinding,
  type PatchStep,
  type PickedObject,
  parseName,
  type Scenario,
  type ScenarioCascade,
  ScenarioError,
  type ScenarioManifest,
  type ScenarioStep,
} from './scenario.ts';

function fail(what: string): never {
  throw new ScenarioError(what);
}

/** Parses each YAML document into a scenario per combination of its `variants`. Throws a `ScenarioError`. */
export function parseScenarios(text: string, file: string): readonly Scenario[] {
  const documents = parseAllDocuments(text, { merge: true });
  try {
    if (!Array.isArray(documents) || documents.length === 0) return fail('no scenario in it');
    return documents.flatMap(document => {
      const [error] = document.errors;
      if (error !== undefined) fail(error.message.split('\n')[0] ?? 'not YAML');
      const { variants, ...rest } = fields(document.toJS(), 'the scenario');
      return combinations(variants).map(values => readScenario(substituted(rest, values)));
    });
  } catch (error) {
    throw error instanceof ScenarioError ? new ScenarioError(`${file}: ${error.message}`) : error;
  }
}

function combinations(variants: unknown, where = 'variants'): readonly ReadonlyMap<string, unknown>[] {
  let found: readonly ReadonlyMap<string, unknown>[] = [new Map()];
  if (variants === undefined) return found;
  for (const [name, values] of Object.entries(fields(variants, where))) {
    if (list(values).length === 0) fail(`${where}.${name} has no values`);
    found = found.flatMap(each => list(values).map(value => new Map([...each, [`<${name}>`, value]])));
  }
  return found;
}

/** Replaces placeholders, in keys too. A placeholder on its own keeps the type of its value. */
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

type Read<T> = (value: unknown, where: string) => T;

function given<T>(value: JsonRecord, readers: { readonly [K in keyof T]: Read<T[K]> }, at = ''): Partial<T> {
  const found: Partial<T> = {};
  for (const key in readers) {
    if (value[key] !== undefined) found[key] = readers[key](value[key], `${at}${key}`);
  }
  return found;
}

const optional = {
  about: (value: unknown, where: string) => string(value, where).trim(),
  look: (value: unknown, where: string) =>
    items(value, where).map((each, index) => string(each, `${where}[${index}]`).trim()),
  try: (value: unknown, where: string) =>
    items(value, where).map((each, index) => readTrial(each, `${where}[${index}]`)),
  namespace: string,
  nodes: whole,
  scheduler: boolean,
  quiet: whole,
  patience: whole,
  live: readLive,
  findings: readFindings,
  statuses: readStatuses,
};

function readScenario(value: unknown): Scenario {
  const scenario = fields(value, 'the scenario');
  const { title, steps } = scenario;
  onlyKeys(scenario, ['title', 'steps', ...Object.keys(optional)], 'the scenario');
  if (typeof title !== 'string' || title === '') return fail('no title');
  if (!Array.isArray(steps)) return fail('no steps');
  return {
    title,
    ...given(scenario, optional),
    steps: steps.map((step, index) => readStep(step, `steps[${index}]`, false)),
  };
}

function readLive(value: unknown): readonly ScenarioStep[] {
  if (!Array.isArray(value)) return fail('live is not a list of steps');
  const steps = value.map((step, index) => readStep(step, `live[${index}]`, true));
  const waits = steps.some(step => step !== 'settle' && 'wait' in step && step.wait > 0);
  return waits ? steps : fail('live has no wait, so its steps would be repeated in no time');
}

const stepKeys: Readonly<Record<string, readonly string[]>> = {
  create: [],
  delete: ['cascade', 'gracePeriodSeconds', 'force'],
  patch: ['with', 'subresource'],
  controllerManager: [],
  wait: [],
  node: [],
};

function readStep(value: unknown, where: string, live: boolean): ScenarioStep {
  if (value === 'settle') return value;
  const step = fields(value, where);
  const verbs = Object.keys(stepKeys).filter(key => key in step);
  const [verb] = verbs;
  if (verb === undefined || verbs.length > 1) return fail(`${where} is not a step: ${JSON.stringify(value)}`);
  onlyKeys(step, [verb, ...(stepKeys[verb] ?? [])], where);
  switch (verb) {
    case 'create':
      if (!Array.isArray(step['create'])) return fail(`${where}.create is not a list of manifests`);
      return {
        create: step['create'].flatMap((each, index) => readCreated(each, `${where}.create[${index}]`)),
      };
    case 'delete':
      return readDelete(step, where, live);
    case 'patch':
      return {
        patch: objectName(step['patch'], `${where}.patch`),
        with: fields(step['with'], `${where}.with`),
        ...given<Pick<PatchStep, 'subresource'>>(
          step,
          { subresource: among('status', 'finalize') },
          `${where}.`,
        ),
      };
    default:
      return readControl(verb, step, `${where}.${verb}`);
  }
}

function readControl(verb: string, step: JsonRecord, at: string): ControlStep {
  if (verb === 'controllerManager') return { controllerManager: among('start', 'stop')(step[verb], at) };
  if (verb === 'wait') return { wait: duration(step[verb], at) };
  const node = fields(step['node'], at);
  onlyKeys(node, ['name', 'state', 'effect'], at);
  const state = among(
    'stopped',
    'started',
    'deleted',
    'deaf',
    'cordoned',
    'tainted',
  )(node['state'], `${at}.state`);
  if (node['effect'] !== undefined && state !== 'tainted') fail(`${at}.effect is for a node that is tainted`);
  const effect = given(node, { effect: among('NoExecute', 'NoSchedule') }, `${at}.`);
  return { node: { name: string(node['name'], `${at}.name`), state, ...effect } };
}

function readDelete(step: JsonRecord, where: string, live: boolean): DeleteStep {
  const words = among('background', 'foreground', 'orphan', 'default', 'none');
  const policy = words(step['cascade'] ?? 'background', `${where}.cascade`);
  const { gracePeriodSeconds, force } = given(
    step,
    { gracePeriodSeconds: whole, force: boolean },
    `${where}.`,
  );
  if (force !== undefined && gracePeriodSeconds !== undefined) {
    fail(`${where}: force is a gracePeriodSeconds of 0; say one of them`);
  }
  const grace = force === true ? 0 : gracePeriodSeconds;
  const target = step['delete'];
  return {
    delete:
      live && typeof target === 'object' && target !== null
        ? readPick(target, `${where}.delete`)
        : objectName(target, `${where}.delete`),
    cascade: (policy === 'none' ? 'default' : policy) satisfies ScenarioCascade,
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
  };
}

function readPick(value: unknown, where: string): PickedObject {
  const pick = fields(value, where);
  onlyKeys(pick, ['ownedBy', 'kind', 'pick'], where);
  return {
    ownedBy: objectName(pick['ownedBy'], `${where}.ownedBy`),
    kind: string(pick['kind'], `${where}.kind`),
    pick: among('oldest', 'youngest')(pick['pick'], `${where}.pick`),
  };
}

/** No scenario needs more copies of one entry; a typo could ask for millions. */
const MOST_REPEATED = 10_000;

/** Reads a manifest, or `repeat: { n: 20 }` with `objects` created once per number, which replaces `<n>`. */
function readCreated(value: unknown, where: string): readonly ScenarioManifest[] {
  const entry = fields(value, where);
  if (!('repeat' in entry)) return [readManifest(entry, where)];
  onlyKeys(entry, ['repeat', 'objects'], where);
  const { objects } = entry;
  if (!Array.isArray(objects)) return fail(`${where}.objects is not a list of manifests`);
  const numbers = Object.entries(fields(entry['repeat'], `${where}.repeat`)).map(([name, count]) => {
    return [name, numbersTo(whole(count, `${where}.repeat.${name}`))] as const;
  });
  const repeated = numbers.reduce((product, [, { length }]) => product * length, objects.length);
  if (repeated > MOST_REPEATED) fail(`${where} repeats ${repeated} objects, more than ${MOST_REPEATED}`);
  return combinations(Object.fromEntries(numbers), `${where}.repeat`).flatMap(values =>
    objects.map((each, index) => readManifest(substituted(each, values), `${where}.objects[${index}]`)),
  );
}

/** Pads numbers to equal width, so that names sort by them. */
function numbersTo(count: number): readonly string[] {
  const width = String(count).length;
  return Array.from({ length: Math.min(count, MOST_REPEATED + 1) }, (_, index) =>
    String(index + 1).padStart(width, '0'),
  );
}

const referenceKeys = ['of', 'apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion'];

/** Checks only identity and owners; the API server checks the rest. */
function readManifest(value: unknown, where: string): ScenarioManifest {
  const manifest = fields(value, where);
  const metadata = fields(manifest['metadata'], `${where}.metadata`);
  const { namespace, finalizers, ownerReferences } = metadata;
  string(manifest['apiVersion'], `${where}.apiVersion`);
  string(manifest['kind'], `${where}.kind`);
  string(metadata['name'], `${where}.metadata.name`);
  if (namespace !== undefined) string(namespace, `${where}.metadata.namespace`);
  if (finalizers !== undefined && !Array.isArray(finalizers)) fail(`${where}.metadata.finalizers is no list`);
  if (ownerReferences !== undefined && !Array.isArray(ownerReferences)) {
    fail(`${where}.metadata.ownerReferences is no list`);
  }
  for (const [index, each] of list(ownerReferences).entries()) {
    const at = `${where}.metadata.ownerReferences[${index}]`;
    const reference = fields(each, at);
    onlyKeys(reference, referenceKeys, at);
    if (reference['of'] !== undefined) objectName(reference['of'], `${at}.of`);
  }
  return manifest as ScenarioManifest;
}

/** `{ delete: Deployment shop/api, shows: … }` */
function readTrial(value: unknown, where: string): Trial {
  const trial = fields(value, where);
  onlyKeys(trial, [...trialVerbs, 'shows'], where);
  const verbs = trialVerbs.filter(verb => verb in trial);
  const [verb] = verbs;
  if (verb === undefined || verbs.length > 1) return fail(`${where} is none of ${trialVerbs.join(', ')}`);
  const read = verb === 'run' ? string : objectName;
  return { verb, of: read(trial[verb], `${where}.${verb}`), shows: string(trial['shows'], `${where}.shows`) };
}

function items(value: unknown, where: string): readonly unknown[] {
  return Array.isArray(value) && value.length > 0 ? value : fail(`${where} is no list, or an empty one`);
}

function readFindings(value: unknown): readonly ExpectedFinding[] {
  if (!Array.isArray(value)) return fail('findings is no list');
  return value.map((each, index) => {
    const where = `findings[${index}]`;
    const [, code = '', object] = /^(\w+) (.+)$/.exec(string(each, where)) ?? [];
    if (code === '') return fail(`${where} is not "Code Kind namespace/name"`);
    return { code, object: objectName(object, where) };
  });
}

function readStatuses(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return fail('statuses is no list');
  return value.map((each, index) => {
    const name = objectName(each, `statuses[${index}]`);
    return name.startsWith('Pod ') ? name : fail(`statuses[${index}] is not a pod`);
  });
}

function fields(value: unknown, where: string): JsonRecord {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail(`${where} has no fields`);
  return record(value);
}

function onlyKeys(value: JsonRecord, known: readonly string[], where: string): void {
  const unknown = Object.keys(value).find(key => !known.includes(key));
  if (unknown !== undefined) fail(`${where}: unknown field ${unknown}`);
}

function string(value: unknown, where: string): string {
  return typeof value === 'string' && value !== '' ? value : fail(`${where} is not a text`);
}

function boolean(value: unknown, where: string): boolean {
  return typeof value === 'boolean' ? value : fail(`${where} is neither true nor false`);
}

function whole(value: unknown, where: string): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : fail(`${where} is not a whole number`);
}

function objectName(value: unknown, where: string): string {
  return typeof value === 'string' && parseName(value) !== undefined
    ? value
    : fail(`${where} is not "Kind namespace/name" or "Kind name"`);
}

function among<const T extends string>(...words: readonly T[]): Read<T> {
  return (value, where) =>
    words.find(word => word === value) ?? fail(`${where} is none of ${words.join(', ')}`);
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `12m`, `1h30m`, `2d` in milliseconds. */
function duration(value: unknown, where: string): number {
  if (typeof value !== 'string' || !/^(?:\d+[smhd])+$/.test(value)) {
    return fail(`${where} is not a duration such as 90s, 12m, 1h30m or 2d`);
  }
  let sum = 0;
  for (const [, number, unit = ''] of value.matchAll(/(\d+)([smhd])/g))
    sum += Number(number) * (units[unit] ?? 0);
  return sum;
}
