/**
 * The only door to @kubernetes/client-node: one static named import, so that the bundler drops the rest of
 * the package. Everything that imports this is itself imported lazily, on the way to a cluster.
 */
export { KubeConfig, type User } from '@kubernetes/client-node';
