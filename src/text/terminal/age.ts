/** Durations in kubectl's format. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function twoUnits(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
}

/**
 * Formats milliseconds as `41d`, `12m`, `2d3h`, like kubectl's AGE column (k8s.io/apimachinery pkg/util/duration,
 * HumanDuration, v0.36). Up to two seconds in the future count as clock skew and print `0s`; more is `<invalid>`.
 */
function formatDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND);
  if (seconds < -1 || Number.isNaN(seconds)) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(milliseconds / MINUTE);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(milliseconds / HOUR);
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return twoUnits(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 24 * 365 * 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

/** Takes milliseconds since the epoch; `<unknown>` for 0 or undefined, as in kubectl. */
function formatAge(since: number | undefined, now: number): string {
  return since === undefined || since === 0 ? '<unknown>' : formatDuration(now - since);
}

/** Formats a time like the API server, in seconds: `2026-11-21T09:14:05Z`. */
function formatTimestamp(milliseconds: number): string {
  // toISOString throws outside the range of Date, as for hostile input.
  if (!(Math.abs(milliseconds) <= 8.64e15)) return '<invalid>';
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}

function formatInstant(milliseconds: number): string {
  if (!(Math.abs(milliseconds) <= 8.64e15)) return '<invalid>';
  return new Date(milliseconds).toISOString();
}

function formatClock(milliseconds: number): string {
  return `${formatInstant(milliseconds).slice(11, 21)}Z`;
}

/** Formats `0.4s` below ten seconds, and then like `formatDuration`. */
export function formatShortDuration(milliseconds: number): string {
  if (milliseconds >= 10_000) return formatDuration(milliseconds);
  return `${(Math.max(0, milliseconds) / SECOND).toFixed(1)}s`;
}

export const timeText = {
  duration: formatDuration,
  age: formatAge,
  clock: formatClock,
  timestamp: formatTimestamp,
  instant: formatInstant,
};
