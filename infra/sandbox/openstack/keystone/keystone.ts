import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Answer, Call } from '../../exchange.ts';
import { asJson, asList, asText, type Json } from '../../json.ts';
import { Refusal } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { allows, type AccessRule } from './access-rules.ts';

/** Who a service call is made by; `delegated`: with the token of an application credential. */
export interface Caller {
  readonly projectId: string;
  readonly userId: string;
  readonly delegated: boolean;
  /** Of the application credential; undefined if it has none. */
  readonly accessRules?: readonly AccessRule[] | undefined;
}

interface Token extends Caller {
  readonly expiresAt: number;
}

interface User {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
}

const domain = { id: 'default', name: 'Default' };

/**
 * Keystone v3: tokens for demo/demo and other/other (password) and for demo's application credential. Every
 * project bears its user's name. Tokens live `tokenTtlMs` of the sandbox's clock.
 */
export class Keystone {
  private readonly tokens = new Map<string, Token>();
  private readonly users: readonly User[];
  private readonly passwords = new Map<string, string>();
  private readonly world: CloudState;
  private readonly tokenTtlMs: number;

  constructor(world: CloudState, tokenTtlMs: number) {
    this.world = world;
    this.tokenTtlMs = tokenTtlMs;
    this.users = [
      { id: randomBytes(16).toString('hex'), name: 'demo', projectId: world.projectId },
      { id: randomBytes(16).toString('hex'), name: 'other', projectId: world.otherProjectId },
    ];
  }

  /** Who makes a call to a service, whose paths begin below its endpoint; refuses as keystonemiddleware does. */
  callerOf(call: Call, service: string, path: string, base: string): Caller {
    const token = this.tokens.get(asText(call.headers['x-auth-token']));
    const isValid = token !== undefined && token.expiresAt > this.world.clock.millis();
    if (isValid && allows(token.accessRules, { service, method: call.method, path })) return token;
    throw unauthorized(`${base}/identity`);
  }

  /** Ends the user's tokens, too, as Keystone does. */
  changePassword(name: string, password: string): void {
    this.passwords.set(name, password);
    this.revokeTokens();
  }

  /** Ends every token now, as a changed password or a lost key does. */
  revokeTokens(): void {
    this.tokens.clear();
  }

  answer(call: Call, path: string, base: string): Answer {
    const link = { rel: 'self', href: `${base}/identity/v3/` };
    const version = { id: 'v3.14', status: 'stable', updated: '2020-04-07T00:00:00Z', links: [link] };
    if (path === '/' || path === '') return { status: 300, body: { versions: { values: [version] } } };
    if (/^\/v3\/?$/.test(path)) return { status: 200, body: { version } };
    if (path === '/v3/auth/tokens' && call.method === 'POST')
      return this.issue(asJson(asJson(call.body)['auth']), base);
    throw new Refusal(404, { error: { code: 404, message: 'Could not find.', title: 'Not Found' } });
  }

  private issue(auth: Json, base: string): Answer {
    const identity = asJson(auth['identity']);
    const method = asText(asList(identity['methods'])[0]);
    const refused = unauthorized(`${base}/identity/v3`);
    const user =
      method === 'application_credential'
        ? this.byCredential(asJson(identity['application_credential']))
        : this.byPassword(
            asJson(asJson(identity['password'])['user']),
            asJson(asJson(auth['scope'])['project']),
          );
    if (!user) throw refused;
    const now = this.world.clock.millis();
    const secret = randomBytes(48).toString('base64url');
    const expiresAt = now + this.tokenTtlMs;
    const delegated = method === 'application_credential';
    const { id, name, accessRules } = this.world.applicationCredential;
    const rules = delegated ? accessRules : undefined;
    const { id: userId, projectId } = user;
    this.tokens.set(secret, { projectId, userId, delegated, accessRules: rules, expiresAt });
    const micros = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
    const working = this.world.octaviaTraits.says('role that does everything').match(/[\w-]*member/g) ?? [];
    const roles = ['reader', 'creator', ...working].map((name) => ({ id: name, name }));
    const token = {
      methods: [method],
      user: { domain, id: user.id, name: user.name, password_expires_at: null },
      audit_ids: [randomBytes(16).toString('base64url')],
      expires_at: micros(expiresAt),
      issued_at: micros(now),
      project: { domain, id: user.projectId, name: user.name },
      is_domain: false,
      roles,
      catalog: catalog(base, this.world.nova.endpoint),
      ...(delegated && {
        application_credential: { id, name, restricted: true, ...(rules && { access_rules: rules }) },
      }),
    };
    return { status: 201, headers: { 'X-Subject-Token': secret, Vary: 'X-Auth-Token' }, body: { token } };
  }

  private byPassword(given: Json, scope: Json): User | undefined {
    const user = this.users.find(
      (one) => one.id === given['id'] || (one.name === given['name'] && inDefault(given)),
    );
    if (!user || !same(asText(given['password']), this.passwords.get(user.name) ?? user.name))
      return undefined;
    const scoped = scope['id'] === user.projectId || (scope['name'] === user.name && inDefault(scope));
    return scoped ? user : undefined;
  }

  private byCredential(given: Json): User | undefined {
    const { id, name, secret } = this.world.applicationCredential;
    const asked = asText(given['id']);
    if (asked !== '' && asked !== id) {
      const message = `Could not find Application Credential: ${asked}.`;
      throw new Refusal(404, { error: { code: 404, message, title: 'Not Found' } });
    }
    const demo = this.users[0];
    const owner = asJson(given['user']);
    const byName = given['name'] === name && (owner['id'] === demo?.id || owner['name'] === demo?.name);
    return (given['id'] === id || byName) && same(asText(given['secret']), secret) ? demo : undefined;
  }
}

const inDefault = (given: Json): boolean => {
  const at = asJson(given['domain']);
  return at['id'] === domain.id || at['name'] === domain.name;
};

const same = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** The body is Keystone's own and keystonemiddleware's: recorded in error_401_*. */
function unauthorized(uri: string): Refusal {
  const message = 'The request you have made requires authentication.';
  const body = { error: { code: 401, title: 'Unauthorized', message } };
  return new Refusal(401, body, { 'WWW-Authenticate': `Keystone uri="${uri}"` });
}

function catalog(base: string, nova: string): Json[] {
  const services: [string, string, string][] = [
    ['identity', 'keystone', '/identity/v3'],
    ['load-balancer', 'octavia', '/load-balancer'],
    ['network', 'neutron', '/network'],
    ['compute', 'nova', `/compute${nova}`],
    ['key-manager', 'barbican', '/key-manager'],
  ];
  return services.map(([type, name, path]) => ({
    id: type,
    type,
    name,
    endpoints: ['public', 'internal', 'admin'].map((kind) => ({
      id: `${type}-${kind}`,
      interface: kind,
      region_id: 'RegionOne',
      region: 'RegionOne',
      url: base + path,
    })),
  }));
}
