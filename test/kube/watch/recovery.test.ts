/** What a reflector does after each kind of failure, and how long it waits, where a whole cluster shows only the end. */
import { describe, expect, it } from 'vitest';
import { ApiFailure } from '../../../src/kube/watch/api-failure.ts';
import { EndlessList } from '../../../src/kube/watch/object-store.ts';
import {
  type FailedStep,
  type Recovery,
  recoveryFrom,
  unanswered,
} from '../../../src/kube/watch/recovery.ts';
import { WireError } from '../../../src/kube/wire/cursor.ts';

const NEXT = 700;

function after(error: Error, failed: Partial<FailedStep> = {}): Recovery | undefined {
  return recoveryFrom(
    error,
    { step: 'watch', failures: 1, complete: true, ...failed },
    { next: () => NEXT, random: () => 0.5 },
  );
}

const answer = (code: number, retryAfter = 0): ApiFailure => new ApiFailure(code, 'no', retryAfter);

describe('after a failure', () => {
  it('whose version is too old, everything is listed anew at once, and after a pause where that fails again', () => {
    expect(after(answer(410))).toEqual({ step: 'reload', forgets: true });
    expect(after(answer(410), { step: 'reload', failures: 2 })).toMatchObject({
      step: 'reload',
      pause: NEXT,
    });
    expect(after(answer(410), { step: 'first' })?.step).toBe('first');
  });

  it('of a watch that is forbidden, lists go on; a list that is forbidden makes the kind a blind spot', () => {
    expect(after(answer(403))).toEqual({ step: 'poll', unwatchable: '403' });
    expect(after(answer(403), { step: 'reload' })).toEqual({ step: 'poll', unwatchable: '403' });
    expect(after(answer(403), { step: 'poll' })).toMatchObject({ step: 'reload', blind: { code: 403 } });
    expect(after(answer(403), { step: 'first', complete: false })).toMatchObject({
      step: 'first',
      blind: { code: 403, reason: '403' },
      pause: 45_000,
    });
  });

  it('of a watch that nobody serves, lists go on as well; of such a list, discovery may have changed', () => {
    expect(after(answer(405))).toEqual({ step: 'poll', unwatchable: '405: no' });
    expect(after(answer(405), { step: 'poll' })).toMatchObject({ step: 'reload', vanished: true });
  });

  it('of the lists of a kind that is polled, three times in a row, it is a blind spot', () => {
    expect(after(answer(500), { step: 'poll', failures: 2 })?.blind).toBeUndefined();
    expect(after(answer(500), { step: 'poll', failures: 3 })).toMatchObject({
      step: 'poll',
      blind: { code: 500 },
    });
  });

  it('of a list that goes on beyond what is read, the kind is a blind spot at once, and is left alone for minutes', () => {
    expect(after(new EndlessList('its list goes on'), { step: 'first', complete: false })).toEqual({
      step: 'first',
      blind: { code: 0, reason: 'its list goes on' },
      pause: 300_000,
    });
  });

  it('of a path that is unknown, discovery may have changed', () => {
    expect(after(answer(404))).toMatchObject({ step: 'reload', vanished: true, blind: { code: 404 } });
    expect(after(answer(500))?.vanished).toBeUndefined();
  });

  it('that says how long to wait, it is waited so long at least', () => {
    // Longer by chance, so that all kinds don't come back at once.
    expect(after(answer(429, 5_000))?.pause).toBe(5_000 * 1.25);
    expect(after(answer(429, 10))?.pause).toBe(NEXT * 1.25);
    expect(after(answer(503, 5_000))?.pause).toBe(5_000 * 1.25);
  });

  it("a kind that was listed isn't blind for a watch that fails, and one that never was is after three", () => {
    expect(after(answer(500), { failures: 9 })?.blind).toBeUndefined();
    expect(after(answer(500), { step: 'first', failures: 2, complete: false })?.blind).toBeUndefined();
    expect(after(answer(500), { step: 'first', failures: 3, complete: false })?.blind).toMatchObject({
      code: 500,
    });
  });

  it('of a watch, three times in a row, everything is read anew: its version may be what is refused', () => {
    expect(after(answer(500), { failures: 2 })?.step).toBe('watch');
    expect(after(answer(500), { failures: 3 })?.step).toBe('reload');
    expect(after(new WireError('odd'), { failures: 3 })?.step).toBe('reload');
  });

  it('to read an answer, twice in a row, the other format is asked for', () => {
    expect(after(new WireError('odd'))?.otherFormat).toBeUndefined();
    expect(after(new WireError('odd'), { failures: 2 })?.otherFormat).toBe(true);
  });

  it('that asks for patience makes a kind blind as well, after six', () => {
    expect(after(answer(429), { step: 'first', failures: 5, complete: false })?.blind).toBeUndefined();
    expect(after(answer(429), { step: 'first', failures: 6, complete: false })?.blind).toMatchObject({
      code: 429,
    });
    const unconverted = new ApiFailure(
      429,
      'storage is (re)initializing: conversion webhook for a/v1, Kind=B failed',
    );
    expect(after(unconverted, { step: 'first', failures: 1, complete: false })?.blind).toMatchObject({
      code: 429,
    });
    expect(after(answer(429), { failures: 60 })).toMatchObject({ step: 'watch' });
  });

  it('without an answer, the connection decides, and a list that never gets one makes the kind blind', () => {
    const error = new Error('the answer broke off');
    expect(after(error)).toBeUndefined();
    expect(unanswered(error, { step: 'first', failures: 2, complete: false })).toBeUndefined();
    expect(unanswered(error, { step: 'reload', failures: 9, complete: true })).toBeUndefined();
    expect(unanswered(error, { step: 'first', failures: 3, complete: false })).toEqual({
      code: 0,
      reason: 'the answer broke off',
    });
  });
});
