/** Makes and removes the cloud's half of a Node. */
export interface ServerMaker {
  create(name: string, address?: string): MadeServer;
  remove(id: string): void;
}

/** What a Node says of its server. */
export interface MadeServer {
  readonly id: string;
  /** Of all its ports, in their order. */
  readonly addresses: readonly string[];
  readonly zone: string;
  /** The name of its flavor. */
  readonly type: string;
}
