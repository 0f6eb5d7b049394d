/** The keys of an action's dialog, for the footer: what they are depends on how far it is. */
import type { ActionDialog } from './action.ts';

type Keys = readonly (readonly [key: string, label: string])[];

export function actionKeys({ stage }: ActionDialog): Keys {
  switch (stage.at) {
    case 'working':
      return [['escape', stage.stoppable ? 'leave it' : 'close, without following']];
    case 'choosing':
      return [
        ['enter', 'choose'],
        stage.as === 'row' ? ['right', 'next'] : ['down', 'next'],
        ['pagedown', 'scroll'],
        ['escape', 'leave it'],
      ];
    case 'asking':
      return stage.word === undefined
        ? [
            ['y', 'go ahead'],
            ['down', 'scroll'],
            ['escape', 'leave it'],
          ]
        : [
            ['enter', 'go ahead'],
            ['down', 'scroll'],
            ['escape', 'leave it'],
          ];
    case 'following':
      return [
        ['escape', 'close, without following'],
        ['down', 'scroll'],
      ];
    case 'ended':
      return [
        ['escape', 'close'],
        ['down', 'scroll'],
      ];
  }
}
