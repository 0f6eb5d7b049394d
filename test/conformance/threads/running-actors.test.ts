/** Deletions whose controller runs and cannot finish, as users reported them; each file names its thread. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Diagnosis, Plan } from '../../../src/cli/documents/definitions.ts';
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
    cause: /the deletion of Terraform infra\/orders-db removes it, and that Terraform no longer exists/u,
    first: /^remove tf\.dependency\.of\.orders-db from network: nothing waits for it any more/u,
    never: /fix the failure reported|nothing in this cluster handles|network stays, held by finalizers\.tf/u,
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
    first: /^fix the failure reported for VmwarevsphereMachine fleet-default\/edge-pool1-x7/u,
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
    first: /^fix the failure reported for Database pg\/billing/u,
    never: /in the log/u,
  },
  {
    file: 'webhook-of-another-ca',
    asked: 'natsjetstreamchannel/orders -n shop',
    cause:
      /webhook webhook\.nats\.messaging\.knative\.dev must be called first and answers with a certificate that no CA in the caBundle has issued/u,
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
    never: /no workload of it|fix the failure reported/u,
  },
  {
    file: 'restored-with-former-owner',
    asked: 'pvc/data-backend-0 -n logs',
    cause:
      /because its owner reference is to an earlier StatefulSet backend, and the one that exists now has another uid/u,
    first:
      /^point the owner references of PersistentVolumeClaim data-backend-1, which isn't being deleted yet/u,
  },
  {
    file: 'issuer-deleted-first',
    asked: 'challenge/tls-1-2-3 -n web',
    cause:
      /cert-manager seems to need Issuer letsencrypt, which doesn't exist, and cannot be created in a Namespace that is being deleted/u,
    first: /^remove acme\.cert-manager\.io\/finalizer from tls-1-2-3/u,
    never: /in the log|bring Issuer/u,
  },
  {
    file: 'account-deleted-first',
    asked: 'helmrelease/podinfo -n tenant',
    cause:
      /helm-controller seems to need ServiceAccount tenant-sa, which doesn't exist, and cannot be created/u,
    first: /^remove finalizers\.fluxcd\.io from podinfo/u,
    never: /in the log|fix the failure reported/u,
  },
  {
    file: 'cleanup-in-namespace',
    asked: 'ns/ml',
    cause:
      /^One cause .*: Job ml\/ray-cluster-redis-cleanup: doesn't exist, and cannot be created in a Namespace that is being deleted/u,
    first: /^remove ray\.io\/gcs-ft-redis-cleanup-finalizer from ray-cluster/u,
    never: /deadlock|no workload of|in the log|fix the failure reported|ml stays, waiting/u,
  },
  {
    file: 'target-group-gone',
    asked: 'targetgroupbinding/ws-3o -n assistant',
    cause: /an event about it says FailedCleanup: .*TargetGroupNotFound/u,
    first: /^fix the failure reported for TargetGroupBinding assistant\/ws-3o/u,
    never: /needs? Service|in the log/u,
  },
  {
    file: 'deprovision-credentials',
    asked: 'clusterdeployment/prod -n prod',
    cause:
      /hive-controllers waits until ClusterDeprovision prod is finished; .*AuthenticationFailed.*"prod-aws-creds" not found/u,
    first: /^fix the failure reported for ClusterDeprovision prod\/prod/u,
    never: /stays until it is really deleted|delete prod again|in the log/u,
  },
  {
    file: 'cleanup-over-quota',
    asked: 'backups.pingcap.com/b1 -n tidb',
    cause:
      /waits until Job clean-b1 is finished; Job clean-b1 has no pod; .*FailedCreate.*exceeded quota: compute/u,
    first: /^fix the failure reported for Job tidb\/clean-b1/u,
    never: /clean-b1 stays|delete b1 again|in the log/u,
  },
  {
    file: 'bucket-class-gone',
    asked: 'objectbucketclaim/loki -n logs',
    cause: /rook-ceph-operator seems to need StorageClass ceph-bucket, which doesn't exist/u,
    first: /^bring StorageClass ceph-bucket back/u,
    never: /in the log/u,
  },
  {
    file: 'volume-of-lost-node',
    asked: 'lvmvolume/pvc-a9ed -n openebs',
    cause: /openebs-lvm-localpv-controller seems to need Node worker-9, which doesn't exist/u,
    first: /^make sure that the machine of Node worker-9 is off for good/u,
    never: /bring Node|in the log/u,
  },
  {
    file: 'sandbox-not-stopped',
    asked: 'pod/coredns-67b-rvnxb -n kube-system',
    cause: /hasn't confirmed that the containers have stopped .*FailedKillPod: .*cni failed to teardown pod/u,
    first: /^fix what the kubelet reports, such as the network plugin/u,
    never: /A process that cannot be killed|removes the finalizer/u,
  },
  {
    file: 'attachment-of-lost-claim',
    asked: 'nodeclaim/default-x1',
    cause: /waits until Node ip-1 is gone; in the end, VolumeAttachment csi-9 decides: not being deleted/u,
    first: /^delete VolumeAttachment csi-9 first, if it is no longer needed/u,
    never: /in the log/u,
  },
  {
    file: 'class-deleted-first',
    asked: 'gateway/my-hotel -n default',
    cause: /gateway-api-controller seems to need GatewayClass amazon-vpc-lattice, which doesn't exist/u,
    first: /^bring GatewayClass amazon-vpc-lattice back/u,
    never: /AWS Load Balancer Controller|in the log/u,
  },
  {
    file: 'policy-denies-collector',
    asked: 'job/backup-1 -n bao',
    cause:
      /is stuck because the API server refuses the request of the collector: ValidatingAdmissionPolicyBinding openbao-operator-lock/u,
    first: /^let the admission policy openbao-operator-lock\S+ accept updates of the garbage collector/u,
    never: /should have removed it|it owns is deleted after it\n/u,
  },
  {
    file: 'webhook-certificate-expired',
    asked: 'projects.management.cattle.io/p-x1 -n c-m-1',
    cause: /must be called first and answers with a certificate that has expired/u,
    first: /^renew the certificate of Service cattle-system\/rancher-webhook/u,
    never: /in the log|doesn't answer/u,
  },
  {
    file: 'hook-without-account',
    asked: 'applications.argoproj.io/agent -n argocd',
    cause:
      /waits until Job teleport\/agent-delete-hook is finished; .*FailedCreate: .*serviceaccount "agent-delete-hook" not found/u,
    first: /^fix the failure reported for Job teleport\/agent-delete-hook/u,
    never: /in the log|as it would be anyway/u,
  },
  {
    file: 'lookup-of-proxy',
    asked: 'perconaxtradbcluster/db -n pxc',
    cause: /its status says error=True \(ErrorReconcile\): .*lookup db-haproxy\.pxc .*no such host/u,
    first: /^fix the failure reported for PerconaXtraDBCluster pxc\/db/u,
    never: /needs? Secret|in the log/u,
  },
  {
    file: 'role-deleted-first',
    asked: 'ns/flink',
    cause:
      /ServiceAccount default\/flink-operator may neither patch nor update flinkdeployments\.flink\.apache\.org/u,
    first:
      /^let ServiceAccount default\/flink-operator .* in every namespace, .*no role can be created in Namespace flink/u,
    never: /--serviceaccount=default:flink-operator -n flink|in the log/u,
  },
  {
    file: 'finalizer-added-again',
    asked: 'namespaceconfig/fss-apps',
    cause:
      /its status says ReconcileError=True .*no new finalizers can be added if the object is being deleted/u,
    first: /^remove namespaceconfig-controller-v1 from fss-apps/u,
    never: /cannot be removed from it|refused as long as|fix what|fix the failure|bring the controller/u,
  },
  {
    file: 'volume-of-attachment-gone',
    asked: 'volumeattachment/csi-53bd',
    cause: /csi-cinder-controllerplugin needs PersistentVolume pvc-e06d, which doesn't exist/u,
    first: /^make sure in the storage system that the volume of PersistentVolume pvc-e06d isn't attached/u,
    never: /bring PersistentVolume|in the log|fix what|fix the failure/u,
  },
  {
    file: 'subnamespace-not-emptied',
    asked: 'subnamespaceanchor/team-a -n org',
    cause:
      /hnc-controller-manager waits until Namespace team-a is gone; .*Widget team-a\/w is held by example\.com\/drain/u,
    first: /^make sure that the controller of example\.com\/drain runs/u,
    never: /in the log/u,
  },
  {
    file: 'reported-before-deletion',
    asked: 'kuadrant/kuadrant-sample -n kuadrant',
    cause: /its status says Ready=False .*"istiocontrolplane" not found/u,
    first: /^fix the failure reported for Kuadrant kuadrant\/kuadrant-sample/u,
  },
  {
    file: 'context-deleted-first',
    asked: 'ns/team-a',
    cause: /Config Connector for namespace team-a doesn't run, only for other namespaces/u,
    first: /^remove cnrm\.cloud\.google\.com\/finalizer from orders/u,
    never: /and is running|in the log|bring Config Connector/u,
  },
  {
    file: 'may-not-list',
    asked: 'configconnectorcontext/configconnectorcontext.core.cnrm.cloud.google.com -n example-namespace',
    cause:
      /reports that ServiceAccount configconnector-operator-system\/configconnector-operator may not list edgenetworknetworks\.edgenetwork\.cnrm\.cloud\.google\.com in namespace example-namespace\.$/u,
    first:
      /^let ServiceAccount configconnector-operator-system\/configconnector-operator list edgenetworknetworks/u,
    never: /in the log|fix the failure reported/u,
  },
  {
    file: 'cluster-of-pool-gone',
    asked: 'machinepool/marc1-machine-pool0 -n org-giantswarm',
    cause: /capi-controller-manager needs Cluster marc1, which doesn't exist/u,
    first: /^remove machinepool\.cluster\.x-k8s\.io from marc1-machine-pool0/u,
    never: /bring Cluster|in the log/u,
  },
  {
    file: 'machine-without-owner',
    asked: 'clusters.cluster.x-k8s.io/demo -n demo',
    cause: /VSphereMachine demo-md-0-7zq decides: not being deleted/u,
    first: /^delete VSphereMachine demo\/demo-md-0-7zq first/u,
    never: /capi-controller-manager seems|in the log/u,
  },
  {
    file: 'queue-with-reservation',
    asked: 'clusterqueue/gpu-queue',
    cause: /waits until Workload team\/job-train-1 is gone; Workload team\/job-train-1 is not being deleted/u,
    first: /^delete Workload team\/job-train-1 first/u,
    never: /fix the failure reported|in the log/u,
  },
  {
    file: 'account-of-claim-gone',
    asked: 'ns/uhc-production-mycluster',
    cause: /seems to need Account aws-account-operator\/osd-creds-mgmt-8zf2k, which doesn't exist/u,
    first: /^bring Account aws-account-operator\/osd-creds-mgmt-8zf2k back/u,
    never: /cannot be created|in the log/u,
  },
  {
    file: 'hook-failed',
    asked: 'helmrelease/app -n apps',
    cause: /waits until Job app-drain is finished; Job app-drain has failed/u,
    first: /^fix the failure reported for Job apps\/app-drain/u,
    never: /delete Job|until Job app-drain is gone/u,
  },
  {
    file: 'validator-gone',
    asked: 'kubevirt/kubevirt -n kubevirt',
    cause:
      /kubevirt-update-validator\.kubevirt\.io\), and its Service kubevirt\/kubevirt-operator-webhook doesn't exist/u,
    first: /^restore the backend of Service kubevirt\/kubevirt-operator-webhook/u,
    never: /fix the failure reported/u,
  },
  {
    file: 'user-secret-gone',
    asked: 'ns/test',
    cause:
      /^The worst of 2 causes .*: Secret test\/my-fav-user-user-credentials: doesn't exist, and cannot be created/u,
    first: /removes deletion\.finalizers\.permissions\.rabbitmq\.com by itself/u,
    never: /rabbitmq-cluster-operator seems/u,
  },
  {
    file: 'finalizer-without-domain',
    asked: 'atlasproject/my-project -n atlas',
    cause: /mongodb-atlas-operator needs Secret my-atlas-key, which doesn't exist/u,
    first: /^bring Secret atlas\/my-atlas-key back/u,
    never: /nothing in this cluster handles|bring the controller/u,
  },
  {
    file: 'cluster-of-namespace-gone',
    asked: 'temporalnamespace/my-temporal-namespace -n temporal-dev',
    cause:
      /temporal-operator-controller-manager seems to need TemporalCluster temporalclusterdev, which doesn't exist/u,
    first: /^bring TemporalCluster temporal-dev\/temporalclusterdev back: .*, if nothing else is missing$/u,
  },
  {
    file: 'topic-of-cluster',
    asked: 'kafkacluster/kafka -n kafka',
    cause: /waits until KafkaTopic kafka-cruise-control-topic is gone/u,
    first: /removes finalizer\.kafkatopics\.kafka\.banzaicloud\.io by itself/u,
  },
  {
    file: 'paused-cluster',
    asked: 'awscluster/foo -n example',
    cause:
      /: the object is paused \(annotation cluster\.x-k8s\.io\/paused\), and Deployment capa-system\/capa-controller-manager seems to leave it alone until that ends/u,
    first: /^end the pause of AWSCluster example\/foo: then Deployment capa-system\/capa-controller-manager/u,
    never: /in the log|and is running/u,
  },
  {
    file: 'paused-claim',
    asked: 'ns/example',
    cause:
      /PostgreSQLInstance my-db is held by .* the object is paused \(annotation crossplane\.io\/paused\)/u,
    first: /^end the pause of PostgreSQLInstance example\/my-db/u,
    never: /in the log|by itself/u,
  },
  {
    file: 'paused-by-field',
    asked: 'thanosruler/rules -n monitoring',
    cause:
      /: the object is paused \(spec\.paused: true\), and Deployment monitoring\/prometheus-operator seems to/u,
    first: /^end the pause of ThanosRuler monitoring\/rules/u,
    never: /in the log|by itself/u,
  },
  {
    file: 'kubeconfig-never-created',
    asked: 'klusterlet/detached',
    cause: /secrets "external-managed-kubeconfig" not found', reported before the deletion\.$/u,
    first: /^fix the failure reported for Klusterlet detached/u,
    never: /of an older spec/u,
  },
  {
    file: 'secret-of-bucket-gone',
    asked: 'seed/az-eu',
    cause:
      /waits until BackupBucket 8c8ddf37\S+ is gone; .*BackupBucket 8c8ddf37\S+ needs Secret garden\/generated-bucket-8c8ddf37\S+, which doesn't exist/u,
    first: /^bring Secret garden\/generated-bucket-8c8ddf37\S+ back/u,
    never: /in the log/u,
  },
  {
    file: 'credentials-of-object-gone',
    asked: 'object/footest-ns-x7',
    cause: /provider-kubernetes-7c3 needs Secret \S*footest-bv9r4-4zzkr, which doesn't exist/u,
    first: /^bring Secret \S*footest-bv9r4-4zzkr back/u,
    never: /in the log/u,
  },
  {
    file: 'account-of-secret-gone',
    asked: 'ns/deletion-test',
    cause:
      /seems to need ServiceAccount sa-vault-kv-creator, which doesn't exist, and cannot be created in a Namespace/u,
    first: /^remove controller-randomsecret from test-secret/u,
    never: /vault-config-operator\/sa-vault|bring ServiceAccount|in the log/u,
  },
  {
    file: 'credentials-of-backup-gone',
    asked: 'ns/mysql',
    cause:
      /percona-server-mysql-operator seems to need Secret ps-cluster1-s3-credentials, which doesn't exist, and cannot/u,
    first: /^remove percona\.com\/delete-backup from backup1/u,
    never: /bring Secret|in the log/u,
  },
  {
    file: 'certificate-of-authority',
    asked: 'certificateauthority/wh-server-ca -n e2e-webhooks',
    cause:
      /openvox-operator may be waiting until Certificate wh-server-cert is gone; Certificate wh-server-cert is not being deleted/u,
    first: /^delete Certificate e2e-webhooks\/wh-server-cert first, if it is no longer needed/u,
    never: /openvox-webhook|until a user acts/u,
  },
  {
    file: 'binding-of-resource',
    asked: 'resource/test-resource -n default',
    cause: /controller-manager may be waiting until ResourceReleaseBinding test-resource-dev is gone/u,
    first: /^delete ResourceReleaseBinding default\/test-resource-dev first/u,
    never: /Project/u,
  },
  {
    file: 'address-of-subnet',
    asked: 'subnet/attach-subnet',
    cause: /kube-ovn-controller may be waiting until IP vpc-nat-gw-gw1-0\S+ is gone/u,
    first: /^delete IP vpc-nat-gw-gw1-0\S+ first/u,
    never: /node-n1|its name doesn't show/u,
  },
  {
    file: 'database-of-failing-cluster',
    asked: 'redisenterprisedatabase/harbordb -n default',
    cause:
      /redis-enterprise-operator may be waiting until StatefulSet harbor-cluster is ready; .*Pod harbor-cluster-0 is Running \(CrashLoopBackOff\)/u,
    first: /^get StatefulSet default\/harbor-cluster ready again/u,
    never: /no workload of|in the log/u,
  },
  {
    file: 'snapshot-of-unused-clone',
    asked: 'volumesnapshot/zfspv-snap -n default',
    cause: /PersistentVolumeClaim zfspv-clone isn't bound to a volume yet, and no pod uses it/u,
    first: /^see in the events of PersistentVolumeClaim zfspv-clone why it isn't bound, or let a pod use it/u,
  },
  {
    file: 'secret-of-console-gone',
    asked: 'console/console-test -n console',
    cause: /webhook vconsole\.kb\.io rejects it: .*console-test-prom-password.*secret does not exist/u,
    first: /^limit what the validating webhook vconsole\.kb\.io \(.*\) does to CREATE/u,
    never: /in the log|fix the failure reported/u,
  },
  {
    file: 'subnet-of-vpc',
    asked: 'vpc/apr-26-vpc',
    cause:
      /may be waiting until Subnet sub-1 is gone; .* its status says Synced=False .*DependencyViolation/u,
    first: /^delete Subnet sub-1 first, if it is no longer needed, and if the log of Deployment/u,
  },
  {
    file: 'snapshot-of-deleting-claim',
    asked: 'pvc/quobyte-csi-test -n default',
    cause: /test-snapshot-dynamic-provision isn't ready to use: .*cannot add finalizer on claim/u,
    first: /^delete VolumeSnapshot test-snapshot-dynamic-provision/u,
    never: /get VolumeSnapshot/u,
  },
  {
    file: 'buckets-of-store',
    asked: 'cephobjectstore/openstack-store -n rook-ceph',
    cause:
      /waits until ObjectBucketClaim test-bucket is gone; .* seems to need StorageClass rook-ceph-bucket/u,
    first: /^bring StorageClass rook-ceph-bucket back/u,
    never: /fix the failure reported/u,
  },
  {
    file: 'member-unreachable',
    asked: 'clusters.cluster.karmada.io/member1',
    cause: /its status says Ready=Unknown .*stopped posting cluster status", reported before the deletion/u,
    first: /^fix the failure reported for Cluster member1/u,
  },
  {
    file: 'secret-with-prefix',
    asked: 'postgresuser/app-user -n app',
    cause: /ext-postgres-operator seems to be the one that removes it, and is running/u,
    first: /^see in the log of Deployment operators\/ext-postgres-operator/u,
    never: /Secret my-secret/u,
  },
];

function pathOf(file: string): string {
  return join(import.meta.dirname, 'objects', `${file}.yaml`);
}

function manifestIn(file: string): string {
  return readFileSync(pathOf(file), 'utf8');
}

/** Statuses of objects that aren't being deleted are read from files, but not kept from standard input. */
async function runOn(words: string, path: string, stdin = ''): Promise<string> {
  const { out, err, exitCode } = await command(`${words} -f ${path} --closed-world`, { stdin });
  expect(exitCode, err).toBeLessThan(2);
  return out;
}

async function run(words: string, stdin: string): Promise<string> {
  return await runOn(words, '-', stdin);
}

describe.each(threads)('$file', ({ file, asked, cause, first, never }) => {
  test('has its cause in the first sentences, and the right remedy first', async () => {
    const [item] = (JSON.parse(await runOn(`why ${asked} -o json`, pathOf(file))) as Diagnosis).items;
    expect(item?.summary).toMatch(cause);
    expect(item?.remedies[0]?.title).toMatch(first);
  });

  test('says nothing false', async () => {
    if (never !== undefined) expect(await runOn(`why ${asked} -o wide`, pathOf(file))).not.toMatch(never);
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

  test('has the collector try what a policy denies, as it does', async () => {
    const outcome = await run('plan', manifestIn('policy-denies-collector'));
    expect(outcome).toMatch(
      /waits for the UPDATE by garbage-collector, which is refused: .*openbao-operator-lock/u,
    );
    expect(outcome).not.toMatch(/seems not to be running|nothing that can be seen blocks it/u);
  });

  test('counts on no controller that nobody leads', async () => {
    const manifest = manifestIn('lease-not-renewed');
    expect(await run('plan', manifest)).toMatch(/^If no user acts: 1 stays terminating\./u);
    // The Lease of another version of it is renewed.
    const renewed = manifest.replace('2025-07-17T08:59:00.000000Z', '2025-07-17T11:59:50.000000Z');
    expect(await run('plan', renewed)).not.toContain('seems to lead');
  });
});

test('a guess at what a controller waits for promises nothing, and is to be confirmed by its log', async () => {
  const manifest = manifestIn('binding-of-resource');
  const { out } = await command('why resource/test-resource -n default -o json -f - --closed-world', {
    stdin: manifest,
  });
  const [item] = (JSON.parse(out) as Diagnosis).items;
  expect(item?.remedies[0]?.title).toMatch(
    /, and if the log of Deployment \S+ shows that it waits for that:/u,
  );
  expect(item?.findings[0]?.certainty).toBe('assumed');
  const plan = await run('plan delete resourcereleasebinding/test-resource-dev -n default', manifest);
  expect(plan).not.toContain('test-resource is deleted');
  const young = manifest.replaceAll('2026-05-03T19:05:33Z', new Date().toISOString());
  expect(await run('why resource/test-resource -n default', young)).not.toContain('may be waiting');
});

test('an object that a report names without its namespace isn’t missing if one has that name', async () => {
  const manifest = manifestIn('credentials-of-object-gone');
  const there = manifest.replace('name: other,', 'name: footest-bv9r4-4zzkr,');
  expect(there).not.toBe(manifest);
  expect(await run('why object/footest-ns-x7', manifest)).toMatch(/Secret \S+, which doesn't exist/u);
  expect(await run('why object/footest-ns-x7', there)).not.toContain("which doesn't exist");
});

test('a reference that names its group is followed to no other one', async () => {
  const manifest = manifestIn('issuer-deleted-first');
  const grouped = manifest.replace('{kind: Issuer,', '{group: acme.cert-manager.io, kind: Issuer,');
  expect(grouped).not.toBe(manifest);
  expect(await run('why challenge/tls-1-2-3 -n web', manifest)).toContain('Issuer letsencrypt');
  expect(await run('why challenge/tls-1-2-3 -n web', grouped)).not.toContain('Issuer letsencrypt');
});

test('an annotation that says that the object isn’t paused explains nothing', async () => {
  const manifest = manifestIn('paused-claim');
  const running = manifest.replace('crossplane.io/paused: "true"', 'crossplane.io/paused: "false"');
  expect(running).not.toBe(manifest);
  expect(await run('why postgresqlinstance/my-db -n example', manifest)).toContain('paused (annotation');
  expect(await run('why postgresqlinstance/my-db -n example', running)).not.toContain('paused (annotation');
});
