/** What the fields of a kubeconfig hold: k8s.io/client-go tools/clientcmd/api/v1/types.go, v0.36. */
import type { Shape } from './shape.ts';

const extensions: Shape = { list: { fields: { name: 'text', extension: 'anything' } } };

const cluster: Shape = {
  fields: {
    server: 'text',
    'tls-server-name': 'text',
    'insecure-skip-tls-verify': 'boolean',
    'certificate-authority': 'text',
    'certificate-authority-data': 'bytes',
    'proxy-url': 'text',
    'disable-compression': 'boolean',
    extensions,
  },
};

const exec: Shape = {
  fields: {
    apiVersion: 'text',
    command: 'text',
    args: { list: 'text' },
    env: { list: { fields: { name: 'text', value: 'text' } } },
    interactiveMode: 'text',
    installHint: 'text',
    provideClusterInfo: 'boolean',
  },
};

const user: Shape = {
  fields: {
    'client-certificate': 'text',
    'client-certificate-data': 'bytes',
    'client-key': 'text',
    'client-key-data': 'bytes',
    token: 'text',
    tokenFile: 'text',
    as: 'text',
    'as-uid': 'text',
    'as-groups': { list: 'text' },
    'as-user-extra': { map: { list: 'text' } },
    username: 'text',
    password: 'text',
    'auth-provider': { fields: { name: 'text', config: { map: 'text' } } },
    exec,
    extensions,
  },
};

const context: Shape = { fields: { cluster: 'text', user: 'text', namespace: 'text', extensions } };

export const kubeconfigShape: Shape = {
  fields: {
    kind: 'text',
    apiVersion: 'text',
    preferences: { fields: { colors: 'boolean', extensions } },
    'current-context': 'text',
    clusters: { list: { fields: { name: 'text', cluster } } },
    users: { list: { fields: { name: 'text', user } } },
    contexts: { list: { fields: { name: 'text', context } } },
    extensions,
  },
};
