import { CascadeReads } from '../../diagnosis/cascades/reads.ts';
import { readWhole } from '../../source/read-whole.ts';
import type { ClusterSession } from './session.ts';

/** Reading rejects with `Interrupted` at Ctrl-C. */
export function cascadeReads(session: ClusterSession): CascadeReads {
  return new CascadeReads({
    view: session.view,
    read: wanted => session.until(readWhole(session.source, wanted)),
  });
}
