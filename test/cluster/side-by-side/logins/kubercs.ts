/** What the user's kuberc says of credential plugins, wherever it lies and however it is written. */
import type { Cell, Cells, Fields } from '../cell.ts';
import { byPlugin, plugin } from './logins.ts';

const head = 'apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n';
const denyAll = `${head}credentialPluginPolicy: DenyAll\n`;
const places = {
  'in the home': { at: '.kube/kuberc' },
  'in KUBERC': { at: 'rc', env: { KUBERC: 'HOME/rc' } },
  'in --kuberc': { at: 'rc', flags: { kuberc: 'HOME/rc' } },
} as const;
type Place = keyof typeof places;

/** A login by a plugin under this kuberc. */
function under(text: string, place: Place = 'in the home', more: Partial<Cell> = {}): Cell {
  const { at, ...rest } = places[place];
  return {
    user: byPlugin(),
    ...rest,
    ...more,
    files: { 'bin/login': plugin(), 'other/login': plugin(), [at]: text, ...more.files },
  };
}

const everywhere = (what: string, cell: (place: Place) => Cell): Record<string, Cell> =>
  Object.fromEntries((Object.keys(places) as Place[]).map(place => [`${what}, ${place}`, cell(place)]));
const named = (what: string, cell: (place: Place) => Cell): Record<string, Cell> => {
  const { [`${what}, in the home`]: _home, ...rest } = everywhere(what, cell);
  return rest;
};

const PATH = 'HOME/bin:/usr/bin:/bin';
const allow = (...commands: unknown[]): string =>
  `${head}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: ${JSON.stringify(commands.map(command => (typeof command === 'string' ? { command } : command)))}\n`;
const listed = (command: string, ...commands: unknown[]): Cell =>
  under(allow(...commands), 'in the home', { user: byPlugin({ command }), env: { PATH } });

/** What kubectl cannot decode: it goes on without one that lies in the home, and stops at one that was named. */
const undecodable: Readonly<Record<string, string>> = {
  'of another kind': head.replace('Preference', 'Config'),
  'of another version': denyAll.replace('v1beta1', 'v2'),
  'of another group': denyAll.replace('kubectl.', 'other.'),
  'without a kind': denyAll.replace('kind: Preference\n', ''),
  'of comments alone': '# nothing\n',
  'that is text': 'text',
  'that is a list': '[]',
  'that is broken': `${denyAll}a: "`,
  'that is broken by a tab': `${denyAll}a:\n\tb: c\n`,
  'with a policy that is a boolean': `${head}credentialPluginPolicy: true\n`,
  'with a policy that is a boolean of old': `${head}credentialPluginPolicy: yes\n`,
  'with a policy that is a number': `${head}credentialPluginPolicy: 1\n`,
  'with a policy that is a list': `${head}credentialPluginPolicy: [DenyAll]\n`,
  'with an allowlist that is a map': `${denyAll}credentialPluginAllowlist: {}\n`,
  'with an allowlist of texts': `${denyAll}credentialPluginAllowlist: [a]\n`,
  'with an allowlist whose name and command differ': allow({ name: 'a', command: 'b' }),
  'with aliases that are a map': `${denyAll}aliases: {}\n`,
  'with a default that is no text': `${denyAll}defaults: [{command: get, options: [{name: output, default: 5}]}]\n`,
  'with a default that is a boolean': `${denyAll}defaults: [{command: get, options: [{name: watch, default: true}]}]\n`,
  'with a line that is no separator': `--- a\n${denyAll}`,
};

/** What kubectl refuses wherever it lies. */
const invalid: Readonly<Record<string, string>> = {
  'with another policy': `${head}credentialPluginPolicy: denyall\n`,
  'with an allowlist for DenyAll': `${denyAll}credentialPluginAllowlist: [{command: login}]\n`,
  'with an empty allowlist for DenyAll': `${denyAll}credentialPluginAllowlist: []\n`,
  'with an allowlist for AllowAll': `${head}credentialPluginPolicy: AllowAll\ncredentialPluginAllowlist: []\n`,
  'with an allowlist and no policy': `${head}credentialPluginAllowlist: [{command: login}]\n`,
  'without an allowlist': `${head}credentialPluginPolicy: Allowlist\n`,
  'with an allowlist that is null': `${head}credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: null\n`,
  'with an empty allowlist': allow(),
  'with an empty entry': allow('login', {}),
  'with an entry that is null': allow('login', null),
  'with an entry that is not clean': allow('./bin/login'),
  'with an entry that ends with a slash': allow('bin/'),
  'with an entry that is not clean after one that is': allow('login', '/a//b'),
  'with an alias of other signs': `${head}aliases: [{name: get-a, command: get}]\n`,
  'with an alias twice': `${head}aliases: [{name: a, command: get}, {name: a, command: get}]\n`,
  'with an alias without a name': `${head}aliases: [{command: get}]\n`,
  'with an option with dashes': `${head}defaults: [{command: describe, options: [{name: --output, default: a}]}]\n`,
  'with an option with a dash in an alias': `${head}aliases: [{name: a, command: get, options: [{name: -o, default: a}]}]\n`,
};

export function kubercs(): Cells {
  const denied = /may not run: credentialPluginPolicy of \S+ is DenyAll\.$/;
  const notListed = /may not run: \S+ is not in the credentialPluginAllowlist of \S+\.$/;
  const refused = (cell: Cell, says: RegExp): Cell => ({ ...cell, says });
  const withUser = (user: Fields, more: Partial<Cell> = {}): Cell =>
    under(denyAll, 'in the home', { user, ...more });
  return {
    accepted: {
      ...everywhere('that is empty', place => under('', place)),
      ...everywhere('that says nothing', place => under(head, place)),
      ...everywhere('that allows all', place => under(`${head}credentialPluginPolicy: AllowAll\n`, place)),
      ...everywhere('of v1alpha1, which knows no policy', place =>
        under(denyAll.replace('v1beta1', 'v1alpha1'), place),
      ),
      ...everywhere('with small letters in the field', place =>
        under(denyAll.replace('PluginPolicy', 'pluginpolicy'), place),
      ),
      ...Object.fromEntries(
        Object.entries(undecodable).map(([what, text]) => [`${what}, in the home`, under(text)]),
      ),
      'that is a folder, in the home': {
        user: byPlugin(),
        files: { 'bin/login': plugin(), '.kube/kuberc/a': '' },
      },
      'with empty values': under(
        `${head}credentialPluginPolicy: ""\ncredentialPluginAllowlist: null\naliases: null\n`,
      ),
      'that is turned off': under(denyAll, 'in the home', { env: { KUBERC: 'off' } }),
      'that is turned off by the feature gate': under(denyAll, 'in the home', {
        env: { KUBECTL_KUBERC: 'FALSE' },
      }),
      'with another one in KUBERC': under(denyAll, 'in the home', {
        env: { KUBERC: 'HOME/rc' },
        files: { rc: head },
      }),
      'with another one in --kuberc': under(denyAll, 'in KUBERC', {
        env: { KUBERC: 'HOME/rc' },
        flags: { kuberc: 'HOME/third' },
        files: { third: head },
      }),
      'in KUBERC before --kuberc with the usual one': under(denyAll, 'in the home', {
        env: { KUBERC: 'HOME/rc' },
        flags: { kuberc: 'HOME/.kube/kuberc' },
        files: { rc: head },
      }),
      'with a first document that allows': under(`${head}---\n${denyAll}`),
      'with a first document that decodes': under(`${denyAll}defaults: {}\n--- # next\n${head}`),
      'that denies the plugin of a user with a token': withUser(byPlugin({}, { token: 'test' })),
      'that denies the plugin of a user with --token': withUser(byPlugin(), { flags: { token: 'flag' } }),
      'that denies all, without TLS': withUser(byPlugin(), { server: 'http' }),
      'that denies all, to a user without a plugin': withUser({ token: 'test' }),
      'that lists the command': listed('login', 'login'),
      'that lists the command by its old name': listed('login', { name: 'login' }),
      'that lists the command by both names': listed('login', { name: 'login', command: 'login' }),
      'that lists the path of the command': listed('login', 'other', 'HOME/bin/login'),
      'that lists the command of a path': listed('HOME/bin/login', 'login'),
      'that lists the path': listed('HOME/bin/login', 'HOME/bin/login'),
      'that lists the path of a relative one': listed('./bin/login', 'HOME/bin/login'),
      'that lists the path of one that is not clean': listed('HOME//bin/../bin/login', 'HOME/bin/login'),
    },
    refused: {
      ...everywhere('that denies all', place => under(denyAll, place, { says: denied })),
      ...everywhere('that denies all, in JSON', place =>
        under(
          `{"kind":"Preference","apiVersion":"kubectl.config.k8s.io/v1beta1","credentialPluginPolicy":"DenyAll"}`,
          place,
          { says: denied },
        ),
      ),
      ...(Object.assign(
        {},
        ...Object.entries(undecodable).map(([what, text]) =>
          named(what, place => under(text, place, { says: /^cannot read kuberc / })),
        ),
      ) as Record<string, Cell>),
      ...(Object.assign(
        {},
        ...Object.entries(invalid).map(([what, text]) =>
          everywhere(what, place => under(text, place, { says: /^kuberc / })),
        ),
      ) as Record<string, Cell>),
      ...Object.fromEntries(
        Object.entries(invalid).map(([what, text]) => [
          `${what}, with a token`,
          under(text, 'in the home', { user: { token: 'test' }, says: /^kuberc / }),
        ]),
      ),
      ...named('that is not there', place => ({
        ...under('', place, { files: {} }),
        ...(place === 'in KUBERC' ? { env: { KUBERC: 'HOME/none' } } : { flags: { kuberc: 'HOME/none' } }),
        says: /no such file/,
      })),
      'that is a folder, in --kuberc': under('', 'in --kuberc', {
        flags: { kuberc: 'HOME' },
        says: /it is a folder/,
      }),
      'that is turned off and named': under('', 'in --kuberc', {
        env: { KUBERC: 'off' },
        says: /exclude each other/,
      }),
      'in --kuberc with an empty KUBERC': under(denyAll, 'in --kuberc', {
        env: { KUBERC: '' },
        says: denied,
      }),
      'in the home with an empty KUBERC': under(denyAll, 'in the home', {
        env: { KUBERC: '' },
        says: denied,
      }),
      'with a field twice, of which the last counts': under(
        `${head}credentialPluginPolicy: AllowAll\ncredentialPluginPolicy: DenyAll\n`,
        'in the home',
        { says: denied },
      ),
      'with a field that nobody knows': under(`${denyAll}other: 1\n`, 'in KUBERC', { says: denied }),
      'with a default of v1alpha1': under(`${denyAll}overrides: [{command: get, flags: []}]\n`, 'in KUBERC', {
        says: denied,
      }),
      'with a date for text': under(
        `${denyAll}defaults: [{command: describe, options: [{name: a, default: 2001-01-01}]}]\n`,
        'in KUBERC',
        { says: denied },
      ),
      'after a document of another kind': under(`kind: Other\n---\n\n---\n${denyAll}`, 'in the home', {
        says: denied,
      }),
      'with a merge key': under(`x: &a {credentialPluginPolicy: DenyAll}\n<<: *a\n${head}`, 'in the home', {
        says: denied,
      }),
      'that lists another': refused(listed('login', 'other'), notListed),
      'that lists another path': refused(listed('login', 'HOME/other/login'), notListed),
      'that lists a relative path': refused(listed('login', 'bin/login'), notListed),
      'that lists the command, for another path': refused(listed('HOME/other/login', 'login'), notListed),
      'that lists the name of a folder': refused(listed('login', 'HOME/bin'), notListed),
      'that lists a pattern': refused(listed('login', 'HOME/bin/*'), notListed),
      'that lists the command in other letters': refused(listed('login', 'Login'), notListed),
      'that lists the command with blanks': refused(listed('login', ' login'), notListed),
      'that lists what is not there': refused(listed('missing', 'missing'), /was not found/),
      'that lists others than what is not there': refused(listed('missing', 'login'), /was not found/),
    },
  };
}
