/** Set-ups that are broken in one way each: the doctor names it, and doing what its remedy says mends it. */
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { renderFindings, shellWord } from '../../../../functions/cli/doctor/finding.ts';
import { ACCESS_RULES } from '../../../../infra/openstack/access-rules.ts';
import { KUBERNETES_MINORS } from '../../../../functions/cli/doctor/check-versions.ts';
import { serve } from '../../../../functions/serve.ts';
import { AUDIT_TOKEN } from '../../../http/tokens.ts';
import { SILENT } from '../../../support/sandbox-world.ts';
import { aService, until } from '../../sandbox-world.ts';
import { out, run } from '../command-line.ts';
import { paste, withoutStatus } from './paste.ts';
import { aSetUp, doctor, wrongIn, type SetUp } from './set-up.ts';

interface Broken {
  readonly make: (setUp: SetUp) => void | Promise<void>;
  /** Each line of what is wrong. Of several that are alike the first counts. */
  readonly wrong: RegExp;
  /** The command, or the words, of the remedy. */
  readonly remedy: RegExp;
  /** Does what the remedy says, word for word where it is a command or a value. */
  readonly mend: (setUp: SetUp, remedy: string) => void | Promise<void>;
  readonly code?: 0;
  /** Nothing else is said to be wrong. */
  readonly alone?: true;
}

const credentialOf = ({ sandbox }: SetUp): string =>
  `application-credential-id = ${sandbox.cloud.applicationCredential.id}\napplication-credential-secret = sandbox-secret`;
const asCredential = (setUp: SetUp): Promise<void> => setUp.edit(/username[^]*Default/, credentialOf(setUp));

const BROKEN: Readonly<Record<string, Broken>> = {
  'a cloud.conf with an option that is misspelt': {
    make: ({ edit }) => edit('domain-name', 'domian-nmae'),
    wrong: /^failure configuration: .*the user needs a domain/s,
    remedy: /correct what the message names/,
    mend: ({ edit }) => edit('domian-nmae', 'domain-name'),
  },
  'a wrong password': {
    make: ({ edit }) => edit('password = demo', 'password = secret-of-yesterday'),
    wrong:
      /^failure credentials: Keystone refuses user "demo" of domain "Default" for project "demo" of domain "Default" at http:\S+\/v3: .*cloud\.conf\)$/,
    remedy:
      /password into \[Global\] of \S+cloud\.conf, and try them:\nopenstack .*--os-username demo .*token issue/,
    mend: ({ edit }) => edit('secret-of-yesterday', 'demo'),
  },
  'an auth-url where nobody listens': {
    make: ({ edit }) => edit(/auth-url = .*/, 'auth-url = http://127.0.0.1:9/v3'),
    wrong: /^failure network: Keystone does not answer: .*ECONNREFUSED.*cloud\.conf\)$/,
    remedy: /correct auth-url in \S+cloud\.conf .*\ncurl -v http:\/\/127.0.0.1:9\/v3/,
    mend: ({ edit, sandbox }) => edit(/auth-url = .*/, `auth-url = ${sandbox.authUrl}`),
  },
  'a region that the catalog does not have': {
    make: ({ edit }) => edit('[Global]', '[Global]\nregion = Atlantis'),
    wrong:
      /^failure network: Keystone's catalog has no public endpoint for load-balancer in the region "Atlantis"/,
    remedy: /name the region .*\nopenstack catalog show load-balancer/,
    mend: ({ edit }) => edit('\nregion = Atlantis', ''),
  },
  'an Octavia that answers 503': {
    make: ({ sandbox }) => {
      const match = { side: 'openstack', path: /^\/load-balancer/ } as const;
      mended.set(sandbox, sandbox.fault({ match, kind: 'fail-before', times: 1e6 }));
    },
    wrong: /^failure network: load-balancer does not answer at http:\S+: HTTP 503/,
    remedy: /curl -v http:\S+\/load-balancer/,
    mend: ({ sandbox }) => mended.get(sandbox)?.(),
  },
  'an application credential without an access rule that writes': {
    make: async (setUp) => {
      await asCredential(setUp);
      setUp.sandbox.cloud.applicationCredential.accessRules = ACCESS_RULES.filter(
        ({ method, path }) => !(method === 'POST' && path === '/v2.0/floatingips'),
      );
    },
    wrong:
      /^failure rights: the application credential lacks the access rule {"service":"network","method":"POST","path":"\/v2.0\/floatingips"}/,
    remedy: /openstack application credential create .* --access-rules infra\/openstack\/access-rules.json/,
    mend: paste,
  },
  'a user whose role may not list load balancers': {
    make: ({ sandbox }) => {
      const match = { side: 'openstack', path: /lbaas\/loadbalancers\?limit=1$/ } as const;
      mended.set(sandbox, sandbox.fault({ match, kind: 'fail-before', status: 403, times: 1e6 }));
    },
    wrong:
      /^failure rights: OpenStack refuses the call {"service":"load-balancer","method":"GET","path":"\/v2.0\/lbaas\/loadbalancers"}/,
    remedy: /openstack role add .* load-balancer_member$/,
    mend: ({ sandbox }) => mended.get(sandbox)?.(),
  },
  ...Object.fromEntries(
    (
      [
        ['a login page before Octavia', /^\/load-balancer\/v2/, 200, { body: '<html>' }, 'answer is not'],
        ['a login page of JSON', /^\/load-balancer\/v2.*\?limit/, 200, { body: 'log in' }, 'is not the JSON'],
        ['a front without Nova', /^\/compute/, 404, { body: '' }, 'HTTP 404 without a readable message'],
        [
          'a Nova that takes no more',
          /^\/compute/,
          413,
          { body: { overLimit: { message: 'limited to 10' } } },
          'limited to 10',
        ],
        [
          'a front that redirects',
          /^\/network/,
          301,
          { body: '', headers: { location: 'https://net.example/v2.0?token=x' } },
          'redirects to https://net.example/v2.0, and',
        ],
      ] as const
    ).map(([what, path, status, more, said]): [string, Broken] => [
      what,
      {
        make: ({ sandbox }) => {
          const rule = { match: { side: 'openstack', path }, kind: 'fail-before', status, ...more } as const;
          mended.set(sandbox, sandbox.fault({ ...rule, times: 1e6 }));
        },
        wrong: new RegExp(
          `^failure rights: OpenStack does not serve the call .*${said.replaceAll('.', String.raw`\.`)}`,
        ),
        remedy: /see what answers there, .*\nopenstack catalog show \S+$/,
        mend: ({ sandbox }) => mended.get(sandbox)?.(),
      },
    ]),
  ),
  ...Object.fromEntries(
    (
      [
        [
          'a login page before the kube-apiserver',
          /./,
          /^failure network: another program than a kube-apiserver answers: .*levelset\.kubeconfig\)$/,
          /correct server in \S+levelset\.kubeconfig/,
        ],
        [
          'a front that lets reviews of rights pass to nobody',
          /selfsubjectaccessreviews$/,
          /^failure rights: cannot ask for the rights in Kubernetes: another program than a kube-apiserver/,
          /when the kube-apiserver answers/,
        ],
      ] as const
    ).map(([what, path, wrong, remedy]): [string, Broken] => [
      what,
      {
        make: ({ sandbox }) => {
          const answer = { status: 200, body: '<!doctype html><title>Sign in</title>' } as const;
          const rule = { match: { side: 'kube', path }, kind: 'fail-before', ...answer } as const;
          mended.set(sandbox, sandbox.fault({ ...rule, times: 1e6 }));
        },
        ...{ wrong, remedy, alone: true },
        mend: ({ sandbox }) => mended.get(sandbox)?.(),
      },
    ]),
  ),
  'a kubeconfig whose token has ended': {
    make: ({ sandbox }) => void sandbox.changeKubeToken(),
    wrong:
      /^failure credentials: the kube-apiserver refuses the credential of \S+levelset\.kubeconfig: .*401/,
    remedy: /kubectl --kubeconfig \S+levelset.kubeconfig auth whoami/,
    mend: ({ sandbox, token }) => token(sandbox.changeKubeToken()),
  },
  'a ServiceAccount that may not write the status of a Service': {
    make: ({ sandbox, token }) =>
      token(sandbox.addUser('system:serviceaccount:levelset:levelset', withoutStatus)),
    wrong: /^failure rights: Kubernetes does not grant patch services\/status: levelset writes address/,
    remedy: /kubectl -n levelset apply -f infra\/kubernetes\/rbac.yaml/,
    mend: paste,
  },
  'floating IPs that are used up': {
    make: ({ sandbox }) => {
      sandbox.cloud.addFloatingIp();
      sandbox.cloud.quotas.floatingip = 1;
    },
    wrong: /^failure quotas: floating IPs: 1 of 1: the next Service that needs one fails$/,
    remedy: /openstack quota set --floating-ips 11 \S+$/,
    mend: paste,
  },
  'a --cluster-name under which the load balancers were not made': {
    make: async ({ sandbox, env }) => {
      sandbox.kube.apply(aService('web'));
      await until('it is served', async () => (await run('sweep', env)) === 0);
      const [lb] = sandbox.cloud.loadbalancers;
      Object.assign(lb ?? {}, { name: 'kube_service_prod_default_web', tags: [] });
    },
    wrong:
      /^failure configuration: the load balancers of 1 Service were made in a cluster named prod, and --cluster-name is kubernetes/,
    remedy: /^--cluster-name=prod$/,
    mend: ({ more }, remedy) => void more.push(remedy),
  },
  'ports that are nearly used up': {
    make: ({ sandbox }) => {
      while (sandbox.cloud.ports.length < 10) sandbox.kube.addNode(`more-${sandbox.cloud.ports.length}`);
      sandbox.cloud.quotas.port = sandbox.cloud.ports.length + 1;
    },
    wrong: /^warning quotas: ports: \d+ of \d+: nearly used up$/,
    remedy: /openstack quota set --ports \d+ \S+$/,
    mend: paste,
    code: 0,
  },
  'a provider that Octavia does not have': {
    make: ({ edit }) => edit('[Global]', '[LoadBalancer]\nlb-provider = f5\n[Global]'),
    wrong: /^failure versions: Octavia has no provider f5; it has amphora/,
    remedy: /lb-provider in \[LoadBalancer\] of \S+cloud\.conf to one of amphora/,
    mend: ({ edit }, remedy) =>
      edit('lb-provider = f5', `lb-provider = ${/ to one of (\w+)/.exec(remedy)?.[1] ?? ''}`),
  },
  'an Octavia without tags': {
    make: ({ sandbox }) => void Object.assign(sandbox.cloud.octaviaTraits, { minor: 0 }),
    wrong: /^failure versions: Octavia API 2.0 has no tags/,
    remedy: /have Octavia upgraded/,
    mend: ({ sandbox }) => void Object.assign(sandbox.cloud.octaviaTraits, { minor: 26 }),
  },
  'a Neutron without tags': {
    make: ({ sandbox: { cloud } }) =>
      void cloud.extensions.splice(cloud.extensions.indexOf('standard-attr-tag'), 1),
    wrong: /^failure versions: Neutron has no extension standard-attr-tag/,
    remedy: /openstack extension list --network/,
    mend: ({ sandbox }) => void sandbox.cloud.extensions.push('standard-attr-tag'),
  },
  'a floating network that is not there': {
    make: ({ edit }) =>
      edit(
        '[Global]',
        '[LoadBalancer]\nfloating-network-id = 11111111-1111-4111-8111-111111111111\n[Global]',
      ),
    wrong:
      /^failure network: \[LoadBalancer\] floating-network-id = 11111111-\S+: the project sees no such network$/,
    remedy: /openstack network list --external$/,
    mend: ({ edit, sandbox }) => {
      const external = sandbox.cloud.networks.find((one) => one['router:external']);
      return edit('11111111-1111-4111-8111-111111111111', external?.id ?? '');
    },
  },
  'a server-url where nobody listens': {
    make: ({ more }) => void more.push('--server-url http://127.0.0.1:9'),
    wrong: /^failure ways in: levelset does not answer at http:\/\/127.0.0.1:9: /,
    remedy: /correct --server-url:\ncurl -v http:\/\/127.0.0.1:9\/healthz/,
    mend: async (setUp) => {
      const { url } = await serving(setUp, ['--watch']);
      setUp.more.splice(0, 1, `--server-url ${url}`);
    },
  },
  'a server-url where a login page answers': {
    make: async ({ more }) => {
      const page = createServer((_request, response) => {
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>Sign in</title>');
      }).listen(0, '127.0.0.1');
      onTestFinished(() => void page.close());
      await once(page, 'listening');
      more.push(`--server-url http://127.0.0.1:${(page.address() as AddressInfo).port}`);
    },
    wrong: /^failure ways in: another program than levelset answers at http:\S+: HTTP 200$/,
    remedy: /correct --server-url:\ncurl -v http:\S+\/healthz/,
    alone: true,
    mend: async (setUp) => {
      const { url } = await serving(setUp, ['--watch']);
      setUp.more.splice(0, 1, `--server-url ${url}`);
    },
  },
  'a webhook that brings nothing': {
    make: async (setUp) => {
      const { url } = await serving(setUp);
      setUp.more.push(`--server-url ${url}`);
    },
    wrong: /^warning ways in: the audit webhook has brought nothing yet; changes wait for the sweep$/,
    remedy: /infra\/kubernetes\/README.md says how the kube-apiserver is told/,
    mend: async ({ sandbox, more }) => {
      const url = more[0]?.split(' ')[1] ?? '';
      sandbox.setAuditSink(`${url}audit/kubernetes`, AUDIT_TOKEN);
      sandbox.kube.apply(aService('web'));
      await until('a batch is accepted', async () => {
        const metrics = await (await fetch(`${url}metrics`)).text();
        return /levelset_audit_last_batch_timestamp_seconds [1-9]/.test(metrics);
      });
    },
    code: 0,
  },
};

/** What takes away the fault of a sandbox. */
const mended = new WeakMap<object, () => void>();

async function serving(
  { flags, env }: SetUp,
  more: readonly string[] = [],
): Promise<{ readonly url: string }> {
  const watch = more.includes('--watch') ? ({ watch: true } as const) : {};
  const running = await serve({
    flags: { ...flags, ...watch, listen: '127.0.0.1:0' },
    env: { ...env, LEVELSET_AUDIT_TOKENS: AUDIT_TOKEN },
    log: SILENT,
  });
  onTestFinished(() => running.stop());
  return { url: `${running.url}/` };
}

test('finds nothing wrong where nothing is', async () => {
  const setUp = await aSetUp();
  const { code, findings } = await doctor(setUp);
  expect(wrongIn(findings)).toEqual([]);
  expect(code).toBe(0);

  expect(await run('doctor', setUp.env)).toBe(0);
  const text = out.at(-1) ?? '';
  expect(text).toMatch(/^ok {7}credentials: Keystone takes user "demo"/m);
  expect(text).toMatch(/^ok {7}rights: OpenStack was asked for \d\d calls that read$/m);
  expect(text).toMatch(/\n\n0 failures, 0 warnings, \d+ ok$/);
});

test.each(Object.entries(BROKEN))(
  '%s',
  { timeout: 60_000 },
  async (_, { make, wrong, remedy, mend, code = 1, alone = false }) => {
    const setUp = await aSetUp();
    await make(setUp);
    const before = setUp.sandbox.requests.length;

    const broken = await doctor(setUp);
    expect(wrongIn(broken.findings)[0]).toMatch(wrong);
    if (alone) expect(wrongIn(broken.findings)).toHaveLength(1);
    const told =
      broken.findings.find(({ level }) => level === 'failure' || level === 'warning')?.remedy ?? '';
    expect(told).toMatch(remedy);
    expect(broken.findings.filter(({ level, remedy: its }) => /warning|failure/.test(level) && !its)).toEqual(
      [],
    );
    expect(broken.code).toBe(code);
    expect(setUp.more.length > 0 || writesSince(setUp, before) === 0).toBe(true);
    expect(out.join('\n')).not.toMatch(/secret-of-yesterday|sandbox-secret/);

    await mend(setUp, told);
    const after = await doctor(setUp);
    expect(wrongIn(after.findings)).toEqual([]);
    expect(after.code).toBe(0);
  },
);

/** Reviews are answered, and kept nowhere. */
function writesSince({ sandbox }: SetUp, from: number): number {
  return sandbox.requests.slice(from).filter(({ write, path }) => write && !/self\w+reviews$/.test(path))
    .length;
}

test('docs/support.md names the versions of Kubernetes that the doctor takes', () => {
  const text = readFileSync('docs/support.md', 'utf8');
  const minors = [...text.matchAll(/\b1\.(\d\d)\b/g)].map(([, minor]) => Number(minor));
  expect({ oldest: Math.min(...minors), newest: Math.max(...minors) }).toEqual(KUBERNETES_MINORS);
});

test('whatever a text is, it is one word of a command to paste', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("it's", '$(id)', '`id`', 'a b', '; id', '-n', '\n', '"'),
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

test('a remedy to paste quotes names with spaces, and runs nothing that stands in one', async () => {
  const setUp = await aSetUp();
  await setUp.edit('username = demo', 'username = "demo $(touch planted)"');
  await setUp.edit(/domain-name = Default/g, 'domain-name = My Domain');
  const { findings } = await doctor(setUp);
  const [{ remedy = '' } = {}] = findings.filter(({ level }) => level === 'failure');
  expect(remedy).toContain("--os-username 'demo $(touch planted)' --os-user-domain-name 'My Domain'");
});

test('what a server says is no order to the terminal', () => {
  const said = '\u001b]0;title\u0007\u001b[2J\nnext';
  const text = renderFindings([{ area: 'versions', level: 'failure', what: said, remedy: said }]);
  // eslint-disable-next-line no-control-regex -- what a terminal obeys
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});
