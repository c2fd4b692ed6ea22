import { anAuthority } from './authority.ts';
import { storeContainer } from './certificate-container.ts';
import { labResources } from './environment.ts';
import { cloud, type OpenStack } from './openstack.ts';

/** What the examples of annotations name, as this lab has it. */
export interface ExampleThings {
  /** By the words of the examples. */
  readonly ids: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export async function exampleThings(barbican: OpenStack): Promise<ExampleThings> {
  const { private_v4, private_v6, private_network, public_network } = labResources();
  // whose subnets the project does not see, but for their ids
  const { network } = await cloud().must<{ network: { subnets: string[] } }>(
    'network',
    'GET',
    `/v2.0/networks/${public_network}`,
  );
  const paths: string[] = [];
  const stored = async (payload: string, secret_type: string): Promise<string> => {
    const body = { name: 'e2e annotations', payload, payload_content_type: 'text/plain', secret_type };
    const made = await barbican.must<{ secret_ref: string }>('key-manager', 'POST', '/v1/secrets', body);
    const id = made.secret_ref.split('/').at(-1) ?? '';
    paths.push(`/v1/secrets/${id}`);
    return id;
  };
  const certificate = await storeContainer(barbican, 'one');
  const authority = await anAuthority('e2e annotations');
  const ids = {
    SUBNET_ID: private_v4,
    SECOND_SUBNET_ID: private_v6,
    NETWORK_ID: private_network,
    EXTERNAL_NETWORK_ID: public_network,
    EXTERNAL_SUBNET_ID: network.subnets[0] ?? '',
    CERTIFICATE_ID: certificate.ref.split('/').at(-1) ?? '',
    CA_ID: await stored(authority.certificate, 'certificate'),
    CRL_ID: await stored(await authority.withdraw([]), 'opaque'),
  };
  authority.remove();
  return {
    ids,
    async remove() {
      await certificate.remove();
      for (const path of paths) await barbican.must('key-manager', 'DELETE', path);
    },
  };
}
