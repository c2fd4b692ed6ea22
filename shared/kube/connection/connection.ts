/** Everything that is needed to talk to one kube-apiserver. */
export interface Connection {
  /** Where it came from, for messages: a file, a variable or `in-cluster`. */
  readonly source: string;
  /** Without a slash at the end; may have a path, as behind Rancher. */
  readonly server: string;
  readonly tls: TlsSettings;
  readonly credential: CredentialSource;
}

/** PEM text. Without `certificateAuthority` the roots of Node count; with it, only those in it. */
export interface TlsSettings {
  readonly certificateAuthority?: string;
  readonly rejectUnauthorized?: boolean;
  readonly serverName?: string;
}

/** What one request shows to the apiserver; all of it is secret. */
export interface Credential {
  /** The whole header value, such as `Bearer ...`. */
  readonly authorization?: string;
  /** Client certificate and its key, PEM text. */
  readonly certificate?: string;
  readonly key?: string;
}

/**
 * The credential for the next request. `refused` is true after the apiserver answered 401: what is remembered must be
 * read again. Throws CONFIG_INVALID.
 */
export type CredentialSource = (refused: boolean) => Promise<Credential>;
