/** Requests that one piece of work made, from the simulators' records. */
import type { RecordedRequest, Sandbox } from '../../infra/sandbox/sandbox.ts';

export interface Row {
  readonly work: string;
  readonly requests: readonly RecordedRequest[];
  /** Of the requests to OpenStack those of the runs alone, where sweeps followed; without it all of them. */
  readonly runs?: number;
  /**
   * Calls of the Go provider for the same: a formula of docs/sources/go-provider.md, "Calls for Nodes and routes", and
   * its value.
   */
  readonly formula: string;
  readonly value: number;
}

export async function requestsOf(
  { requests }: Sandbox,
  run: () => Promise<unknown>,
): Promise<readonly RecordedRequest[]> {
  const before = requests.length;
  await run();
  return requests.slice(before);
}

const COUNTED = ['nova', 'neutron', 'octavia'];
const COLUMNS = [...COUNTED, 'keystone', 'kube'];

export function printRows(rows: readonly Row[]): void {
  const cells = [
    ['work', 'levelset', 'OCCM', 'its formula', ...COLUMNS],
    ...rows.map(({ work, requests, runs, formula, value }) => [
      work,
      String(runs ?? requests.filter(({ service }) => COUNTED.includes(service)).length),
      String(value),
      formula,
      ...COLUMNS.map((column) => numbersOf(requests.filter(({ service }) => service === column))),
    ]),
  ];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  for (const row of cells) {
    const line = row.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join(' | ');
    console.log(line.trimEnd());
  }
}

/** `5 (2)`: five calls, two of them writes. */
function numbersOf(requests: readonly RecordedRequest[]): string {
  const writes = requests.filter(({ write }) => write).length;
  return writes > 0 ? `${requests.length} (${writes})` : String(requests.length);
}
