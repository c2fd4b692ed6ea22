import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../lab/until.ts';
import { WITH_ITS_PARENT } from './execution-environment.ts';
import { ACCOUNT, REGION } from './intrinsics.ts';
import { sqs } from './sqs.ts';

export interface ElasticMq {
  readonly url: string;
  stop(): Promise<void>;
}

/** SQS on a free port of the loopback interface, without queues. It forgets everything when it stops. About 3 s, 200 MB. */
export async function startElasticMq(jars: string): Promise<ElasticMq> {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-sqs-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const configuration = join(directory, 'elasticmq.conf');
  await writeFile(
    configuration,
    `include classpath("application.conf")
pekko.loglevel = "WARNING"
node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
rest-sqs { enabled = true, bind-hostname = "127.0.0.1", bind-port = ${port}, sqs-limits = strict }
rest-stats { enabled = false }
aws { region = "${REGION}", accountId = "${ACCOUNT}" }
`,
  );
  const options = [
    '-Xmx256m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    `-Dconfig.file=${configuration}`,
  ];
  const child = spawn(
    'setpriv',
    [...WITH_ITS_PARENT, 'java', ...options, '-cp', `${jars}/*`, 'org.elasticmq.server.Main'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-10_000)));
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(directory, { recursive: true });
  };
  try {
    await until('ElasticMQ', async () => {
      if (child.exitCode !== null) return true;
      await sqs(url, 'ListQueues', {});
      return true;
    });
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
  } catch (error) {
    await stop();
    throw new Error(`ElasticMQ did not start: ${String(error)}\n${log}`, { cause: error });
  }
  return { url, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
