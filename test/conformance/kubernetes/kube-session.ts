import { readFileSync } from 'node:fs';
import got from 'got';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { Cases } from '../cases.ts';
import { at, textAt } from '../json-path.ts';

/** An apiserver and who calls it: a bearer token, or the client certificate of a kubeconfig. */
export interface KubeTarget {
  readonly name: string;
  readonly real: boolean;
  readonly url: string;
  readonly token?: string;
  readonly tls?: Readonly<Record<'certificateAuthority' | 'certificate' | 'key', string>>;
}

export type KubeReply = Awaited<ReturnType<KubeSession['call']>>;

/** The current cluster and user of a kubeconfig with embedded certificates or files. */
export function kubeconfigTarget(file: string): KubeTarget {
  const config = parse(readFileSync(file, 'utf8')) as unknown;
  const [cluster, user] = [at(config, 'clusters.0.cluster'), at(config, 'users.0.user')];
  const pem = (holder: unknown, name: string): string => {
    const data = at(holder, `${name}-data`);
    if (typeof data === 'string') return Buffer.from(data, 'base64').toString();
    return readFileSync(textAt(holder, name), 'utf8');
  };
  const tls = {
    certificateAuthority: pem(cluster, 'certificate-authority'),
    certificate: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
  };
  return { name: file, real: true, url: textAt(cluster, 'server'), tls };
}

/** One user's view of an apiserver, inside a namespace of its own that goes with it. */
export class KubeSession {
  readonly target: KubeTarget;
  readonly namespace = `conformance-${Date.now()}`;
  private readonly made: string[] = [];

  constructor(target: KubeTarget) {
    this.target = target;
  }

  static async begin(target: KubeTarget): Promise<KubeSession> {
    const session = new KubeSession(target);
    await session.call('POST', '/api/v1/namespaces', { metadata: { name: session.namespace } });
    return session;
  }

  async end(): Promise<void> {
    await this.call('DELETE', `/api/v1/namespaces/${this.namespace}`);
  }

  /** The path of a collection or object of the session's namespace. */
  path(collection: string, name?: string): string {
    const prefix = collection === 'leases' ? '/apis/coordination.k8s.io/v1' : '/api/v1';
    return `${prefix}/namespaces/${this.namespace}/${collection}${name === undefined ? '' : `/${name}`}`;
  }

  /** Creates and remembers; POSTs that are refused are the case's business. */
  async create(collection: string, object: Record<string, unknown>): Promise<KubeReply> {
    const reply = await this.call('POST', this.path(collection), object);
    if (reply.status === 201) this.made.push(this.path(collection, textAt(reply.body, 'metadata.name')));
    return reply;
  }

  /** A Service of type LoadBalancer with one port, and what is asked for on top; and the path to it. */
  async service(name: string, spec: Record<string, unknown> = {}): Promise<KubeReply & { path: string }> {
    const full = { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec };
    const reply = await this.create('services', { metadata: { name }, spec: full });
    if (reply.status !== 201) throw new Error(`Service refused: ${JSON.stringify(reply.body)}`);
    return { ...reply, path: this.path('services', name) };
  }

  merge(path: string, patch: unknown): Promise<KubeReply> {
    return this.call('PATCH', path, patch, 'application/merge-patch+json');
  }

  strategic(path: string, patch: unknown): Promise<KubeReply> {
    return this.call('PATCH', path, patch, 'application/strategic-merge-patch+json');
  }

  remember(path: string): void {
    this.made.push(path);
  }

  /** Deletes what the case made, finalizers or not. */
  async cleanUp(): Promise<void> {
    for (const path of this.made.splice(0)) {
      await this.call('DELETE', path);
      const left = await this.call('GET', path);
      if (left.status === 200) await this.merge(path, { metadata: { finalizers: null } });
    }
  }

  /** The events of a watch of a second, without bookmarks. */
  async watch(path: string, query: Record<string, string>, accept?: string): Promise<readonly unknown[]> {
    const search = new URLSearchParams({ ...query, watch: 'true', timeoutSeconds: '1' });
    const { token } = this.target;
    const asked = `${path}?${search.toString()}`;
    const { body } = await this.call('GET', asked, undefined, undefined, token, accept);
    const lines = String(body).split('\n').filter(Boolean);
    const events = lines.map((line) => JSON.parse(line) as unknown);
    return events.filter((event) => at(event, 'type') !== 'BOOKMARK');
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    type = 'application/json',
    token = this.target.token,
    accept = 'application/json',
  ) {
    const { url, tls } = this.target;
    const bearer = token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` };
    const answer = await got(url + path, {
      ...{ method, throwHttpErrors: false, retry: { limit: 0 } },
      headers: { accept, 'content-type': type, ...bearer },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(tls && { https: token === undefined ? tls : { certificateAuthority: tls.certificateAuthority } }),
    });
    const { statusCode: status, headers } = answer;
    const isWatch = status === 200 && path.includes('watch=true');
    const isJson = !isWatch && headers['content-type']?.includes('json') === true;
    const content: unknown = isJson ? JSON.parse(answer.body) : answer.body;
    return { status, date: headers.date, body: content };
  }
}

export type KubeCases = Cases<KubeSession>;

/** A refusal of the API machinery: code and reason of the Status body. */
export function expectStatus(reply: KubeReply, code: number, reason: string): void {
  const { kind, status, reason: given, code: inside } = (reply.body ?? {}) as Record<string, unknown>;
  const seen = { code: reply.status, inside, kind, status, reason: given };
  expect(seen).toEqual({ code, inside: code, kind: 'Status', status: 'Failure', reason });
}

export const version = (reply: KubeReply): unknown => at(reply.body, 'metadata.resourceVersion');
