/** Every document of every command against the schema that `schema` prints for its kind. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { consoleFor, type Session } from '../console.ts';

const state = mkdtempSync(path.join(tmpdir(), 'gc-tree-schema-'));
afterAll(() => rmSync(state, { recursive: true }));

async function command(line: string, columns?: number): Promise<Omit<Session, 'screens'>> {
  const env = { XDG_STATE_HOME: state };
  const { io, services, result } = consoleFor({ env, ...(columns === undefined ? {} : { columns }) });
  const exitCode = await runCommandLine(line.split(' '), io, services);
  return { ...result(), exitCode };
}

type JsonRecord = Record<string, unknown>;

interface Schema {
  readonly $id: string;
  readonly title: string;
  readonly $defs?: Readonly<Record<string, unknown>>;
}

const kinds = (await command('schema -o name')).out.trimEnd().split('\n');
const schemas = new Map<string, Schema>();
for (const kind of kinds) schemas.set(kind, JSON.parse((await command(`schema ${kind}`)).out) as Schema);

const ajv = new Ajv2020({ strict: false, allErrors: true });

function errorsIn(document: { readonly kind: string }): string[] {
  const schema = schemas.get(document.kind);
  if (schema === undefined) return [`no schema of ${document.kind}`];
  ajv.validate(schema, document);
  return ajv.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`) ?? [];
}

const auditLog = path.join(state, 'audit.log');
writeFileSync(
  auditLog,
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    stage: 'ResponseComplete',
    auditID: '5f0b1d0e-3e5d-4f5c-9d0e-5a4b3c2d1e0f',
    verb: 'delete',
    user: { username: 'mara' },
    sourceIPs: ['203.0.113.7'],
    userAgent: 'kubectl/v1.36.3',
    objectRef: { resource: 'configmaps', namespace: 'shop', name: 'gone', apiVersion: 'v1' },
    requestReceivedTimestamp: '2026-11-21T12:00:00.123456Z',
    responseStatus: { code: 200 },
  }),
);

/** Each command that prints a document, with the kind of it. */
const documents: readonly (readonly [line: string, kind: string])[] = [
  ['tree --demo shop -A', 'OwnershipTree'],
  ['tree --demo who-may-collect-what -A', 'OwnershipTree'],
  ['tree --demo who-may-collect-what -A --flat', 'OwnershipGraph'],
  ['tree --demo gitops -A --by=manager', 'ManagerList'],
  ['tree pods --demo gitops --by=manager', 'ManagerList'],
  ['why sts/web --demo foreground-stuck', 'Diagnosis'],
  [`why cm/gone -n shop --audit-log ${auditLog}`, 'DeletionHistory'],
  ['check --demo shop -A', 'FindingList'],
  ['plan --demo shop', 'Plan'],
  ['plan delete sts/web --demo shop --steps', 'Plan'],
  ['unblock sts/web --demo foreground-stuck', 'RemedyList'],
  ['unblock sts/web --demo foreground-stuck', 'RemedyList'],
  ['podgc --demo shop -A', 'PodGCCandidateList'],
  // A document for each entry: here there is one.
  ['activity pod/web-1 --demo foreground-stuck', 'ActivityEntry'],
  ['undo --demo shop', 'Journal'],
  ['check --contexts prod-eu,staging', 'ContextList'],
  ['wait sts/web sts/nosuch --for=delete --timeout=0 --demo foreground-stuck', 'WaitResult'],
  ['delete cm/flags --demo policies-side-by-side --dry-run=server', 'ActionResult'],
  ['demo --list', 'ScenarioList'],
  ['demo how-the-collector-works --step --break OrphanDependents', 'CollectorStep'],
  ['demo two-collectors --compare-collectors', 'CollectorComparison'],
  ['schema', 'SchemaList'],
];

describe('schema', () => {
  test.each(documents)('%s prints a %s that is valid by it, as JSON and as YAML', async (line, kind) => {
    const json = await command(`${line} -o json`);
    const document = JSON.parse(json.out) as { readonly kind: string };
    expect(document.kind).toBe(kind);
    expect(errorsIn(document)).toEqual([]);
    const yaml = await command(`${line} -o yaml`);
    expect(errorsIn(parse(yaml.out) as { kind: string })).toEqual([]);
  });

  test.each(documents)(
    '%s: a %s with a field that is null is refused, and one more field is not',
    async line => {
      const text = (await command(`${line} -o json`)).out;
      for (const path of pathsIn(JSON.parse(text))) {
        const changed = JSON.parse(text) as JsonRecord & { readonly kind: string };
        const owner = path.slice(0, -1).reduce<JsonRecord>((at, key) => at[key] as JsonRecord, changed);
        const key = String(path.at(-1));
        if (key === 'body' || isMap(path.slice(0, -1))) continue;
        owner['later'] = 1;
        expect(errorsIn(changed), path.join('.')).toEqual([]);
        owner[key] = null;
        expect(errorsIn(changed), path.join('.')).not.toEqual([]);
      }
    },
  );

  test('has none that no command prints, and lists them by kind', () => {
    const printed = new Set(documents.map(([, kind]) => kind));
    // `serve --history` answers ActivityLists, and its test holds them to their schema.
    // `check -o baseline` writes a file, and its test holds that to its schema.
    expect(kinds).toEqual([...printed, 'ActivityList', 'Baseline'].sort());
  });

  test('says of each kind what it is, within the width of the terminal', async () => {
    const { out } = await command('schema', 60);
    expect(out).toContain('FindingList           Every finding in scope, as printed by');
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  });

  test.each(['findinglist', 'FINDINGLIST', 'FindingList'])('takes %s', async kind => {
    const { out, exitCode } = await command(`schema ${kind}`);
    expect([JSON.parse(out), exitCode]).toMatchObject([{ title: 'FindingList' }, 0]);
  });

  test('of an empty kind, as of an unset variable, is wrong use', async () => {
    const { io, services, result } = consoleFor();
    expect(await runCommandLine(['schema', ''], io, services)).toBe(2);
    expect(result()).toMatchObject({
      out: '',
      err: 'kubectl gc-tree: the kind is empty. Leave it out for the list of kinds.\n',
    });
  });

  test('prints the same schema as YAML', async () => {
    expect(parse((await command('schema plan -o yaml')).out)).toEqual(schemas.get('Plan'));
  });

  test.each([
    ['schema findinglst', 'no document of kind findinglst. Did you mean FindingList?'],
    ['schema Deployment', 'no document of kind Deployment. kubectl gc-tree schema lists the kinds.'],
    ['schema plan -o name', 'a schema cannot be printed as name. Use -o json or yaml.'],
    ['schema -o dot', 'schema cannot print dot. Use -o text, wide, json, yaml or name.'],
  ])('%s is wrong use', async (line, message) => {
    const { out, err, exitCode } = await command(line);
    expect([out, err, exitCode]).toEqual(['', `kubectl gc-tree: ${message}\n`, 2]);
  });

  test('takes the same for what several kinds hold; the words may differ', () => {
    const first = new Map<string, { readonly of: string; readonly definition: unknown }>();
    for (const { title, $defs = {} } of schemas.values())
      for (const [name, described] of Object.entries($defs)) {
        const definition = withoutDescriptions(described);
        const known = first.get(name);
        if (known === undefined) first.set(name, { of: title, definition });
        else expect(definition, `${name} of ${title} and of ${known.of}`).toEqual(known.definition);
      }
    expect([...first.keys()]).toContain('Finding');
  });
});

/** The paths of the fields of all objects in it. */
function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    ...(Array.isArray(value) ? [] : [[...path, key]]),
    ...pathsIn(each, [...path, key]),
  ]);
}

/** Reports objects whose fields are names from a cluster, not those of a schema. */
function isMap(path: readonly string[]): boolean {
  return path.some(key => ['labels', 'byCode', 'value', 'body'].includes(key)) || path[0] === 'requests';
}

function withoutDescriptions(definition: unknown): unknown {
  return JSON.parse(
    JSON.stringify(definition, (key, value: unknown) =>
      key === 'description' && typeof value === 'string' ? undefined : value,
    ),
  );
}
