import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Socket } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import type { Log } from '../../shared/ports.ts';
import { admit, type Admission } from './admit.ts';
import type { ServedEndpoint, SentAnswer, ReceivedRequest } from './exchange.ts';
import { errorAnswer, noSuchPath } from './http-error.ts';
import { markup } from '../../shared/report/page/markup.ts';

export function receivedRequest(request: Request): ReceivedRequest {
  const { method, path, headers, ip: from, socket } = request;
  return { method, path, headers, from, clientName: clientNameOf(socket), body: request };
}

function clientNameOf(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  // without a certificate there is no subject; with several common names nobody is meant
  const { subject } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  return typeof subject?.CN === 'string' ? subject.CN : undefined;
}

/** An endpoint as a handler of express, which passes on what is another's. */
export function onExpress(endpoint: ServedEndpoint): RequestHandler {
  return async (request, response, next) => {
    const answer = endpoint(receivedRequest(request));
    if (answer) send(response, await answer);
    else next();
  };
}

/** Lets in whom every admission lets in. */
export function admitting(...admissions: readonly Admission[]): RequestHandler {
  return async (request, _response, next) => {
    await admit(receivedRequest(request), admissions);
    next();
  };
}

/** 404 for every other path. */
export const notFound: RequestHandler = (request) => {
  throw noSuchPath(request);
};

export function answerErrors(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) next(error);
    else {
      // express decodes names in paths, and what is no UTF-8 is in no path
      const known = error instanceof URIError ? noSuchPath(request) : error;
      const answer = errorAnswer(known, receivedRequest(request), log);
      send(response, isBrowser(request) ? errorPage(answer) : answer);
    }
  };
}

/** Whether a person looks: programs name HTML in no header. */
function isBrowser({ method, headers: { accept = '' } }: Request): boolean {
  return method === 'GET' && accept.includes('text/html');
}

function send(response: Response, { status, headers, body }: SentAnswer): void {
  response.status(status).set(headers).send(body);
}

/** A refusal for people who look with a browser. One that may end by itself asks again every 5 s. */
function errorPage({ status, headers, body }: SentAnswer): SentAnswer {
  const { error } = JSON.parse(body) as { readonly error: string };
  const again = status >= 500;
  const { html } = markup`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    ${again ? markup`<meta http-equiv="refresh" content="5" />` : undefined}
    <title>levelset: ${status}</title>
  </head>
  <body>
    <main>
      <h1>levelset cannot show this page</h1>
      <p>${status}: ${error}</p>
      ${again ? markup`<p>It asks again every 5 s.</p>` : undefined}
    </main>
  </body>
</html>`;
  const safe = { 'Content-Security-Policy': "default-src 'none'", 'Cache-Control': 'no-store' };
  return { status, headers: { ...headers, ...safe, 'Content-Type': 'text/html; charset=utf-8' }, body: html };
}
