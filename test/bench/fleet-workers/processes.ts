import { readFile } from 'node:fs/promises';

export interface ProcessFigures {
  readonly rssMb: number;
  readonly peakMb: number;
  readonly cpuMs: number;
}

/** The unit of times in /proc. */
const TICK_MS = 10;

/** What another process has used since it began. */
export async function figuresOf(pid: number): Promise<ProcessFigures> {
  const [status, stat] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readFile(`/proc/${pid}/stat`, 'utf8'),
  ]);
  const mbOf = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1e3;
  const [, , ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ');
  const [user = 0, system = 0] = fields.slice(10, 12).map(Number);
  return { rssMb: mbOf('VmRSS'), peakMb: mbOf('VmHWM'), cpuMs: (user + system) * TICK_MS };
}
