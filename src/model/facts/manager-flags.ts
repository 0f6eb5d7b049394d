/**
 * What kube-controller-manager was started with, as far as it decides what is collected: read from its pod, which most
 * clusters that run their own control plane show in kube-system. In one place for both readers of objects.
 */

const telling: ReadonlySet<string> = new Set([
  'controllers',
  'enable-garbage-collector',
  'concurrent-gc-syncs',
  'terminated-pod-gc-threshold',
  'leader-elect',
]);

/** By namespace and name, which are known before the rest of a pod is read. */
export function isManagerPod(namespace: string, name: string): boolean {
  return namespace === 'kube-system' && name.startsWith('kube-controller-manager');
}

/** The telling ones among the words of a command line, as `controllers=*,-garbagecollector`. */
export function managerFlags(words: readonly string[]): readonly string[] {
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
