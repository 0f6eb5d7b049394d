/** Kubeconfigs as people write them, and what kubectl reads in them: the cluster test holds each to the real one. */
export interface KubeconfigCase {
  readonly what: string;
  readonly text: string;
  /** As `kubectl config view --raw -o json` prints it, in part; undefined where kubectl refuses the file. */
  readonly read?: Readonly<Record<string, unknown>>;
}

const cluster = (fields: string): string => `clusters:\n- {name: a, cluster: {${fields}}}\n`;
const clusters = (fields: object): Record<string, unknown> => ({
  clusters: [{ name: 'a', cluster: fields }],
});
const user = (fields: string): string => `users:\n- {name: u, user: {${fields}}}\n`;
const extension = (value: string): string =>
  cluster(
    `server: "https://a", extensions: [{name: client.authentication.k8s.io/exec, extension: ${value}}]`,
  );
const own = { server: 'https://own', 'tls-server-name': 'n' };
const merged = 'x: &x {server: "https://merged", tls-server-name: "n"}\n';

export const kubeconfigCases: readonly KubeconfigCase[] = [
  { what: 'a token of digits', text: user('token: 0123') },
  { what: 'a token of digits in quotes', text: user('token: "0123"'), read: users({ token: '0123' }) },
  { what: 'a token that is a word of YAML 1.1', text: user('token: yes') },
  { what: 'a name that is a word of YAML 1.1', text: 'clusters: [{name: on, cluster: {}}]' },
  { what: 'a name of digits', text: 'clusters: [{name: 1, cluster: {}}]' },
  { what: 'a name with an octal prefix', text: 'contexts: [{name: 0o17, context: {}}]' },
  { what: 'a name that is a binary number', text: 'contexts: [{name: 0b1, context: {}}]' },
  { what: 'a current context of digits', text: 'current-context: 1.0' },
  { what: 'a name that is a date', text: 'current-context: 2020-01-01', read: context('2020-01-01') },
  { what: 'a name with a tag', text: 'current-context: !!str 1', read: context('1') },
  { what: 'a name in base64', text: 'current-context: !!binary YQ==', read: context('a') },
  { what: 'no name', text: 'current-context: ~', read: context('') },
  {
    what: 'a key twice',
    text: cluster('server: "https://first", server: "https://last"'),
    read: clusters({ server: 'https://last' }),
  },
  {
    what: 'a merge key behind',
    text: `${merged}${cluster('server: "https://own", <<: *x')}`,
    read: clusters({ ...own, server: 'https://merged' }),
  },
  {
    what: 'a merge key before',
    text: `${merged}${cluster('<<: *x, server: "https://own"')}`,
    read: clusters(own),
  },
  { what: 'a merge key of text', text: cluster('<<: x') },
  {
    what: 'a merge key in quotes',
    text: cluster('"<<": {server: "https://a"}'),
    read: clusters({ server: '' }),
  },
  { what: 'a switch in quotes', text: cluster('insecure-skip-tls-verify: "true"') },
  {
    what: 'a switch in the words of YAML 1.1',
    text: cluster('insecure-skip-tls-verify: On'),
    read: clusters({ server: '', 'insecure-skip-tls-verify': true }),
  },
  { what: 'a switch that is a number', text: cluster('insecure-skip-tls-verify: 1') },
  {
    what: 'no value for a switch',
    text: cluster('insecure-skip-tls-verify: ~'),
    read: clusters({ server: '' }),
  },
  { what: 'data that is not base64', text: cluster('certificate-authority-data: aGFsbG8') },
  { what: 'data of digits', text: user('client-key-data: 1234') },
  { what: 'an address that is a number', text: cluster('server: 99999999999999999999999') },
  { what: 'a field in capitals', text: cluster('Server: "https://a"'), read: clusters({ server: '' }) },
  {
    what: 'a field that nobody knows',
    text: `foo: 1\n${cluster('bar: {}')}`,
    read: clusters({ server: '' }),
  },
  { what: 'a tab before a key', text: 'clusters:\n- name: a\n\tcluster: {}\n' },
  { what: 'a tab behind a colon', text: 'current-context:\ta', read: context('a') },
  { what: 'a mapping in place of a list', text: 'clusters: {name: a}' },
  { what: 'a list in place of a mapping', text: 'clusters: [{name: a, cluster: []}]' },
  { what: 'text in a list of clusters', text: 'clusters: [a]' },
  {
    what: 'nothing in a list of clusters',
    text: 'clusters: [~]',
    read: { clusters: [{ name: '', cluster: { server: '' } }] },
  },
  { what: 'a name twice in a list', text: 'clusters: [{name: a, cluster: {}}, {name: a, cluster: {}}]' },
  { what: 'groups that are no list', text: user('as-groups: ops') },
  { what: 'a group of digits', text: user('as: a, as-groups: [1]') },
  { what: 'arguments that are numbers', text: user('exec: {command: a, args: [1]}') },
  { what: 'a setting that is a number', text: user('auth-provider: {name: oidc, config: {a: 1}}') },
  { what: 'another kind', text: 'kind: Pod' },
  { what: 'the kind in small letters', text: 'kind: config' },
  { what: 'another version', text: 'apiVersion: v2' },
  { what: 'no kind', text: 'apiVersion: v1', read: context('') },
  { what: 'nothing', text: '', read: context('') },
  { what: 'a comment alone', text: '# nothing\n', read: context('') },
  { what: 'text alone', text: 'hello' },
  { what: 'a list alone', text: '[1]' },
  { what: 'several documents', text: 'current-context: a\n---\ncurrent-context: b\n', read: context('a') },
  { what: 'a broken second document', text: 'current-context: a\n---\n}{\n', read: context('a') },
  {
    what: 'directives and a mark',
    text: '%YAML 1.1\n# c\n---\ncurrent-context: a\n...\n]',
    read: context('a'),
  },
  { what: 'an empty first document', text: '---\n---\ncurrent-context: b\n', read: context('') },
  { what: 'infinity', text: 'foo: .inf' },
  { what: 'a key that is null', text: '~: 1' },
  { what: 'a byte order mark', text: '\uFEFFcurrent-context: a', read: context('a') },
  { what: 'JSON', text: '{\t"current-context": "a\\u0062"}', read: context('ab') },
  {
    what: 'JSON with a key twice',
    text: '{"current-context": "a", "current-context": "b"}',
    read: context('b'),
  },
  {
    what: 'numbers of YAML 1.1 for a plugin',
    text: extension('{a: 010, b: 0o10, c: 1_000, d: [yes, no], e: 1.50, f: 2020-01-01}'),
    read: extended({ a: 8, b: 8, c: 1000, d: [true, false], e: 1.5, f: '2020-01-01' }),
  },
  {
    what: 'a merge key for a plugin',
    text: extension('{a: 1, <<: {a: 2, b: 2}}'),
    read: extended({ a: 2, b: 2 }),
  },
];

function users(fields: object): Record<string, unknown> {
  return { users: [{ name: 'u', user: fields }] };
}

function context(name: string): Record<string, unknown> {
  return { 'current-context': name };
}

function extended(value: object): Record<string, unknown> {
  const name = 'client.authentication.k8s.io/exec';
  return {
    clusters: [{ name: 'a', cluster: { server: 'https://a', extensions: [{ name, extension: value }] } }],
  };
}

/** What of a parsed file stands in `read`, in its form. */
export function printed(config: {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, ClusterFields>;
  readonly users: ReadonlyMap<string, { readonly token: string }>;
}): Record<string, unknown> {
  const name = 'client.authentication.k8s.io/exec';
  return {
    'current-context': config.currentContext,
    clusters: [...config.clusters].map(([key, each]) => ({
      name: key,
      cluster: {
        server: each.server,
        ...(each.tlsServerName !== '' && { 'tls-server-name': each.tlsServerName }),
        ...(each.insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
        ...(each.execConfig !== undefined && { extensions: [{ name, extension: each.execConfig }] }),
      },
    })),
    users: [...config.users].map(([key, { token }]) => ({ name: key, user: { token } })),
  };
}

interface ClusterFields {
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly execConfig: unknown;
}
