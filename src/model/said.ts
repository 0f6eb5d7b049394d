/** A status or event of an object in its controller's words. Texts are one line and hold no credentials. */
export interface Said {
  /** `error`: a field of the status that only exists after a failure, such as `attachError`. */
  readonly from: 'condition' | 'event' | 'error';
  /** Type of a condition, field of an error, or `Normal` or `Warning` of an event. */
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly at: number | undefined;
  readonly count?: number;
  /** Written for an older generation of the object, and unchanged since its deletion: proves nothing. */
  readonly outdated?: true;
  /** Set for a failure, not for work in progress. */
  readonly failing: boolean;
}
