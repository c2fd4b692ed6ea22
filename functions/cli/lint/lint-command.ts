import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { loadWithoutCloud } from '../../../shared/config/load.ts';
import type { Config } from '../../../shared/config/config.ts';
import type { Problem } from '../../../shared/model/plan.ts';
import { printable } from '../../../shared/model/text/text.ts';
import { noteOf } from '../../../shared/report/plan-notes.ts';
import { manifestProblems } from '../../../shared/service/desired/desire-service.ts';
import { CLASS } from '../../../shared/service/intent/service-config.ts';
import { counted, misused, printObjects, printsObjects, reading, type RunCommand } from '../command.ts';
import { readServices } from './read-services.ts';

/** One mistake in a manifest. Without `service` the document could not be read. */
interface Mistake extends Partial<Problem> {
  readonly file: string;
  readonly line: number;
  readonly service?: string;
  readonly message: string;
}

/** `levelset lint`: what a run would say of the Services in manifests. Without --cloud-config every class may exist. */
export const lintCommand: RunCommand = async (given, flags, env) => {
  // no manifest is read with how OpenStack is reached
  const config = (await loadWithoutCloud(flags, env)) as Config;
  const knowsClasses = flags.cloudConfig !== undefined || Boolean(env['LEVELSET_CLOUD_CONFIG_TEXT']);
  const mistakes: Mistake[] = [];
  const files = (await Promise.all(given.map(filesOf))).flat();
  let services = 0;
  for (const file of files) {
    const content = await (file === '-' ? text(process.stdin) : reading(file, readFile(file, 'utf8')));
    for (const read of readServices(content)) {
      if ('message' in read) {
        mistakes.push({ file, ...read });
        continue;
      }
      services += 1;
      const { name, service, lineOf, problems } = read;
      const found = [...problems, ...(service ? manifestProblems(service, config) : [])]
        .filter(({ field }) => field !== CLASS || knowsClasses)
        .map((problem) => ({ file, line: lineOf(problem.field), service: name, ...problem }));
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
};

function render({ file, line, service, field = '', value = '', message }: Mistake): string {
  const what = service === undefined ? message : `${service}: ${noteOf({ field, value, message })}`;
  return printable(`${file}:${line}: ${what}`);
}

/** Those that kubectl would take of a folder. */
async function filesOf(path: string): Promise<readonly string[]> {
  if (path === '-' || !(await reading(path, stat(path))).isDirectory()) return [path];
  const names = await reading(path, readdir(path));
  const found = names.filter((name) => /\.(ya?ml|json)$/.test(name));
  if (found.length > 0) return found.map((name) => join(path, name));
  throw misused(`${path} has no manifest: no .yaml, .yml or .json`);
}
