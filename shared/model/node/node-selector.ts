/** Labels such as `pool=edge,ssd` (docs/sources/occm.md, "Node selector"). One with an empty value only has to exist. */
export type NodeSelector = Readonly<Record<string, string>>;

export const NODE_SELECTOR = 'labels such as pool=edge,ssd; a label without a value only has to exist';

const NAME = /^[a-z0-9]([-a-z0-9_.]{0,61}[a-z0-9])?$/i;
const PREFIX = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/** The selector in a text. The empty text selects every Node. Undefined if a part of the text is no label. */
export function parseNodeSelector(text: string): NodeSelector | undefined {
  const items = text.split(',').map((item) => item.trim());
  const pairs = items.filter((item) => item !== '').map(split);
  return pairs.every(isLabel) ? Object.fromEntries(pairs) : undefined;
}

export function isSelected(labels: Readonly<Record<string, string>>, selector: NodeSelector): boolean {
  return Object.entries(selector).every(
    ([key, value]) => Object.hasOwn(labels, key) && (value === '' || labels[key] === value),
  );
}

export function renderNodeSelector(selector: NodeSelector): string {
  return Object.entries(selector)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .join(',');
}

function split(item: string): readonly [string, string] {
  const at = item.indexOf('=');
  return at === -1 ? [item, ''] : [item.slice(0, at).trim(), item.slice(at + 1).trim()];
}

function isLabel([key, value]: readonly [string, string]): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  return (
    NAME.test(name) &&
    (prefix === undefined || PREFIX.test(prefix)) &&
    more.length === 0 &&
    (value === '' || NAME.test(value))
  );
}
