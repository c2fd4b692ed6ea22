/**
 * Messages that cannot be worked on, with the simulators as cluster and cloud. The redrive of infra/aws/README.md is not tried: of a
 * FIFO queue ElasticMQ moves nothing (docs/sources/tools.md, "Redrive of a FIFO queue").
 */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { aService } from '../../support/service.ts';
import { until } from '../lab/until.ts';
import { aws } from './aws/aws.ts';
import type { Deployment } from './aws/deployment.ts';
import type { SqsMessage } from './aws/sqs.ts';
import { toldSince } from './aws/told.ts';
import { sandboxStack } from './sandbox-stack.ts';

const parts = aws();
const seconds = (since: number): string => ((Date.now() - since) / 1_000).toFixed(1);
const goodFor = (name: string): string =>
  JSON.stringify({ request: { key: `service/default/${name}`, trigger: 'audit' } });
const UNREADABLE = '{"request":{"key":"gateway/default/web","trigger":"audit"}}';
const NEWER = JSON.stringify({ version: 1_000, work: 'what a later version writes' });

async function send(deployment: Deployment, group: string, bodies: readonly string[]): Promise<void> {
  await deployment.sqs('SendMessageBatch', 'KeyQueue', {
    Entries: bodies.map((MessageBody, index) => ({
      ...{ Id: String(index), MessageBody, MessageGroupId: group },
      MessageDeduplicationId: randomUUID(),
    })),
  });
}

it('sets aside what it cannot read, and works on the neighbours at once', async () => {
  const { sandbox, deployment, address, quiet } = await sandboxStack(parts);
  sandbox.setAuditSink(undefined);
  for (const name of ['web', 'other']) sandbox.kube.apply(aService({ name }));
  const began = Date.now();
  await send(deployment, 'service/default/web', [UNREADABLE, NEWER, goodFor('web')]);
  await send(deployment, 'service/default/other', [goodFor('other')]);

  await Promise.all([address('web'), address('other')]);
  const addressed = seconds(began);
  await until('both are dead letters', async () => (await deployment.depth('DeadLetters')).visible === 2);
  console.log(
    `poison: addresses after ${addressed} s, dead letters after ${seconds(began)} s; ${toldSince(deployment, began)}`,
  );
  await quiet();

  const { Messages: dead = [] } = await deployment.sqs<{ Messages?: readonly SqsMessage[] }>(
    'ReceiveMessage',
    'DeadLetters',
    { MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] },
  );
  const told = dead.map(({ Body, MessageAttributes }) => [Body, MessageAttributes?.['reason']?.StringValue]);
  expect(told).toEqual([
    [UNREADABLE, expect.stringContaining('no object that this program knows')],
    [NEWER, expect.stringContaining('of version 1000')],
  ]);
  expect(deployment.invocationsOf('reconcile').filter(({ functionError }) => functionError)).toEqual([]);
});

it('sets aside what its worker dies of each time, and works on the other keys meanwhile', async () => {
  const { sandbox, deployment, address } = await sandboxStack(parts, {
    // the worker dies before it says 75 s
    change: (template) => ({
      ...template,
      queues: template.queues.map(({ attributes, ...queue }) => ({
        ...queue,
        attributes: { ...attributes, VisibilityTimeout: '2' },
      })),
    }),
  });
  sandbox.setAuditSink(undefined);
  for (const name of ['web', 'other']) sandbox.kube.apply(aService({ name }));
  const worker = deployment.functionNamed('reconcile');
  const began = Date.now();
  await send(deployment, 'service/default/web', [goodFor('web')]);
  await until(
    'a dead letter',
    async () => {
      deployment.lambda.killBusy(worker);
      return (await deployment.depth('DeadLetters')).visible === 1;
    },
    { timeoutMs: 90_000, everyMs: 20 },
  );
  console.log(`dead after ${seconds(began)} s; ${toldSince(deployment, began)}`);
  expect(deployment.invocationsOf('reconcile').filter(({ functionError }) => functionError)).toHaveLength(5);

  await send(deployment, 'service/default/other', [goodFor('other')]);
  await address('other');
  expect(await deployment.depth('DeadLetters')).toMatchObject({ visible: 1 });
});
