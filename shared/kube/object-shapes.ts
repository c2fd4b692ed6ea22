import { fields, listOf, maybe, number, string, texts } from '../model/shape.ts';

const names = {
  name: string,
  uid: string,
  resourceVersion: string,
  annotations: maybe(texts),
  finalizers: maybe(listOf(string)),
};
const metadata = fields(names);
const port = fields({ port: number, protocol: string });
const address = fields({ type: string, address: string });
const endpoint = fields({ addresses: maybe(listOf(string)) });

/** What levelset counts on in an apiserver's objects (decision 534). */
export const SHAPES = {
  Metadata: fields({ metadata }),
  Service: fields({
    metadata: fields({ ...names, namespace: string }),
    spec: fields({ type: string, ports: maybe(listOf(port)) }),
  }),
  Node: fields({ metadata, status: fields({ addresses: maybe(listOf(address)) }) }),
  EndpointSlice: fields({ metadata, addressType: string, endpoints: maybe(listOf(endpoint)) }),
  Pod: fields({ metadata }),
  Secret: fields({ metadata, data: maybe(texts) }),
  ConfigMap: fields({ metadata, data: maybe(texts) }),
  Lease: fields({ metadata, spec: maybe(fields({ holderIdentity: maybe(string) })) }),
};
