/** Finds objects in a recording, each with when it was first seen and when it was deleted. */
import type { KubeObject, Uid } from '../../model/index.ts';
import type { RecordingFile } from './reader.ts';

export interface RecordedLife {
  object: KubeObject;
  /** The start of recording for initial objects. */
  readonly seenAt: number;
  markedAt: number | undefined;
  goneAt: number | undefined;
}

/** Lists lives until a moment (ms since the epoch), first seen first. Throws a `SourceError` for a damaged file. */
export function livesIn(
  file: RecordingFile,
  until: number,
  isMeant: (object: KubeObject) => boolean,
): readonly RecordedLife[] {
  const lives = new Map<Uid, RecordedLife>();
  const see = (object: KubeObject, at: number): void => {
    if (!isMeant(object)) return;
    const life = lives.get(object.uid);
    const markedAt = object.deletionTimestamp === undefined ? undefined : at;
    if (life === undefined) {
      lives.set(object.uid, { object, seenAt: at, markedAt, goneAt: undefined });
      return;
    }
    life.object = object;
    life.markedAt ??= markedAt;
    life.goneAt = undefined;
  };
  const state = file.stateAt(file.from);
  for (const object of state.objects()) see(object, file.from);
  file.proceed(state, file.from, until, ({ at, news }) => {
    if ('around' in news) return;
    if (news.after !== undefined) see(news.after, at);
    const life = news.after === undefined && news.before && lives.get(news.before.uid);
    if (life) life.goneAt = at;
  });
  return [...lives.values()];
}
