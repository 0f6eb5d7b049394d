/** Keys that act on marked objects, else on the row's. */
import { type ActionId, disabledReason, idleReason, openAction } from '../../actions/action-commands.ts';
import type { Binding, Bindings } from './binding.ts';

function acting(id: ActionId): Pick<Binding, 'idle' | 'refused'> {
  return { idle: state => idleReason(id, state), refused: state => disabledReason(id, state) };
}

export const actBindings = {
  delete: {
    title: 'Delete: choose between background, foreground and orphan',
    keys: ['d'],
    group: 'Act',
    footer: 'delete',
    words: ['delete', 'kill'],
    ...acting('delete'),
    run: state => openAction(state, 'delete'),
  },
  orphan: {
    title: 'Delete it and orphan its dependents',
    keys: ['o'],
    group: 'Act',
    footer: 'orphan',
    ...acting('orphan'),
    run: state => openAction(state, 'orphan'),
  },
  unblock: {
    title: 'Unblock, or choose a remedy',
    keys: ['u'],
    group: 'Act',
    footer: 'unblock',
    words: ['unblock', 'finalizer', 'finalizers', 'force', 'free', 'remove', 'stuck'],
    ...acting('unblock'),
    run: state => openAction(state, 'unblock'),
  },
  remedies: {
    title: 'All remedies',
    keys: ['U'],
    group: 'Act',
    ...acting('remedies'),
    run: state => openAction(state, 'remedies'),
  },
  plan: {
    title: 'Forecast only: what would happen',
    keys: ['p'],
    group: 'Act',
    footer: 'plan',
    ...acting('plan'),
    run: state => openAction(state, 'plan'),
  },
  undo: {
    title: 'Undo an action, the latest first',
    keys: ['z'],
    group: 'Act',
    footer: 'undo',
    ...acting('undo'),
    run: state => openAction(state, 'undo'),
  },
} satisfies Bindings;
