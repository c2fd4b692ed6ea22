import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { readServices } from '../../../functions/cli/lint-command.ts';
import { manifestProblems } from '../../../shared/service/desired/desire-service.ts';
import type { Problem } from '../../../shared/model/plan.ts';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import { aConfig } from '../../support/config.ts';
import { aService, sandboxWorld, whatIsThere } from '../sandbox-world.ts';
import { err, out, run } from './command-line.ts';

const FOLDER = join(import.meta.dirname, 'lint');
const MISTAKES = join(FOLDER, 'mistakes.yaml');

type Row = Partial<Problem> & { readonly file: string; readonly line: number; readonly service?: string };

/** What was printed, without the folder. */
function printed(): string {
  return `${out.join('\n').replaceAll(`${FOLDER}/`, '')}\n`;
}

test('what the documentation of OCCM describes, with each of its annotations, and a folder of ours are without a mistake', async () => {
  expect(await run(`lint ${join(FOLDER, 'occm.yaml')} examples`, {})).toBe(0);
  expect(printed()).toBe('23 Services of type LoadBalancer in 6 files: 0 mistakes.\n');
  const text = await readFile(join(FOLDER, 'occm.yaml'), 'utf8');
  const names = ANNOTATIONS.flatMap((row) => row.names).filter((name) =>
    /^(loadbalancer\.openstack\.org|service\.beta\.kubernetes\.io)\/(?!kinx-)/.test(name),
  );
  expect(names.filter((name) => !text.includes(`${name}:`))).toEqual([]);
});

test('each mistake has its line, and says what a run says; without a cluster', async () => {
  expect(await run(`lint ${MISTAKES}`, {})).toBe(1);
  await expect(printed()).toMatchFileSnapshot(join(FOLDER, 'mistakes.txt'));
  const text = out.splice(0).join('\n').split('\n');
  expect(await run(`lint ${MISTAKES} -o json`, {})).toBe(1);
  const rows = JSON.parse(out.join('')) as readonly Row[];
  const lines = rows.map(({ file, line, service, field, value, message }) => {
    const where = [`${file}:${line}:`, ...(service === undefined ? [] : [`${service}:`])];
    return [...where, ...(field === undefined ? [] : [field, JSON.stringify(value)]), message].join(' ');
  });
  expect(text.slice(0, -1)).toEqual(lines);
  const blocking = rows.flatMap(({ field = '', blocking: does }) => (does ? field.split('/')[1] : []));
  expect(blocking).toEqual(expect.arrayContaining(['subnet-id', 'client-authentication', 'tls-secret']));
  for (const ignored of ['lb-method', 'conection-limit', 'hsts-max-age'])
    expect(blocking).not.toContain(ignored);
});

test('with cloud.conf the class has to be there; stdin is -; what cannot be read is one line', async () => {
  const { flags, sandbox, env } = await sandboxWorld();
  const OCCM = 'loadbalancer.openstack.org/';
  const service = aService('web', { [`${OCCM}class`]: 'nobody', [`${OCCM}lb-method`]: 'X' });
  const given = (text: string) =>
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([text]) as never);
  given(stringify(service));
  expect(await run(`lint - --cloud-config ${flags.cloudConfig}`, {})).toBe(1);
  expect(printed()).toContain(`-:7: default/web: ${OCCM}class "nobody" is not a [LoadBalancerClass`);
  const told = out[1]?.replace('-:8: default/web: ', '');

  sandbox.kube.apply(aService('web', { 'loadbalancer.openstack.org/lb-method': 'X' }));
  expect(await run('reconcile --wait svc/web', env)).toBe(0);
  expect(out.at(-1)).toContain(`\n  ${String(told)}`);
  expect(whatIsThere(sandbox)['loadBalancers']).toBe(1);

  expect(await run('lint /nowhere.yaml', {})).toBe(1);
  expect(err.at(-1)).toBe('levelset: /nowhere.yaml cannot be read: ENOENT');
  const empty = 'docs/screenshots';
  expect(await run(`lint examples ${empty}`, {})).toBe(1);
  expect(err.at(-1)).toBe(`levelset: ${empty} has no manifest: no .yaml, .yml or .json`);
  given('a: [secret');
  expect(await run('lint -', {})).toBe(1);
  expect(out.join('\n')).toContain('-:1: is not valid YAML (');
  expect(out.join('\n')).not.toContain('secret');
});

test('whatever a manifest has, it is read or told, and never a crash', () => {
  const config = aConfig('http://127.0.0.1:1');
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constant('LoadBalancer'));
  const fields = ['ipFamilies', 'loadBalancerSourceRanges', 'loadBalancerIP', 'sessionAffinityConfig'];
  const spec = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...fields, 'sessionAffinity', 'externalTrafficPolicy'), value),
      value,
    )
    .map(([some, ports]) => ({ ...some, ports }));
  const port = fc.dictionary(fc.constantFrom('name', 'port', 'protocol', 'appProtocol', 'nodePort'), value);
  const metadata = fc.record({ name: value, annotations: value });
  fc.assert(
    fc.property(spec, fc.array(port), metadata, (some, ports, about) => {
      const text = JSON.stringify({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: about,
        spec: { ...(ports.length > 0 ? { ...some, ports } : some), type: 'LoadBalancer' },
      });
      for (const read of readServices(text)) if ('service' in read) manifestProblems(read.service, config);
    }),
    { numRuns: 300 },
  );
});
