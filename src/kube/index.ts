/** Exports of src/kube for other folders of src. */
export type { OpenOptions } from './open-cluster.ts';
