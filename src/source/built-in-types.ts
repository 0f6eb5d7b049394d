/** The types that Kubernetes serves by itself; scripts/generate-types.ts writes them from a server's discovery. */
import { joinApiVersion, type ResourceType } from '../model/index.ts';

export const builtInVersion = 'v1.36.3';

// group|version|kind|resource|singular|shortNames|categories|scope|verbs|preferred
const table = `
|v1|Binding|bindings|binding|||n|create|preferred
|v1|ComponentStatus|componentstatuses|componentstatus|cs||c|get,list|preferred
|v1|ConfigMap|configmaps|configmap|cm||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|Endpoints|endpoints|endpoints|ep||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|Event|events|event|ev||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|LimitRange|limitranges|limitrange|limits||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|Namespace|namespaces|namespace|ns||c|create,delete,get,list,patch,update,watch|preferred
|v1|Node|nodes|node|no||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|PersistentVolumeClaim|persistentvolumeclaims|persistentvolumeclaim|pvc||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|PersistentVolume|persistentvolumes|persistentvolume|pv||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|Pod|pods|pod|po|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|PodTemplate|podtemplates|podtemplate|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|ReplicationController|replicationcontrollers|replicationcontroller|rc|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|ResourceQuota|resourcequotas|resourcequota|quota||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|Secret|secrets|secret|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|ServiceAccount|serviceaccounts|serviceaccount|sa||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
|v1|Service|services|service|svc|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
apiregistration.k8s.io|v1|APIService|apiservices|apiservice||api-extensions|c|create,delete,deletecollection,get,list,patch,update,watch|preferred
apps|v1|ControllerRevision|controllerrevisions|controllerrevision|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
apps|v1|DaemonSet|daemonsets|daemonset|ds|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
apps|v1|Deployment|deployments|deployment|deploy|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
apps|v1|ReplicaSet|replicasets|replicaset|rs|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
apps|v1|StatefulSet|statefulsets|statefulset|sts|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
events.k8s.io|v1|Event|events|event|ev||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
authentication.k8s.io|v1|SelfSubjectReview|selfsubjectreviews|selfsubjectreview|||c|create|preferred
authentication.k8s.io|v1|TokenReview|tokenreviews|tokenreview|||c|create|preferred
authorization.k8s.io|v1|LocalSubjectAccessReview|localsubjectaccessreviews|localsubjectaccessreview|||n|create|preferred
authorization.k8s.io|v1|SelfSubjectAccessReview|selfsubjectaccessreviews|selfsubjectaccessreview|||c|create|preferred
authorization.k8s.io|v1|SelfSubjectRulesReview|selfsubjectrulesreviews|selfsubjectrulesreview|||c|create|preferred
authorization.k8s.io|v1|SubjectAccessReview|subjectaccessreviews|subjectaccessreview|||c|create|preferred
autoscaling|v2|HorizontalPodAutoscaler|horizontalpodautoscalers|horizontalpodautoscaler|hpa|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
autoscaling|v1|HorizontalPodAutoscaler|horizontalpodautoscalers|horizontalpodautoscaler|hpa|all|n|create,delete,deletecollection,get,list,patch,update,watch|
batch|v1|CronJob|cronjobs|cronjob|cj|all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
batch|v1|Job|jobs|job||all|n|create,delete,deletecollection,get,list,patch,update,watch|preferred
certificates.k8s.io|v1|CertificateSigningRequest|certificatesigningrequests|certificatesigningrequest|csr||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
networking.k8s.io|v1|IngressClass|ingressclasses|ingressclass|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
networking.k8s.io|v1|Ingress|ingresses|ingress|ing||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
networking.k8s.io|v1|IPAddress|ipaddresses|ipaddress|ip||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
networking.k8s.io|v1|NetworkPolicy|networkpolicies|networkpolicy|netpol||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
networking.k8s.io|v1|ServiceCIDR|servicecidrs|servicecidr|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
policy|v1|PodDisruptionBudget|poddisruptionbudgets|poddisruptionbudget|pdb||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
rbac.authorization.k8s.io|v1|ClusterRoleBinding|clusterrolebindings|clusterrolebinding|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
rbac.authorization.k8s.io|v1|ClusterRole|clusterroles|clusterrole|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
rbac.authorization.k8s.io|v1|RoleBinding|rolebindings|rolebinding|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
rbac.authorization.k8s.io|v1|Role|roles|role|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
storage.k8s.io|v1|CSIDriver|csidrivers|csidriver|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
storage.k8s.io|v1|CSINode|csinodes|csinode|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
storage.k8s.io|v1|CSIStorageCapacity|csistoragecapacities|csistoragecapacity|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
storage.k8s.io|v1|StorageClass|storageclasses|storageclass|sc||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
storage.k8s.io|v1|VolumeAttachment|volumeattachments|volumeattachment|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
storage.k8s.io|v1|VolumeAttributesClass|volumeattributesclasses|volumeattributesclass|vac||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
admissionregistration.k8s.io|v1|MutatingAdmissionPolicy|mutatingadmissionpolicies|mutatingadmissionpolicy||api-extensions|c|create,delete,deletecollection,get,list,patch,update,watch|preferred
admissionregistration.k8s.io|v1|MutatingAdmissionPolicyBinding|mutatingadmissionpolicybindings|mutatingadmissionpolicybinding||api-extensions|c|create,delete,deletecollection,get,list,patch,update,watch|preferred
admissionregistration.k8s.io|v1|MutatingWebhookConfiguration|mutatingwebhookconfigurations|mutatingwebhookconfiguration||api-extensions|c|create,delete,deletecollection,get,list,patch,update,watch|preferred
admissionregistration.k8s.io|v1|ValidatingAdmissionPolicy|validatingadmissionpolicies|validatingadmissionpolicy||api-extensions|c|create,delete,deletecollection,get,list,patch,update,watch|preferred
admissionregistration.k8s.io|v1|ValidatingAdmissionPolicyBinding|validatingadmissionpolicybindings|validatingadmissionpolicybinding||api-extensions|c|create,delete,deletecollection,get,list,patch,update,watch|preferred
admissionregistration.k8s.io|v1|ValidatingWebhookConfiguration|validatingwebhookconfigurations|validatingwebhookconfiguration||api-extensions|c|create,delete,deletecollection,get,list,patch,update,watch|preferred
apiextensions.k8s.io|v1|CustomResourceDefinition|customresourcedefinitions|customresourcedefinition|crd,crds|api-extensions|c|create,delete,deletecollection,get,list,patch,update,watch|preferred
scheduling.k8s.io|v1|PriorityClass|priorityclasses|priorityclass|pc||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
coordination.k8s.io|v1|Lease|leases|lease|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
node.k8s.io|v1|RuntimeClass|runtimeclasses|runtimeclass|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
discovery.k8s.io|v1|EndpointSlice|endpointslices|endpointslice|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
resource.k8s.io|v1|DeviceClass|deviceclasses|deviceclass|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
resource.k8s.io|v1|ResourceClaim|resourceclaims|resourceclaim|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
resource.k8s.io|v1|ResourceClaimTemplate|resourceclaimtemplates|resourceclaimtemplate|||n|create,delete,deletecollection,get,list,patch,update,watch|preferred
resource.k8s.io|v1|ResourceSlice|resourceslices|resourceslice|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
flowcontrol.apiserver.k8s.io|v1|FlowSchema|flowschemas|flowschema|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
flowcontrol.apiserver.k8s.io|v1|PriorityLevelConfiguration|prioritylevelconfigurations|prioritylevelconfiguration|||c|create,delete,deletecollection,get,list,patch,update,watch|preferred
`;

function words(list: string): readonly string[] {
  return list === '' ? [] : list.split(',');
}

function parse(row: string): ResourceType {
  const [group = '', version = '', kind = '', resource = '', singular = '', ...more] = row.split('|');
  const [shortNames = '', categories = '', scope, verbs = '', preferred] = more;
  return {
    group,
    version,
    apiVersion: joinApiVersion(group, version),
    kind,
    resource,
    singular,
    shortNames: words(shortNames),
    categories: words(categories),
    namespaced: scope === 'n',
    verbs: words(verbs),
    preferred: preferred === 'preferred',
  };
}

/** In discovery's order: the core group first, then groups by priority; one instance per type. */
export const builtInTypes: readonly ResourceType[] = table.trim().split('\n').map(parse);

export function builtInType(apiVersion: string, kind: string): ResourceType | undefined {
  return builtInTypes.find(type => type.apiVersion === apiVersion && type.kind === kind);
}
