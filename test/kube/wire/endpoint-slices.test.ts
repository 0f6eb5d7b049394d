/** Which endpoints of an EndpointSlice are ready: those that say nothing of it, too. */
import { PbfWriter } from 'pbf';
import { expect, it } from 'vitest';
import { Cursor } from '../../../src/kube/wire/cursor.ts';
import { TableReader } from '../../../src/kube/wire/facts-reader.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import { FactsTable } from '../../../src/model/facts/facts.ts';

interface Given {
  readonly ready?: boolean;
  readonly target?: readonly [kind: string, name: string];
}

function endpoint({ ready, target }: Given): Buffer {
  const outer = new PbfWriter();
  const pbf = new PbfWriter();
  pbf.writeStringField(1, '10.0.0.1');
  pbf.writeMessage(2, (_, conditions) => ready !== undefined && conditions.writeBooleanField(1, ready), null);
  if (target !== undefined)
    pbf.writeMessage(
      4,
      (_, reference) => {
        reference.writeStringField(1, target[0]);
        reference.writeStringField(2, 'shop');
        reference.writeStringField(3, target[1]);
      },
      null,
    );
  outer.writeBytes(pbf.finish());
  return Buffer.from(outer.finish());
}

it('reads the ready endpoints, each with the Pod that it is', () => {
  const table = FactsTable.of({ group: 'discovery.k8s.io', kind: 'EndpointSlice' });
  if (table === undefined) throw new Error('no table');
  const reader = new TableReader(table, new Pool());
  const given: readonly Given[] = [
    { ready: true, target: ['Pod', 'web-1'] },
    { ready: false, target: ['Pod', 'web-2'] },
    { ready: true, target: ['Node', 'node-1'] },
    {},
  ];
  for (const each of given) {
    const bytes = endpoint(each);
    reader.read(2, new Cursor(bytes), bytes.length);
  }
  expect(reader.finish()).toEqual({ kind: 'EndpointSlice', ready: ['web-1', '', ''] });
  reader.begin();
  expect(reader.finish()).toEqual({ kind: 'EndpointSlice', ready: [] });
});
