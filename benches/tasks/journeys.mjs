// Ten journeys through apps/web, as steps that every server can carry out. `see` is the text that proves the end.
const tap = (role, name) => ({ tap: [role, name] });
const type = (name, text) => ({ type: [name, text] });
const page = (name) => tap('button', `${name} page`);

export const JOURNEYS = [
  { name: 'log in', page: 'fixture.html', steps: [type('Username', 'ada'), type('Password', 'secret'), tap('button', 'Sign in')], see: 'Welcome, ada' },
  { name: 'be refused with a wrong password', page: 'fixture.html', steps: [type('Username', 'ada'), type('Password', 'wrong'), tap('button', 'Sign in')], see: 'Wrong user name or password' },
  { name: 'choose row 1,500 of 2,000', page: 'fixture.html', steps: [page('Rows'), { far: ['listitem', 'Row 1500'] }], see: 'Chose row 1500' },
  { name: 'fill a form with validation', page: 'fixture.html', steps: [page('Form'), type('Email', 'ada@example.org'), tap('checkbox', 'I agree'), tap('button', 'Submit')], see: 'Submitted' },
  { name: 'order boots', page: 'fixture.html', steps: [page('Checkout'), { set: ['spinbutton', 'Quantity of boots', '2'] }, type('E-mail', 'ada@example.org'), tap('checkbox', 'I accept the terms'), tap('button', 'Place order')], see: 'rdered' },
  { name: 'change a setting in a dialog', page: 'fixture.html', steps: [page('Dialog'), tap('button', 'Settings'), tap('checkbox', 'Notifications'), tap('button', 'OK')], see: 'Settings saved' },
  { name: 'set a slider to 70', page: 'fixture.html', steps: [page('Values'), { set: ['slider', 'Volume', '70'] }], see: 'Volume is 70' },
  { name: 'use a button that is replaced', page: 'fixture.html', steps: [page('Replaced'), tap('button', 'Refresh'), tap('button', 'Open report')], see: 'Opened version 2' },
  { name: 'wait for a computed total', page: 'debounce.html', steps: [type('Quantity', '6')], see: 'Total: 42' },
  { name: 'save, and see the toast go', page: 'toast.html', steps: [tap('button', 'Save')], see: 'Saved 1 times' },
];
