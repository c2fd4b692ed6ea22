/** One action of SQS in the JSON protocol. ElasticMQ reads no signature, so there is none. */
export async function sqs<T = unknown>(
  endpoint: string,
  action: string,
  body: object,
  signal?: AbortSignal,
): Promise<T> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${action} ${JSON.stringify(body)}: ${response.status} ${text}`);
  return JSON.parse(text || '{}') as T;
}

export interface SqsMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}
