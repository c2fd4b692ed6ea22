import type { Call } from '../../exchange.ts';
import { asText } from '../../json.ts';
import { novaFault } from './refusal.ts';
import { Refusal } from '../../refusal.ts';

const lowest = 1;

/**
 * Which microversion 2.x a request asks for: `OpenStack-API-Version: compute 2.47`, else the older header, else 2.1.
 * A version that this Nova does not have is 406, one that is none 400.
 */
export function askedMicroversion(call: Call, highest: number): number {
  const named = /(?:^|,)\s*compute\s+([^\s,]+)/i.exec(asText(call.headers['openstack-api-version']))?.[1];
  const asked = named ?? (asText(call.headers['x-openstack-nova-api-version']) || '2.1');
  if (asked === 'latest') return highest;
  const minor = /^2\.(\d+)$/.exec(asked)?.[1];
  if (minor !== undefined && Number(minor) >= lowest && Number(minor) <= highest) return Number(minor);
  if (!/^\d+\.\d+$/.test(asked)) {
    const rule = 'Must be of format MajorNum.MinorNum.';
    throw novaFault(400, `API Version String ${asked} is of invalid format. ${rule}`);
  }
  const range = `Minimum is 2.${lowest} and maximum is 2.${highest}.`;
  const { answer } = novaFault(406, `Version ${asked} is not supported by the API. ${range}`);
  throw new Refusal(406, answer.body, versionHeaders(asked));
}

export const versionHeaders = (version: string): Record<string, string> => ({
  'OpenStack-API-Version': `compute ${version}`,
  'X-OpenStack-Nova-API-Version': version,
  Vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
});
