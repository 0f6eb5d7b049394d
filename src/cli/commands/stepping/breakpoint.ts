import { shownName, type TypeCatalog } from '../../../model/index.ts';
import { type Breakpoint, parseBreakpoint } from '../../../simulation/index.ts';
import { UsageError } from '../../runtime/errors.ts';

/** Throws a `UsageError` for words that name neither an object nor a decision. */
export function breakpointOf(words: string, catalog: TypeCatalog): Breakpoint {
  const found = parseBreakpoint(words, catalog);
  if (typeof found === 'function') return found;
  const hint =
    found.suggestions.length === 0
      ? 'Name an object (pod/web-0), a kind (pods) or a decision (DeleteBackground).'
      : `Did you mean ${found.suggestions.map(shownName).join(', ')}?`;
  throw new UsageError(`there is no kind and no decision ${shownName(words)}. ${hint}`);
}
