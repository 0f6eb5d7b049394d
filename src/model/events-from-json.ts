import { integer, type JsonRecord, record, text, time } from './json/json.ts';
import type { Said } from './said.ts';
import { quotable } from './said-from-json.ts';

const MOST = 5;

/** Returns undefined for an event without an object, or without reason and message. `about` is the object's uid. */
function eventFromJson(json: JsonRecord): { readonly about: string; readonly said: Said } | undefined {
  const about = text(record(json['involvedObject'] ?? json['regarding'])['uid']);
  const reason = quotable(text(json['reason']));
  const message = quotable(text(json['message']) || text(json['note']));
  if (about === '' || (reason === '' && message === '')) return undefined;
  const series = record(json['series']);
  const at =
    time(series['lastObservedTime']) ??
    time(json['lastTimestamp']) ??
    time(json['deprecatedLastTimestamp']) ??
    time(json['eventTime']) ??
    time(record(json['metadata'])['creationTimestamp']);
  const count = integer(series['count']) ?? integer(json['count']) ?? integer(json['deprecatedCount']) ?? 1;
  const type = quotable(text(json['type']));
  const said = {
    from: 'event',
    type,
    status: '',
    reason,
    message,
    at,
    count,
    failing: type === 'Warning',
  } as const;
  return { about, said };
}

function latestEvents(events: Iterable<Said>): readonly Said[] {
  const byWords = new Map<string, Said>();
  for (const each of events) {
    const words = JSON.stringify([each.type, each.reason, each.message]);
    const known = byWords.get(words);
    byWords.set(words, known === undefined ? each : together(known, each));
  }
  return [...byWords.values()].sort((a, b) => (b.at ?? 0) - (a.at ?? 0)).slice(0, MOST);
}

function together(a: Said, b: Said): Said {
  const at = Math.max(a.at ?? 0, b.at ?? 0);
  return { ...a, at: at === 0 ? undefined : at, count: (a.count ?? 1) + (b.count ?? 1) };
}

export const eventJson = { read: eventFromJson, readLatest: latestEvents };
