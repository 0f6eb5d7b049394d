/**
 * docs/pipelines.md: its shell examples, its workflows, the action and the GitLab component, all run as they stand there. A
 * kubectl on the PATH runs the plugin, on a scenario where no source is named.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { writeSchemas } from '../../../scripts/document-schemas.ts';
import { bundle } from '../../../scripts/loading/bundle.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { readPage } from '../checked-page.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const page = readPage('pipelines.md');
const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-pipelines-'));
guardFolder(folder);
const bin = path.join(folder, 'bin');

const manifests = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
`;

const teardown = `apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
`;

function executable(name: string, text: string): void {
  writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}`);
  chmodSync(path.join(bin, name), 0o755);
}

beforeAll(async () => {
  const program = path.join(folder, 'program');
  mkdirSync(program);
  await bundle(root, program, { main: 'src/main.ts' });
  await writeSchemas(path.join(program, 'schema'));
  writeFileSync(path.join(program, 'package.json'), '{"type":"module"}');
  cpSync(path.join(root, 'src/source/demo/scenarios'), path.join(program, 'scenarios'), { recursive: true });
  mkdirSync(bin);
  executable('kubectl', '[ "$1" = gc-tree ] || exit 127\nshift\nexec kubectl-gc_tree "$@"\n');
  executable(
    'kubectl-gc_tree',
    `case " $* " in *' plan delete -f '* | *' wait -f '*) set -- "$@" --demo shop ;; *' -f '* | *' --demo '*) ;; *) set -- "$@" --demo shop ;; esac
exec '${process.execPath}' '${path.join(program, 'main.js')}' "$@"
`,
  );
  mkdirSync(path.join(folder, 'manifests'));
  writeFileSync(path.join(folder, 'manifests', 'settings.yaml'), manifests);
  mkdirSync(path.join(folder, 'teardown'));
  writeFileSync(path.join(folder, 'teardown', 'api.yaml'), teardown);
});

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** In a folder with `manifests/`, as a step of a pipeline. */
function run(shell: readonly string[], script: string, env: Readonly<Record<string, string>> = {}): Ran {
  const [program = '', ...args] = shell;
  const { status, stdout, stderr } = spawnSync(program, [...args, '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { HOME: folder, PATH: `${bin}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8', ...env },
  });
  return { code: status, out: stdout, err: stderr };
}

const hasJq = spawnSync('jq', ['--version']).status === 0;

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gmu'))].map(([, text = '']) => text);

const written = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

describe('the shell examples', () => {
  const examples = blocks('sh').map(script => ({
    script,
    code: Number(/# exit code (\d)\n$/u.exec(script)?.[1] ?? 0),
  }));

  test('are there', () => {
    expect(examples.length).toBeGreaterThan(9);
  });

  // The baseline is written by one line and read by the next, and both begin with everything that there is.
  test.for(examples)('$script', ({ script, code }, { skip }) => {
    if (script.includes('| jq') && !hasJq) skip('there is no jq');
    const ran = run(['sh', '-e'], script);
    expect(ran.code, ran.err).toBe(code);
  });

  test('write what they say', () => {
    expect(written('wait.xml')).toContain(
      '<testcase classname="cluster.wait" name="Namespace preview-123 is deleted"',
    );
    expect(written('baseline.yaml')).toContain('kind: Baseline');
    const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(JSON.parse(written('gc-tree.sarif'))).toMatchObject({ version: '2.1.0' });
    // What was built knows which release it is.
    expect(written('gc-tree.sarif')).toContain(`/blob/v${version}/docs/diagnosis.md#`);
    expect(written('comment.md')).toMatch(/^### StatefulSet shop\/web\n/u);
  });
});

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

const action = parse(readFileSync(path.join(root, 'action.yml'), 'utf8')) as Action;
const bash = ['bash', '--noprofile', '--norc', '-eo', 'pipefail'];

/** The steps of the action one after the other, until one fails. */
function act(
  given: Readonly<Record<string, string>>,
): Ran & { readonly output: string; readonly summary: string } {
  const files = { GITHUB_OUTPUT: 'output', GITHUB_PATH: 'path', GITHUB_STEP_SUMMARY: 'summary.md' };
  for (const name of Object.values(files)) writeFileSync(path.join(folder, name), '');
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, each]) => [name, each.default]),
  );
  let ran: Ran = { code: 0, out: '', err: '' };
  for (const step of action.runs.steps) {
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [
        name,
        value.replace(
          /\$\{\{ inputs\.([\w-]+) \}\}/gu,
          (_, input: string) => ({ ...inputs, ...given })[input] ?? '',
        ),
      ]),
    );
    const added = written('path').trim();
    ran = run(bash, step.run ?? '', {
      ...env,
      ...Object.fromEntries(Object.entries(files).map(([name, file]) => [name, path.join(folder, file)])),
      ...(added === '' ? {} : { PATH: `${added}:${bin}:${process.env['PATH'] ?? ''}` }),
    });
    if (ran.code !== 0) break;
  }
  return { ...ran, output: written('output'), summary: written('summary.md') };
}

describe('the action', () => {
  test('passes and fails as the workflow of the page has it', () => {
    const workflow = parse(blocks('yaml')[0] ?? '') as { jobs: Record<string, { steps: readonly Step[] }> };
    const codes = Object.values(workflow.jobs)
      .flatMap(({ steps }) => steps)
      .filter(step => step.uses?.startsWith('actions/') !== true)
      .map(step => (step.run === undefined ? act(step.with ?? {}).code : run(bash, step.run).code));
    expect(codes).toEqual([0, 1, 0]);
  });

  test('annotates, writes the summary, and gives its exit code to other steps', () => {
    const found = act({ args: 'check -n shop --fail-on=error' });
    expect(found.out).toMatch(/^::error title=/u);
    expect(found.summary).toMatch(/^### kubectl gc-tree check\n/u);
    expect([found.code, found.output]).toEqual([1, 'exit-code=1\n']);
    const wrong = act({ args: 'check -n nosuch' });
    expect([wrong.code, wrong.output]).toEqual([2, 'exit-code=2\n']);
    expect(act({}).code).toBe(1);
  });

  test('takes its words as words, whatever they hold', () => {
    expect(act({ args: 'plan delete deploy/api -n shop --fail-on=count>3' }).code).toBe(1);
    const ran = act({ args: 'check $(touch${IFS}pwned) *' });
    expect(ran.code).toBe(2);
    expect(run(['sh'], 'ls').out).not.toContain('pwned');
  });

  test('downloads a release only as its checksum says', () => {
    const release = path.join(folder, 'releases', 'v9.9.9');
    mkdirSync(path.join(release, 'kubectl-gc_tree'), { recursive: true });
    writeFileSync(
      path.join(release, 'kubectl-gc_tree', 'kubectl-gc_tree'),
      '#!/bin/sh\necho "downloaded $*"\n',
    );
    chmodSync(path.join(release, 'kubectl-gc_tree', 'kubectl-gc_tree'), 0o755);
    const machine = { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'];
    const archive = path.join(release, `kubectl-gc_tree_9.9.9_${process.platform}_${machine}.tar.gz`);
    execFileSync('tar', ['-czf', archive, '-C', release, 'kubectl-gc_tree']);
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
    const given = { version: '9.9.9', releases: `file://${path.join(folder, 'releases')}`, args: 'check -A' };
    expect(act({ ...given, sha256 })).toMatchObject({
      code: 0,
      out: 'downloaded check -A --output github\n',
    });
    const other = act({ ...given, sha256: sha256.replace(/^./u, first => (first === '0' ? '1' : '0')) });
    expect([other.code, other.out, other.err]).toEqual([
      2,
      '',
      expect.stringContaining('is not what sha256 says.'),
    ]);
    expect(act({ ...given, sha256, version: '9.9.8' }).code).toBe(2);
  });
});

describe('the GitLab component', () => {
  const [head, body] = [
    ...parseAllDocuments(readFileSync(path.join(root, 'templates/gc-tree.yml'), 'utf8')),
  ].map(each => each.toJS() as unknown);

  interface Job {
    readonly variables: Readonly<Record<string, string>>;
    readonly script: readonly string[];
  }

  function runJob(given: Readonly<Record<string, string>>): Ran {
    const { spec } = head as { spec: { inputs: Record<string, { default?: string } | null> } };
    const job = (body as { 'gc-tree': Job })['gc-tree'];
    const inputs = {
      ...Object.fromEntries(Object.entries(spec.inputs).map(([name, each]) => [name, each?.default ?? ''])),
      ...given,
    };
    const filled = (text: string): string =>
      text.replace(/\$\[\[ inputs\.(\w+) \]\]/gu, (_, name: string) => inputs[name] ?? '');
    const variables = Object.fromEntries(
      Object.entries(job.variables).map(([name, value]) => [name, filled(value)]),
    );
    return run(['sh', '-e'], job.script.map(filled).join('\n'), variables);
  }

  test('passes and fails as the page includes it, and leaves the report', () => {
    const [, include, plain] = blocks('yaml').map(text => parse(text) as unknown);
    const { inputs } = (include as { include: { inputs: Record<string, string> }[] }).include[0] ?? {
      inputs: {},
    };
    expect(runJob(inputs).code).toBe(1);
    expect(written('gc-tree.xml')).toContain('<failure ');
    expect(runJob({ args: 'wait ns/preview-123 --for=delete' }).code).toBe(0);
    expect(written('gc-tree.xml')).toContain('Namespace preview-123 is deleted');
    const { script } = (plain as { ownership: { script: string } }).ownership;
    expect(run(['sh', '-e'], script).code).toBe(1);
  });

  test('leaves no report where there is no answer', () => {
    expect(runJob({ args: 'check -n nosuch' }).code).toBe(2);
    expect(run(['sh'], 'ls gc-tree.xml').code).not.toBe(0);
  });
});
