/** Values that choose among things by what they are called: the same words as in cloud.conf. */
import { chooseByName, chooseByTags } from '../../model/network/subnet-choice.ts';
import type { Choice } from '../../model/network/subnet-choice.ts';
import { NODE_SELECTOR, parseNodeSelector } from '../../model/node/node-selector.ts';
import type { NodeSelector } from '../../model/node/node-selector.ts';
import { uuid } from './parsers.ts';
import type { Parser } from './parsers.ts';

/** Empty, it is every node, whatever cloud.conf says. */
export const nodeSelector: Parser<NodeSelector> = (text) => {
  const value = parseNodeSelector(text);
  return value ? { value } : { allowed: NODE_SELECTOR };
};

/** Empty, it is any subnet. */
function choice<T>(choose: (text: string) => Choice<T>): Parser<string> {
  return (text) => {
    const value = text.trim();
    const read = value === '' ? undefined : choose(value);
    return read && 'allowed' in read ? read : { value };
  };
}

export const subnetName = choice(chooseByName);
export const subnetTags = choice(chooseByTags);

/** The name that an operator gave a flavor, or its id. */
export const operatorsName: Parser<string> = (text) =>
  /^[^\p{Cc}]{1,255}$/u.test(text.trim())
    ? { value: text.trim() }
    : { allowed: 'the name of an Octavia flavor, or its id' };

const NODE_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export const nodeName: Parser<string> = (text) =>
  NODE_NAME.test(text.trim()) ? { value: text.trim() } : { allowed: 'names of nodes' };

const MOST_WEIGHT = 256;

/** What Octavia takes as weight of a member: 0 gives it no new connections. */
export const memberWeights: Parser<Readonly<Record<string, number>>> = (text) => {
  const pairs = text.split(/[\s,]+/).filter((item) => item !== '');
  const read = pairs.flatMap((item): (readonly [string, number])[] => {
    const [, name = '', weight] = /^(.+)=(\d{1,3})$/.exec(item) ?? [];
    return NODE_NAME.test(name) && Number(weight) <= MOST_WEIGHT ? [[name, Number(weight)]] : [];
  });
  const names = new Set(read.map(([name]) => name));
  return pairs.length > 0 && names.size === pairs.length
    ? { value: Object.fromEntries(read) }
    : { allowed: `nodes with weights from 0 to ${MOST_WEIGHT}, each once: node-a=10,node-b=0` };
};

/** The text in quotes of a section of cloud.conf. */
export const sectionName: Parser<string> = (text) =>
  text.trim() === '' || /\p{Cc}/u.test(text)
    ? { allowed: 'the name of a [LoadBalancerClass "name"] of cloud.conf' }
    : { value: text.trim() };

const SHARED = /^(cluster\/)?[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** By what Services find the load balancer that they share. It goes into a tag, and tags are asked for with commas. */
export const sharedName: Parser<string> = (text) =>
  SHARED.test(text.trim())
    ? { value: text.trim() }
    : { allowed: 'a DNS label such as edge, or cluster/edge for one of all namespaces' };

/** Other controllers leave it empty. */
export const loadBalancerId: Parser<string> = (text) => (text.trim() === '' ? { value: '' } : uuid(text));
