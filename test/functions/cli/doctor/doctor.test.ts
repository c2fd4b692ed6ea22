/** Set-ups that are broken in one way each: the doctor names it, and doing what its remedy says mends it. */
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderFindings, shellWord, type Finding } from '../../../../functions/cli/doctor/finding.ts';
import { ACCESS_RULES } from '../../../../infra/openstack/access-rules.ts';
import type { FaultRule } from '../../../../infra/sandbox/sandbox.ts';
import { KUBERNETES_MINORS } from '../../../../functions/cli/doctor/check-versions.ts';
import { listening } from '../../../support/for-one-test.ts';
import { AUDIT_TOKEN } from '../../../http/tokens.ts';
import { running } from '../../running.ts';
import { aService, until } from '../../sandbox-world.ts';
import { named, out, run } from '../command-line.ts';
import { ACCOUNT, aSetUp, paste, withoutStatus, type SetUp } from './set-up.ts';

/** Does what the remedy says, word for word where it is a command or a value. */
type Mend = (remedy: string) => unknown;
/** Breaks a set-up, and returns what mends it. */
type Break = (setUp: SetUp) => Mend | Promise<Mend>;

const edited =
  (from: string, to: string): Break =>
  async ({ edit }) => {
    await edit(from, to);
    return () => edit(to, from);
  };
/** Somebody else answers some requests. */
const answered =
  (match: FaultRule['match'], more: Partial<FaultRule> = {}): Break =>
  ({ sandbox }) =>
    sandbox.fault({ match, kind: 'fail-before', times: 1e6, ...more });
const ofCloud = (path: RegExp, status?: number, more: Partial<FaultRule> = {}): Break =>
  answered({ side: 'openstack', path }, { ...(status !== undefined && { status }), ...more });
const signIn = { status: 200, body: '<!doctype html><title>Sign in</title>' };

/** The running levelset that --server-url names. */
async function serving(setUp: SetUp, flags: Parameters<typeof running>[1] = {}): Promise<string> {
  const { url } = await running(setUp, flags);
  setUp.more.splice(0, 1, `--server-url ${url}/`);
  return url;
}

const BROKEN: Readonly<Record<string, Break>> = {
  'a wrong password of a user whose name is an order to the shell': edited(
    'username = demo',
    'username = "demo $(touch planted)"',
  ),
  'a cloud.conf with an option that is misspelt': edited('domain-name', 'domian-nmae'),
  'a wrong password': edited('password = demo', 'password = secret-of-yesterday'),
  'an auth-url where nobody listens': (setUp) =>
    edited(setUp.sandbox.authUrl, 'http://127.0.0.1:9/v3')(setUp),
  'a region that the catalog does not have': edited('[Global]', '[Global]\nregion = Atlantis'),
  'an Octavia that answers 503': ofCloud(/^\/load-balancer/),
  'a user whose role may not list load balancers': ofCloud(/lbaas\/loadbalancers\?limit=1$/, 403),
  'a login page before Octavia': ofCloud(/^\/load-balancer\/v2/, 200, { body: '<html>' }),
  'a login page of JSON': ofCloud(/^\/load-balancer\/v2.*\?limit/, 200, { body: 'log in' }),
  'a front without Nova': ofCloud(/^\/compute/, 404, { body: '' }),
  'a Nova that takes no more': ofCloud(/^\/compute/, 413, { body: { overLimit: { message: 'limit 10' } } }),
  'a front that redirects': ofCloud(/^\/network/, 301, {
    ...{ body: '', headers: { location: 'https://net.example/v2.0?token=x' } },
  }),
  'a login page before the kube-apiserver': answered({ side: 'kube' }, signIn),
  'a front that lets reviews of rights pass to nobody': answered(
    { side: 'kube', path: /selfsubjectaccessreviews$/ },
    signIn,
  ),
  'an application credential without an access rule that writes': async (setUp) => {
    const its = setUp.sandbox.cloud.applicationCredential;
    const secret = 'application-credential-secret = sandbox-secret';
    await setUp.edit(/username[^]*Default/, `application-credential-id = ${its.id}\n${secret}`);
    its.accessRules = ACCESS_RULES.filter(
      ({ method, path }) => !(method === 'POST' && path === '/v2.0/floatingips'),
    );
    return (remedy) => paste(setUp, remedy);
  },
  'a kubeconfig whose token has ended': ({ sandbox, token }) => {
    sandbox.changeKubeToken();
    return () => token(sandbox.changeKubeToken());
  },
  'a ServiceAccount that may not write the status of a Service': async (setUp) => {
    await setUp.token(setUp.sandbox.addUser(ACCOUNT, withoutStatus));
    return (remedy) => paste(setUp, remedy);
  },
  'floating IPs that are used up': (setUp) => {
    setUp.sandbox.cloud.addFloatingIp();
    setUp.sandbox.cloud.quotas.floatingip = 1;
    return (remedy) => paste(setUp, remedy);
  },
  'ports that are nearly used up': (setUp) => {
    const { cloud, kube } = setUp.sandbox;
    while (cloud.ports.length < 10) kube.addNode(`more-${cloud.ports.length}`);
    cloud.quotas.port = cloud.ports.length + 1;
    return (remedy) => paste(setUp, remedy);
  },
  'a --cluster-name under which the load balancers were not made': async ({ sandbox, env, more }) => {
    sandbox.kube.apply(aService('web'));
    await until('it is served', async () => (await run('sweep', env)) === 0);
    const [lb] = sandbox.cloud.loadbalancers;
    Object.assign(lb ?? {}, { name: 'kube_service_prod_default_web', tags: [] });
    return (remedy) => void more.push(remedy);
  },
  'a provider that Octavia does not have': async ({ edit }) => {
    await edit('[Global]', '[LoadBalancer]\nlb-provider = f5\n[Global]');
    return (remedy) => edit('= f5', `= ${/ to one of (\w+)/.exec(remedy)?.[1] ?? ''}`);
  },
  'an Octavia without tags': ({ sandbox: { cloud } }) => {
    Object.assign(cloud.octaviaTraits, { minor: 0 });
    return () => Object.assign(cloud.octaviaTraits, { minor: 26 });
  },
  'a Neutron without tags': ({ sandbox: { cloud } }) => {
    cloud.extensions.splice(cloud.extensions.indexOf('standard-attr-tag'), 1);
    return () => cloud.extensions.push('standard-attr-tag');
  },
  'a floating network that is not there': async ({ edit, sandbox }) => {
    const none = '11111111-1111-4111-8111-111111111111';
    await edit('[Global]', `[LoadBalancer]\nfloating-network-id = ${none}\n[Global]`);
    return () => edit(none, sandbox.cloud.networks.find((one) => one['router:external'])?.id ?? '');
  },
  'a server-url where nobody listens': (setUp) => {
    setUp.more.push('--server-url http://127.0.0.1:9');
    return () => serving(setUp, { watch: true });
  },
  'a server-url where a login page answers': async (setUp) => {
    const page = await listening((_request, response) => {
      response.setHeader('content-type', 'text/html').end(signIn.body);
    });
    setUp.more.push(`--server-url ${page}`);
    return () => serving(setUp, { watch: true });
  },
  'a webhook that brings nothing': async (setUp) => {
    const url = await serving(setUp);
    return async () => {
      setUp.sandbox.setAuditSink(`${url}/audit/kubernetes`, AUDIT_TOKEN);
      setUp.sandbox.kube.apply(aService('web'));
      await until('a batch is accepted', async () => {
        const metrics = await (await fetch(`${url}/metrics`)).text();
        return /levelset_audit_last_batch_timestamp_seconds [1-9]/.test(metrics);
      });
    };
  },
};

/** What is wrong by what the doctor finds now, each with its remedy, and its exit code. */
async function doctor({ env, more }: SetUp) {
  const code = await run(['doctor -o json', ...more].join(' '), env);
  const findings = JSON.parse(out.at(-1) ?? '') as readonly Finding[];
  const wrong = findings.filter(({ level }) => level === 'failure' || level === 'warning');
  return { code, wrong };
}

test('the doctor finds nothing wrong where nothing is', async () => {
  const setUp = await aSetUp();
  expect(await doctor(setUp)).toEqual({ code: 0, wrong: [] });

  expect(await run('doctor', setUp.env)).toBe(0);
  const text = out.at(-1) ?? '';
  expect(text).toMatch(/^ok {7}credentials: Keystone takes user "demo"/m);
  expect(text).toMatch(/^ok {7}rights: OpenStack was asked for \d\d calls that read$/m);
  expect(text).toMatch(/\n\n0 failures, 0 warnings, \d+ ok$/);
});

test.each(Object.entries(BROKEN))('%s', { timeout: 60_000 }, async (_, breaks) => {
  const setUp = await aSetUp();
  const mend = await breaks(setUp);
  const { requests } = setUp.sandbox;
  const before = requests.length;

  const { code, wrong } = await doctor(setUp);
  // reviews are answered, and kept nowhere
  const writes = requests.slice(before).filter(({ write, path }) => write && !/self\w+reviews$/.test(path));
  const told = wrong.map(({ level, area, what, remedy = '' }) => `${level} ${area}: ${what}\n  ${remedy}`);
  const shown = [...told.slice(0, 2), `${told.length} in all, exit ${code}`];
  expect(named(shown.join('\n'), setUp.flags)).toMatchSnapshot();
  if (setUp.more.length === 0) expect(writes).toEqual([]);
  expect(out.join('\n')).not.toMatch(/secret-of-yesterday|sandbox-secret/);

  await mend(wrong[0]?.remedy ?? '');
  expect(await doctor(setUp)).toEqual({ code: 0, wrong: [] });
});

test('docs/support.md names the versions of Kubernetes that the doctor takes', () => {
  const text = readFileSync('docs/support.md', 'utf8');
  const minors = [...text.matchAll(/\b1\.(\d\d)\b/g)].map(([, minor]) => Number(minor));
  expect({ oldest: Math.min(...minors), newest: Math.max(...minors) }).toEqual(KUBERNETES_MINORS);
});

test('whatever a text is, it is one word of a command to paste', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("it's", '$(id)', '`id`', 'a b', '; id', '-n', '\n', '"', 'demo $(touch planted)'),
  );
  fc.assert(
    fc.property(
      text.filter((one) => !one.includes('\0')),
      (one) => {
        const script = `printf '<%s>' ${shellWord(one)}`;
        expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`<${one}>`);
      },
    ),
    { numRuns: 50 },
  );
});

test('what a server says is no order to the terminal', () => {
  const said = '\u001b]0;title\u0007\u001b[2J\nnext';
  const text = renderFindings([{ area: 'versions', level: 'failure', what: said, remedy: said }]);
  // eslint-disable-next-line no-control-regex -- what a terminal obeys
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});
