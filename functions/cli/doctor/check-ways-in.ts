import { readFile } from 'node:fs/promises';
import { createGot, timeouts } from '../../../shared/http.ts';
import { readTokens } from '../../http/admit.ts';
import { proxyFromEnv } from '../../../shared/proxy.ts';
import { errorText } from '../../../shared/model/errors.ts';
import { tokensIn } from '../../../shared/config/tokens.ts';
import { tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';
import { shellWord } from './shell-word.ts';

const ANSWER_MS = 10_000;
/** Leases of the kube-controller-manager and the scheduler are renewed every two seconds; they are no event. An idle cluster is quiet. */
const QUIET_MS = 24 * 60 * 60_000;

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** What a running `levelset serve` says of itself: whether it is ready, its watches, and when its webhook last brought something. */
export async function checkWaysIn({ connected, flags, env, entry }: Examined): Promise<readonly Finding[]> {
  const url = flags.serverUrl?.replace(/\/+$/, '');
  if (url === undefined)
    return [
      {
        area: 'ways in',
        level: 'note',
        what: 'the webhook and the watches are not checked: no --server-url',
        remedy:
          'kubectl -n levelset port-forward deployment/levelset 8080:http\nlevelset doctor --server-url http://127.0.0.1:8080',
      },
    ];
  const token = await tried(() => tokenOf(flags.pageTokensFile, env));
  if ('error' in token) {
    const remedy = 'write a token of the page into the file, or the variable, that the message names';
    return [{ area: 'ways in', level: 'failure', what: token.error.message, remedy }];
  }
  const get = asking(url, token.value, env);
  const ready = await get('/readyz');
  const isOther = typeof ready !== 'string' && ready.status !== 503 && !/^ok(\n|$)/.test(ready.text);
  if (typeof ready === 'string' || isOther)
    return [
      {
        area: 'ways in',
        level: 'failure',
        what:
          typeof ready === 'string'
            ? `levelset does not answer at ${url}: ${ready}`
            : `what answers at ${url} is no levelset: HTTP ${ready.status}`,
        remedy: `start it, or correct --server-url:\ncurl -v ${shellWord(`${url}/healthz`)}\nkubectl -n levelset get pods`,
      },
    ];
  const metrics = await get('/metrics');
  return [judgeReady(url, ready), ...judgeMetrics(url, metrics, connected.world.clock.now(), entry)];
}

/** The first token of the page, from the file or the variable that `serve` reads. */
async function tokenOf(file: string | undefined, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const inFile = file === undefined ? [] : tokensIn(file, await readFile(file, 'utf8'));
  return [...inFile, ...readTokens(env).pageTokens][0];
}

/** A GET, whose answer is a text when none came. */
function asking(
  url: string,
  token: string | undefined,
  env: NodeJS.ProcessEnv,
): (path: string) => Promise<Answer | string> {
  const client = createGot({ proxyFor: proxyFromEnv(env) });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return async (path) => {
    try {
      const { statusCode, body } = await client(`${url}${path}`, { headers, timeout: timeouts(ANSWER_MS) });
      return { status: statusCode, text: body };
    } catch (error) {
      return errorText(error);
    }
  };
}

function judgeReady(url: string, { status, text }: Answer): Finding {
  const said = text.trim().replaceAll('\n', '; ');
  if (status === 200)
    return {
      area: 'ways in',
      level: 'ok',
      what: `levelset at ${url} is ready${said === 'ok' ? '' : `: ${said}`}`,
    };
  const remedy =
    'its own findings say why; run the doctor with its configuration, and read its log:\nkubectl -n levelset logs deployment/levelset --tail 50';
  return { area: 'ways in', level: 'failure', what: `levelset at ${url} is not ready: ${said}`, remedy };
}

function judgeMetrics(
  url: string,
  answer: Answer | string,
  nowMs: number,
  entry: string | undefined,
): readonly Finding[] {
  if (typeof answer === 'string' || answer.status !== 200) {
    const why = typeof answer === 'string' ? answer : `HTTP ${answer.status}`;
    const remedy =
      'give a token of its page:\nexport LEVELSET_PAGE_TOKENS=TOKEN   # or --page-tokens-file FILE';
    return [{ area: 'ways in', level: 'failure', what: `${url}/metrics cannot be read: ${why}`, remedy }];
  }
  const rows = rowsOf(answer.text).filter(
    ({ labels }) => entry === undefined || (labels['cluster'] ?? entry) === entry,
  );
  const valuesOf = (name: string): typeof rows => rows.filter((row) => row.name === name);
  const watches = valuesOf('levelset_watch_up');
  const batch = Math.max(
    0,
    ...valuesOf('levelset_audit_last_batch_timestamp_seconds').map(({ value }) => value),
  );
  const refused = valuesOf('levelset_audit_refusals_total').filter(({ value }) => value > 0);
  return [
    ...watches.map((row) => judgeWatch(row)),
    judgeWebhook(batch * 1_000, refused, nowMs, watches.length > 0),
  ];
}

function judgeWatch({ labels, value }: Row): Finding {
  const collection = labels['collection'] ?? '';
  if (value === 1) return { area: 'ways in', level: 'ok', what: `the watch of ${collection} is alive` };
  const remedy =
    'the log has the refusal; the rights are in one manifest:\nkubectl apply -f infra/kubernetes/rbac-watch.yaml';
  return { area: 'ways in', level: 'failure', what: `the watch of ${collection} is down`, remedy };
}

function judgeWebhook(lastMs: number, refused: readonly Row[], nowMs: number, watched: boolean): Finding {
  const counts = refused.map(({ labels, value }) => `${value} for ${labels['reason'] ?? ''}`).join(', ');
  const beside = counts === '' ? '' : `; refused so far: ${counts}`;
  const setUp =
    'infra/kubernetes/README.md says how the kube-apiserver is told, and how --watch does without the webhook:\nkubectl -n kube-system get pods -l component=kube-apiserver -o yaml | grep audit-webhook';
  if (lastMs === 0) {
    const what = `the audit webhook has brought nothing yet${beside}`;
    if (watched && counts === '') return { area: 'ways in', level: 'note', what };
    const remedy = counts === '' ? setUp : `${REFUSED}\n${setUp}`;
    return { area: 'ways in', level: 'warning', what: `${what}; changes wait for the sweep`, remedy };
  }
  const age = Math.max(0, Math.round((nowMs - lastMs) / 1_000));
  const what = `the audit webhook last brought something ${age} s ago${beside}`;
  return nowMs - lastMs < QUIET_MS
    ? { area: 'ways in', level: 'ok', what }
    : { area: 'ways in', level: 'warning', what, remedy: setUp };
}

const REFUSED =
  'token: the kubeconfig of the webhook has none of LEVELSET_AUDIT_TOKENS, or an http address; path: its address must end in /audit/ and the --cluster-name';

interface Row {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The text format of Prometheus. */
function rowsOf(text: string): readonly Row[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value = '']) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', its = '']) => [key, its]),
    ),
    value: Number(value),
  }));
}
