/** Finalizers of programs that keep data: storage systems, backups and databases. */
import type { ControllerSigns, FinalizerEntry } from './entry.ts';

const longhorn: ControllerSigns = {
  name: 'Longhorn',
  runsIn: 'cluster',
  workloads: ['longhorn-manager', 'longhorn-driver-deployer'],
  groups: ['longhorn.io'],
};

const rook: ControllerSigns = {
  name: 'Rook',
  runsIn: 'cluster',
  workloads: ['rook-ceph-operator', 'rook-*operator'],
  groups: ['ceph.rook.io', 'objectbucket.io'],
};

const velero: ControllerSigns = {
  name: 'Velero',
  runsIn: 'cluster',
  workloads: ['velero'],
  groups: ['velero.io'],
};

const strimzi: ControllerSigns = {
  name: 'Strimzi',
  runsIn: 'cluster',
  workloads: ['*-entity-operator', 'strimzi-cluster-operator*'],
  groups: ['kafka.strimzi.io', '*.strimzi.io'],
};

const percona: ControllerSigns = {
  name: "Percona's operator",
  runsIn: 'cluster',
  workloads: [
    'percona-*operator*',
    '*-pxc-operator*',
    '*-psmdb-operator*',
    '*-ps-operator*',
    '*-pg-operator*',
  ],
  groups: ['*.percona.com'],
};

export const dataFinalizers: readonly FinalizerEntry[] = [
  {
    finalizers: ['longhorn.io', 'longhorn.io/*'],
    controller: longhorn,
    on: "Longhorn's volumes, engines, replicas, nodes and backups",
    protects: 'replicas and their data on the nodes are removed first',
    cost: 'data is left behind on the nodes, or a volume is lost that is in use',
  },
  {
    finalizers: ['ceph.rook.io/disaster-protection'],
    controller: rook,
    on: 'the Secret and ConfigMap without which a Ceph cluster cannot be recovered',
    protects: 'the keys and addresses of the Ceph cluster stay as long as that does',
    cost: 'a Ceph cluster that still runs can lose its keys, and with them its data',
  },
  {
    finalizers: ['*.ceph.rook.io', 'ceph.rook.io/*', 'objectbucket.io/finalizer', '*.rook.io'],
    controller: rook,
    on: 'Ceph clusters, pools, filesystems, object stores and bucket claims',
    protects:
      'pools, daemons and data that belong to it are cleaned up first, and nothing that is in use goes',
    cost: 'data and daemons are left behind on the nodes',
  },
  {
    finalizers: ['velero.io/*', '*.velero.io/*', 'restores.velero.io/*'],
    controller: velero,
    on: 'backups, restores and transfers of volumes',
    protects: 'running transfers are ended, and data in the backup store is removed first',
    cost: 'transfers or data in the backup store are left behind',
  },
  {
    finalizers: ['strimzi.io/*', '*.strimzi.io/*'],
    controller: strimzi,
    on: 'KafkaTopics and other objects of Strimzi',
    protects: 'the topic is deleted in Kafka first',
    cost: 'the topic stays in Kafka',
  },
  {
    finalizers: [
      'percona.com/*',
      '*.percona.com/*',
      'delete-pxc-pvc',
      'delete-proxysql-pvc',
      'delete-psmdb-pvc',
      'delete-psmdb-pods-in-order',
      'delete-pxc-pods-in-order',
    ],
    controller: percona,
    on: 'database clusters and backups',
    protects: 'pods end in the right order, and volumes or backups go along where that is wanted',
    cost: 'volumes, users or backups that were to go are left behind',
  },
  {
    finalizers: [
      'postgres-operator.crunchydata.com/finalizer',
      '*.postgres-operator.crunchydata.com/finalizer',
    ],
    controller: {
      name: "Crunchy Data's operator",
      runsIn: 'cluster',
      workloads: ['pgo', '*postgres-operator*', '*postgresql-operator*'],
      groups: ['postgres-operator.crunchydata.com'],
    },
    on: 'PostgresClusters',
    protects: 'the instances are shut down in order first',
    cost: 'the instances are ended without a proper shutdown',
  },
  {
    finalizers: ['cnpg.io/*', 'postgresql.cnpg.io/*'],
    controller: {
      name: 'CloudNativePG',
      runsIn: 'cluster',
      workloads: ['cnpg-controller-manager', 'cnpg-cloudnative-pg', 'cloudnative-pg*'],
      groups: ['postgresql.cnpg.io'],
    },
    on: 'databases, publications and subscriptions',
    protects: 'the database in PostgreSQL is dropped or kept as its policy says, first',
    cost: 'the database stays in PostgreSQL whatever its policy says',
  },
  {
    finalizers: ['deletion.finalizers.rabbitmqclusters.rabbitmq.com', 'deletion.finalizers.*.rabbitmq.com'],
    controller: {
      name: "RabbitMQ's operator",
      runsIn: 'cluster',
      workloads: ['rabbitmq-cluster-operator*', 'messaging-topology-operator*'],
      groups: ['rabbitmq.com'],
    },
    on: 'RabbitMQ clusters, queues and users',
    protects: 'pods are told to end at once, or what it stands for is removed from RabbitMQ first',
    cost: 'pods may take very long to end, or queues and users stay in RabbitMQ',
  },
  {
    finalizers: ['kopf.zalando.org/KopfFinalizerMarker'],
    controller: {
      name: 'an operator written with Kopf',
      runsIn: 'elsewhere',
      workloads: [],
      groups: ['kopf.dev', 'zalando.org'],
    },
    on: 'whatever that operator watches, built-in kinds too',
    protects: 'the operator handles the deletion first',
    cost: 'what the operator would have cleaned up is left behind',
  },
];
