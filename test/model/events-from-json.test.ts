import { expect, test } from 'vitest';
import { eventJson } from '../../src/model/events-from-json.ts';

const core = {
  involvedObject: { kind: 'Pod', name: 'web', uid: 'u-1' },
  type: 'Warning',
  reason: 'FailedMount',
  message: 'timed out\npassword=hunter2-x9',
  count: 7,
  firstTimestamp: '2026-11-21T10:00:00Z',
  lastTimestamp: '2026-11-21T11:00:00Z',
};

test('an event of either group says when it was observed last, how often, and nothing that looks like a credential', () => {
  expect(eventJson.read(core)).toEqual({
    about: 'u-1',
    said: {
      from: 'event',
      type: 'Warning',
      status: '',
      reason: 'FailedMount',
      message: 'timed out password=(hidden)',
      at: Date.parse('2026-11-21T11:00:00Z'),
      count: 7,
      failing: true,
    },
  });
  expect(
    eventJson.read({
      regarding: { uid: 'u-2' },
      type: 'Normal',
      reason: 'Deleting',
      note: 'waits for two backends',
      eventTime: '2026-11-21T10:00:00.000000Z',
      series: { count: 3, lastObservedTime: '2026-11-21T11:30:00.000000Z' },
    }),
  ).toMatchObject({
    about: 'u-2',
    said: {
      message: 'waits for two backends',
      count: 3,
      at: Date.parse('2026-11-21T11:30:00Z'),
      failing: false,
    },
  });
});

test('what is about nothing, or says nothing, is no event', () => {
  for (const json of [
    {},
    { ...core, involvedObject: {} },
    { ...core, reason: '', message: '' },
    { involvedObject: null },
  ])
    expect(eventJson.read(json)).toBeUndefined();
});

test('of many the newest are kept, and what was said again and again stands once', () => {
  const said = (minute: number, message: string) => {
    const lastTimestamp = `2026-11-21T11:${String(minute).padStart(2, '0')}:00Z`;
    const event = eventJson.read({ ...core, message, lastTimestamp });
    if (event === undefined) throw new Error('no event');
    return event.said;
  };
  const events = eventJson.readLatest([
    said(1, 'a'),
    said(9, 'b'),
    said(5, 'a'),
    ...[10, 20, 30, 40].map(each => said(each, `${each}`)),
  ]);
  expect(events.map(({ message }) => message)).toEqual(['40', '30', '20', '10', 'b']);
  expect(eventJson.readLatest([said(1, 'a'), said(5, 'a')])).toMatchObject([
    { count: 14, at: Date.parse('2026-11-21T11:05:00Z') },
  ]);
});
