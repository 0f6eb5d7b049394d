/** Finalizers of programs for networks, nodes, certificates and secrets. */
import type { ControllerSigns, FinalizerEntry } from './entry.ts';

// Amazon EKS runs it beside the cluster in its automatic mode.
const awsLoadBalancer: ControllerSigns = {
  name: 'the AWS Load Balancer Controller',
  runsIn: 'elsewhere',
  workloads: ['aws-load-balancer-controller', '*aws-load-balancer-controller*', 'aws-alb-ingress-controller'],
  groups: ['elbv2.k8s.aws', 'gateway.k8s.aws'],
};

const karpenter: ControllerSigns = {
  name: 'Karpenter',
  runsIn: 'elsewhere',
  workloads: ['karpenter', '*karpenter*'],
  groups: ['karpenter.sh', 'karpenter.k8s.aws', 'karpenter.azure.com'],
};

const googleIngress: ControllerSigns = {
  name: "GKE's ingress controller",
  runsIn: 'elsewhere',
  workloads: ['l7-lb-controller', 'gce-ingress*'],
  groups: ['networking.gke.io'],
};

const certManager: ControllerSigns = {
  name: 'cert-manager',
  runsIn: 'cluster',
  workloads: ['cert-manager', 'cert-manager-controller'],
  groups: ['cert-manager.io', 'acme.cert-manager.io'],
};

const externalSecrets: ControllerSigns = {
  name: 'External Secrets Operator',
  runsIn: 'cluster',
  workloads: ['external-secrets', 'external-secrets-operator'],
  groups: ['external-secrets.io', '*.external-secrets.io'],
};

const keda: ControllerSigns = {
  name: 'KEDA',
  runsIn: 'cluster',
  workloads: ['keda-operator', 'keda'],
  groups: ['keda.sh', 'eventing.keda.sh'],
};

const istio: ControllerSigns = {
  name: "Istio's operator",
  runsIn: 'cluster',
  workloads: ['istio-operator*', 'sail-operator'],
  groups: ['install.istio.io', 'sailoperator.io'],
};

const kubeVirt: ControllerSigns = {
  name: 'KubeVirt',
  runsIn: 'cluster',
  workloads: ['virt-controller', 'virt-operator', 'virt-handler', 'cdi-deployment', 'cdi-operator'],
  groups: ['kubevirt.io', '*.kubevirt.io'],
};

export const infrastructureFinalizers: readonly FinalizerEntry[] = [
  {
    finalizers: [
      'service.k8s.aws/resources',
      'ingress.k8s.aws/resources',
      'group.ingress.k8s.aws/*',
      'elbv2.k8s.aws/resources',
      'gateway.k8s.aws/*',
    ],
    controller: awsLoadBalancer,
    on: 'Services, Ingresses, Gateways and TargetGroupBindings',
    protects: 'the load balancer or target group at AWS is deleted first',
    cost: 'the load balancer at AWS is left behind and goes on being billed',
  },
  {
    finalizers: [
      'karpenter.sh/termination',
      'karpenter.k8s.aws/termination',
      'karpenter.azure.com/termination',
    ],
    controller: karpenter,
    on: 'Nodes, NodeClaims, NodePools and node classes',
    protects: 'the node is drained and its machine ended first',
    cost: 'the machine runs on, unseen, and goes on being billed',
  },
  {
    finalizers: ['networking.gke.io/*', 'gke.networking.io/*'],
    controller: googleIngress,
    on: 'Services, Ingresses and network endpoint groups on GKE',
    protects: 'load balancers and endpoint groups at Google Cloud are deleted first',
    cost: 'load balancers or endpoint groups are left behind at Google Cloud and go on being billed',
  },
  {
    finalizers: ['gateway-exists-finalizer.gateway.networking.k8s.io'],
    controller: {
      name: 'the controller of the GatewayClass',
      runsIn: 'elsewhere',
      workloads: [
        'istiod',
        'cilium-operator',
        'envoy-gateway',
        'nginx-gateway*',
        'traefik*',
        'contour*',
        'kong*',
      ],
      groups: [],
    },
    on: 'GatewayClasses',
    protects: 'a class stays as long as a Gateway uses it',
    cost: 'Gateways name a class that does not exist',
  },
  {
    finalizers: ['finalizer.acme.cert-manager.io', 'acme.cert-manager.io/finalizer', '*.cert-manager.io'],
    controller: certManager,
    on: 'Challenges',
    protects: 'the DNS record or ingress made for the proof is removed first',
    cost: 'a DNS record or ingress of the proof is left behind',
  },
  {
    finalizers: [
      'externalsecrets.external-secrets.io/*',
      'clusterexternalsecrets.external-secrets.io/*',
      'pushsecret.externalsecrets.io/*',
      'secretstore.externalsecrets.io/*',
      '*.external-secrets.io/*',
    ],
    controller: externalSecrets,
    on: 'ExternalSecrets, PushSecrets and stores',
    protects: 'secrets made or pushed from it are cleaned up first',
    cost: 'secrets that it has made or pushed are left behind',
  },
  {
    finalizers: ['finalizer.keda.sh', '*.keda.sh'],
    controller: keda,
    on: 'ScaledObjects and ScaledJobs',
    protects: 'scaling ends, and the workload gets its own number of replicas back',
    cost: 'the workload stays at the number of replicas that it has now',
  },
  {
    finalizers: ['istio-finalizer.install.istio.io', '*.sailoperator.io', 'sailoperator.io/*'],
    controller: istio,
    on: 'Istio installations',
    protects: 'what was installed is removed first',
    cost: 'parts of the installation are left behind',
  },
  {
    finalizers: [
      'foregroundDeleteVirtualMachine',
      'kubevirt.io/*',
      '*.kubevirt.io',
      '*.kubevirt.io/*',
      'operator.cdi.kubevirt.io',
    ],
    controller: kubeVirt,
    on: 'virtual machines, their instances and migrations',
    protects: 'the virtual machine is shut down and its resources released first',
    cost: 'a virtual machine may run on without anything that stands for it',
  },
  {
    finalizers: ['kueue.x-k8s.io/*'],
    controller: {
      name: 'Kueue',
      runsIn: 'cluster',
      workloads: ['kueue-controller-manager', 'kueue'],
      groups: ['kueue.x-k8s.io'],
    },
    on: 'pods, Workloads and queues that Kueue manages',
    protects: 'what the object uses of its quota is given back, and queues stay as long as they are used',
    cost: 'quota may be counted wrongly',
  },
  {
    finalizers: [
      'actions.github.com/*',
      'ephemeralrunner.actions.github.com/*',
      '*.actions.github.com/*',
      'runner.actions.summerwind.dev',
      '*.actions.summerwind.dev',
    ],
    controller: {
      name: 'Actions Runner Controller',
      runsIn: 'cluster',
      workloads: ['*gha-rs-controller*', '*actions-runner-controller*', 'gha-runner-scale-set-controller*'],
      groups: ['actions.github.com', 'actions.summerwind.dev'],
    },
    on: 'runners, runner sets and what belongs to them',
    protects: 'the runner is signed off at GitHub first',
    cost: 'the runner stays registered at GitHub',
  },
  {
    finalizers: ['opentelemetrycollector.opentelemetry.io/finalizer', '*.opentelemetry.io/finalizer'],
    controller: {
      name: 'the OpenTelemetry Operator',
      runsIn: 'cluster',
      workloads: ['opentelemetry-operator*'],
      groups: ['opentelemetry.io'],
    },
    on: 'collectors',
    protects: 'cluster-wide permissions made for the collector are removed first',
    cost: 'cluster-wide permissions are left behind',
  },
  {
    finalizers: ['apps.victoriametrics.com/finalizer'],
    controller: {
      name: 'the VictoriaMetrics operator',
      runsIn: 'cluster',
      workloads: ['*victoria-metrics-operator*', 'vm-operator*', '*vmoperator*'],
      groups: ['operator.victoriametrics.com'],
    },
    on: "the operator's objects and what it makes of them",
    protects: 'what was made of it is removed first',
    cost: 'workloads and configuration that it has made are left behind',
  },
];
