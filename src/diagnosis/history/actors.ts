/** Names the client of an audited request: a controller by its account or user agent, otherwise the user. */
import { type AuditEvent, ownEntry } from '../../model/index.ts';

const COLLECTOR = 'generic-garbage-collector';

const controllers: Readonly<Record<string, string>> = {
  [COLLECTOR]: 'the garbage collector',
  'namespace-controller': 'the namespace controller',
  'pod-garbage-collector': 'PodGC',
  'ttl-after-finished-controller': 'the TTL controller of finished Jobs',
};

/**
 * The name of the controller, as its ServiceAccount in kube-system is called; `''` for anybody else. A kube-controller-manager
 * without an account for each of its controllers names them at the end of its user agent
 * (cmd/kube-controller-manager/app/controllermanager.go, v1.36).
 */
function controllerOfRequest({ user, userAgent }: Pick<AuditEvent, 'user' | 'userAgent'>): string {
  const account = /^system:serviceaccount:kube-system:([a-z-]+)$/u.exec(user)?.[1];
  if (
    account !== undefined &&
    (ownEntry(controllers, account) !== undefined || account.endsWith('-controller'))
  )
    return account;
  const named = /^kube-controller-manager\/.*\/(?:system:serviceaccount:kube-system:)?([a-z-]+)$/u.exec(
    userAgent,
  )?.[1];
  const isUser = user.startsWith('system:serviceaccount:') || user.startsWith('system:node:');
  return named === undefined || isUser ? '' : named;
}

/** Who it was, for people; not sanitised. */
function actorOf(event: Pick<AuditEvent, 'user' | 'userAgent' | 'impersonated'>): string {
  const controller = controllerOfRequest(event);
  if (controller !== '')
    return ownEntry(controllers, controller) ?? `the ${controller.replace(/-controller$/u, '')} controller`;
  const node = /^system:node:(.+)$/u.exec(event.user)?.[1];
  if (node !== undefined) return `the kubelet of ${node}`;
  const account = /^system:serviceaccount:([^:]+):(.+)$/u.exec(event.user);
  const who = account === null ? event.user : `ServiceAccount ${account[1]}/${account[2]}`;
  return event.impersonated === undefined ? who : `${who} as ${event.impersonated}`;
}

export const auditActors = { collector: COLLECTOR, controller: controllerOfRequest, of: actorOf };
