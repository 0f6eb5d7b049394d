/** Flags of kube-controller-manager that decide what is collected and how, read from its pod in kube-system. */

const telling: ReadonlySet<string> = new Set([
  'controllers',
  'enable-garbage-collector',
  'concurrent-gc-syncs',
  'terminated-pod-gc-threshold',
  'leader-elect',
  'feature-gates',
]);

export interface PodName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function isManagerPod({ namespace, name }: PodName): boolean {
  return namespace === 'kube-system' && name.startsWith('kube-controller-manager');
}

/** Returns `controllers=*,-garbagecollector` and the like; a shell's script counts only if it is one plain command. */
export function managerFlags(given: readonly string[]): readonly string[] {
  const words = unwrapped(given);
  const found: string[] = [];
  words.forEach((word, index) => {
    const [name = '', ...value] = word.replace(/^--/, '').split('=');
    // Underscores count as dashes (k8s.io/component-base cli/flag, v0.36).
    const flag = name.replaceAll('_', '-');
    if (!word.startsWith('--') || !telling.has(flag)) return;
    if (value.length > 0) found.push(`${flag}=${value.join('=')}`);
    else if (flag === 'enable-garbage-collector' || flag === 'leader-elect') found.push(`${flag}=true`);
    else found.push(`${flag}=${words[index + 1] ?? ''}`);
  });
  return found;
}

const shells = /(?:^|\/)(?:ba|da|a)?sh$/u;

/** Turns `sh -c "exec kube-controller-manager --x=y 1>>/var/log/kcm.log 2>&1"` into `kube-controller-manager --x=y`. */
function unwrapped(words: readonly string[]): readonly string[] {
  if (!shells.test(words[0] ?? '')) return words;
  const at = words.findIndex(word => /^-[a-z]*c$/u.test(word));
  const script = at < 0 ? undefined : words[at + 1];
  return script === undefined ? [] : (simpleCommand(script) ?? []);
}

const WORD = /(?:[^\s'"\\$`;&|<>(){}*?#~]|\*|'[^']*'|"[^"\\$`]*")+/uy;
const REDIRECTION = /(?:\d*(?:>>|>)\s*[^\s'"\\$`;&|<>()]+|\d*>&\d|&>>?\s*[^\s'"\\$`;&|<>()]+)/uy;
const SPACE = /(?:\s|\\\n)+/uy;

/** Returns the words; undefined if the script is more than one command or its words need expansion. */
function simpleCommand(script: string): readonly string[] | undefined {
  const words: string[] = [];
  let at = 0;
  const take = (form: RegExp): string | undefined => {
    form.lastIndex = at;
    const found = form.exec(script)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const text = script.trim();
  if (/\n/u.test(text.replaceAll('\\\n', ' '))) return undefined;
  while (at < script.length) {
    if (take(SPACE) !== undefined || take(REDIRECTION) !== undefined) continue;
    const word = take(WORD);
    if (word === undefined) return undefined;
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/gu, '$1$2'));
  }
  return words[0] === 'exec' ? words.slice(1) : words;
}
