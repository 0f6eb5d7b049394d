/** Remedies for a finalizer: get its handler to act, or remove it by hand. */
import { type ApplicableRemedy, requestWords } from '../../forecast/index.ts';
import { enumerated, FOREGROUND_FINALIZER, type KubeObject, objectTitle } from '../../model/index.ts';
import { type Advice, advice, type OfferedRemedy } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { costOf, type Forbidden, type Handler, riskOf } from '../finalizers/handler.ts';
import { removeFinalizer, removeForeground } from './deletion-remedies.ts';

/** Advises fixing the controller, unless it will never act. */
export function handlerAdvice({
  presence,
  name,
  workloads,
  entry,
  finalizer,
  nothingLeft,
  forbidden,
  toAct,
  gone = false,
  leavesWith,
  waits,
}: Handler): readonly OfferedRemedy[] {
  if (nothingLeft !== undefined || gone) return [];
  if (forbidden !== undefined) return [grant(forbidden, finalizer)];
  if (toAct !== undefined) return [toAct];
  if (waits !== undefined) return waits.advice();
  const [workload] = workloads;
  const who = workload === undefined ? name : objectTitle(workload);
  if (leavesWith !== undefined)
    return [
      advice(
        'install-again',
        leavesWith === 'it'
          ? `create ${who} again once it is gone; the rest then completes`
          : `install what ${who} runs again in another namespace; the rest then completes`,
      ),
    ];
  switch (presence) {
    case 'absent':
      return [advice('bring-back-controller', `bring ${name} back; the rest then completes`)];
    case 'unhealthy':
      return [
        advice(
          'restore-controller',
          workload === undefined
            ? `make sure that ${name} runs; the rest then completes`
            : `get ${who} ready again; the rest then completes`,
        ),
      ];
    case 'present':
    case 'unknown':
      return [
        workload === undefined && entry === undefined
          ? advice(
              'find-controller',
              `find the controller that handles ${finalizer}, which may be of a kind that cannot be seen here: it removes it by itself`,
            )
          : workload === undefined && presence === 'unknown'
            ? advice(
                'find-controller',
                `find out whether ${who} runs, here or elsewhere: then its log says what it waits for before it removes ${finalizer}`,
              )
            : advice(
                'see-controller',
                `see in the log of ${who} what it waits for: it removes ${finalizer} by itself`,
              ),
      ];
  }
}

/** Grants it in the object's namespace alone, unless that is closed, since nothing shows that it is needed elsewhere. */
function grant({ account, verbs, resource, namespace, isClosed }: Forbidden, finalizer: string): Advice {
  const within = isClosed ? '' : namespace;
  const where = isClosed ? ' in every namespace' : namespace === '' ? '' : ` in namespace ${namespace}`;
  const how = isClosed
    ? `with these commands, and take that back later, because no role can be created in Namespace ${namespace} any more`
    : 'with these commands or in the chart that made its role';
  const role = within === '' ? 'clusterrole' : 'role';
  const name = `${account.split('/')[1] ?? ''}-${verbs[0]}-${resource}`;
  const at = requestWords.namespaceFlag(within);
  const rule = [...verbs.map(each => `--verb=${each}`), `--resource=${resource}`];
  const bound = [`--${role}=${name}`, `--serviceaccount=${account.replace('/', ':')}`];
  return {
    ...advice(
      `grant-permission/${account}`,
      `let ServiceAccount ${account} ${enumerated(verbs)} ${resource}${where}, ${how}: then it can remove ${finalizer}`,
      isClosed ? 'caution' : 'safe',
    ),
    kubectl: [
      { words: ['kubectl', 'create', role, name, ...rule, ...at] },
      { words: ['kubectl', 'create', `${role}binding`, name, ...bound, ...at] },
    ],
  };
}

/** Returns the removal by hand, with its cost; empty if the object's metadata lacks the finalizer. */
export function removal(
  tracked: TrackedView,
  object: KubeObject,
  handler: Handler,
): readonly ApplicableRemedy[] {
  const { finalizer } = handler;
  if (!object.finalizers.includes(finalizer)) return [];
  // The cost depends on the object's dependents.
  if (finalizer === FOREGROUND_FINALIZER) return [removeForeground(tracked, object)];
  return [
    removeFinalizer(tracked, object, finalizer, {
      risk: riskOf(handler),
      title: `remove ${finalizer} from ${object.name}: ${costOf(handler)}`,
    }),
  ];
}
