import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../../../..');

export interface PackagedTemplate {
  /** The template that would be deployed. */
  readonly file: string;
  remove(): Promise<void>;
}

/** serverless.yml as osls packages it, without any network; `params` as with `--param NAME=VALUE`. `zips` are the functions'. */
export async function packageTemplate(
  zips: string,
  params: Readonly<Record<string, string>> = {},
): Promise<PackagedTemplate> {
  const copy = await mkdtemp(join(tmpdir(), 'levelset-package-'));
  for (const path of ['serverless.yml', 'infra/aws', 'package.json'])
    await cp(join(ROOT, path), join(copy, path), { recursive: true });
  await mkdir(join(copy, 'dist'));
  await symlink(resolve(zips), join(copy, 'dist/functions'));
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const more = Object.entries(params).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
  await promisify(execFile)(process.execPath, ['node_modules/.bin/osls', 'package', ...more], {
    cwd: copy,
    env: { PATH: process.env['PATH'], HOME: copy, SLS_TELEMETRY_DISABLED: '1' },
  });
  return {
    file: join(copy, '.serverless/cloudformation-template-update-stack.json'),
    remove: () => rm(copy, { recursive: true }),
  };
}
