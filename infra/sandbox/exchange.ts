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
}

export type Service = 'octavia' | 'neutron' | 'keystone' | 'nova' | 'barbican' | 'kube';
