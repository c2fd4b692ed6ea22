import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FUNCTIONS } from '../../../build.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export type PackagedTemplate = Awaited<ReturnType<typeof packageTemplate>>;

export interface PackageOptions {
  /** A folder with the functions' zips; without one they are empty. */
  readonly zips?: string;
  /** NAME=VALUE each, as for `--param`. */
  readonly params?: readonly string[];
  /** The text of my-cluster/aws-dev.yml. */
  readonly file?: string;
  /** Where AWS is, for `osls deploy` in place of `package`. */
  readonly deployTo?: string;
}

/** The CloudFormation template that osls would deploy of serverless.yml, in a copy and without any network. Throws what osls prints when it makes none. */
export async function packageTemplate(options: PackageOptions = {}) {
  const { zips, params = [], file, deployTo } = options;
  const copy = await mkdtemp(join(tmpdir(), 'levelset-package-'));
  for (const path of ['serverless.yml', 'infra/aws', 'package.json'])
    await cp(join(ROOT, path), join(copy, path), { recursive: true });
  await mkdir(join(copy, 'dist'));
  const functions = join(copy, 'dist/functions');
  if (zips !== undefined) await symlink(resolve(zips), functions);
  else {
    await mkdir(functions);
    for (const name of FUNCTIONS) await writeFile(join(functions, `${name}.zip`), name);
  }
  for (const path of ['node_modules', 'shared']) await symlink(join(ROOT, path), join(copy, path));
  if (file !== undefined) {
    await mkdir(join(copy, 'my-cluster'));
    await writeFile(join(copy, 'my-cluster/aws-dev.yml'), file);
  }
  const words = params.flatMap((param) => ['--param', param]);
  const remove = (): Promise<void> => rm(copy, { recursive: true });
  const account = { AWS_ENDPOINT_URL: deployTo, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  try {
    const command = deployTo === undefined ? 'package' : 'deploy';
    await promisify(execFile)(process.execPath, ['node_modules/.bin/osls', command, ...words], {
      cwd: copy,
      env: {
        PATH: process.env['PATH'],
        HOME: copy,
        SLS_TELEMETRY_DISABLED: '1',
        ...(deployTo !== undefined && account),
      },
    });
  } catch (error) {
    await remove();
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(stdout + stderr, { cause: error });
  }
  return { file: join(copy, '.serverless/cloudformation-template-update-stack.json'), remove };
}
