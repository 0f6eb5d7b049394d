/** What kubectl is given as its arguments, whatever stands in names. */
import { describe, expect, test } from 'vitest';
import {
  describeCall,
  EVERY,
  editCall,
  eventsCall,
  logsCall,
  shellCall,
} from '../../../src/app/kubectl/calls.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { types } from '../../ui/synthetic-source.ts';

const { pod } = types;
const deployment: ResourceType = types.deployment;
const web = { type: pod, namespace: 'shop', name: 'web-0' };

describe('the arguments', () => {
  test('name the type with version and group, and the namespace', () => {
    expect(describeCall(web)?.words).toEqual(['describe', 'pods/web-0', '--namespace=shop']);
    expect(editCall({ type: deployment, namespace: 'shop', name: 'api' })?.words).toEqual([
      'edit',
      'deployments.v1.apps/api',
      '--namespace=shop',
    ]);
    expect(describeCall({ ...web, namespace: '' })?.words).toEqual(['describe', 'pods/web-0']);
  });

  test('of events ask for those of the object, in every namespace for what has none', () => {
    expect(eventsCall(web)?.words).toEqual(['events', '--for=pods/web-0', '--namespace=shop']);
    expect(eventsCall({ ...web, namespace: '' })?.words).toEqual([
      'events',
      '--for=pods/web-0',
      '--all-namespaces',
    ]);
  });

  test('of logs name the container, and which part', () => {
    const words = (part: 'follow' | 'all' | 'previous', container?: string) =>
      logsCall(web, { part, container })?.words.slice(3);
    expect(words('follow', 'app')).toEqual(['--container=app', '--follow', '--tail=500']);
    expect(words('all', EVERY)).toEqual(['--all-containers', '--prefix']);
    expect(words('previous', 'app')).toEqual(['--container=app', '--previous']);
    expect(words('all')).toEqual([]);
    expect(logsCall(web, { part: 'follow', container: 'app' })?.terminal).toBe('stream');
    expect(logsCall(web, { part: 'all', container: 'app' })?.terminal).toBe('pages');
  });

  test('of a shell end with what runs in the container', () => {
    expect(shellCall(web, 'app')?.words).toEqual([
      'exec',
      '--stdin',
      '--tty',
      'pods/web-0',
      '--namespace=shop',
      '--container=app',
      '--',
      'sh',
    ]);
  });
});

describe('a hostile name', () => {
  const names = [
    '-o=yaml',
    '--kubeconfig=evil',
    '$(touch x)',
    '`id`; rm -rf ~ #',
    'a\' "b\\',
    'a\nb',
    '\u001B]0;x\u0007',
    'a b',
    'web,--all',
    '\u202E',
  ];

  test.each(names)('is one argument with its type in front, and never a flag: %j', name => {
    const object = { ...web, name };
    for (const call of [
      describeCall(object),
      eventsCall(object),
      editCall(object),
      shellCall(object, 'app'),
      logsCall(object, { part: 'all', container: 'app' }),
    ]) {
      const words = call?.words ?? [];
      expect(words.filter(word => word.includes(name))).toHaveLength(1);
      expect(words.find(word => word.includes(name))).toMatch(/^(?:--for=)?pods\//u);
    }
  });

  test.each(['', 'a/b', '/'])('that kubectl would read otherwise is refused: %j', name => {
    expect(describeCall({ ...web, name })).toBeUndefined();
    expect(shellCall({ ...web, name }, 'app')).toBeUndefined();
  });

  test('of a namespace or a container stays behind its flag', () => {
    const words = shellCall({ ...web, namespace: '--all' }, '--privileged')?.words ?? [];
    expect(words).toContain('--namespace=--all');
    expect(words).toContain('--container=--privileged');
  });
});
