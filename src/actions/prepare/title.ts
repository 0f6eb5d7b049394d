/** An action in one line, for the journal, the question before it and the report after it. */
import type { KubeObject } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import type { Intent } from './intent.ts';

/** `delete StatefulSet shop/web, foreground` */
export function titleOf(intent: Intent): string {
  if (intent.verb === 'delete') {
    const [first, ...others] = intent.targets;
    const what = first === undefined ? 'nothing' : nameOf(first);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `delete ${what}${more}, ${intent.cascade}`;
  }
  return `${intent.verb === 'undo' ? `undo ${intent.entry}` : intent.remedy.title} (${nameOf(intent.target)})`;
}

function nameOf(object: KubeObject): string {
  const { type, namespace, name } = object;
  return `${shownName(type.kind)} ${namespace === '' ? '' : `${shownName(namespace)}/`}${shownName(name)}`;
}
