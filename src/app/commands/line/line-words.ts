/** Words of `:` other than the commands': words that take arguments, and words without a key. */
import { ownEntry } from '../../../model/index.ts';

export const withArguments = [
  'ns',
  'ctx',
  'sort',
  'why',
  'search',
  'filter',
  'view',
  'theme',
  'columns',
] as const;

type Argued = (typeof withArguments)[number];

/** Descriptions of words without a key. */
export const ownWords: Readonly<
  Record<'why' | 'filter' | 'survivors' | 'cast' | 'view' | 'theme' | 'columns', string>
> = {
  why: 'Why it is still here: go to the details of the row, or of TYPE/NAME',
  filter: 'Narrow the view to words',
  survivors: 'Mark all pods that outlived their controllers',
  cast: 'Record the screen as an asciicast; again: write it to a file',
  view: 'Open a view of config.yaml',
  theme: 'Change the colours',
  columns: 'Change the columns of the tree, or restore those of config.yaml',
};

/** Commands of other screens that only kubectl has here. */
export const kubectlWords: Readonly<Record<string, string>> = {
  attach: 'attach',
  cordon: 'cordon',
  'port-forward': 'port-forward',
  restart: 'rollout restart',
  rollback: 'rollout undo',
  scale: 'scale',
  top: 'top',
  uncordon: 'uncordon',
};

/** Descriptions of words with arguments. */
export const moreOf: Readonly<Record<string, string>> = {
  'ns NAMESPACE': 'Go to a namespace; `*`: all',
  'ctx CONTEXT': 'Go to a context of the kubeconfig',
  'sort name|age|trouble': 'Sort the tree',
  'why TYPE/NAME': 'Go to an object, and to why it is still here',
  'search WORDS': 'Search everything for words',
  'filter WORDS': 'Narrow the view to words',
  'view NAME': 'Open a view of config.yaml',
  'theme light': 'Change the colours: auto, dark, light, high-contrast or colour-blind',
  'columns state label:app': 'Change the columns of the tree; without names, restore those of config.yaml',
  deploy: 'Narrow the tree to a kind, named as for `kubectl get`',
  'deploy WORDS': 'Narrow the tree to a kind and to names that contain words',
};

export function arguedOf(word: string): Argued | undefined {
  const same: Readonly<Record<string, Argued>> = { namespace: 'ns', context: 'ctx' };
  return ownEntry(same, word) ?? withArguments.find(each => each === word);
}
