/** Objects that wait for several others: the answer follows the wait that cannot end, not the first one. */
import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';

const born = 'creationTimestamp: "2025-03-01T08:00:00Z"';
const deleting = `${born}, deletionTimestamp: "2025-03-02T08:00:00Z", deletionGracePeriodSeconds: 0`;

function controller(name: string): string {
  return `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${name}, uid: ${name}, ${born}}
spec: {replicas: 1, selector: {matchLabels: {app: ${name}}}, template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: c, image: x}]}}}
status: {replicas: 1, readyReplicas: 1}
`;
}

function item(kind: string, name: string, more = ''): string {
  const [apiVersion = '', of = ''] = kind.split(' ');
  return `---
apiVersion: ${apiVersion}
kind: ${of}
metadata: {name: ${name}, namespace: infra, uid: ${of}-${name}, ${deleting}${more}}
spec: {}
`;
}

async function answer(target: string, ...objects: readonly string[]): Promise<DiagnosisItem> {
  const { out } = await command(`why ${target} -n infra -o json -f - --closed-world`, {
    stdin: objects.join(''),
  });
  const [found] = (JSON.parse(out) as Diagnosis).items;
  if (found === undefined) throw new Error(`no answer about ${target}`);
  return found;
}

function owned(owner: string, finalizer: string): string {
  return `, finalizers: [${finalizer}], ownerReferences: [{apiVersion: acme.example.com/v1, kind: Fleet, name: ${owner}, uid: Fleet-${owner}}]`;
}

describe('an object that waits for several dependents', () => {
  const fleet = item('acme.example.com/v1 Fleet', 'fleet', ', finalizers: [acme.example.com/fleet]');
  const busy = item('acme.example.com/v1 Truck', 'a-busy', owned('fleet', 'acme.example.com/truck'));
  const lost = item('acme.example.com/v1 Truck', 'b-lost', owned('fleet', 'gone.example.net/dock'));
  const acme = controller('acme-operator');

  test('names the one that no controller releases first', async () => {
    const { summary, remedies } = await answer('fleet/fleet', fleet, busy, lost, acme);
    expect(summary).toMatch(
      /waits until Truck b-lost and Truck a-busy are gone; Truck b-lost is held by gone\.example\.net\/dock/u,
    );
    expect(remedies[0]?.title).toMatch(/^bring the controller of gone\.example\.net\/dock back/u);
  });

  test('keeps their order if none of them is stuck', async () => {
    const { summary } = await answer('fleet/fleet', fleet, busy, acme);
    expect(summary).toContain('waits until Truck a-busy is gone');
  });
});

test('of two finalizers whose controllers run, the one that cannot be removed decides', async () => {
  const finalizers = '[acme.example.com/wait, resources-finalizer.argocd.argoproj.io]';
  const app = item('argoproj.io/v1alpha1 Application', 'app', `, finalizers: ${finalizers}`).replace(
    'spec: {}',
    'spec: {project: gone}',
  );
  const load = item(
    'acme.example.com/v1 Load',
    'load',
    ', finalizers: [acme.example.com/load], ownerReferences: [{apiVersion: argoproj.io/v1alpha1, kind: Application, name: app, uid: Application-app}]',
  );
  const none = '---\napiVersion: argoproj.io/v1alpha1\nkind: AppProjectList\nitems: []\n';
  const controllers = [controller('acme-operator'), controller('argocd-application-controller')];
  const { summary } = await answer('application.argoproj.io/app', app, load, none, ...controllers);
  expect(summary).toContain('needs AppProject argocd-application-controller/gone');
});

describe('an object whose status names its owner, which is not being deleted', () => {
  const owner = item('acme.example.com/v1 Fleet', 'north').replace(deleting, born);
  const acme = controller('acme-operator');
  const truck = (message: string): string =>
    `${item('acme.example.com/v1 Truck', 'late', owned('north', 'acme.example.com/truck'))}status: {conditions: [{type: Ready, status: "False", reason: Deleting, message: "${message}", lastTransitionTime: "2025-03-02T08:00:05Z"}]}\n`;

  test.each([
    ['waits for it if the message says so', 'waiting until Fleet north is deleted', true],
    ['does not wait for it otherwise', 'cannot be removed from Fleet north', false],
  ])('%s', async (_, message, waits) => {
    const { summary } = await answer('truck/late', owner, truck(message), acme);
    expect(summary.includes('waits until Fleet north is gone')).toBe(waits);
  });
});
