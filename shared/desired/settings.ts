/** What a Service asks for, as a whole, that is not simply an attribute of one resource. */
export interface ServiceSettings {
  internal: boolean;
  keepFloatingip: boolean;
  hostname: string;
  sourceRanges: readonly string[];
  /** The subnet in which the nodes are reached. */
  memberSubnetId: string;
}

/** What one of its ports asks for, likewise. */
export interface PortSettings {
  monitor: boolean;
  protocol: AskedProtocol;
  proxyProtocol: ProxyProtocol;
  /** Of OCCM: every TCP port speaks HTTP, and carries the header. */
  xForwardedFor: boolean;
  insertHeaders: readonly string[];
}

export const ASKED_PROTOCOLS = ['tcp', 'http', 'https', 'terminated_https', 'prometheus'] as const;
export type AskedProtocol = (typeof ASKED_PROTOCOLS)[number];

/** The pool protocol that carries the client's address; null: off. */
export type ProxyProtocol = 'PROXY' | 'PROXYV2' | null;
