/** The page of docs/ on finalizers: the catalogue as a table, with how the product finds out who handles one. */
import {
  type CatalogueEntry,
  type ControllerSigns,
  type FinalizerEntry,
  finalizersIn,
  type ManagingMarks,
  type Mark,
  managingIn,
} from '../src/diagnosis/finalizers/catalogue.ts';

const about = `# Finalizers

A finalizer is a name in \`metadata.finalizers\` of an object. As long as one is there, the object isn't removed: deleting it only sets \`metadata.deletionTimestamp\`, and it stays until the controller behind the finalizer has done its cleanup and removes the finalizer. If nothing does, the object stays for good.

\`kubectl gc-tree why TYPE/NAME\` says for each object that is held which finalizer holds it, which controller should remove it, and whether that controller is there:

| it says | it means |
|---|---|
| … is running | a workload of the controller was found, and it has ready pods |
| … has no ready pod | a workload of it was found, and none of its pods is ready |
| … is there, but no workload of … was found | its kinds are defined, or a webhook of it is configured, but no workload was found that would do the cleanup |
| nothing in this cluster handles …, no sign of … was found | Deployments, StatefulSets, DaemonSets, webhook configurations, CustomResourceDefinitions and API groups can all be seen, and none belongs to it |
| is unknown, cannot be seen | it may be there: one of these kinds cannot be listed, or the controller may run outside of the cluster |

The finalizers in the table below are known by name. For any other, its domain decides: \`example.com/drain\` belongs to example.com, and so do API groups of that domain, workloads with labels of it, and workloads that carry its name together with a word such as operator, controller, manager or provisioner. That is a guess, and the evidence says what it is based on. A controller that runs in another cluster cannot be seen from this one.

Removing a finalizer by hand is the last resort. The object is deleted, and the cleanup that the finalizer stands for never happens: the last column says what that costs. \`kubectl gc-tree unblock TYPE/NAME\` lists what else can be done first.
`;

const managers = `## Who manages an object

Tools beside the garbage collector mark what is theirs. \`why\` tells them under *Managed by*, \`tree -o wide\` in a column, and documents as \`managedBy\`; \`tree --by=manager\` groups objects by them, as the screen does with \`T\`. What has no mark itself is managed with its controller: a pod with its Deployment. Where a controller copies marks to what it creates, as Deployments do to their ReplicaSets, they are told as marks of the topmost one that has them: \`through Deployment web\`. These relations are no owner references: the garbage collector deletes nothing because of them, while the tool may delete, restore or change the object on its own.

| tool | by its | name | namespace |
|---|---|---|---|`;

const yourOwn = `## Finalizers of your own

A controller of your own is found by the domain of its finalizers as long as its workload, its API group or a webhook tells so. Where it doesn't, or to have said what a finalizer protects and what it costs to remove it by hand, write it into \`~/.config/kubectl-gc-tree/catalogue.yaml\` (\`$XDG_CONFIG_HOME/kubectl-gc-tree/\`), or into any file that you name with \`--catalogue FILE\`, as often as you like:

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

Where a tool of yours marks what it manages, say with \`manages:\` how, as the built-in entries do. The fields are those of [the catalogue that is built in](../src/diagnosis/finalizers/catalogue.yaml), whose header explains each. An entry of yours counts before one that is built in, and a whole name before a pattern. What isn't right is refused, with its line.
`;

export function finalizersPage(made: string, catalogue: readonly CatalogueEntry[]): string {
  const rows = finalizersIn(catalogue).map(row).join('\n');
  return `${made}\n\n${about}\n${yourOwn}\n## The catalogue\n\n\`*\` stands for anything. To add a finalizer, see [CONTRIBUTING.md](../CONTRIBUTING.md#how-to).\n\n| finalizer | on | removed by | before that | removed by hand |\n|---|---|---|---|---|\n${rows}\n\n${managers}\n${managingIn(catalogue).map(managingRow).join('\n')}\n`;
}

function managingRow(marks: ManagingMarks): string {
  const { tool, called, name, namespace, labelled = {}, matching = [], on = [] } = marks;
  const conditions = [
    ...(on.length > 0 ? [`of ${on.join(' and ')}`] : []),
    ...Object.entries(labelled).map(([key, value]) => `with the label \`${key}: ${value}\``),
    ...matching.map(mark => `with ${markWords(mark)} that fits`),
    ...(marks.onlyWhereSeen === true ? ['where an object of that name is seen'] : []),
    ...(marks.otherwise === true ? ['where no other mark counts'] : []),
    ...(marks.notItself === true ? ['where it names another object'] : []),
  ];
  const place = namespace === undefined ? '' : namespace === 'own' ? 'its own' : markWords(namespace);
  return `| ${tool} | ${called} | ${[markWords(name), ...conditions].join(', ')} | ${place} |`;
}

function markWords({ label, annotation = '' }: Mark): string {
  return label === undefined ? `annotation \`${annotation}\`` : `label \`${label}\``;
}

function row({ names, carriedBy, controller, protects, cost }: FinalizerEntry): string {
  const finalizers = names.map(each => `\`${each}\``).join(' ');
  return `| ${finalizers} | ${carriedBy} | ${controller.name}${place(controller)} | ${protects} | ${cost} |`;
}

function place({ runsIn }: ControllerSigns): string {
  switch (runsIn) {
    case 'elsewhere':
      return ' (in the cluster or outside of it)';
    case 'control plane':
      return ' (control plane)';
    case 'API server':
    case 'cluster':
      return '';
  }
}
