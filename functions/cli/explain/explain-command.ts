import type { Flags } from '../../../shared/config/read-flags.ts';
import { asServiceKey } from '../../../shared/model/request.ts';
import { printable, quote } from '../../../shared/model/text/text.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { explainService } from '../../../shared/service/report/explain.ts';
import type { ExplainedService } from '../../../shared/service/report/explain.ts';
import type { World } from '../../../shared/ports.ts';
import { eachCluster, READ_AT_ONCE, type Told } from '../each-cluster.ts';
import { readObjects } from '../objects.ts';
import { columns } from './columns.ts';

/** `levelset explain`: prints each value that holds for these Services with what set it, and what does not count. Changes nothing. */
export async function explainCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const keys = readObjects(objects, flags);
  const other = keys.find((key) => !asServiceKey(key));
  if (other !== undefined)
    throw new ReconcileError(
      'CONFIG_INVALID',
      `${other} is no Service: explain takes svc/NAME and -n NAMESPACE`,
    );
  const explain = async (world: World): Promise<Told> => {
    const rows: ExplainedService[] = [];
    const errors: string[] = [];
    for (const key of keys) {
      const explained = await explainService(key, world);
      if (explained) rows.push(explained);
      else errors.push(`${key} not found`);
    }
    const code = errors.length > 0 ? 1 : 0;
    return { code, errors, rows, text: rows.map(renderExplained).join('\n\n') };
  };
  return eachCluster(flags, env, explain, { atOnce: READ_AT_ONCE });
}

/** The explanation as text for people: a table, and one line for each thing that does not count. */
export function renderExplained({ unit, isOurs, values, ignored }: ExplainedService): string {
  const name = unit.replace(/^service\//, '');
  const whose = isOurs
    ? ''
    : ': levelset does not look after this Service; this is how levelset would read it';
  const table = values.map(({ setting, port, value, setBy, questioned }) => [
    port === undefined ? setting : `${setting} (port ${port})`,
    JSON.stringify(value),
    questioned ? `${setBy}, see ? below` : setBy,
  ]);
  const lines = columns(table).map((line) => `  ${line}`);
  const problems = ignored.map(({ field, value, message }) => `  ? ${field} = ${quote(value)}: ${message}`);
  return [`${name}${whose}`, ...lines, ...problems].map(printable).join('\n');
}
