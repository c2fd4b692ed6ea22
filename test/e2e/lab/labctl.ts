import { join } from 'node:path';
import { lab } from './environment.ts';
import { run } from './run.ts';

/** What only whoever runs the cloud can do, as in Octavia's database. */
export async function labctl(...command: readonly string[]): Promise<void> {
  const script = join(lab().repository, 'infra/lab/openstack/labctl.sh');
  const { code, stderr } = await run('bash', [script, ...command], { env: { LAB: lab().labState } });
  if (code !== 0) throw new Error(stderr);
}
