/** Makes and removes the cloud's half of a Node. */
export interface ServerMaker {
  create(name: string, address?: string): MadeServer;
  remove(id: string): void;
}

/** What the cluster needs to know of a new server. */
export interface MadeServer {
  readonly id: string;
  /** The IP addresses of all its ports, in their order. */
  readonly addresses: readonly string[];
  readonly zone: string;
  /** The name of its flavor. */
  readonly type: string;
}
