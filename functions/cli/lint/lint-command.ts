import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { loadWithoutCloud } from '../../../shared/config/load.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { Flags } from '../../../shared/config/read-flags.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { Problem } from '../../../shared/model/plan.ts';
import { printable } from '../../../shared/model/text/text.ts';
import { noteOf } from '../../../shared/report/plan-notes.ts';
import { manifestProblems } from '../../../shared/service/desired/manifest-problems.ts';
import { CLASS } from '../../../shared/service/intent/service-config.ts';
import { printObjects, printsObjects } from '../outputs.ts';
import { readServices } from './read-services.ts';

/** One mistake in a manifest. Without `service` the document could not be read. */
interface Mistake extends Partial<Problem> {
  readonly file: string;
  readonly line: number;
  /** `NAMESPACE/NAME` */
  readonly service?: string;
  readonly message: string;
}

/**
 * `levelset lint`: reads manifests, those of a folder, `-` from stdin, and prints what a run would say of their annotations. Needs neither cluster nor
 * cloud; without --cloud-config every class may exist. Exit 1 if there is a mistake.
 */
export async function lintCommand(
  given: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  // no manifest is read with how OpenStack is reached
  const config = (await loadWithoutCloud(flags, env)) as Config;
  const knowsClasses = flags.cloudConfig !== undefined || Boolean(env['LEVELSET_CLOUD_CONFIG_TEXT']);
  const mistakes: Mistake[] = [];
  const files = (await Promise.all(given.map(filesOf))).flat();
  let services = 0;
  for (const file of files) {
    for (const read of readServices(await textOf(file))) {
      if ('message' in read) {
        mistakes.push({ file, ...read });
        continue;
      }
      services += 1;
      const { name, service, lineOf, problems } = read;
      const ofRuns = service ? manifestProblems(service, config) : [];
      const all = [...problems, ...ofRuns].filter(({ field }) => field !== CLASS || knowsClasses);
      const found = all.map((problem) => ({
        ...{ file, line: lineOf(problem.field), service: name },
        ...problem,
      }));
      mistakes.push(...found.sort((one, other) => one.line - other.line));
    }
  }
  if (printsObjects(flags)) await printObjects(mistakes, flags);
  else {
    for (const mistake of mistakes) console.log(render(mistake));
    console.log(
      `${counted(services, 'Service')} of type LoadBalancer in ${counted(files.length, 'file')}: ${counted(mistakes.length, 'mistake')}.`,
    );
  }
  return mistakes.length > 0 ? 1 : 0;
}

function render({ file, line, service, field = '', value = '', message }: Mistake): string {
  const what = service === undefined ? message : `${service}: ${noteOf({ field, value, message })}`;
  return printable(`${file}:${line}: ${what}`);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Those that kubectl would take of a folder. */
async function filesOf(path: string): Promise<readonly string[]> {
  if (path === '-' || !(await reading(path, stat(path))).isDirectory()) return [path];
  const names = await reading(path, readdir(path));
  const found = names.filter((name) => /\.(ya?ml|json)$/.test(name));
  if (found.length > 0) return found.map((name) => join(path, name));
  throw new ReconcileError('CONFIG_INVALID', `${path} has no manifest: no .yaml, .yml or .json`);
}

async function textOf(file: string): Promise<string> {
  return file === '-' ? readAll(process.stdin) : reading(file, readFile(file, 'utf8'));
}

async function reading<T>(path: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new ReconcileError('CONFIG_INVALID', `${path} cannot be read: ${code}`);
  }
}
