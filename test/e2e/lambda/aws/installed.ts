import { join } from 'node:path';
import { must } from '../../lab/run.ts';

/** Paths of the parts of AWS that run here (infra/lab/serverless). */
export interface Installed {
  readonly rie: string;
  /** AWS's runtime interface client. */
  readonly ric: string;
  /** A folder of jars. */
  readonly elasticmq: string;
}

/** What infra/lab/serverless/install.sh has put into the cache; it does so now if it did not. */
export async function installed(): Promise<Installed> {
  const script = join(import.meta.dirname, '../../../../infra/lab/serverless/install.sh');
  const lines = (await must('bash', [script], { timeoutMs: 600_000 })).split('\n');
  const path = (name: string): string => {
    const found = lines.find((line) => line.startsWith(`${name}=`));
    if (found === undefined) throw new Error(`${script} names no ${name}`);
    return found.slice(name.length + 1);
  };
  return { rie: path('RIE'), ric: path('RIC'), elasticmq: path('ELASTICMQ') };
}
