/** The page of docs/ on finalizers: the catalogue as a table, with how the product finds out who handles one. */
import {
  type CatalogueEntry,
  type ControllerSigns,
  type FinalizerEntry,
  finalizersIn,
} from '../src/diagnosis/finalizers/handler.ts';

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

export function finalizersPage(made: string, catalogue: readonly CatalogueEntry[]): string {
  const rows = finalizersIn(catalogue).map(row).join('\n');
  return `${made}\n\n${about}\n## The catalogue\n\n\`*\` stands for anything. To add a finalizer, see [CONTRIBUTING.md](../CONTRIBUTING.md#how-to).\n\n| finalizer | on | removed by | before that | removed by hand |\n|---|---|---|---|---|\n${rows}\n`;
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
