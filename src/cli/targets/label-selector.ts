/** kubectl's `-l`: parsing label selectors and matching them (k8s.io/apimachinery pkg/labels, v0.36). */
import { type Labels, labelValue } from '../../model/object.ts';
import { UsageError } from '../runtime/errors.ts';

type Requirement = (labels: Labels) => boolean;

const key = String.raw`(?:[A-Za-z0-9][A-Za-z0-9.-]*/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`;
const value = String.raw`[A-Za-z0-9._-]*`;
const exists = new RegExp(`^(!?)\\s*(${key})$`, 'u');
const equals = new RegExp(`^(${key})\\s*(=|==|!=)\\s*(${value})$`, 'u');
const among = new RegExp(`^(${key})\\s+(in|notin)\\s*\\(([^()]*)\\)$`, 'u');

/** Cuts at commas outside of brackets. */
function requirements(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/u)
    .map(part => part.trim())
    .filter(part => part !== '');
}

function requirement(text: string): Requirement | undefined {
  const existence = exists.exec(text);
  if (existence !== null) {
    const [, not, name = ''] = existence;
    return labels => (labelValue(labels, name) !== undefined) === (not === '');
  }
  const equality = equals.exec(text);
  if (equality !== null) {
    const [, name = '', operator, wanted = ''] = equality;
    return labels => (labelValue(labels, name) === wanted) === (operator !== '!=');
  }
  const set = among.exec(text);
  if (set === null) return undefined;
  const [, name = '', operator, list = ''] = set;
  const wanted = list.split(',').map(each => each.trim());
  // A label that isn't there is in no set.
  return labels => wanted.includes(labelValue(labels, name) ?? '\n') === (operator === 'in');
}

/** Whether labels match all requirements. Throws a `UsageError` that names the part that isn't understood. */
export function parseSelector(text: string): Requirement {
  const parsed = requirements(text).map(part => {
    const found = requirement(part);
    if (found === undefined)
      throw new UsageError(
        `cannot read the selector ${JSON.stringify(part)}. Write app=web, app!=web, app, !app, app in (a,b) or app notin (a,b).`,
      );
    return found;
  });
  return labels => parsed.every(matches => matches(labels));
}
