import { CascadeReads, Users } from '../../diagnosis/index.ts';
import { kindReader, readWhole } from '../../source/index.ts';
import type { ClusterSession } from './session.ts';

export function usersIn(session: ClusterSession): Users {
  return new Users(session.view, portsOf(session));
}

/** Reading rejects with `Interrupted` at Ctrl-C. */
export function cascadeReads(session: ClusterSession): CascadeReads {
  return new CascadeReads({ view: session.view, ...portsOf(session) });
}

function portsOf(session: ClusterSession): ConstructorParameters<typeof Users>[1] {
  const { source } = session;
  const list = kindReader(source);
  return {
    read: wanted => session.until(readWhole(source, wanted)),
    list: list && (kind => session.until(list(kind))),
  };
}
