import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { FUNCTIONS } from '../../../build.ts';
import { zipFile } from '../../../infra/aws/zip-file.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export interface PackagedTemplate {
  /** The CloudFormation template that would be deployed. */
  readonly file: string;
  readonly remove: () => Promise<void>;
}

export interface PackageOptions {
  /** A folder with the functions' zips; without one they are empty. */
  readonly zips?: string;
  /** NAME=VALUE each, as for `--param`. */
  readonly params?: readonly string[];
}

/** serverless.yml as osls packages it, in a copy and without any network. Throws what osls prints when it makes none. */
export async function packageTemplate({ zips, params = [] }: PackageOptions = {}): Promise<PackagedTemplate> {
  const copy = await mkdtemp(join(tmpdir(), 'levelset-package-'));
  for (const path of ['serverless.yml', 'infra/aws', 'package.json'])
    await cp(join(ROOT, path), join(copy, path), { recursive: true });
  await mkdir(join(copy, 'dist'));
  if (zips === undefined) await writeZips(join(copy, 'dist/functions'));
  else await symlink(resolve(zips), join(copy, 'dist/functions'));
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const words = params.flatMap((param) => ['--param', param]);
  const remove = (): Promise<void> => rm(copy, { recursive: true });
  try {
    await promisify(execFile)(process.execPath, ['node_modules/.bin/osls', 'package', ...words], {
      cwd: copy,
      env: { PATH: process.env['PATH'], HOME: copy, SLS_TELEMETRY_DISABLED: '1' },
    });
  } catch (error) {
    await remove();
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(stdout + stderr, { cause: error });
  }
  return { file: join(copy, '.serverless/cloudformation-template-update-stack.json'), remove };
}

async function writeZips(folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of FUNCTIONS)
    await writeFile(join(folder, `${name}.zip`), zipFile([{ name, content: Buffer.from(name) }]));
}
