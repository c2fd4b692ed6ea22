const TYPING_MS = 200;

/** Asks for what the form filters while somebody types or chooses, and keeps it in the address. */
export function followFilters(ask: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener('input', (event) => {
    const form = event.target instanceof Element ? event.target.closest<HTMLFormElement>('form') : null;
    if (form?.id !== 'filters') return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const query = new URLSearchParams();
      for (const [name, value] of new FormData(form))
        if (typeof value === 'string' && value !== '') query.set(name, value);
      history.replaceState(null, '', `${location.pathname}?${query.toString()}`);
      ask();
    }, TYPING_MS);
  });
}
