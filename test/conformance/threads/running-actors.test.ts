/** Deletions whose controller runs and cannot finish, as users reported them; each file names its thread. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Diagnosis, DiagnosisItem, Plan } from '../../../src/cli/documents/definitions.ts';
import { command } from '../../cli/console.ts';

interface Thread {
  readonly file: string;
  readonly asked: string;
  /** What the summary has to say. */
  readonly cause: RegExp;
  /** The first remedy. */
  readonly first: RegExp;
  /** What would be false anywhere in the answer. */
  readonly never?: RegExp;
}

const threads: readonly Thread[] = [
  {
    file: 'dependency-finalizer-left',
    asked: 'terraform/network -n infra',
    cause:
      /the deletion of Terraform infra\/orders-db removes it, and that Terraform doesn't exist any more/u,
    first: /^remove tf\.dependency\.of\.orders-db from network: nothing waits for it any more/u,
    never: /mend what is reported|nothing in this cluster handles|network stays, held by finalizers\.tf/u,
  },
  {
    file: 'namespace-not-selected',
    asked: 'ns/web',
    cause:
      /ces-registry, and only the controller of ClusterExternalSecret registry .* doesn't select it any more/u,
    first:
      /^remove externalsecrets\.external-secrets\.io\/ces-registry from web: nothing is left to clean up/u,
    never: /in the log|by itself/u,
  },
  {
    file: 'credentials-deleted-first',
    asked: 'ns/shop',
    cause:
      /^One cause .*: Secret shop\/vault-token: doesn't exist, and cannot be created in a Namespace that is being deleted/u,
    first: /^remove pushsecret\.externalsecrets\.io\/finalizer from registration/u,
    never: /bring Secret|in the log|PushSecret shop\/registration is deleted; shop stays/u,
  },
  {
    file: 'machine-removed-by-hand',
    asked: 'clusters.provisioning.cattle.io/edge -n fleet-default',
    cause: /waits until Machine edge-pool1-x7 is gone; .*vm '\/site\/vm\/edge-pool1-x7' not found/u,
    first: /^mend what is reported of VmwarevsphereMachine fleet-default\/edge-pool1-x7/u,
    never: /deadlock|as it would be anyway|in the log/u,
  },
  {
    file: 'live-dependents',
    asked: 'cephcluster/storage -n rook-ceph',
    cause:
      /waits until CephBlockPool blocks, CephFilesystem files-a and CephFilesystem files-b are gone; .* is not being deleted/u,
    first:
      /^delete CephBlockPool rook-ceph\/blocks, CephFilesystem rook-ceph\/files-a and CephFilesystem rook-ceph\/files-b first/u,
  },
  {
    file: 'recreated-and-deleting',
    asked: 'opentelemetrycollector/main -n metrics',
    cause:
      /may never end: Deployment main-collector.* 40 min after .*opentelemetry-operator-controller-manager seems to go on recreating/u,
    first: /^delete main again in the background/u,
    never: /should have finished|nothing blocks any more|why deployment/u,
  },
  {
    file: 'database-of-replica',
    asked: 'databases.postgresql.cnpg.io/billing -n pg',
    cause: /waiting for the cluster to become primary/u,
    first: /^mend what is reported of Database pg\/billing/u,
    never: /in the log/u,
  },
  {
    file: 'webhook-of-another-ca',
    asked: 'natsjetstreamchannel/orders -n shop',
    cause:
      /webhook webhook\.nats\.messaging\.knative\.dev has to be asked first and answers with a certificate that no CA in the caBundle has issued/u,
    first: /^renew the certificate of Service knative-eventing\/nats-webhook together with the caBundle/u,
    never: /doesn't answer|bring back|no workload|in the log/u,
  },
  {
    file: 'lock-of-evicted-pod',
    asked: 'volumes.storage.metalk8s.scality.com/logs-1',
    cause:
      /none of its replicas seems to lead: Pod kube-system\/storage-operator-56f9-mr9lp, which has ended, still owns their lock, ConfigMap/u,
    first: /^delete Pod kube-system\/storage-operator-56f9-mr9lp/u,
    never: /in the log|and is running/u,
  },
  {
    file: 'lease-not-renewed',
    asked: 'resourceflavor/spot',
    cause:
      /none of its replicas seems to lead: Lease kueue-system\/c1f6bfd2\.kueue\.x-k8s\.io was last renewed at 2025-07-17T08:59:00Z/u,
    first: /^restart Deployment kueue-system\/kueue-controller-manager/u,
    never: /and is running|in the log of/u,
  },
  {
    file: 'attached-to-lost-node',
    asked: 'volumeattachment/csi-5f0e',
    cause: /harvester-csi-driver-controllers seems to need Node worker-2, which doesn't exist/u,
    first: /^make sure that the machine of Node worker-2 is off for good/u,
    never: /no workload of it|bring Node|it is taken to run/u,
  },
  {
    file: 'deletion-secret-gone',
    asked: 'volumesnapshotcontent/snapcontent-7f3a',
    cause:
      /csi-cephfsplugin-provisioner needs Secret rook-ceph\/rook-csi-cephfs-provisioner, which doesn't exist/u,
    first: /^bring Secret rook-ceph\/rook-csi-cephfs-provisioner back/u,
    never: /no workload of it|mend what is reported/u,
  },
  {
    file: 'restored-with-former-owner',
    asked: 'pvc/data-backend-0 -n logs',
    cause:
      /because its owner reference is to an earlier StatefulSet backend, and the one that exists now has another uid/u,
    first:
      /^point the owner references of PersistentVolumeClaim data-backend-1, which isn't being deleted yet/u,
  },
];

function manifestIn(file: string): string {
  return readFileSync(join(import.meta.dirname, 'objects', `${file}.yaml`), 'utf8');
}

async function run(words: string, stdin: string): Promise<string> {
  const { out, err, exitCode } = await command(`${words} -f - --closed-world`, { stdin });
  expect(exitCode, err).toBeLessThan(2);
  return out;
}

async function answerOn(asked: string, manifest: string): Promise<DiagnosisItem> {
  const [item] = (JSON.parse(await run(`why ${asked} -o json`, manifest)) as Diagnosis).items;
  if (item === undefined) throw new Error(`no answer about ${asked}`);
  return item;
}

describe.each(threads)('$file', ({ file, asked, cause, first, never }) => {
  const manifest = manifestIn(file);

  test('has its cause in the first sentences, and the right remedy first', async () => {
    const { summary, remedies } = await answerOn(asked, manifest);
    expect(summary).toMatch(cause);
    expect(remedies[0]?.title).toMatch(first);
  });

  test('says nothing false', async () => {
    if (never !== undefined) expect(await run(`why ${asked} -o wide`, manifest)).not.toMatch(never);
  });
});

test('a controller that waits for several objects finishes only after the last one', async () => {
  const manifest = manifestIn('live-dependents');
  const all = ['cephblockpool/blocks', 'cephfilesystem/files-a', 'cephfilesystem/files-b'];
  const deletedWith = async (targets: readonly string[]): Promise<readonly string[]> => {
    const plan = JSON.parse(
      await run(`plan delete ${targets.join(' ')} -n rook-ceph -o json`, manifest),
    ) as Plan;
    return plan.ifHandled?.deleted.map(({ object }) => object.name) ?? [];
  };
  expect(await deletedWith(all.slice(0, 2))).toEqual(['blocks', 'files-a']);
  expect(await deletedWith(all)).toContain('storage');
});

describe('a forecast', () => {
  const stuck = async (words: string, manifest: string): Promise<readonly string[]> => {
    const { terminating } = JSON.parse(await run(`${words} -o json`, manifest)) as Plan;
    return terminating.map(({ object }) => object.name);
  };

  test('counts on no removal that an event says was refused, unless the action ends the refusal', async () => {
    const manifest = manifestIn('webhook-of-another-ca');
    expect(await stuck('plan', manifest)).toEqual(['orders']);
    const outcome = await run('plan', manifest);
    expect(outcome).toMatch(/1 stays terminating.*but when it last tried, webhook webhook\.nats/su);
    const hook = 'mutatingwebhookconfiguration/webhook.nats.messaging.knative.dev';
    expect(await run(`plan delete ${hook}`, manifest)).not.toContain('when it last tried');
  });

  test('counts on no controller that nobody leads', async () => {
    const manifest = manifestIn('lease-not-renewed');
    expect(await run('plan', manifest)).toMatch(/^If no user acts: 1 stays terminating\./u);
    // The Lease of another version of it is renewed.
    const renewed = manifest.replace('2025-07-17T08:59:00.000000Z', '2025-07-17T11:59:50.000000Z');
    expect(await run('plan', renewed)).not.toContain('seems to lead');
  });
});
