/** Keeps the ages on the page true between two answers. `skewMs`: how much the server's clock is ahead of this one. */
export function renewAges(skewMs: number): void {
  const selection = document.getSelection();
  for (const time of document.querySelectorAll('time[datetime]')) {
    const at = Date.parse(time.getAttribute('datetime') ?? '');
    if (Number.isNaN(at) || (selection?.isCollapsed === false && selection.containsNode(time, true)))
      continue;
    const age = Date.now() + skewMs - at;
    const text = age > -500 && time.hasAttribute('data-due') ? 'now' : ago(age);
    if (time.textContent !== text) time.textContent = text;
  }
}

/** An age in words: 12 s ago, in 5 min. */
export function ago(ms: number): string {
  const age = ageOf(Math.abs(ms));
  return ms < -500 ? `in ${age}` : `${age} ago`;
}

function ageOf(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}
