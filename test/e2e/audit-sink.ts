import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { lab } from './environment.ts';

export interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly stage: string;
  readonly level: string;
  readonly objectRef?: { readonly resource: string; readonly namespace?: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number };
}

export interface AuditSink {
  readonly events: readonly AuditEvent[];
  /** Path and Authorization header of each delivery. */
  readonly deliveries: readonly { readonly path: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/** Stands where levelset would: takes what the lab's apiserver sends. `status` other than 2xx makes it send again. */
export async function startAuditSink(status = 202, listen = lab().listen): Promise<AuditSink> {
  const [host = '', port] = listen.split(':');
  const events: AuditEvent[] = [];
  const deliveries: { path: string; authorization: string | undefined }[] = [];
  const { tls } = lab();
  if (!tls) throw new Error("only the lab's apiserver sends audit events here");
  const files = { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
  const server = createServer(files, (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      deliveries.push({ path: request.url ?? '', authorization: request.headers.authorization });
      events.push(...(JSON.parse(text) as { items: AuditEvent[] }).items);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(Number(port), host, resolve);
  });
  return {
    events,
    deliveries,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
