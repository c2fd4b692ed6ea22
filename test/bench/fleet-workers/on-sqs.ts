/** The functions on AWS with a registry, of the sources, on ElasticMQ: so many execution environments of the worker. */
import { setTimeout as pause } from 'node:timers/promises';
import { startElasticMq } from '../../e2e/lambda/aws/elasticmq.ts';
import { startMapping } from '../../e2e/lambda/aws/event-source-mapping.ts';
import { startHttpApi } from '../../e2e/lambda/aws/http-api.ts';
import { installed } from '../../e2e/lambda/aws/installed.ts';
import { ACCOUNT, REGION } from '../../e2e/lambda/aws/intrinsics.ts';
import type { Invoker } from '../../e2e/lambda/aws/lambda.ts';
import { startParameterStore } from '../../e2e/lambda/aws/parameter-store.ts';
import { sqs } from '../../e2e/lambda/aws/sqs.ts';
import { startProcess, type OwnProcess } from '../scale/own-process.ts';
import type { FunctionHandlers } from './function-process.ts';
import type { Registry, Workers } from './workers.ts';

/** As infra/aws/queues.yml has them. */
const QUEUE = 'keys.fifo';
const VISIBILITY_S = '75';
/** As serverless.yml has them. */
const MAPPING = { function: 'reconcile', batchSize: 1, maximumConcurrency: 100, queue: QUEUE };
/** Of the function that receives events. */
const RECEIVERS = 4;
const ROOT = '/levelset/bench';
/** After an invocation found no environment. */
const THROTTLED = { status: 429, functionError: undefined, payload: 'TooManyRequestsException' } as const;
const ROUTE_MS = 30_000;

interface Environment {
  readonly process: OwnProcess<FunctionHandlers>;
  readonly pid: number;
  isBusy: boolean;
}

export async function onSqs(count: number, registry: Registry): Promise<Workers> {
  const parameters = Object.entries(registry).flatMap(([name, texts]) =>
    Object.entries(texts).map(([text, value]) => [`${ROOT}/clusters/${name}/${text}`, value] as const),
  );
  const store = await startParameterStore(Object.fromEntries(parameters));
  const elasticMq = await startElasticMq((await installed()).elasticmq);
  await sqs(elasticMq.url, 'CreateQueue', {
    ...{ QueueName: QUEUE, Attributes: { FifoQueue: 'true', VisibilityTimeout: VISIBILITY_S } },
  });
  const variables = {
    ...{ AWS_REGION: REGION, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
    AWS_ENDPOINT_URL_SSM: store.url,
    LEVELSET_CLUSTERS: `parameters:${ROOT}`,
    LEVELSET_ALLOW_LOCAL_SERVERS: 'true',
    LEVELSET_STACK: 'arn:aws:cloudformation:eu-central-1:000000000000:stack/levelset-bench/1',
    LEVELSET_QUEUE_URL: `${elasticMq.url}/${ACCOUNT}/${QUEUE}`,
  };
  const begin = async (name: string): Promise<Environment> => {
    const its = startProcess<FunctionHandlers>(new URL('./function-process.ts', import.meta.url).href);
    return { process: its, pid: await its.ask('start', { name, variables }), isBusy: false };
  };
  const several = (name: string, times: number): Promise<readonly Environment[]> =>
    Promise.all(Array.from({ length: times }, () => begin(name)));
  const functions: Readonly<Record<string, readonly Environment[]>> = {
    reconcile: await several('reconcile', count),
    audit: await several('audit', RECEIVERS),
    sweep: await several('sweep', 1),
  };
  const lambda: Invoker = {
    async invoke(name, event) {
      const idle = functions[name]?.find(({ isBusy }) => !isBusy);
      if (!idle) return THROTTLED;
      idle.isBusy = true;
      try {
        return { status: 200, functionError: undefined, payload: await idle.process.ask('invoke', event) };
      } catch (error) {
        return { status: 200, functionError: 'Unhandled', payload: String(error) };
      } finally {
        idle.isBusy = false;
      }
    },
  };
  const routes = [{ key: 'POST /audit/{cluster}', function: 'audit', timeoutMs: ROUTE_MS }];
  const api = await startHttpApi({ routes, lambda });
  const mapping = startMapping(MAPPING, elasticMq.url, lambda);
  const workers = functions['reconcile'] ?? [];
  return {
    urls: [api.url],
    pids: workers.map(({ pid }) => pid),
    async ready() {
      const { functionError, payload } = await lambda.invoke('sweep', '{}');
      if (functionError) throw new Error(payload);
    },
    worked: () => Promise.all(workers.map(({ process: its }) => its.ask('worked', undefined))),
    async stop() {
      await Promise.all([api.stop(), mapping.stop()]);
      while (workers.some(({ isBusy }) => isBusy)) await pause(50);
      await Promise.all(Object.values(functions).flatMap((all) => all.map((one) => one.process.stop())));
      await Promise.all([store.stop(), elasticMq.stop()]);
    },
  };
}
