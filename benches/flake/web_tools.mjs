// The ways to drive a page that are compared. Each acts, waits as its own documentation says, and reads what is on the page.
// `expect` is the text that a test's author waits for, or null where the tool is to know by itself; `gone` is a text that the author
// then waits to see go, or null.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BROWSER } from '../web/browser.mjs';
import { devtools, playwright, stillpoint } from '../web/servers.mjs';

const LONGEST_MS = 10000;
const require = createRequire(path.join(path.resolve(process.env.PEERS), 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)));

/** What a server answered, unless that is an error. */
export const refuse = (answer) => { if (answer?.failed) throw new Error(answer.text.slice(0, 300)); return answer; };

/** One call acts, waits and says whether the page is at rest. */
async function ours(program) {
  const server = await stillpoint(program);
  return {
    open: server.open,
    async perform(kind, n, expect, gone) {
      const more = expect ? { expect: JSON.stringify(expect) } : {};
      const done = refuse(kind === 'tap' ? await server.act('tap', { selector: 'button "Go"', ...more })
        : await server.act('type_text', { selector: 'textbox "Input"', text: String(n), replace: true, ...more }));
      if (!done.json.settled) refuse(await server.act('wait_for_idle', { timeout_ms: LONGEST_MS }));
      if (gone) refuse(await server.act('wait_for_ui', { selector: JSON.stringify(gone), condition: 'gone', timeout_ms: LONGEST_MS }));
      return refuse(await server.act('snapshot', {})).text;
    },
    close: server.close,
  };
}

/** Looks up its target in a snapshot, as its answers tell it to; then its own answer, or its own wait and another snapshot. */
const mcp = (make, wait) => async (scratch) => {
  const server = await make(scratch);
  let target;
  return {
    async open(url, kind) {
      await server.open(url);
      target = await server.find(...(kind === 'tap' ? ['button', 'Go'] : ['textbox', 'Input']));
    },
    async perform(kind, n, expect, gone) {
      const done = refuse(kind === 'tap' ? await server.click(target) : await server.type(target, String(n)));
      if (!expect) return done.text;
      for (const answer of await wait(server, expect, gone)) refuse(answer);
      return server.read();
    },
    close: server.close,
  };
};
const playwrightMcp = mcp(playwright, async (server, text, textGone) =>
  [await server.call('browser_wait_for', { text }), ...(textGone ? [await server.call('browser_wait_for', { textGone })] : [])]);
// It can wait for a text to come, not for one to go.
const devtoolsMcp = mcp(devtools, async (server, text) => [await server.call('wait_for', { text: [text], timeout: LONGEST_MS })]);

async function playwrightLibrary() {
  const { chromium } = (await load('playwright-core')).default;
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(LONGEST_MS);
  return {
    open: (url) => page.goto(url),
    async perform(kind, n, expect, gone) {
      if (kind === 'tap') await page.getByRole('button', { name: 'Go' }).click();
      else await page.getByLabel('Input').fill(String(n));
      if (expect) await page.getByText(expect, { exact: true }).waitFor();
      if (gone) await page.getByText(gone, { exact: true }).waitFor({ state: 'hidden' });
      return page.locator('body').innerText();
    },
    close: () => browser.close(),
  };
}

async function selenium() {
  const { Builder, By, until } = (await load('selenium-webdriver')).default;
  const chrome = (await load('selenium-webdriver/chrome.js')).default;
  const settings = new chrome.Options().addArguments('--headless=new', '--no-sandbox', '--disable-gpu', '--window-size=1280,800');
  settings.setBinaryPath(BROWSER);
  const driver = await new Builder().forBrowser('chrome').setChromeOptions(settings)
    .setChromeService(new chrome.ServiceBuilder('/usr/bin/chromedriver')).build();
  return {
    open: (url) => driver.get(url),
    async perform(kind, n, expect, gone) {
      if (kind === 'tap') await driver.findElement(By.id('go')).click();
      else {
        const field = await driver.findElement(By.id('field'));
        await field.clear();
        await field.sendKeys(String(n));
      }
      const saying = (text) => By.xpath(`//*[normalize-space(text())="${text}"]`);
      const found = await driver.wait(until.elementLocated(saying(expect)), LONGEST_MS);
      await driver.wait(until.elementIsVisible(found), LONGEST_MS);
      if (gone) await driver.wait(async () => !(await driver.findElements(saying(gone))).length, LONGEST_MS);
      return driver.findElement(By.css('body')).getText();
    },
    close: () => driver.quit(),
  };
}

/** By name: the tool, how it is made, whether it is told what to wait for. */
export const WAYS = {
  Stillpoint: { tool: 'Stillpoint', make: (scratch, program) => ours(program), isTold: false },
  'Stillpoint, expecting': { tool: 'Stillpoint', make: (scratch, program) => ours(program), isTold: true },
  'Playwright, locator': { tool: 'Playwright', make: playwrightLibrary, isTold: true },
  'Playwright, auto-wait alone': { tool: 'Playwright', make: playwrightLibrary, isTold: false },
  'Selenium, explicit wait': { tool: 'Selenium', make: selenium, isTold: true },
  'Playwright MCP, its answer': { tool: 'Playwright MCP', make: playwrightMcp, isTold: false },
  'Playwright MCP, wait_for': { tool: 'Playwright MCP', make: playwrightMcp, isTold: true },
  'chrome-devtools-mcp, its answer': { tool: 'chrome-devtools-mcp', make: devtoolsMcp, isTold: false },
  'chrome-devtools-mcp, wait_for': { tool: 'chrome-devtools-mcp', make: devtoolsMcp, isTold: true },
};
