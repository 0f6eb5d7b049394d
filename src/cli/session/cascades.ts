import { CascadeReads, Users } from '../../diagnosis/index.ts';
import type { KubeObject } from '../../model/index.ts';
import { printedColumns, wholeReads } from '../../source/index.ts';
import type { ClusterSession } from './session.ts';

export function usersIn(session: ClusterSession): Users {
  return new Users(session.view, portsOf(session));
}

type PrintedColumns = Awaited<ReturnType<typeof printedColumns>>;

/** Reads the columns of the objects' definitions. */
export async function columnsIn(
  session: ClusterSession,
  objects: readonly KubeObject[],
): Promise<PrintedColumns> {
  const { catalog } = session.view;
  const type = catalog.resolveKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  return type === undefined ? new Map() : printedColumns(portsOf(session), type, objects);
}

/** Reading rejects with `Interrupted` at Ctrl-C. */
export function cascadeReads(session: ClusterSession): CascadeReads {
  return new CascadeReads({ view: session.view, ...portsOf(session) });
}

function portsOf(session: ClusterSession): ConstructorParameters<typeof Users>[1] {
  const { read, list } = wholeReads(session.source);
  return {
    read: wanted => session.until(read(wanted)),
    list: list && (kind => session.until(list(kind))),
  };
}
