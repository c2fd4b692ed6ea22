import { readFile } from 'node:fs/promises';
import { tokensIn } from '../../../shared/config/tokens.ts';
import { asReconcileError, isError } from '../../../shared/model/errors.ts';
import { fieldsOf, parseJson } from '../../../shared/model/json.ts';
import type { StatusView, WatchView, WebhookView } from '../../../shared/report/page.ts';
import { readTokens } from '../../http/admit.ts';
import { askServer, type ServerAnswer } from '../lead.ts';
import { finding, shellWord, type Examined, type Finding, type Findings } from './finding.ts';

const ANSWER_MS = 10_000;
/** Leases of the kube-controller-manager and the scheduler are renewed every two seconds; they are no event. An idle cluster is quiet. */
const QUIET_MS = 24 * 60 * 60_000;

/** What a running `levelset serve` says of itself: whether it is ready, its watches, and when its webhook last brought something. */
export async function checkWaysIn({ connected, flags, env, entry }: Examined): Findings {
  const url = flags.serverUrl?.replace(/\/+$/, '');
  if (url === undefined) {
    const what = 'the webhook and the watches are not checked: no --server-url';
    const remedy =
      'kubectl -n levelset port-forward deployment/levelset 8080:http\nlevelset doctor --server-url http://127.0.0.1:8080';
    return [finding('note', 'ways in', what, remedy)];
  }
  const token = await tokenOf(flags.pageTokensFile, env).catch(asReconcileError);
  if (isError(token)) {
    const remedy = 'write a token of the page into the file, or the variable, that the message names';
    return [finding('failure', 'ways in', token.message, remedy)];
  }
  const get = (path: string): Promise<ServerAnswer> => askServer(`${url}${path}`, ANSWER_MS, token, env);
  const { status, text, trouble } = await get('/readyz');
  if (status !== 503 && !/^ok(\n|$)/.test(text)) {
    const what =
      trouble === undefined
        ? `another program than levelset answers at ${url}: HTTP ${status}`
        : `levelset does not answer at ${url}: ${trouble}`;
    const remedy = `start it, or correct --server-url:\ncurl -v ${shellWord(`${url}/healthz`)}\nkubectl -n levelset get pods`;
    return [finding('failure', 'ways in', what, remedy)];
  }
  const said = text.trim().replaceAll('\n', '; ');
  const log = `its own findings say why; run the doctor with its configuration, and read its log:\n${READ_LOG}`;
  const ready =
    status === 200
      ? finding('ok', 'ways in', `levelset at ${url} is ready${said === 'ok' ? '' : `: ${said}`}`)
      : finding('failure', 'ways in', `levelset at ${url} is not ready: ${said}`, log);
  const page = await get(`${entry === undefined ? '/' : `/clusters/${entry}`}?format=json`);
  if (page.status === 200) {
    const { watches = [], webhook }: Partial<StatusView> = fieldsOf(parseJson(page.text));
    const now = connected.world.clock.now();
    const events = webhook ? [judgeWebhook(webhook, now, watches.length > 0)] : [];
    return [ready, ...watches.map(judgeWatch), ...events];
  }
  const { error } = fieldsOf(parseJson(page.text));
  const told = typeof error === 'string' ? error : `HTTP ${page.status}`;
  const because = page.trouble ?? told;
  const what = `the page at ${url} cannot be read: ${because}`;
  const give = 'give a token of its page:\nexport LEVELSET_PAGE_TOKENS=TOKEN   # or --page-tokens-file FILE';
  const others = `ask the process that leads, or read its log:\n${READ_LOG}`;
  // of several processes the one that leads has the page
  const level = page.status === 503 ? 'warning' : 'failure';
  return [ready, finding(level, 'ways in', what, page.status === 401 ? give : others)];
}

async function tokenOf(file: string | undefined, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const inFile = file === undefined ? [] : tokensIn(file, await readFile(file, 'utf8'));
  return [...inFile, ...readTokens(env).pageTokens][0];
}

function judgeWatch({ name, trouble }: WatchView): Finding {
  if (trouble === undefined) return finding('ok', 'ways in', `the watch of ${name} is alive`);
  const remedy =
    'the rights are in one manifest:\nkubectl -n levelset apply -f infra/kubernetes/rbac-watch.yaml';
  return finding('failure', 'ways in', `the watch of ${name} is down: ${trouble}`, remedy);
}

const READ_LOG = 'kubectl -n levelset logs deployment/levelset --tail 50';
const REFUSED =
  'token: the kubeconfig of the webhook has none of LEVELSET_AUDIT_TOKENS, or an http address; path: its address must end in /audit/ and the --cluster-name';
const SET_UP =
  'infra/kubernetes/README.md says how the kube-apiserver is told, and how --watch does without the webhook:\nkubectl -n kube-system get pods -l component=kube-apiserver -o yaml | grep audit-webhook';

function judgeWebhook(
  { lastAccepted, refused }: WebhookView = { refused: {} },
  nowMs: number,
  watched: boolean,
): Finding {
  const counts = Object.entries(refused).map(([reason, count]) => `${count} for ${reason}`);
  const beside = counts.length === 0 ? '' : `; refused so far: ${counts.join(', ')}`;
  if (lastAccepted !== undefined) {
    const ageMs = Math.max(0, nowMs - Date.parse(lastAccepted));
    const what = `the audit webhook last brought something ${Math.round(ageMs / 1_000)} s ago${beside}`;
    if (ageMs < QUIET_MS) return finding('ok', 'ways in', what);
    return finding('warning', 'ways in', what, SET_UP);
  }
  const what = `the audit webhook has brought nothing yet${beside}`;
  if (watched && counts.length === 0) return finding('note', 'ways in', what);
  const remedy = counts.length === 0 ? SET_UP : `${REFUSED}\n${SET_UP}`;
  return finding('warning', 'ways in', `${what}; changes wait for the sweep`, remedy);
}
