/** Messages that cannot be worked on, and the way back out of the dead letter queue, with the simulators as cluster and cloud. */
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
  JSON.stringify({ request: { key: `service/default/${name}`, trigger: 'audit' }, attempt: 0 });
const UNREADABLE = '{"request":{"key":"gateway/default/web","trigger":"audit"},"attempt":0}';
const NEWER = JSON.stringify({ version: 1_000, work: 'what a later version writes' });

async function send(deployment: Deployment, group: string, bodies: readonly string[]): Promise<void> {
  await deployment.sqs('SendMessageBatch', 'TriggerQueue', {
    Entries: bodies.map((MessageBody, index) => ({
      ...{ Id: String(index), MessageBody, MessageGroupId: group },
      MessageDeduplicationId: randomUUID(),
    })),
  });
}

/**
 * What infra/aws/README.md tells an operator to do, for the standard queue: ElasticMQ takes the same order for a FIFO queue
 * and moves nothing (docs/sources/tools.md, "Redrive of a FIFO queue").
 */
async function redrive(deployment: Deployment): Promise<void> {
  await deployment.sqs('StartMessageMoveTask', 'BackgroundDeadLetters', {
    SourceArn: await deployment.queueArn('BackgroundDeadLetters'),
    DestinationArn: await deployment.queueArn('BackgroundQueue'),
  });
}

const deadIn = async (deployment: Deployment, id: string): Promise<number> =>
  (await deployment.depth(id)).visible;

it('sets aside what it cannot read, and works on the neighbours at once', async () => {
  const { sandbox, deployment, address, quiet } = await sandboxStack(parts);
  sandbox.setAuditSink(undefined);
  for (const name of ['web', 'other']) sandbox.kube.apply(aService({ name }));
  const began = Date.now();
  await send(deployment, 'service/default/web', [UNREADABLE, NEWER, goodFor('web')]);
  await send(deployment, 'service/default/other', [goodFor('other')]);

  await Promise.all([address('web'), address('other')]);
  const addressed = seconds(began);
  await until(
    'both are dead letters',
    async () => (await deployment.depth('TriggerDeadLetters')).visible === 2,
  );
  console.log(
    `poison: addresses after ${addressed} s, dead letters after ${seconds(began)} s; ${toldSince(deployment, began)}`,
  );
  await quiet();

  const { Messages: dead = [] } = await deployment.sqs<{ Messages?: readonly SqsMessage[] }>(
    'ReceiveMessage',
    'TriggerDeadLetters',
    { MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] },
  );
  const told = dead.map(({ Body, MessageAttributes }) => [Body, MessageAttributes?.['reason']?.StringValue]);
  expect(told).toEqual([
    [UNREADABLE, expect.stringContaining('no object that this program knows')],
    [NEWER, expect.stringContaining('of version 1000')],
  ]);
  expect(deployment.invocationsOf('reconcile').filter(({ functionError }) => functionError)).toEqual([]);
});

it('sets poison aside again when it is redriven before its cause is gone', async () => {
  const { deployment } = await sandboxStack(parts);
  await deployment.sqs('SendMessage', 'BackgroundQueue', { MessageBody: NEWER });
  await until('a dead letter', async () => (await deadIn(deployment, 'BackgroundDeadLetters')) === 1);
  const runs = deployment.invocationsOf('reconcile').length;
  await redrive(deployment);
  await until('it was read again', () => deployment.invocationsOf('reconcile').length > runs);
  await until('a dead letter again', async () => (await deadIn(deployment, 'BackgroundDeadLetters')) === 1);
  expect(await deployment.depth('BackgroundQueue')).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
});

it('works on what is redriven from the dead letter queue', async () => {
  const { sandbox, deployment, address } = await sandboxStack(parts, {
    // one failure is enough here; sixteen take twelve minutes
    change: (template) => ({
      ...template,
      queues: template.queues.map(({ attributes, ...queue }) => {
        const { RedrivePolicy: policy } = attributes;
        if (policy === undefined) return { ...queue, attributes };
        const { deadLetterTargetArn } = JSON.parse(policy) as { deadLetterTargetArn: string };
        const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 });
        return { ...queue, attributes: { ...attributes, RedrivePolicy } };
      }),
    }),
  });
  sandbox.setAuditSink(undefined);
  sandbox.kube.apply(aService());
  deployment.parameters.trouble = 'fails';
  const began = Date.now();
  await deployment.sqs('SendMessage', 'BackgroundQueue', { MessageBody: goodFor('web') });
  await until('a dead letter', async () => (await deadIn(deployment, 'BackgroundDeadLetters')) === 1);
  deployment.parameters.trouble = undefined;

  const redriven = Date.now();
  await redrive(deployment);
  await address('web');
  console.log(
    `dead after ${((redriven - began) / 1_000).toFixed(1)} s, address ${seconds(redriven)} s after the redrive`,
  );
  expect(await deadIn(deployment, 'BackgroundDeadLetters')).toBe(0);
});
