import { describe, expect, it } from 'vitest';
import type { LabelSelector } from '../../../src/model/facts/facts.ts';
import { labelRules } from '../../../src/model/facts/label-selector.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import {
  adoptedFinalizers,
  adoptedOwners,
  type Claim,
  claim,
  controllerReference,
  releasedFinalizers,
  releasedOwners,
} from '../../../src/simulation/controllers/claiming.ts';
import { blockingRefTo, type ObjectOptions, object, refTo, types } from '../../graph/fixtures.ts';

const selector: LabelSelector = { matchLabels: ['app', 'production'], matchExpressions: [] };
const matching = ['app', 'production'];
const other = ['app', 'testing'];
const controller = object({ uid: 'rc', type: types.controller });
const deletingController = object({ uid: 'rc', type: types.controller, deletionTimestamp: 1 });
const stranger = object({ uid: 'other-rc', type: types.controller });

function pod(uid: string, labels: readonly string[], changes: Partial<ObjectOptions> = {}): KubeObject {
  return object({ uid, labels, ...changes });
}

function claims(by: KubeObject, pods: readonly KubeObject[]): Claim[] {
  return pods.map(each => claim(by, each, labelRules.selects(selector, each.labels)));
}

describe('claiming', () => {
  it('M1: adopts what matches and leaves what does not', () => {
    expect(claims(controller, [pod('a', matching), pod('b', other)])).toEqual(['adopt', 'ignore']);
  });

  it('M2: adopts nothing while the controller is being deleted', () => {
    expect(claims(deletingController, [pod('a', matching), pod('b', matching)])).toEqual([
      'ignore',
      'ignore',
    ]);
  });

  it('M4: leaves what another controller owns, matching or not', () => {
    const owned = { owners: [blockingRefTo(controller)] };
    const foreign = { owners: [blockingRefTo(stranger)] };
    const pods = [pod('a', matching, owned), pod('b', matching, foreign), pod('c', other, foreign)];
    expect(claims(controller, pods)).toEqual(['keep', 'ignore', 'ignore']);
  });

  it('M5: releases what no longer matches', () => {
    const owned = { owners: [blockingRefTo(controller)] };
    expect(claims(controller, [pod('a', matching, owned), pod('b', other, owned)])).toEqual([
      'keep',
      'release',
    ]);
  });

  it('releases nothing while the controller is being deleted', () => {
    const owned = { owners: [blockingRefTo(controller)] };
    expect(claims(deletingController, [pod('a', other, owned)])).toEqual(['ignore']);
  });

  it('adopts nothing that is being deleted', () => {
    expect(claims(controller, [pod('a', matching, { deletionTimestamp: 1 })])).toEqual(['ignore']);
  });

  it('M7: writes the finalizers that the controller guards its children with, and takes them off again', () => {
    const guard = ['example.com/tracking'];
    const owned = { owners: [blockingRefTo(controller)], finalizers: ['example.com/tracking', 'foo/bar'] };
    const ours = pod('a', matching, owned);
    const released = pod('b', other, owned);
    const orphan = pod('c', matching, { finalizers: ['foo/bar'] });
    expect(claims(controller, [ours, released, orphan])).toEqual(['keep', 'release', 'adopt']);
    expect(releasedOwners(released, controller)).toEqual([]);
    expect(releasedFinalizers(released, guard)).toEqual(['foo/bar']);
    expect(adoptedOwners(orphan, controller)).toEqual([controllerReference(controller)]);
    expect(adoptedFinalizers(orphan, guard).toSorted()).toEqual(['example.com/tracking', 'foo/bar']);
    expect(adoptedFinalizers(ours, guard)).toBe(ours.finalizers);
  });

  it('M8: adopts in its own namespace only', () => {
    const pods = [pod('a', matching), pod('b', matching, { namespace: 'ns2' })];
    expect(claims(controller, pods)).toEqual(['adopt', 'ignore']);
  });

  it('ignores a child whose controller no longer exists, so that the dangling reference decides', () => {
    const dangling = { owners: [blockingRefTo(object({ uid: 'gone', type: types.controller }))] };
    expect(claims(controller, [pod('a', matching, dangling)])).toEqual(['ignore']);
  });

  it('adopts a child that has owners without a controller, and keeps those owners', () => {
    const owner = object({ uid: 'owner', type: types.configMap });
    const child = pod('a', matching, { owners: [refTo(owner), refTo(controller)] });
    expect(claims(controller, [child])).toEqual(['adopt']);
    expect(adoptedOwners(child, controller)).toEqual([refTo(owner), controllerReference(controller)]);
  });

  it('writes a reference that is the controller and blocks', () => {
    expect(controllerReference(controller)).toEqual(blockingRefTo(controller));
  });
});
