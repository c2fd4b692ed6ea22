/** Values that choose among things by what they are called: the same words as in cloud.conf. */
import { chooseByName, chooseByTags } from '../model/floating-subnet.ts';
import type { Choice } from '../model/floating-subnet.ts';
import { NODE_SELECTOR, parseNodeSelector } from '../model/node-selector.ts';
import type { NodeSelector } from '../model/node-selector.ts';
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

/** The text in quotes of a section of cloud.conf. */
export const sectionName: Parser<string> = (text) =>
  text.trim() === '' || /\p{Cc}/u.test(text)
    ? { allowed: 'the name of a [LoadBalancerClass "name"] of cloud.conf' }
    : { value: text.trim() };
