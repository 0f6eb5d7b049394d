/** Certificates and what they are checked against, in the terms of node:tls; absent keys mean the default. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** Whether two would be sent and checked alike, so that connections made with one serve the other. */
export function equalTls(a: TlsMaterial, b: TlsMaterial): boolean {
  return (['ca', 'cert', 'key', 'servername', 'rejectUnauthorized'] as const).every(
    key => String(a[key]) === String(b[key]),
  );
}
