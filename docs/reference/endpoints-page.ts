import { tableOf } from '../markdown-table.ts';

const HEAD = `# HTTP endpoints

Call \`levelset serve\` at \`--listen\`; the functions on AWS have the same paths.

\`:cluster\` is the \`--cluster-name\` (default \`kubernetes\`), or the UID of the namespace kube-system. Lambda takes the name only, since its
receiving functions may not ask the cluster. With \`serve --clusters\` it is the name of an entry ([clusters](../clusters.md)).

Tokens go as \`Authorization: Bearer\`; commas separate several in a variable. If no token is configured, levelset lets nobody in. On loopback
\`/\` and \`/metrics\` need none. [SECURITY.md](../../SECURITY.md#who-may-call-levelset) has the whole order of who is believed.

Written by \`npm run generate\` from \`docs/reference/endpoints-page.ts\`.
`;

interface Endpoint {
  readonly methods: string;
  readonly body: string;
  readonly callers: string;
  readonly answer: string;
}

const PAGE_TOKENS = '`LEVELSET_PAGE_TOKENS`';
const AUDIT_TOKENS = '`LEVELSET_AUDIT_TOKENS`';
const RESYNC_BODY =
  '`{"objects": ["svc/name", "service/ns/name", "node/name"], "dryRun": true}` or `{"all": true}`';
const RESYNC_TOKENS = '`LEVELSET_RESYNC_TOKENS`';

// prettier-ignore
export const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/audit/:cluster':    { methods: 'POST', body: 'EventList of audit.k8s.io/v1', callers: AUDIT_TOKENS, answer: '202 with counts, when the keys are in the queue' },
  '/events/:cluster':   { methods: 'POST', body: 'CloudEvents 1.0 of Knative\'s sources', callers: '`LEVELSET_AUDIT_TOKENS`, or an OIDC token of a sender', answer: 'the same' },
  '/resync':            { methods: 'POST', body: RESYNC_BODY, callers: RESYNC_TOKENS, answer: '202 with what is queued, and the path of the page; of a dry run the plan, 404 for an object that is not there, and 429 while 200 dry runs wait' },
  '/resync/:cluster':   { methods: 'POST', body: RESYNC_BODY, callers: RESYNC_TOKENS, answer: 'the same, with `serve --clusters`' },
  '/':                  { methods: 'GET', body: '', callers: PAGE_TOKENS, answer: 'the status page; JSON with `?format=json`' },
  '/clusters/:cluster': { methods: 'GET', body: '', callers: PAGE_TOKENS, answer: 'the page of one cluster, with `serve --clusters`' },
  '/objects/*names':    { methods: 'GET', body: '', callers: PAGE_TOKENS, answer: 'the page of one object, such as `/objects/service/shop/web`; the same as JSON. Not on AWS' },
  '/clusters/:cluster/objects/*names': { methods: 'GET', body: '', callers: PAGE_TOKENS, answer: 'the same, with `serve --clusters`' },
  '/metrics':           { methods: 'GET', body: '', callers: PAGE_TOKENS, answer: '[metrics](metrics.md) in Prometheus\' format' },
  '/healthz':           { methods: 'GET', body: '', callers: 'everybody', answer: '200 while the process lives' },
  '/readyz':            { methods: 'GET', body: '', callers: 'everybody', answer: '200, or 503; whoever may see `/` reads which side does not answer' },
};

/** The whole page. */
export function endpointsPage(): string {
  const rows = Object.entries(ENDPOINTS).map(([path, { methods, body, callers, answer }]) => [
    `\`${methods} ${path}\``,
    body,
    callers,
    answer,
  ]);
  return [HEAD, ...tableOf(['request', 'body', 'who may', 'answer'], rows), ''].join('\n');
}
