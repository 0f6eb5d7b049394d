/** What an object's status, or an event about it, says in words of its controller. Texts are on one line and hold no credentials. */
export interface Said {
  /** `error`: a field of the status that is there only where something failed, such as `attachError`. */
  readonly from: 'condition' | 'event' | 'error';
  /** Of a condition its type, of an error its field, of an event `Normal` or `Warning`. */
  readonly type: string;
  /** Of a condition, where it has one; else `''`. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  /** Of an event, how often it was observed. */
  readonly count?: number;
  /** It was written for an older generation of the object, and hasn't changed since its deletion: it proves nothing. */
  readonly outdated?: true;
  /** It tells of something that went wrong, and not of work in progress. */
  readonly failing: boolean;
}
