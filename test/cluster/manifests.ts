/** Objects in YAML that tests of several kinds begin with. */

/** A Deployment of one pod, labelled `app` with its name; `pod` is what its pod has beside a container, in flow style. */
export function oneDeployment(name: string, namespace = 'default', pod = ''): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: registry.example.com/app}]${pod}}
`;
}

/** The same in the namespace default, whose pod may not be evicted. */
export function budgetedDeployment(name: string): string {
  return `${oneDeployment(name)}---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: ${name}, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: ${name}}}}
`;
}
