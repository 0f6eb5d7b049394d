/** The page of docs/ on finalizers: the catalogue as a table, with how the product finds out who handles one. */
import { finalizerCatalogue } from '../src/diagnosis/finalizers/catalogue.ts';
import type { ControllerSigns, FinalizerEntry } from '../src/diagnosis/finalizers/entry.ts';

const about = `# Finalizers

A finalizer is a name in \`metadata.finalizers\` of an object. As long as one is there, the object isn't removed: deleting it only sets \`metadata.deletionTimestamp\`, and it stays until whoever put the finalizer there has done what it stands for and takes it off. If nobody does, the object stays for good.

\`kubectl gc-tree why TYPE/NAME\` says for each object that is held which finalizer holds it, who should remove it, and whether that controller is there:

| it says | it means |
|---|---|
| … is running | a workload of the controller was found, and it has ready pods |
| … has no ready pod | a workload of it was found, and none of its pods is ready |
| … is there, but no workload of … was found | its kinds are defined, or a webhook of it is configured, but nothing was found that would do the work |
| nothing in this cluster handles …, no sign of … was found | Deployments, StatefulSets, DaemonSets, webhook configurations, CustomResourceDefinitions and API groups can all be seen, and none is of it |
| cannot be told, cannot be seen | it may be there: one of these kinds cannot be listed, or the controller may run outside of the cluster |

Finalizers of the table below are known by name. For any other one its domain decides: \`example.com/drain\` belongs to example.com, and so do API groups of that domain, workloads with labels of it, and workloads that go by its name and call themselves operator, controller, manager, provisioner or the like. That is a guess, and the evidence says what it rests on. A controller that runs in another cluster cannot be seen from this one.

Removing a finalizer by hand is the last resort. It lets the object go, and what the finalizer stood for is never done: the last column says what is left then. \`kubectl gc-tree unblock TYPE/NAME\` lists what else can be done first.
`;

export function finalizersPage(made: string): string {
  const rows = finalizerCatalogue.map(row).join('\n');
  return `${made}\n\n${about}\n## The catalogue\n\n\`*\` stands for anything.\n\n| finalizer | on | removed by | before that | removed by hand |\n|---|---|---|---|---|\n${rows}\n`;
}

function row({ finalizers, on, controller, protects, cost }: FinalizerEntry): string {
  const names = finalizers.map(each => `\`${each}\``).join(' ');
  return `| ${names} | ${on} | ${controller.name}${place(controller)} | ${protects} | ${cost} |`;
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
