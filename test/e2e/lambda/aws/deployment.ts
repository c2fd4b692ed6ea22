import { readFile } from 'node:fs/promises';
import { startAws, type AwsFake } from '../../../functions/lambda/aws-fake.ts';
import { startMapping } from './event-source-mapping.ts';
import { startHttpApi, type HttpApi } from './http-api.ts';
import type { Installed } from './installed.ts';
import { ACCOUNT, type TemplateText } from './intrinsics.ts';
import { Lambda, type Invocation } from './lambda.ts';
import { sqs } from './sqs.ts';
import { readTemplate, type Template } from './template.ts';

export interface DeploymentOptions {
  readonly installed: Installed;
  readonly sqsUrl: string;
  /** What osls wrote: .serverless/cloudformation-template-update-stack.json. */
  readonly template: string;
  /** Where the zips are. */
  readonly zips: string;
  /** Contents of Parameter Store by full name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly port?: number;
}

export interface Depth {
  readonly visible: number;
  readonly inFlight: number;
  readonly delayed: number;
}

let count = 0;

/** The project's functions, queues, routes and schedules as its template has them, on this machine. */
export class Deployment {
  readonly template: Template;
  readonly lambda: Lambda;
  readonly api: HttpApi;
  readonly #ssm: AwsFake;
  readonly #sqsUrl: string;
  #isStopped = false;
  readonly #mappings: readonly { stop(): Promise<void> }[];

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const { installed, sqsUrl, zips, tls, port } = options;
    const packaged = JSON.parse(await readFile(options.template, 'utf8')) as TemplateText;
    const template = readTemplate(packaged, { sqsUrl, zips, prefix: `d${process.pid}-${++count}-` });
    for (const { name, attributes } of template.queues)
      await sqs(sqsUrl, 'CreateQueue', { QueueName: name, Attributes: attributes });
    const ssm = await startAws();
    for (const [name, text] of Object.entries(options.parameters)) ssm.parameters.set(name, text);
    const variables = { AWS_ENDPOINT_URL_SSM: ssm.url };
    const lambda = await Lambda.deploy({ installed, functions: template.functions, variables });
    const { routes } = template;
    const api = await startHttpApi({
      routes,
      lambda,
      ...(tls && { tls }),
      ...(port !== undefined && { port }),
    });
    return new Deployment(template, lambda, api, ssm, sqsUrl);
  }

  private constructor(template: Template, lambda: Lambda, api: HttpApi, ssm: AwsFake, sqsUrl: string) {
    this.template = template;
    this.lambda = lambda;
    this.api = api;
    this.#ssm = ssm;
    this.#sqsUrl = sqsUrl;
    this.#mappings = template.mappings.map((mapping) => startMapping(mapping, sqsUrl, lambda));
  }

  /** The time of every schedule has come: what its function answered. */
  async tick(): Promise<readonly Invocation[]> {
    return Promise.all(
      this.template.schedules.map(({ function: name, input }) => this.lambda.invoke(name, input)),
    );
  }

  /** Of a queue by its logical id in the template. */
  async depth(id: string): Promise<Depth> {
    const queue = this.template.queues.find((one) => one.id === id);
    if (!queue) throw new Error(`the template has no queue ${id}`);
    const asked = { QueueUrl: `${this.#sqsUrl}/${ACCOUNT}/${queue.name}`, AttributeNames: ['All'] };
    const { Attributes: found } = await sqs<{ Attributes: Record<string, string> }>(
      this.#sqsUrl,
      'GetQueueAttributes',
      asked,
    );
    return {
      visible: Number(found['ApproximateNumberOfMessages']),
      inFlight: Number(found['ApproximateNumberOfMessagesNotVisible']),
      delayed: Number(found['ApproximateNumberOfMessagesDelayed']),
    };
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await Promise.all([
      this.api.stop(),
      this.#ssm.close(),
      ...this.#mappings.map((mapping) => mapping.stop()),
    ]);
    await this.lambda.stop();
  }
}
