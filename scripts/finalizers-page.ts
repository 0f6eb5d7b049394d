/** The page of docs/ on finalizers: the catalogue as a table, with how the product finds out who handles one. */
import {
  type CatalogueEntry,
  type ControllerSigns,
  type FinalizerEntry,
  finalizersIn,
  type ManagingMarks,
  type Mark,
  managingIn,
} from '../src/model/finalizer-catalogue.ts';

const about = `# Finalizers

A finalizer is a name in \`metadata.finalizers\`. Deleting an object that has one only sets \`metadata.deletionTimestamp\`: it stays until the finalizer's controller has cleaned up and removes it, or for good.

\`kubectl gc-tree why TYPE/NAME\` says which finalizer holds an object, which controller should remove it, and whether that is there:

| it says | it means |
|---|---|
| … is running | a workload of the controller has ready pods |
| … has no ready pod | a workload was found, and none of its pods is ready |
| … is there, but no workload of … was found | its kinds or a webhook are there, but nothing that would do the cleanup |
| nothing in this cluster handles … | all signs of a controller can be seen, and there are none |
| is unknown, cannot be seen | it may be there: a kind cannot be listed, or it may run outside the cluster |

For other finalizers, the tool guesses by the domain, or by the object's API group if the name has none: for \`example.com/drain\` it looks for API groups of example.com, and workloads with its labels, or its name and a word such as operator. The evidence shows the basis.

Removing a finalizer by hand is the last resort: the cleanup never happens (last column). \`kubectl gc-tree unblock TYPE/NAME\` lists other remedies.
`;

const managers = `## Who manages an object

Tools mark their objects. \`why\` lists these tools under *Managed by*, \`tree -o wide\` in a column, documents in \`managedBy\`, and \`tree --by=manager\` groups by them. An object without marks counts as managed with its controller. The collector deletes nothing because of these marks, but the tool may delete, restore or change the object.

| tool | by its | name | namespace |
|---|---|---|---|`;

const yourOwn = `## Finalizers of your own

To describe a controller that the tool does not find, or the purpose of its finalizer, write \`~/.config/kubectl-gc-tree/catalogue.yaml\` (\`$XDG_CONFIG_HOME/kubectl-gc-tree/\`), or name any file with \`--catalogue FILE\` (repeatable):

\`\`\`yaml
- controller: the drain operator   # as in the middle of a sentence
  runsIn: cluster                  # or elsewhere: then it is never reported as missing
  workloads: [drain-operator]      # its Deployments, StatefulSets or DaemonSets, or their name labels; * is anything
  groups: [drain.example.com]      # API groups that are installed with it; optional
  finalizers:
    - names: [example.com/drain]
      carriedBy: pods of the ledger
      protects: the ledger's connections are closed first
      cost: payments that are under way are lost
\`\`\`

The fields are those of [the built-in catalogue](../src/diagnosis/finalizers/catalogue.yaml), whose header explains each, including \`manages:\`. Your entries take precedence over built-in ones, and whole names over patterns.
`;

export function finalizersPage(made: string, catalogue: readonly CatalogueEntry[]): string {
  const rows = finalizersIn(catalogue).map(row).join('\n');
  return `${made}\n\n${about}\n${yourOwn}\n## The catalogue\n\n\`*\` stands for anything; *(anywhere)* for controllers that may run outside the cluster. To add a finalizer, see [CONTRIBUTING.md](../CONTRIBUTING.md#how-to).\n\n| finalizer | on | removed by | if removed by hand |\n|---|---|---|---|\n${rows}\n\n${managers}\n${managingIn(catalogue).map(managingRow).join('\n')}\n`;
}

function managingRow(marks: ManagingMarks): string {
  const { tool, called, name, namespace, labelled = {}, matching = [], on = [] } = marks;
  const conditions = [
    ...(on.length > 0 ? [`of ${on.join(' and ')}`] : []),
    ...Object.entries(labelled).map(([key, value]) => `with the label \`${key}: ${value}\``),
    ...matching.map(mark => `with ${markWords(mark)} that fits`),
    ...(marks.onlyWhereSeen === true ? ['if an object of that name is seen'] : []),
    ...(marks.otherwise === true ? ['if no other mark counts'] : []),
    ...(marks.notItself === true ? ['if it names another object'] : []),
  ];
  const place = namespace === undefined ? '' : namespace === 'own' ? 'its own' : markWords(namespace);
  return `| ${tool} | ${called} | ${[markWords(name), ...conditions].join(', ')} | ${place} |`;
}

function markWords({ label, annotation = '' }: Mark): string {
  return label === undefined ? `annotation \`${annotation}\`` : `label \`${label}\``;
}

function row({ names, carriedBy, controller, cost }: FinalizerEntry): string {
  const finalizers = names.map(each => `\`${each}\``).join(' ');
  return `| ${finalizers} | ${carriedBy} | ${controller.name}${place(controller)} | ${cost} |`;
}

function place({ runsIn }: ControllerSigns): string {
  switch (runsIn) {
    case 'elsewhere':
      return ' (anywhere)';
    case 'control plane':
      return ' (control plane)';
    case 'API server':
    case 'cluster':
      return '';
  }
}
