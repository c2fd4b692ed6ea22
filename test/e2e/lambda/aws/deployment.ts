import { readFile } from 'node:fs/promises';
import { startMapping } from './event-source-mapping.ts';
import { startHttpApi, type HttpApi } from './http-api.ts';
import type { Installed } from './installed.ts';
import { ACCOUNT, type TemplateText } from './intrinsics.ts';
import { Lambda, type Invocation } from './lambda.ts';
import { startParameterStore, type ParameterStore } from './parameter-store.ts';
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
  /** What a test has otherwise than the template, and says why. */
  readonly change?: (template: Template) => Template;
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
  readonly parameters: ParameterStore;
  readonly #sqsUrl: string;
  #isStopped = false;
  readonly #mappings: readonly { stop(): Promise<void> }[];

  static async start(options: DeploymentOptions): Promise<Deployment> {
    const { installed, sqsUrl, zips, tls, port, change = (template) => template } = options;
    const text = JSON.parse(await readFile(options.template, 'utf8')) as TemplateText;
    const template = change(readTemplate(text, { sqsUrl, zips, prefix: `d${process.pid}-${++count}-` }));
    for (const { name, attributes } of template.queues)
      await sqs(sqsUrl, 'CreateQueue', { QueueName: name, Attributes: attributes });
    const parameters = await startParameterStore(options.parameters);
    const variables = { AWS_ENDPOINT_URL_SSM: parameters.url };
    const lambda = await Lambda.deploy({ installed, functions: template.functions, variables });
    const { routes } = template;
    const api = await startHttpApi({
      routes,
      lambda,
      ...(tls && { tls }),
      ...(port !== undefined && { port }),
    });
    return new Deployment(template, lambda, api, parameters, sqsUrl);
  }

  private constructor(
    template: Template,
    lambda: Lambda,
    api: HttpApi,
    parameters: ParameterStore,
    sqsUrl: string,
  ) {
    this.template = template;
    this.lambda = lambda;
    this.api = api;
    this.parameters = parameters;
    this.#sqsUrl = sqsUrl;
    this.#mappings = template.mappings.map((mapping) => startMapping(mapping, sqsUrl, lambda));
  }

  /** The time of every schedule has come: what its function answered. */
  async tick(): Promise<readonly Invocation[]> {
    return Promise.all(
      this.template.schedules.map(({ function: name, input }) => this.lambda.invoke(name, input)),
    );
  }

  /** The name of the function whose name ends in it. */
  functionNamed(end: string): string {
    const found = this.template.functions.find(({ name }) => name.endsWith(`-${end}`));
    if (!found) throw new Error(`no function ${end}`);
    return found.name;
  }

  invocationsOf(end: string): readonly Invocation[] {
    const name = this.functionNamed(end);
    return this.lambda.invocations.filter((invocation) => invocation.function === name);
  }

  /** By its logical id in the template. */
  queueUrl(id: string): string {
    const found = this.template.queues.find((queue) => queue.id === id);
    if (!found) throw new Error(`the template has no queue ${id}`);
    return `${this.#sqsUrl}/${ACCOUNT}/${found.name}`;
  }

  /** An action of SQS on a queue by its logical id. */
  async sqs<T = unknown>(action: string, id: string, more: object = {}): Promise<T> {
    return sqs<T>(this.#sqsUrl, action, { QueueUrl: this.queueUrl(id), ...more });
  }

  async depth(id: string): Promise<Depth> {
    const { Attributes: found } = await this.sqs<{ Attributes: Record<string, string> }>(
      'GetQueueAttributes',
      id,
      {
        AttributeNames: ['All'],
      },
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
      this.parameters.stop(),
      ...this.#mappings.map((mapping) => mapping.stop()),
    ]);
    await this.lambda.stop();
  }
}
