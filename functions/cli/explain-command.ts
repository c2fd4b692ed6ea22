import { asServiceKey } from '../../shared/model/request.ts';
import { printable, quote } from '../../shared/model/text/text.ts';
import { explainService, type ExplainedService } from '../../shared/service/report/explain.ts';
import { eachCluster } from './each-cluster.ts';
import { readObjects } from './objects.ts';
import { misused, type RunCommand } from './command.ts';

/** `levelset explain`: prints each value that holds for these Services with what set it, and what does not count. Changes nothing. */
export const explainCommand: RunCommand = (objects, flags, env) => {
  const keys = readObjects(objects, flags);
  const other = keys.find((key) => !asServiceKey(key));
  if (other !== undefined) throw misused(`${other} is no Service: explain takes svc/NAME and -n NAMESPACE`);
  return eachCluster(flags, env, async (world) => {
    const rows: ExplainedService[] = [];
    const errors: string[] = [];
    for (const key of keys) {
      const explained = await explainService(key, world);
      if (explained) rows.push(explained);
      else errors.push(`${key} not found`);
    }
    return { code: errors.length > 0 ? 1 : 0, errors, rows, text: rows.map(renderExplained).join('\n\n') };
  });
};

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
  const problems = ignored.map(({ field, value, message }) => `  ? ${field} = ${quote(value)}: ${message}`);
  return [`${name}${whose}`, ...columns(table), ...problems].map(printable).join('\n');
}

/** Columns that are wider than this do not push the next one to the right. */
const WIDEST = 48;

/** Rows of cells as lines whose columns stand below each other. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (at: number): number => Math.max(...rows.map((row) => row[at]?.length ?? 0));
  const widths = rows[0]?.map((_, at) => Math.min(WIDEST, widthOf(at))) ?? [];
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}
