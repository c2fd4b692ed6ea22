import { chooseByName, chooseByTags, type Choice } from '../../model/network/subnet-choice.ts';
import { NODE_SELECTOR, parseNodeSelector, type NodeSelector } from '../../model/node/node-selector.ts';
import { matching, OBJECT_NAME, uuid, type Parser } from '../../model/text/parsers.ts';
import { DESCRIPTION_MARK, LONGEST_DESCRIPTION } from '../../model/ownership.ts';
import { isReserved, LONGEST_USER_TAG } from '../../model/load-balancer/user-tags.ts';

/** Labels of nodes. An empty value selects every node, whatever cloud.conf says. */
export const nodeSelector: Parser<NodeSelector> = (text) => {
  const value = parseNodeSelector(text);
  return value ? { value } : { allowed: NODE_SELECTOR };
};

function choice<T>(choose: (text: string) => Choice<T>): Parser<string> {
  return (text) => {
    const value = text.trim();
    const read = choose(value);
    return 'allowed' in read ? read : { value };
  };
}

export const subnetName = choice(chooseByName);
export const subnetTags = choice(chooseByTags);

export const operatorsName = matching(/^[^\p{Cc}]{1,255}$/u, 'the name of an Octavia flavor, or its id');

export const nodeName = matching(OBJECT_NAME, 'names of nodes');

const MOST_WEIGHT = 256;

/** Weights of members by the names of their nodes, within Octavia's limits. 0: no new connections. */
export const memberWeights: Parser<Readonly<Record<string, number>>> = (text) => {
  const pairs = text.split(/[\s,]+/).filter((item) => item !== '');
  const read = pairs.flatMap((item): (readonly [string, number])[] => {
    const [, name = '', weight] = /^(.+)=(\d{1,3})$/.exec(item) ?? [];
    return OBJECT_NAME.test(name) && Number(weight) <= MOST_WEIGHT ? [[name, Number(weight)]] : [];
  });
  const names = new Set(read.map(([name]) => name));
  return pairs.length > 0 && names.size === pairs.length
    ? { value: Object.fromEntries(read) }
    : { allowed: `nodes with weights from 0 to ${MOST_WEIGHT}, each once: node-a=10,node-b=0` };
};

/** The name of a class: the text in quotes in the head of a section of cloud.conf. */
export const sectionName = matching(
  /^[^\p{Cc}]+$/u,
  'the name of a [LoadBalancerClass "name"] of cloud.conf',
);

/** The name by which Services share a load balancer. It goes into a tag, so it has no comma, which separates tags in a query. */
export const sharedName = matching(
  /^(cluster\/)?[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
  'a DNS label such as edge, or cluster/edge for one of all namespaces',
);

/** The id of a load balancer, or an empty value, which other controllers leave behind. */
export const loadBalancerId: Parser<string> = (text) => (text.trim() === '' ? { value: '' } : uuid(text));

const MOST_TAGS = 32;

/** Tags, split on commas as OCCM does. Tags by which controllers recognise what is theirs are refused (decision 31). */
export const tagList: Parser<readonly string[]> = (text) => {
  const tags = [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '');
  return tags.length > 0 && tags.length <= MOST_TAGS && tags.every(isTag)
    ? { value: tags }
    : {
        allowed: `at most ${MOST_TAGS} tags with commas between, each of at most ${LONGEST_USER_TAG} bytes and none that begins with levelset- or kube_service_`,
      };
};

function isTag(tag: string): boolean {
  return Buffer.byteLength(tag) <= LONGEST_USER_TAG && !/\p{Cc}/u.test(tag) && !isReserved(tag);
}

/** A description without the words by which controllers recognise a load balancer, or know how it behaves. */
export const description: Parser<string> = (text) => {
  const line = text.trim();
  const isFine =
    line !== '' &&
    Buffer.byteLength(line) <= LONGEST_DESCRIPTION &&
    !/\p{Cc}|,lb_version:/u.test(line) &&
    !line.includes(DESCRIPTION_MARK.trim());
  return isFine
    ? { value: line }
    : { allowed: `one line of at most ${LONGEST_DESCRIPTION} bytes, without what controllers write there` };
};
