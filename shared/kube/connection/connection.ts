import type { RefuseAddress } from '../../http.ts';
import type { ProxyFor } from '../../proxy.ts';

export interface Connection {
  /** Origin, for messages: a file, a variable or `in-cluster`. */
  readonly source: string;
  /** URL without a slash at its end. It may have a path, as behind Rancher. */
  readonly server: string;
  readonly tls: TlsSettings;
  /** Without it no request goes through a proxy. */
  readonly proxyFor?: ProxyFor;
  readonly credential: CredentialSource;
  readonly refuse?: RefuseAddress | undefined;
}

export interface TlsSettings {
  readonly rejectUnauthorized?: boolean;
  readonly serverName?: string;
}

/** What one request authenticates with, and by whose word it believes the server. All of it is secret. */
export interface Credential {
  readonly authorization?: string;
  readonly certificate?: string;
  readonly key?: string;
  /** PEM text. It replaces Node's root certificates. */
  readonly certificateAuthority?: string;
}

/** The credential for the next request. `refused`: the last one got a 401, or no TLS came about with it. Throws CONFIG_INVALID. */
export type CredentialSource = (refused: boolean) => Promise<Credential>;

/** `exec` or `auth-provider` of a user in a kubeconfig. */
export type ExternalUser =
  | { readonly exec: Readonly<Record<string, unknown>> }
  | { readonly authProvider: { readonly name: string } };

export type Login = (user: ExternalUser, what: string) => CredentialSource;
