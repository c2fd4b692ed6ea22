import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Deployment } from '../lambda/aws/deployment.ts';

/** What the AWS CLI and osls find where AWS is: an account in which a stack can be made. */
export interface AwsAccount {
  readonly url: string;
  /** Of Parameter Store, by name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Undefined before `deploy` and after `remove`. */
  readonly deployment: Deployment | undefined;
  stop(): Promise<void>;
}

export interface AccountOptions {
  readonly stage: string;
  readonly region: string;
  /** In place of the schedule's five minutes. */
  readonly sweepEveryMs: number;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Any output of the stack but the address of its API. */
const OTHER_OUTPUT = 'not here';

/** The calls that the documents make, by the real AWS CLI, and `osls` by its words at the path /osls; others are refused. */
export async function startAccount(options: AccountOptions): Promise<AwsAccount> {
  const account = new Account(options);
  const server = http.createServer((request, response) => {
    void text(request)
      .then((body) => account.answer(request, body))
      .catch((error: unknown) => ({ status: 500, body: String(error) }))
      .then(({ status, body }) => response.writeHead(status).end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    parameters: account.parameters,
    get deployment() {
      return account.deployment;
    },
    async stop() {
      await account.remove();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

class Account {
  readonly parameters = new Map<string, string>();
  deployment: Deployment | undefined;
  readonly #options: AccountOptions;
  #schedule: NodeJS.Timeout | undefined;

  constructor(options: AccountOptions) {
    this.#options = options;
  }

  async answer({ url, headers }: IncomingMessage, body: string): Promise<Answer> {
    if (url === '/osls') return this.#osls(body);
    if (!headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return { status: 403, body: 'not signed' };
    const target = headers['x-amz-target'];
    if (target !== undefined) return this.#parameterStore(String(target), body);
    const query = new URLSearchParams(body);
    const stack = `levelset-${this.#options.stage}`;
    if (query.get('Action') === 'DescribeStacks' && query.get('StackName') === stack && this.deployment)
      return { status: 200, body: describedStack(stack, this.deployment) };
    return { status: 400, body: `no ${body} here` };
  }

  async remove(): Promise<void> {
    clearInterval(this.#schedule);
    await this.deployment?.stop();
    this.deployment = undefined;
  }

  #parameterStore(target: string, body: string): Answer {
    const { Name = '', Value = '', Type } = JSON.parse(body) as Readonly<Record<string, string>>;
    const ok = { status: 200, body: '{}' };
    if (target === 'AmazonSSM.PutParameter' && Type === 'SecureString' && Value !== '') {
      this.parameters.set(Name, Value);
      return ok;
    }
    if (target === 'AmazonSSM.DeleteParameter' && this.parameters.delete(Name)) return ok;
    return { status: 400, body: JSON.stringify({ __type: 'ValidationException', message: body }) };
  }

  async #osls(words: string): Promise<Answer> {
    const { stage, region, sweepEveryMs } = this.#options;
    const of = `--stage ${stage} --region ${region}`;
    if (words === `deploy ${of}` && !this.deployment) {
      const deployment = await Deployment.start({ parameters: Object.fromEntries(this.parameters) });
      this.#schedule = setInterval(() => void deployment.tick(), sweepEveryMs);
      this.deployment = deployment;
    } else if (words === `remove ${of}` && this.deployment) await this.remove();
    else return { status: 400, body: `osls ${words}` };
    return { status: 200, body: '' };
  }
}

function describedStack(name: string, { api, template }: Deployment): string {
  const outputs = template.outputs.map(
    (key) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${key === 'HttpApiUrl' ? api.url : OTHER_OUTPUT}</OutputValue></member>`,
  );
  const stack = `<StackName>${name}</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>`;
  return (
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>' +
    `${stack}<Outputs>${outputs.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
  );
}
