import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { packageTemplate, type PackagedTemplate } from '../../../functions/lambda/packaged-template.ts';
import { startElasticMq, type ElasticMq } from './elasticmq.ts';
import { startMapping } from './event-source-mapping.ts';
import { startHttpApi, type HttpApi } from './http-api.ts';
import { installed } from './installed.ts';
import { ACCOUNT, type TemplateText } from './intrinsics.ts';
import { Lambda, type Invocation } from './lambda.ts';
import { startParameterStore, type ParameterStore } from './parameter-store.ts';
import { sqs } from './sqs.ts';
import { readTemplate, type Template } from './template.ts';

const ZIPS = join(resolve(import.meta.dirname, '../../../..'), 'dist/functions');

export interface DeploymentOptions {
  /** As for `--param`: NAME=VALUE. */
  readonly params?: readonly string[];
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

interface Parts {
  readonly packaged: PackagedTemplate;
  readonly template: Template;
  readonly elasticmq: ElasticMq;
  readonly parameters: ParameterStore;
  readonly lambda: Lambda;
  readonly api: HttpApi;
}

/** The project's functions, queues, routes and schedules as its packaged template has them, on this machine. */
export class Deployment {
  readonly template: Template;
  readonly lambda: Lambda;
  readonly api: HttpApi;
  readonly #parts: Parts;
  readonly #mappings: readonly { stop(): Promise<void> }[];

  static async start({ params = [], tls, port, ...options }: DeploymentOptions): Promise<Deployment> {
    const there = await installed();
    const [elasticmq, packaged] = await Promise.all([
      startElasticMq(there.elasticmq),
      packageTemplate({ zips: ZIPS, params }),
    ]);
    const text = JSON.parse(await readFile(packaged.file, 'utf8')) as TemplateText;
    const template = readTemplate(text, { sqsUrl: elasticmq.url, zips: ZIPS });
    for (const { name, attributes } of template.queues)
      await sqs(elasticmq.url, 'CreateQueue', { QueueName: name, Attributes: attributes });
    const parameters = await startParameterStore(options.parameters);
    const variables = { AWS_ENDPOINT_URL_SSM: parameters.url };
    const lambda = await Lambda.deploy({ installed: there, functions: template.functions, variables });
    const api = await startHttpApi({
      routes: template.routes,
      lambda,
      ...(tls && { tls }),
      ...(port !== undefined && { port }),
    });
    return new Deployment({ packaged, template, elasticmq, parameters, lambda, api });
  }

  private constructor(parts: Parts) {
    const { template, lambda, api, elasticmq } = parts;
    this.#parts = parts;
    this.template = template;
    this.lambda = lambda;
    this.api = api;
    this.#mappings = template.mappings.map((mapping) => startMapping(mapping, elasticmq.url, lambda));
  }

  /** The time of every schedule has come: what its function answered. */
  async tick(): Promise<readonly Invocation[]> {
    return Promise.all(
      this.template.schedules.map(({ function: name, input }) => this.lambda.invoke(name, input)),
    );
  }

  /** Of a queue, by its logical id in the template. */
  async depth(id: string): Promise<Depth> {
    const { url } = this.#parts.elasticmq;
    const queue = this.template.queues.find((one) => one.id === id);
    if (!queue) throw new Error(`the template has no queue ${id}`);
    const { Attributes: found } = await sqs<{ Attributes: Record<string, string> }>(
      url,
      'GetQueueAttributes',
      { QueueUrl: `${url}/${ACCOUNT}/${queue.name}`, AttributeNames: ['All'] },
    );
    return {
      visible: Number(found['ApproximateNumberOfMessages']),
      inFlight: Number(found['ApproximateNumberOfMessagesNotVisible']),
      delayed: Number(found['ApproximateNumberOfMessagesDelayed']),
    };
  }

  async stop(): Promise<void> {
    const { packaged, elasticmq, parameters } = this.#parts;
    await Promise.all([
      this.api.stop(),
      parameters.stop(),
      ...this.#mappings.map((mapping) => mapping.stop()),
    ]);
    await this.lambda.stop();
    await elasticmq.stop();
    await packaged.remove();
  }
}
