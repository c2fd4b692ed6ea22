/**
 * A proxy answers one request with 503 and Retry-After: 3600. The key waits for an hour; sweeps find the Service, queue it,
 * and nothing runs, though OpenStack is back after a second.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Work } from '../../../functions/serve/work.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { aConfig } from '../../support/config.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { connectedTo, show } from '../show.ts';

const it = await startSandboxWorld();
it.sandbox.kube.apply(aService());
let isMaintained = true;
const { hostname, port: targetPort } = new URL(it.sandbox.authUrl);
const proxy = http.createServer((request, response) => {
  if (isMaintained && request.url?.includes('lbaas')) {
    response
      .writeHead(503, { 'retry-after': '3600', 'content-type': 'text/html' })
      .end('<h1>maintenance</h1>');
    return;
  }
  const { method, url, headers } = request;
  const onward = http.request({ host: hostname, port: targetPort, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  request.pipe(onward);
});
await new Promise<void>((resolve) => {
  proxy.listen(0, '127.0.0.1', resolve);
});
const { port } = proxy.address() as AddressInfo;
const reports: Report[] = [];
const work = new Work({
  connected: connectedTo(
    await it.another({ ...aConfig(`http://127.0.0.1:${port}/identity/v3`), sweepIntervalMs: 2_000 }),
  ),
  reported: (report) => {
    reports.push(report);
  },
  swept: (found) => {
    show('sweep queued', found.failed ?? found.requests.map(({ key }) => key));
  },
});
work.enqueue([{ key: 'service/default/web', trigger: 'audit' }]);
await pause(700);
show('run', reports.at(-1)?.outcome);
isMaintained = false;
const before = reports.length;
work.start();
await pause(9_000);
show('runs in the 9 s since', reports.length - before);
show('load balancers', it.sandbox.cloud.loadbalancers.length);
await work.stop();
proxy.close();
proxy.closeAllConnections();
await it.close();
