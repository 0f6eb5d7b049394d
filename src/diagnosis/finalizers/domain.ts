/**
 * Whose a finalizer is, as far as its name tells: `example.com/drain` belongs to example.com, and so does what
 * serves the API group drain.example.com or is labelled with its keys.
 */

/** Domains under which many unrelated projects live: the label in front of them tells whose something is. */
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

/** `drain` of `example.com/drain`; `''` where the finalizer is a bare domain. */
function nameWithin(finalizer: string): string {
  const slash = finalizer.indexOf('/');
  return slash < 0 ? '' : finalizer.slice(slash + 1);
}

/** `example.com` of `example.com/drain` and of `finalizers.example.com`; `''` where the name holds no domain. */
export function domainOf(finalizer: string): string {
  const slash = finalizer.indexOf('/');
  const domain = (slash < 0 ? finalizer : finalizer.slice(0, slash)).toLowerCase();
  const labels = domain.split('.');
  while (labels.length > 2 && /finali[sz]er/.test(labels[0] ?? '')) labels.shift();
  return labels.length < 2 ? '' : labels.join('.');
}

/** The part that belongs to one owner: `example.com` of `drain.example.com`, `storage.k8s.io` as it is. */
function homeOf(domain: string): string {
  const labels = domain.split('.');
  const suffix = shared.find(each => domain === each || domain.endsWith(`.${each}`));
  const length = (suffix === undefined ? 1 : suffix.split('.').length) + 1;
  return labels.slice(-length).join('.');
}

/** Whether an API group, or the prefix of a label's key, belongs to whoever owns the domain. */
export function belongsTo(group: string, domain: string): boolean {
  if (domain === '' || !group.includes('.')) return false;
  if (shared.includes(domain) || shared.includes(group)) return group === domain;
  if (group === domain || group.endsWith(`.${domain}`) || domain.endsWith(`.${group}`)) return true;
  return homeOf(domain) === homeOf(group);
}

/** `example` of `drain.example.com`: the word that names of its programs are likely to hold. */
export function ownerWord(domain: string): string {
  return homeOf(domain).split('.')[0] ?? '';
}

/** Words that say nothing about whose something is. */
const common: ReadonlySet<string> = new Set(
  'finalizer finalizers finalize cleanup clean protection protect protected delete deletion hold keep resource resources operator controller manager object kubernetes api app core system cluster service services volume test default'.split(
    ' ',
  ),
);

/** The telling words of a finalizer besides its owner's: `drain` of `example.com/drain-finalizer`. */
export function tellingWords(finalizer: string): readonly string[] {
  const home = homeOf(domainOf(finalizer));
  const before = domainOf(finalizer).slice(0, -home.length);
  const text = `${before}.${nameWithin(finalizer)}`.toLowerCase();
  return text.split(/[^a-z0-9]+/).filter(word => word.length > 2 && !common.has(word));
}

/** A text as it stands in a regular expression. */
export function literally(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\*]/g, '\\$&');
}

/** Whether a text fits a pattern of the catalogue, in which `*` stands for anything. */
export function patternMatcher(pattern: string): (text: string) => boolean {
  if (!pattern.includes('*')) return text => text === pattern;
  const source = pattern.split('*').map(literally).join('.*');
  const expression = new RegExp(`^${source}$`);
  return text => expression.test(text);
}
