/**
 * The stages that kwok plays: they come with its module and say how fake nodes and pods move from one state
 * to the next. Without a stage file kwok exits.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { moduleFolder } from '../processes/go-module.ts';

const fileName = 'kwok-stages.yaml';

/** Nodes become ready and keep a lease; pods start at once, those of Jobs complete, deleted ones go. */
const stages = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
];

/** Writes one file with all stages into `folder` and resolves with its path. */
export async function writeKwokStages(folder: string): Promise<string> {
  const source = join(await moduleFolder('sigs.k8s.io/kwok'), 'kustomize', 'stage');
  const texts = await Promise.all(stages.map(stage => readFile(join(source, stage), 'utf8')));
  const target = join(folder, fileName);
  await writeFile(target, texts.join('\n---\n'));
  return target;
}

/** Kwok's stage also completes pods that a Job owns without controlling them; no kubelet does. */
const anyOwner = "'.metadata.ownerReferences.[].kind'";
const controller = "'.metadata.ownerReferences.[] | select( .controller == true ) | .kind'";

/** Writes the stages into `folder`, from the file beside the kwok program if there is one, and resolves with the path. */
export async function kwokStages(kwok: string, folder: string): Promise<string> {
  const beside = join(dirname(kwok), fileName);
  const text = await readFile(existsSync(beside) ? beside : await writeKwokStages(folder), 'utf8');
  if (!text.includes(anyOwner)) throw new Error(`the stages of kwok no longer have ${anyOwner}`);
  const target = join(folder, fileName);
  await writeFile(target, text.replace(anyOwner, controller));
  return target;
}
