import { anAuthority } from './authority.ts';
import { idOf, storeContainer, storeSecret } from './barbican.ts';
import { labResources } from './environment.ts';
import { cloud } from './openstack.ts';

/** What the examples of annotations name, as this lab has it. */
export interface ExampleThings {
  /** By the words of the examples. */
  readonly ids: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export async function exampleThings(): Promise<ExampleThings> {
  const { private_v4, private_v6, private_network, public_network } = labResources();
  // whose subnets the project does not see, but for their ids
  const { network } = await cloud().must<{ network: { subnets: string[] } }>(
    'network',
    'GET',
    `/v2.0/networks/${public_network}`,
  );
  const authority = await anAuthority('e2e annotations');
  const certificate = await storeContainer('one');
  const ca = await storeSecret(authority.certificate, 'certificate');
  const crl = await storeSecret(await authority.withdraw([]), 'opaque');
  authority.remove();
  return {
    ids: {
      SUBNET_ID: private_v4,
      SECOND_SUBNET_ID: private_v6,
      NETWORK_ID: private_network,
      EXTERNAL_NETWORK_ID: public_network,
      EXTERNAL_SUBNET_ID: network.subnets[0] ?? '',
      CERTIFICATE_ID: idOf(certificate.ref),
      CA_ID: idOf(ca.ref),
      CRL_ID: idOf(crl.ref),
    },
    async remove() {
      for (const stored of [certificate, ca, crl]) await stored.remove();
    },
  };
}
