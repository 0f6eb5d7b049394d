/** Waits of built-in protections (`useProtections`): an object stays while something uses it. */
import { isDeleting } from '../../graph/index.ts';
import { controllerOf, type KubeObject, objectTitle } from '../../model/index.ts';
import { useProtections } from '../../simulation/index.ts';
import { advice, chainLink } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { Handler } from '../finalizers/handler.ts';
import type { Wait } from './edge.ts';

export function protectionWaits(
  tracked: TrackedView,
  object: KubeObject,
  { finalizer }: Handler,
): readonly Wait[] {
  return usersOf(tracked, object, finalizer).map(on => ({
    ...(isDeleting(on) ? undefined : otherWays[object.type.kind]?.(on, object)),
    on,
    isMissing: false,
    isReported: true,
    certainty: 'exact',
    evidence: [`${on.type.kind} ${on.name} uses ${object.type.kind} ${object.name}`],
  }));
}

type OtherWay = Pick<Wait, 'until' | 'end'>;

/** Ways to end the use without deleting the user, by kind of the protected object. */
const otherWays: Readonly<Record<string, (user: KubeObject, object: KubeObject) => OtherWay>> = {
  VolumeAttributesClass: (user, { name }) => ({
    until: 'of another class',
    end: {
      links: [chainLink(user, 'waits for', 'not being deleted')],
      advice: () =>
        user.type.kind === 'PersistentVolume'
          ? [
              advice(
                'delete-volume',
                `delete ${objectTitle(user)} if its data is no longer needed`,
                'caution',
              ),
            ]
          : [
              advice(
                'change-class',
                `set volumeAttributesClassName of ${objectTitle(user)} to another class: ${name} continues once no claim and no volume names it`,
              ),
            ],
    },
  }),
  // A controller replaces the pod with one that uses the group too.
  PodGroup: user => {
    const controller = controllerOf(user);
    if (controller === undefined) return { until: 'finished' };
    const title = objectTitle({ ...controller, namespace: user.namespace });
    return {
      until: 'finished',
      end: {
        links: [chainLink(user, 'waits for', 'not being deleted')],
        advice: () => [
          advice(
            'delete-controller',
            `let ${title} finish, or delete it if it is no longer needed: it replaces each pod that is deleted`,
            'caution',
          ),
        ],
      },
    };
  },
  // The API server recreates the address of a Service, unless no range contains it.
  ServiceCIDR: user => ({
    until: 'gone or in another ServiceCIDR',
    end: {
      links: [chainLink(user, 'waits for', 'not being deleted')],
      advice: () => [
        advice('add-range', `create another ServiceCIDR that contains ${user.name}`),
        advice(
          'delete-service',
          `delete the Service with the address ${user.name} if it isn't needed`,
          'caution',
        ),
      ],
    },
  }),
};

/** Checks if the finalizer protects what a live object uses, or something that only its controller knows. */
export function isInUse(tracked: TrackedView, object: KubeObject, finalizer: string): boolean {
  if (useProtections.of(object, finalizer) === undefined) return false;
  const users = usersOf(tracked, object, finalizer);
  return useProtections.hasUnknownUser(object) || users.some(each => !isDeleting(each));
}

function usersOf(tracked: TrackedView, object: KubeObject, finalizer: string): readonly KubeObject[] {
  const world = {
    type: tracked.type.bind(tracked),
    find: tracked.find.bind(tracked),
    all: tracked.all.bind(tracked),
  };
  return useProtections.users(world, object, finalizer);
}
