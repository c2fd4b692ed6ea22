import type { IncomingMessage } from 'node:http';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /**
   * Sends the body bit by bit, over a socket only: `write` a part, then `end`. Returns what is to be done when the client
   * hangs up.
   */
  readonly stream?: (write: (part: string) => void, end: () => void) => () => void;
}

export type Service = 'octavia' | 'neutron' | 'keystone' | 'nova' | 'barbican' | 'kube';
