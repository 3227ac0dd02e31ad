// The asynchronous patterns of apps/web: what is done on each page, what its final state says, and what is to be gone
// by then.
const tap = (role, name) => ({ role, name });
const type = (name, text) => ({ role: 'textbox', name, text });

export const PATTERNS = [
  { name: 'static click', page: 'static.html', do: tap('button', 'Add one'), final: ['Count: 1'] },
  { name: 'debounce', page: 'debounce.html', do: type('Quantity', '6'), final: ['Total: 42'] },
  { name: 'spinner', page: 'spinner.html', do: tap('button', 'Load'), final: ['Report ready'], passing: ['progressbar'] },
  { name: 'skeleton', page: 'skeleton.html', do: tap('button', 'Open profile'), final: ['Ada Lovelace'] },
  { name: 'streamed list', page: 'streamed.html', do: tap('button', 'Load items'), final: ['Loaded 8 items', 'Item 8'], passing: ['Loading'] },
  { name: 'toast', page: 'toast.html', do: tap('button', 'Save'), final: ['Saved 1 times'], passing: ['Saved to disk'] },
  { name: 'modal', page: 'modal.html', do: tap('button', 'Open settings'), final: ['dialog', 'Settings', 'Notifications'] },
  { name: 'optimistic update, rolled back', page: 'optimistic.html', do: { ...tap('button', 'Like'), selector: '#like' }, final: ['Could not save'], passing: ['11 likes'] },
  { name: 'route change', page: 'routes.html', do: tap('link', 'Orders'), final: ['heading "Orders"'], passing: ['Loading'] },
  { name: 'full navigation', page: 'navigation.html', do: tap('link', 'Next'), final: ['Everything is here'] },
  { name: 'redirect chain', page: 'navigation.html', do: tap('link', 'Through redirects'), final: ['Everything is here'] },
  { name: 'long poll', page: 'longpoll.html', do: tap('button', 'Add one'), final: ['Count: 1'] },
  { name: 'websocket ticker', page: 'ticker.html', do: tap('button', 'Add one'), final: ['Count: 1'] },
  { name: 'endless animation', page: 'endless.html', do: tap('button', 'Fade'), final: ['Faded'] },
  { name: 'lazy images', page: 'lazy.html', do: tap('button', 'Show pictures'), final: ['All pictures loaded'] },
  { name: 'form in a frame', page: 'frame.html', do: { ...type('Email', 'ada@x'), selector: '#near >> textbox "Email"' }, final: ['ada@x'] },
  { name: 'open shadow root', page: 'component.html', do: tap('button', 'Raise open'), final: ['open 1'] },
  { name: 'closed shadow root', page: 'component.html', do: tap('button', 'Raise closed'), final: ['closed 1'] },
  { name: 'alert', page: 'alert.html', do: tap('button', 'Warn'), final: ['Careful now'] },
];
