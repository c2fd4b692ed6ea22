import type { Ref } from '../address.ts';

/** Of a listener that terminates TLS. */
export interface ListenerTls {
  default_tls_container_ref: string | Ref;
  sni_container_refs: readonly (string | Ref)[];
  tls_versions: readonly string[];
  tls_ciphers: string;
  alpn_protocols: readonly string[];
  client_authentication: string;
  client_ca_tls_container_ref: string;
  client_crl_container_ref: string;
  hsts_max_age: number;
  hsts_include_subdomains: boolean;
  hsts_preload: boolean;
}

/** Of a pool whose members are spoken to by TLS. */
export interface PoolTls {
  tls_enabled: boolean;
  ca_tls_container_ref: string;
  tls_container_ref: string;
  tls_versions: readonly string[];
  tls_ciphers: string;
}
