/** `levelset upgrade --check`: two versions on one bundle. A default that differs stands for what the other version does differently. */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Bundle } from '../../../../functions/cli/bundle/bundle.ts';
import type { FoundPlans } from '../../../../functions/cli/find-plans.ts';
import { VERSION } from '../../../../functions/version.ts';
import { aService, sandboxWorld, until } from '../../sandbox-world.ts';
import { err, out, run } from '../command-line.ts';

const OLDER = '0.0.9';

interface Written {
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly edit: (change: (bundle: Bundle) => Bundle) => Promise<void>;
}

/** A bundle of two settled Services and of one that has nothing yet. */
async function aBundle(flags = ' --every-service'): Promise<Written> {
  const world = await sandboxWorld({ pendingMs: 1 });
  const { sandbox, env } = world;
  for (const name of ['web', 'api']) sandbox.kube.apply(aService(name));
  await until('both have an address', async () => (await run('sweep', env)) === 0);
  sandbox.kube.apply(aService('new'));
  const file = join(dirname(world.flags.cloudConfig), 'bundle.json');
  expect(await run(`support-bundle -o ${file}${flags}`, env)).toBe(0);
  await sandbox.close();
  const edit: Written['edit'] = async (change) => {
    const bundle = JSON.parse(await readFile(file, 'utf8')) as Bundle;
    await writeFile(file, JSON.stringify({ ...change(bundle), version: OLDER }));
  };
  return { file, env: {}, edit };
}

test('nothing is new where both versions plan the same, whatever is to be done', async () => {
  const { file, env, edit } = await aBundle();
  await edit((bundle) => bundle);
  expect(await run(`upgrade --check ${file}`, env)).toBe(0);
  expect(out.at(-1)).toBe(
    `Nothing new: levelset ${VERSION} does nothing that levelset ${OLDER} would not do.`,
  );
  expect(await run(`replay ${file}`, env)).toBe(0);
  expect(out.at(-1)).toMatch(
    /^default\/new: 2 to create[^]*\n\nPlan: 2 to add, 0 to change, 0 to destroy\.$/,
  );
  expect(err.join('\n')).not.toContain('planned otherwise');
});

test('what this version alone would change is said of settled Services, and what it no longer does', async () => {
  const { file, env, edit } = await aBundle();
  await edit((bundle) => {
    const { config } = bundle;
    const loadBalancer = { ...config.loadBalancer, lbMethod: 'LEAST_CONNECTIONS' };
    return { ...bundle, config: { ...config, loadBalancer } };
  });
  out.length = 0;
  expect(await run(`upgrade --check ${file}`, env)).toBe(2);
  const lines = out.join('\n').split('\n');
  // of the load balancer to be made the algorithm alone differs
  expect(lines.filter((line) => !/^ {6}/.test(line) || line.includes('lb_algorithm')).join('\n')).toBe(`\
default/api: 1 to update
  ~ pool/tcp/80
      lb_algorithm: "ROUND_ROBIN" -> "LEAST_CONNECTIONS"

default/new: 1 to create
  + lb
              lb_algorithm: "LEAST_CONNECTIONS"
  in place of another: create lb

default/web: 1 to update
  ~ pool/tcp/80
      lb_algorithm: "ROUND_ROBIN" -> "LEAST_CONNECTIONS"

New with levelset ${VERSION}, and not planned by levelset ${OLDER}: 1 to add, 2 to change, 0 to destroy.`);
  expect(await run(`upgrade --check ${file} -o json`, env)).toBe(2);
  expect((JSON.parse(out.at(-1) ?? '') as object[]).length).toBe(3);
});

test('what cannot be compared is said, and what failed before is no news', async () => {
  const { file, env, edit } = await aBundle();
  await edit((bundle) => {
    const reads = Object.entries(bundle.reads).filter(
      ([read]) => !read.includes('getService("default","web")'),
    );
    return { ...bundle, reads: Object.fromEntries(reads) };
  });
  expect(await run(`upgrade --check ${file}`, env)).toBe(1);
  expect(err.slice(-2).join('\n')).toMatch(
    /^levelset: service\/default\/web: .*the bundle does not have kube.getService\("default","web"\).*\nlevelset: these could not be compared: levelset plan of this version/,
  );
  await edit((bundle) => ({
    ...bundle,
    every: { plans: [], incomplete: false, ...bundle.every, failures: ['service/default/web: other words'] },
  }));
  expect(await run(`upgrade --check ${file}`, env)).toBe(0);
});

test('needs --check, and a bundle with the plans of everything', async () => {
  const { file, env } = await aBundle('');
  expect(await run(`upgrade ${file}`, env)).toBe(1);
  expect(err.at(-1)).toContain('upgrade needs --check');
  expect(await run(`upgrade --check ${file}`, env)).toBe(1);
  expect(err.at(-1)).toMatch(/bundle.json has no plans of Services that are settled: .* --every-service/);
  expect(await run('upgrade --check /nowhere/bundle.json', env)).toBe(1);
  expect(err.at(-1)).toContain('/nowhere/bundle.json cannot be read: ENOENT');
});

test("nothing of a stranger's bundle reaches the terminal as it is, and what is no list of plans is no bundle", async () => {
  const { file, env, edit } = await aBundle();
  const evil = '\u001b]0;evil\u0007';
  const added = { verb: 'create', kind: 'pool', address: evil, attributes: {} } as const;
  const every = (change: (plan: object) => object): Promise<void> =>
    edit((bundle) => {
      const plans = (bundle.every?.plans ?? []).map(change);
      return { ...bundle, every: { failures: [], incomplete: false, plans } as unknown as FoundPlans };
    });
  await every((plan) => ({ ...plan, services: [evil], unit: evil, steps: [added] }));
  expect(await run(`upgrade --check ${file}`, env)).toBe(2);
  expect(out.join('\n')).toMatch(/no longer: create \S*evil/);
  expect([...out, ...err].join('\n')).not.toMatch(/[\u001b\u0007]/);

  for (const wrong of [{ unit: 1 }, { steps: [null] }, { services: 'web' }, { problems: undefined }]) {
    await every((plan) => ({ ...plan, unit: 'routes', services: [], steps: [], ...wrong }));
    expect(await run(`upgrade --check ${file}`, env)).toBe(1);
    expect(err.at(-1)).toMatch(/bundle.json is no bundle: give a file/);
  }
});
