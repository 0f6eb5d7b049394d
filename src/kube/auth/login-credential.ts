/** What a login yields, whichever way it went. */

export interface LoginCredential {
  readonly token: string;
  /** PEM, both or none. */
  readonly certificate: string;
  readonly key: string;
  /** Milliseconds since the epoch, Infinity if unknown. */
  readonly expires: number;
}

/** Keeps what it got until that expires. Not to be called again before it has answered. */
export type Login = () => Promise<LoginCredential>;

/** A credential that is only a token. */
export function tokenCredential(token: string, expires = Number.POSITIVE_INFINITY): LoginCredential {
  return { token, certificate: '', key: '', expires };
}
