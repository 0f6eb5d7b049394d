/** The page of docs/ on documents for programs: what they promise, what to do with them, and their fields by their schemas. */
import { readdirSync, readFileSync } from 'node:fs';

interface Schema {
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema | true>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const about = `# Documents for programs

\`-o json\` and \`-o yaml\` print one document, with \`apiVersion: gc-tree.dev/v1alpha1\` and a \`kind\`. With \`--watch\` the whole document is printed anew at each change.

- Fields are only ever added, and the values of fields that say so (codes, states, verdicts) too: read what you know, and pass over the rest.
- Empty lists are printed, and what isn't known or doesn't apply is left out.
- Sentences (\`message\`, \`summary\`, \`stateText\`, \`notes\`, \`evidence\`) are for people, and their words change. What they say is beside them as data.
- Names are verbatim, and what could act on a terminal is escaped. No document has the data of a Secret.

\`kubectl gc-tree schema\` lists the kinds, and \`kubectl gc-tree schema KIND\` prints the JSON Schema of one.

## Examples

Findings that are new since yesterday. The \`id\` of a finding has no uid in it, so that it is the same in the next run, and on a preview environment that was set up anew:

\`\`\`
kubectl gc-tree check -A -o json > today.json
jq -n --slurpfile old yesterday.json --slurpfile new today.json \\
  '($old[0].items | map(.id)) as $known | $new[0].items[] | select(.id | IN($known[]) | not) | .message' -r
\`\`\`

How many there are of each code, and which finalizers hold what:

\`\`\`
kubectl gc-tree check -A -o json | jq .counts
kubectl gc-tree check -A -o json | jq -r '.items[] | .object as $object | .facts[]
  | select(.path | startswith("metadata.finalizers")) | [(.object // $object).kind, (.object // $object).name, .value] | @tsv'
\`\`\`

Where a finding stands, for findings on files:

\`\`\`
kubectl gc-tree check -f manifests/ -o json | jq -r '.items[] | "\\(.source.file):\\(.source.line): \\(.message)"'
\`\`\`

Pods on a node with what controls each, from the flat form of the tree, in which every object is there once and every owner reference is an edge:

\`\`\`
kubectl gc-tree tree -A -o json --flat | jq -r '(.edges | map(select(.controller) | {(.dependent): .owner}) | add) as $controllers
  | .nodes[] | select(.nodeName == "node-1") | [.id, $controllers[.id]] | @tsv'
\`\`\`

A graph library takes the two lists as they are:

\`\`\`js
const { nodes, edges } = JSON.parse(await readFile('graph.json', 'utf8'));
const graph = new MultiDirectedGraph(); // graphology
for (const { id, ...node } of nodes) graph.addNode(id, node);
for (const { owner, dependent, ...edge } of edges) graph.addEdge(owner, dependent, edge);
\`\`\`

## Kinds

\`?\` stands behind a field that may be left out.
`;

const folder = new URL('../src/documents/schema/', import.meta.url);

const schemas = readdirSync(folder)
  .filter(file => file.endsWith('.schema.json'))
  .map(file => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Schema)
  .sort((a, b) => ((a.title ?? '') < (b.title ?? '') ? -1 : 1));

/** The whole page; fields that several kinds share in the same way are told of once, at the end. */
export function documentsPage(made: string): string {
  const shared = new Map<string, Schema>();
  for (const { $defs = {} } of schemas)
    for (const [name, definition] of Object.entries($defs))
      if (!shared.has(name)) shared.set(name, definition);
  const kinds = schemas.map(schema => section(schema.title ?? '', schema));
  const parts = [...shared]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, definition]) => section(name, definition));
  return `${made}\n\n${about}\n${kinds.join('\n')}\n## What they are made of\n\n${parts.join('\n')}`;
}

function section(title: string, schema: Schema): string {
  const description = schema.description?.replace(/ Fields are only ever added\.$/u, '') ?? '';
  const rows = [...fieldsOf(schema, '')];
  const table =
    rows.length === 0
      ? `${typeOf(schema)}\n`
      : `| field | type | what |\n|---|---|---|\n${rows.join('\n')}\n`;
  return `### ${title}\n\n${description === '' ? '' : `${description}\n\n`}${table}`;
}

/** A row for each field, those of nested objects behind their own. */
function* fieldsOf({ properties = {}, required = [], allOf = [] }: Schema, path: string): Generator<string> {
  for (const part of allOf) yield* fieldsOf(part, path);
  for (const [name, property] of Object.entries(properties)) {
    const field = property === true ? {} : property;
    const own = `${path}${name}`;
    const mark = required.includes(name) ? '' : '?';
    yield `| \`${own}\`${mark} | ${typeOf(field)} | ${(field.description ?? '').replaceAll('|', '\\|')} |`;
    yield* fieldsOf(field, `${own}.`);
    if (field.items !== undefined) yield* fieldsOf(field.items, `${own}[].`);
  }
}

function typeOf(schema: Schema): string {
  const { $ref, const: value, enum: values, items, allOf, additionalProperties, type } = schema;
  if ($ref !== undefined) {
    // One of this page, or by its `$id` the document of another kind.
    const name = $ref.startsWith('#/$defs/') ? $ref.slice('#/$defs/'.length) : (kindOf($ref) ?? $ref);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (allOf !== undefined) return allOf.map(typeOf).join(' and ');
  if (value !== undefined) return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
  if (values !== undefined) return values.map(each => `\`${String(each)}\``).join(', ');
  if (items !== undefined) return `list of ${items.properties === undefined ? typeOf(items) : 'objects'}`;
  if (typeof additionalProperties === 'object') return `map of ${typeOf(additionalProperties)}`;
  return type === undefined ? 'any' : [type].flat().join(', ');
}

function kindOf(id: string): string | undefined {
  return schemas.find(({ $id }) => $id === id)?.title;
}
