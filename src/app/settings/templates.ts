/** Fills names into the user's commands: words for kubectl, never a shell line, so a name stays one word. */

import type { Settings, SettingsFault, UserCommand } from './settings.ts';

/** Values for words in braces. */
export interface TemplateValues {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
  readonly uid: string;
  /** kubectl's form, such as `deployments.v1.apps/web`. */
  readonly target: string;
}

const templateFields: readonly (keyof TemplateValues)[] = ['name', 'namespace', 'kind', 'uid', 'target'];

const field = /\{([^{}]*)\}/gu;

/** Returns undefined for a name like a flag: Kubernetes allows no leading -, but a server may send one. */
export function filled(
  { kubectl }: Pick<UserCommand, 'kubectl'>,
  values: TemplateValues,
): readonly string[] | undefined {
  const words = kubectl.map(word =>
    word.replace(field, (_, name: string) => values[name as keyof TemplateValues]),
  );
  return words.some((word, i) => word.startsWith('-') && kubectl[i]?.startsWith('-') !== true)
    ? undefined
    : words;
}

export function fits({ kinds }: Pick<UserCommand, 'kinds'>, kind: string): boolean {
  return kinds === undefined || kinds.some(each => each.toLowerCase() === kind.toLowerCase());
}

export function templateFaults({ commands = [] }: Settings): readonly SettingsFault[] {
  const faults: SettingsFault[] = [];
  const seen = new Set<string>();
  for (const [index, { name, kubectl }] of commands.entries()) {
    if (seen.has(name)) faults.push([['commands', index, 'name'], `there are two commands ${name}`]);
    seen.add(name);
    for (const [place, word] of kubectl.entries())
      for (const [, named = ''] of word.matchAll(field))
        if (!templateFields.some(each => each === named))
          faults.push([
            ['commands', index, 'kubectl', place],
            `{${named}} is nothing that can be put in; that are ${templateFields.map(each => `{${each}}`).join(', ')}`,
          ]);
  }
  return faults;
}
