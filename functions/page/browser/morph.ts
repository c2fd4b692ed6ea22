/** An element with this attribute belongs to the script: no new page changes it. */
const OWN = 'data-own';

/** Makes `from` like `to`, and keeps what both have by id or place: with it focus, selection, scroll position, open plans, what is typed. */
export function morph(from: Element, to: Element): void {
  if (from.hasAttribute(OWN)) return;
  for (const { name } of [...from.attributes])
    if (!to.hasAttribute(name) && !isOfReader(from, name)) from.removeAttribute(name);
  for (const { name, value } of to.attributes)
    if (from.getAttribute(name) !== value && !isOfReader(from, name)) from.setAttribute(name, value);
  place(from, childrenOf(from, to));
}

function isOfReader(element: Element, attribute: string): boolean {
  return element.tagName === 'DETAILS' && attribute === 'open';
}

function childrenOf(from: Element, to: Element): readonly ChildNode[] {
  const byId = new Map<string, Element>();
  const others: ChildNode[] = [];
  for (const child of from.childNodes) {
    if (child instanceof Element && child.id !== '') byId.set(child.id, child);
    else others.push(child);
  }
  const children = [...to.childNodes].map((wanted) => {
    if (wanted instanceof Element && wanted.id !== '') {
      const old = byId.get(wanted.id);
      return old?.tagName === wanted.tagName ? morphed(old, wanted) : adopted(wanted);
    }
    const at = others.findIndex(({ nodeName }) => nodeName === wanted.nodeName);
    const [old] = at < 0 ? [] : others.splice(at, 1);
    return old ? morphed(old, wanted) : adopted(wanted);
  });
  return [...children, ...others.filter(staysOpen)];
}

/** A plan that somebody reads stays, and is marked, when the object has none any more. */
function staysOpen(node: Node): boolean {
  if (!(node instanceof HTMLDetailsElement) || !node.open) return false;
  node.dataset['past'] = '';
  return true;
}

function morphed(old: ChildNode, wanted: ChildNode): ChildNode {
  if (old instanceof Element && wanted instanceof Element) morph(old, wanted);
  else if (old.nodeValue !== wanted.nodeValue) old.nodeValue = wanted.nodeValue;
  return old;
}

function adopted<N extends Node>(node: N): N {
  return document.importNode(node, true);
}

/** Puts the children in order. The one with the focus or the selection is never moved, since moving would end both. */
function place(parent: Element, children: readonly ChildNode[]): void {
  const kept = new Set(children);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) child.remove();
  let next = parent.firstChild;
  for (const child of children) {
    if (child.parentNode === parent && isLookedAt(child))
      while (next && next !== child) {
        const other: ChildNode = next;
        next = other.nextSibling;
        parent.append(other);
      }
    if (next === child) next = child.nextSibling;
    else parent.insertBefore(child, next);
  }
}

function isLookedAt(node: Node): boolean {
  const { anchorNode, isCollapsed = true } = document.getSelection() ?? {};
  const isSelected = !isCollapsed && node.contains(anchorNode ?? null);
  return isSelected || (node.contains(document.activeElement) && document.activeElement !== document.body);
}
