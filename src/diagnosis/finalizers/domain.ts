/** Infers a finalizer's project: `example.com/drain` belongs to example.com, as does the group drain.example.com. */

/** Domains that many unrelated projects share: the label before them identifies the project. */
const shared: readonly string[] = [
  'k8s.io',
  'x-k8s.io',
  'kubernetes.io',
  'github.io',
  'github.com',
  'gitlab.com',
  'cloud.google.com',
  'openshift.io',
  'coreos.com',
  'redhat.com',
  'cncf.io',
  'apache.org',
  'amazonaws.com',
  'azure.com',
  'ibm.com',
  'co.uk',
  'com.au',
  'com.br',
  'com.cn',
  'co.jp',
];

/** Returns `drain` for `example.com/drain`, and `''` for a bare domain. */
function nameWithin(finalizer: string): string {
  const slash = finalizer.indexOf('/');
  return slash < 0 ? '' : finalizer.slice(slash + 1);
}

/** Returns `example.com` for `example.com/drain` and `finalizers.example.com`, and `''` if the name has no domain. */
export function domainOf(finalizer: string): string {
  const slash = finalizer.indexOf('/');
  const domain = (slash < 0 ? finalizer : finalizer.slice(0, slash)).toLowerCase();
  const labels = domain.split('.');
  while (labels.length > 2 && /finali[sz]er/.test(labels[0] ?? '')) labels.shift();
  // `dbuser.orders-db` names an object.
  return labels.length < 2 || /[^a-z]/.test(labels.at(-1) ?? '') ? '' : labels.join('.');
}

/** Returns the project's part: `example.com` for `drain.example.com`, `storage.k8s.io` unchanged. */
function homeOf(domain: string): string {
  const labels = domain.split('.');
  const suffix = shared.find(each => domain === each || domain.endsWith(`.${each}`));
  const length = (suffix === undefined ? 1 : suffix.split('.').length) + 1;
  return labels.slice(-length).join('.');
}

/** Matches an API group, or a label key's prefix, with the domain of a project. */
export function belongsTo(group: string, domain: string): boolean {
  if (domain === '' || !group.includes('.')) return false;
  if (shared.includes(domain) || shared.includes(group)) return group === domain;
  if (group === domain || group.endsWith(`.${domain}`) || domain.endsWith(`.${group}`)) return true;
  return homeOf(domain) === homeOf(group);
}

/** Returns `example` for `drain.example.com`: the word that its programs' names are likely to contain. */
export function ownerWord(domain: string): string {
  return homeOf(domain).split('.')[0] ?? '';
}

const common: ReadonlySet<string> = new Set(
  'finalizer finalizers finalize cleanup clean protection protect protected delete deletion hold keep resource resources operator controller manager object kubernetes api app core system cluster service services volume test default'.split(
    ' ',
  ),
);

/** Returns identifying words apart from the project's: `drain` for `example.com/drain-finalizer`. */
export function tellingWords(finalizer: string): readonly string[] {
  const home = homeOf(domainOf(finalizer));
  const before = domainOf(finalizer).slice(0, -home.length);
  const text = `${before}.${nameWithin(finalizer)}`.toLowerCase();
  return text.split(/[^a-z0-9]+/).filter(word => word.length > 2 && !common.has(word));
}
