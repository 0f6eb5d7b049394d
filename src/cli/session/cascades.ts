import { CascadeReads } from '../../diagnosis/index.ts';
import { readWhole } from '../../source/index.ts';
import type { ClusterSession } from './session.ts';

/** Reading rejects with `Interrupted` at Ctrl-C. */
export function cascadeReads(session: ClusterSession): CascadeReads {
  return new CascadeReads({
    view: session.view,
    read: wanted => session.until(readWhole(session.source, wanted)),
  });
}
