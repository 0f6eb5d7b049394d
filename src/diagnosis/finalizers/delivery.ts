/** Finalizers of programs that roll out applications, clusters and cloud resources. */
import type { ControllerSigns, FinalizerEntry } from './entry.ts';

// Amazon EKS and others offer it as a service that runs beside the cluster.
const argoCd: ControllerSigns = {
  name: 'Argo CD',
  runsIn: 'elsewhere',
  workloads: ['argocd-application-controller', '*-application-controller'],
  groups: ['argoproj.io'],
};

const flux: ControllerSigns = {
  name: 'Flux',
  runsIn: 'cluster',
  workloads: [
    'kustomize-controller',
    'helm-controller',
    'source-controller',
    'notification-controller',
    'image-automation-controller',
    'image-reflector-controller',
  ],
  groups: ['*.toolkit.fluxcd.io', 'image.toolkit.fluxcd.io'],
};

const crossplane: ControllerSigns = {
  name: 'Crossplane',
  runsIn: 'cluster',
  workloads: ['crossplane', 'crossplane-rbac-manager'],
  groups: ['apiextensions.crossplane.io', 'pkg.crossplane.io'],
};

const crossplaneProvider: ControllerSigns = {
  name: "Crossplane's provider",
  runsIn: 'cluster',
  workloads: ['provider-*', 'upbound-provider-*', 'crossplane-contrib-provider-*'],
  groups: ['*.upbound.io', '*.crossplane.io'],
};

const clusterApi: ControllerSigns = {
  name: 'Cluster API',
  runsIn: 'cluster',
  workloads: [
    'cap*-controller-manager',
    'cluster-api*',
    'infrastructure-*',
    'control-plane-*',
    'bootstrap-*',
  ],
  groups: ['cluster.x-k8s.io', '*.cluster.x-k8s.io'],
};

const rancher: ControllerSigns = {
  name: 'Rancher',
  runsIn: 'elsewhere',
  workloads: [
    'rancher',
    'cattle-cluster-agent',
    'rancher-webhook',
    'harvester',
    'harvester-*',
    'fleet-controller',
    'fleet-agent',
  ],
  groups: ['*.cattle.io', 'harvesterhci.io', '*.harvesterhci.io'],
};

const configConnector: ControllerSigns = {
  name: 'Config Connector',
  runsIn: 'elsewhere',
  workloads: ['cnrm-controller-manager*', 'cnrm-deletiondefender'],
  groups: ['*.cnrm.cloud.google.com'],
};

const tekton: ControllerSigns = {
  name: 'Tekton Chains',
  runsIn: 'cluster',
  workloads: ['tekton-chains-controller'],
  groups: ['tekton.dev'],
};

const tektonOperator: ControllerSigns = {
  name: "Tekton's operator",
  runsIn: 'cluster',
  workloads: ['tekton-operator', 'openshift-pipelines-operator'],
  groups: ['operator.tekton.dev'],
};

const knative: ControllerSigns = {
  name: 'Knative',
  runsIn: 'cluster',
  workloads: [
    'knative-serving',
    'knative-eventing',
    'eventing-controller',
    'knative-operator',
    'net-istio-controller',
    'net-kourier-controller',
  ],
  groups: ['*.knative.dev', '*.internal.knative.dev'],
};

export const deliveryFinalizers: readonly FinalizerEntry[] = [
  {
    finalizers: ['resources-finalizer.argocd.argoproj.io', 'resources-finalizer.argocd.argoproj.io/*'],
    controller: argoCd,
    on: 'Applications and ApplicationSets',
    protects: 'everything that the application has deployed is deleted first',
    cost: 'what the application has deployed stays, and nobody manages it any more',
  },
  {
    finalizers: [
      'pre-delete-finalizer.argocd.argoproj.io',
      'pre-delete-finalizer.argocd.argoproj.io/*',
      'post-delete-finalizer.argocd.argoproj.io',
      'post-delete-finalizer.argocd.argoproj.io/*',
    ],
    controller: argoCd,
    on: 'Applications with deletion hooks',
    protects: 'the hooks for the deletion run to their end and are cleaned up',
    cost: 'the hooks do not run, or stay behind',
  },
  {
    finalizers: ['finalizers.fluxcd.io'],
    controller: flux,
    on: 'Kustomizations, HelmReleases and the sources of both',
    protects: 'what was applied or installed from it is pruned or uninstalled first',
    cost: 'what it has applied or installed stays, and nobody manages it any more',
  },
  {
    finalizers: ['finalizer.managedresource.crossplane.io'],
    controller: crossplaneProvider,
    on: 'managed resources',
    protects: 'the resource at the cloud provider is deleted first',
    cost: 'the resource at the cloud provider is left behind and goes on being billed',
  },
  {
    finalizers: ['in-use.crossplane.io'],
    controller: crossplaneProvider,
    on: 'ProviderConfigs and usages',
    protects: 'credentials stay as long as resources are managed with them',
    cost: 'resources that need these credentials can no longer be changed or deleted',
  },
  {
    finalizers: [
      'composite.apiextensions.crossplane.io',
      'finalizer.apiextensions.crossplane.io',
      'defined.apiextensions.crossplane.io',
      'offered.apiextensions.crossplane.io',
      'revision.pkg.crossplane.io',
      'lock.pkg.crossplane.io',
      '*.apiextensions.crossplane.io',
    ],
    controller: crossplane,
    on: 'composite resources, claims, their definitions and packages',
    protects: 'what is composed or defined by it is deleted first',
    cost: 'composed resources or definitions are left behind',
  },
  {
    finalizers: [
      'cluster.cluster.x-k8s.io',
      'machine.cluster.x-k8s.io',
      'cluster.x-k8s.io/*',
      '*.cluster.x-k8s.io',
      '*.cluster.x-k8s.io/*',
    ],
    controller: clusterApi,
    on: 'Clusters, Machines and what belongs to them',
    protects: 'machines, networks and load balancers of the cluster are deleted first',
    cost: 'machines and networks are left behind and go on being billed',
  },
  {
    finalizers: ['wrangler.cattle.io/*', 'controller.cattle.io/*', 'cattle.io/*', '*.cattle.io/*'],
    controller: rancher,
    on: 'namespaces, nodes, clusters and whatever Rancher or K3s manages',
    protects: 'permissions, charts or machines that it has made for the object are removed first',
    cost: 'permissions, charts or machines that it has made are left behind',
  },
  {
    finalizers: ['cnrm.cloud.google.com/finalizer', 'cnrm.cloud.google.com/deletion-defender'],
    controller: configConnector,
    on: 'objects that stand for Google Cloud resources',
    protects: 'the resource at Google Cloud is deleted first',
    cost: 'the resource at Google Cloud is left behind and goes on being billed',
  },
  {
    finalizers: ['finalizers.*.services.k8s.aws/*'],
    controller: {
      name: 'the AWS controller of this service',
      runsIn: 'elsewhere',
      workloads: ['ack-*'],
      groups: ['*.services.k8s.aws'],
    },
    on: 'objects that stand for AWS resources',
    protects: 'the resource at AWS is deleted first',
    cost: 'the resource at AWS is left behind and goes on being billed',
  },
  {
    finalizers: ['serviceoperator.azure.com/finalizer'],
    controller: {
      name: 'Azure Service Operator',
      runsIn: 'cluster',
      workloads: ['azureserviceoperator-controller-manager', 'azure-service-operator*'],
      groups: ['*.azure.com'],
    },
    on: 'objects that stand for Azure resources',
    protects: 'the resource at Azure is deleted first',
    cost: 'the resource at Azure is left behind and goes on being billed',
  },
  {
    finalizers: ['chains.tekton.dev', 'chains.tekton.dev/*'],
    controller: tekton,
    on: 'PipelineRuns and TaskRuns',
    protects: 'the run is signed before it goes',
    cost: 'the run goes without a signature',
  },
  {
    finalizers: ['operator.tekton.dev', '*.operator.tekton.dev'],
    controller: tektonOperator,
    on: 'Tekton installations',
    protects: 'what was installed is removed first',
    cost: 'parts of the installation are left behind',
  },
  {
    finalizers: ['*.knative.dev', '*.knative.dev/*'],
    controller: knative,
    on: 'Knative Routes, Services, Triggers and sources',
    protects: 'routes, ingresses and subscriptions made for it are removed first',
    cost: 'routes, ingresses or subscriptions are left behind',
  },
];
