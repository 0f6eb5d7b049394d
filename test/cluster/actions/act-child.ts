/**
 * A process of its own that deletes ConfigMaps of the namespace `default`, to be killed: `node act-child.ts
 * KUBECONFIG FOLDER CASCADE NAME…`. Every event is a line on standard output.
 */
import type { Cascade } from '../../../src/forecast/action.ts';
import { deleting, openActor } from './acting.ts';

const [kubeconfig = '', folder = '', cascade = '', ...names] = process.argv.slice(2);
const actor = await openActor({ kubeconfig, folder });
const targets = await Promise.all(names.map(name => actor.find('ConfigMap', 'default', name)));
const ended = await actor.act(actor.prepare(deleting(cascade as Cascade, ...targets)), {
  tell: ({ event }) => console.log(event),
});
console.log(`ended ${ended.state}`);
await actor.close();
