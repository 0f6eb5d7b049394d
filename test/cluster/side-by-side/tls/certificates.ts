/** The certificates of the comparison: each with one thing that a verifier may look at. */
import { authorityExtensions, type Certificate, issueCertificate } from '../../../harness/certificates.ts';

const names = 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:api.example.com';
const leaf = ['basicConstraints=CA:FALSE', names];
const rsa = (bits: number) => [`rsa:${bits}`];
const curve = (name: string) => ['ec', '-pkeyopt', `ec_paramgen_curve:${name}`];
const ed25519 = ['ed25519'];
const later = { from: '20400101000000Z', days: 20_000 };

export type Certificates = Awaited<ReturnType<typeof makeCertificates>>;

type Wish = Parameters<typeof issueCertificate>[2];

export async function makeCertificates(folder: string) {
  const make = (name: string, wish: Wish) => issueCertificate(folder, name, wish);
  const authority = (name: string, wish: Wish = {}) =>
    make(name, { extensions: authorityExtensions, ...wish });
  const limited = (name: string, constraint: string) =>
    authority(name, { extensions: [...authorityExtensions, `nameConstraints=critical,${constraint}`] });
  const roots = await all({
    root: authority('root'),
    other: authority('other-root'),
    lateRoot: authority('late-root', { days: -1 }),
    sha1Root: authority('sha1-root', { digest: 'sha1' }),
    weakRoot: authority('weak-root', { key: rsa(1024) }),
    plainRoot: make('plain-root', { extensions: ['basicConstraints=CA:FALSE'] }),
    bareRoot: make('bare-root', {}),
    noSignRoot: make('no-sign-root', {
      extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,digitalSignature'],
    }),
    shortRoot: make('short-root', {
      extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=keyCertSign'],
    }),
    allowsAddress: limited(
      'allows-address',
      'permitted;IP:127.0.0.0/255.0.0.0,permitted;DNS:localhost,permitted;DNS:.example.com',
    ),
    otherAddress: limited('other-address', 'permitted;IP:10.0.0.0/255.0.0.0'),
    excludesAddress: limited('excludes-address', 'excluded;IP:127.0.0.0/255.0.0.0'),
  });
  const issuer = roots.root;
  const between = await all({
    intermediate: authority('intermediate', { issuer }),
    sha1Intermediate: authority('sha1-intermediate', { issuer, digest: 'sha1' }),
    lateIntermediate: authority('late-intermediate', { issuer, days: -1 }),
    plainIntermediate: make('plain-intermediate', { issuer, extensions: leaf }),
    weakIntermediate: authority('weak-intermediate', { issuer, key: rsa(1024) }),
    clientIntermediate: authority('client-intermediate', {
      issuer,
      extensions: [...authorityExtensions, 'extendedKeyUsage=clientAuth'],
    }),
    belowShort: authority('below-short', { issuer: roots.shortRoot }),
  });
  const signedBy = (name: string, by: Certificate, wish: Wish = {}) =>
    make(name, { issuer: by, extensions: leaf, ...wish });
  const withName = (name: string, san: string, wish: Wish = {}) =>
    make(name, { issuer, extensions: [`subjectAltName=${san}`], ...wish });
  const client = (name: string, wish: Wish = {}) =>
    make(name, { issuer, extensions: ['extendedKeyUsage=clientAuth'], ...wish });
  const leaves = await all({
    good: signedBy('good', roots.root),
    late: signedBy('late', roots.root, { days: -1 }),
    early: signedBy('early', roots.root, later),
    sha1: signedBy('sha1', roots.root, { digest: 'sha1' }),
    sha384: signedBy('sha384', roots.root, { digest: 'sha384' }),
    rsa512: signedBy('rsa512', roots.root, { key: rsa(512) }),
    rsa1024: signedBy('rsa1024', roots.root, { key: rsa(1024) }),
    rsa2048: signedBy('rsa2048', roots.root, { key: rsa(2048) }),
    p224: signedBy('p224', roots.root, { key: curve('secp224r1') }),
    p384: signedBy('p384', roots.root, { key: curve('P-384') }),
    p521: signedBy('p521', roots.root, { key: curve('P-521') }),
    secp256k1: signedBy('secp256k1', roots.root, { key: curve('secp256k1') }),
    ed25519: signedBy('ed25519', roots.root, { key: ed25519 }),
    ed448: signedBy('ed448', roots.root, { key: ['ed448'] }),
    clientOnly: signedBy('client-only', roots.root, { extensions: [...leaf, 'extendedKeyUsage=clientAuth'] }),
    serverUse: signedBy('server-use', roots.root, { extensions: [...leaf, 'extendedKeyUsage=serverAuth'] }),
    anyUse: signedBy('any-use', roots.root, {
      extensions: [...leaf, 'extendedKeyUsage=anyExtendedKeyUsage'],
    }),
    codeUse: signedBy('code-use', roots.root, { extensions: [...leaf, 'extendedKeyUsage=codeSigning'] }),
    signUse: signedBy('sign-use', roots.root, {
      extensions: [...leaf, 'keyUsage=critical,keyCertSign'],
    }),
    unknownCritical: signedBy('unknown-critical', roots.root, {
      extensions: [...leaf, '1.2.3.4.5=critical,DER:0500'],
    }),
    negative: signedBy('negative', roots.root, { serial: '-5' }),
    zero: signedBy('zero', roots.root, { serial: '0' }),
    alone: make('alone', { extensions: leaf }),
    aloneBare: make('alone-bare', { extensions: [names] }),
    aloneCa: make('alone-ca', { extensions: [...authorityExtensions, names] }),
    aloneLate: make('alone-late', { extensions: leaf, days: -1 }),
    strange: signedBy('strange', roots.other),
    viaIntermediate: signedBy('via-intermediate', between.intermediate),
    viaSha1: signedBy('via-sha1', between.sha1Intermediate),
    viaLate: signedBy('via-late', between.lateIntermediate),
    viaPlain: signedBy('via-plain', between.plainIntermediate),
    viaWeak: signedBy('via-weak', between.weakIntermediate),
    viaClient: signedBy('via-client', between.clientIntermediate),
    ofLateRoot: signedBy('of-late-root', roots.lateRoot),
    ofSha1Root: signedBy('of-sha1-root', roots.sha1Root),
    ofWeakRoot: signedBy('of-weak-root', roots.weakRoot),
    ofPlainRoot: signedBy('of-plain-root', roots.plainRoot),
    ofBareRoot: signedBy('of-bare-root', roots.bareRoot),
    ofNoSignRoot: signedBy('of-no-sign-root', roots.noSignRoot),
    ofShortRoot: signedBy('of-short-root', roots.shortRoot),
    ofBelowShort: signedBy('of-below-short', between.belowShort),
    ofAllows: signedBy('of-allows', roots.allowsAddress),
    ofOtherAddress: signedBy('of-other-address', roots.otherAddress),
    ofExcludes: signedBy('of-excludes', roots.excludesAddress),
    nameOnly: make('name-only', { issuer: roots.root, subject: '/CN=api.example.com' }),
    addressAsName: make('address-as-name', { issuer: roots.root, subject: '/CN=127.0.0.1' }),
    addressAsDns: withName('address-as-dns', 'DNS:127.0.0.1'),
    dnsOnly: withName('dns-only', 'DNS:api.example.com'),
    addressOnly: withName('address-only', 'IP:127.0.0.1'),
    v6: withName('v6', 'IP:::1'),
    mapped: withName('mapped', 'IP:::ffff:127.0.0.1'),
    wild: withName('wild', 'DNS:*.example.com'),
    partWild: withName('part-wild', 'DNS:a*.example.com'),
    midWild: withName('mid-wild', 'DNS:api.*.com'),
    topWild: withName('top-wild', 'DNS:*.local'),
    allWild: withName('all-wild', 'DNS:*'),
    dotted: withName('dotted', 'DNS:api.example.com.'),
    shouting: withName('shouting', 'DNS:API.Example.COM'),
    under: withName('under', 'DNS:api_server.example.com'),
    twoInOne: make('two-in-one', {
      issuer: roots.root,
      extensions: ['subjectAltName=@names', '[names]', 'DNS.1="x, DNS:api.example.com"'],
    }),
    noSubject: withName('no-subject', 'IP:127.0.0.1', { subject: '/' }),
    mail: withName('mail', 'email:api@example.com'),
    user: client('user'),
    userRsa: client('user-rsa', { key: rsa(2048) }),
    userEd: client('user-ed', { key: ed25519 }),
    user521: client('user-521', { key: curve('P-521') }),
    userLate: client('user-late', { days: -1 }),
    userStrange: client('user-strange', { issuer: roots.other }),
    userVia: client('user-via', { issuer: between.intermediate }),
  });
  return { ...roots, ...between, ...leaves };
}

async function all<K extends string>(
  making: Readonly<Record<K, Promise<Certificate>>>,
): Promise<Readonly<Record<K, Certificate>>> {
  const made = new Map<K, Certificate>();
  for (const name of Object.keys(making) as K[]) made.set(name, await making[name]);
  return Object.fromEntries(made) as Record<K, Certificate>;
}
