/** Runs a command of the main view. */
import { isInDetails } from '../state/layout.ts';
import type { State } from '../state/state.ts';
import { type CommandId, commands } from './bindings.ts';
import { followRange } from './marks.ts';

export function runCommand(state: State, id: CommandId): State {
  const command = commands.find(each => each.id === id);
  if (command === undefined) return state;
  const inDetails = isInDetails(state);
  const inList = state.view === 'tree' || inDetails ? undefined : command.inList;
  return followRange(inList?.(state) ?? command.run(state, inDetails, commands), id);
}
