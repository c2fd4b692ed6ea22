import { budgetSpent, inTime, narrow, NO_RUN, type RunContext } from '../deadline.ts';
import type { OpenStackConfig } from '../config/config.ts';
import { missingRule, type AccessRule, endpointOf, serviceUrl } from './catalog.ts';
import { refusal, unreachable } from './refusal.ts';
import type { OpenStackHttp, HttpAnswer, HttpRequest, ServiceType } from './openstack-http.ts';
import type { Keystone, Token } from './keystone.ts';

export interface SessionRequest {
  readonly service: ServiceType;
  readonly method: HttpRequest['method'];
  /** Path below the service's root, with version and query: `/v2.0/floatingips?port_id=...`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly attempted: string;
}

type RuleOfService = AccessRule & { readonly service: ServiceType };

export interface Session {
  readonly run: RunContext;
  /** The same for requests that carry what `run` has, in the time that both have. */
  during(run: Partial<RunContext>): Session;
  /** Resolves with any answer. Throws a ReconcileError if none came, there is no token, or the run has no time left. */
  send(request: SessionRequest): Promise<HttpAnswer>;
  /** The body of a GET that is answered with 200. Throws a ReconcileError for any other answer, too. */
  read(request: Omit<SessionRequest, 'method' | 'body'>): Promise<unknown>;
  projectId(): Promise<string>;
  /** The addresses of Keystone and Octavia, the region, and the id of the project, as one text. */
  project(): Promise<string>;
  /** The region of Octavia's endpoint; undefined if the catalog names none. */
  region(): Promise<string | undefined>;
  /** The URL of the service in the catalog, without a version. Throws CONFIG_INVALID if the catalog does not have it. */
  requireService(service: ServiceType): Promise<string>;
  /** Those of these rules that the application credential lacks. Undefined: it has no access rules, so roles decide. */
  missingRules(rules: readonly RuleOfService[]): Promise<readonly RuleOfService[] | undefined>;
}

/**
 * Requests with the token of the process. A 401 renews it once and repeats even a write, which has had no effect. The
 * login belongs to no run.
 */
export function createSession(
  config: OpenStackConfig,
  keystone: Keystone,
  http: OpenStackHttp,
  run = NO_RUN,
): Session {
  const inRun = (token: Promise<Token>): Promise<Token> =>
    inTime(token, 'wait for a token of Keystone', run.remainingMs());

  async function sendWith(token: Token, request: SessionRequest): Promise<HttpAnswer> {
    const { service, method, path, body, attempted } = request;
    if (run.remainingMs() <= 0) throw budgetSpent(attempted);
    const url = serviceUrl(token, service, config, path);
    const headers = { ...request.headers, 'x-auth-token': token.value };
    const sent = { service, method, url, headers, ...(body === undefined ? {} : { body }) };
    const answer = await http(sent, run).catch((error: unknown) => {
      throw unreachable(attempted, error);
    });
    if (answer.status !== 401 || token.accessRules === undefined) return answer;
    const missing = missingRule(token.accessRules, request, url);
    return missing === undefined ? answer : { ...answer, missingRule: missing };
  }

  async function send(request: SessionRequest): Promise<HttpAnswer> {
    const token = await inRun(keystone.token(run));
    const answer = await sendWith(token, request);
    if (answer.status !== 401) return answer;
    const renewed = await inRun(keystone.renew(token, run));
    return renewed === token ? answer : sendWith(renewed, request);
  }

  return {
    run,
    during: (part) => createSession(config, keystone, http, narrow(run, part)),
    send,
    async read(request) {
      const answer = await send({ ...request, method: 'GET' });
      if (answer.status !== 200) throw refusal(request.attempted, answer);
      return answer.body;
    },
    async projectId() {
      return (await inRun(keystone.token(run))).projectId;
    },
    async project() {
      const { catalog, projectId } = await inRun(keystone.token(run));
      const { url, region } = endpointOf(catalog, 'load-balancer', config);
      return [config.authUrl, url, region, projectId].join(' ');
    },
    async region() {
      const { region } = endpointOf((await inRun(keystone.token(run))).catalog, 'load-balancer', config);
      return region === '' ? undefined : region;
    },
    async requireService(service) {
      return serviceUrl(await inRun(keystone.token(run)), service, config);
    },
    async missingRules(rules) {
      const token = await inRun(keystone.token(run));
      const { accessRules } = token;
      if (accessRules === undefined) return undefined;
      return rules.filter((rule) => {
        const url = serviceUrl(token, rule.service, config, rule.path);
        return missingRule(accessRules, rule, url) !== undefined;
      });
    },
  };
}
