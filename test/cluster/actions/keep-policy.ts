/** A policy that rejects the deletion of ConfigMaps with the label `keep`, for tests of what admission refuses. */
export const keepPolicy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: keep}
spec:
  failurePolicy: Fail
  matchConstraints:
    objectSelector: {matchLabels: {keep: "true"}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [configmaps]}]
  validations: [{expression: "false", message: backups are running}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: keep}
spec: {policyName: keep, validationActions: [Deny]}
`;
