/** What a login yields, whichever way it went. */

export interface LoginCredential {
  readonly token: string;
  /** PEM, both or none. */
  readonly certificate: string;
  readonly key: string;
  /** Milliseconds since the epoch, Infinity if unknown. */
  readonly expires: number;
}

export interface Login {
  /** Who is asked, in words: `the exec plugin aws of user "prod"`. */
  readonly who: string;
  /** Keeps what it got until that expires. Not to be called again before it has answered. */
  readonly get: (turn: LoginTurn) => Promise<LoginCredential>;
}

/** One go at logging in. */
export interface LoginTurn {
  /** Ends it; it rejects with the signal's reason once nothing of it is left. */
  readonly signal: AbortSignal;
  /** To be called when a person is asked for something, who takes longer than a program. */
  readonly personAsked: () => void;
}

/** A credential that is only a token. */
export function tokenCredential(token: string, expires = Number.POSITIVE_INFINITY): LoginCredential {
  return { token, certificate: '', key: '', expires };
}
