// The libraries among the peers behind the verbs that the tasks need; their browsers are children of this process.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { BROWSER } from '../web/browser.mjs';
import { started } from './processes.mjs';

const require = createRequire(path.join(path.resolve(process.env.PEERS), 'package.json'));
const load = async (name) => (await import(pathToFileURL(require.resolve(name)))).default;

export async function playwrightLibrary() {
  const { chromium } = await load('playwright-core');
  const [browser, pids] = await started(() => chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] }));
  const newPage = () => browser.newPage({ viewport: { width: 1280, height: 800 } });
  const page = await newPage();
  return {
    pids,
    open: (url) => page.goto(url),
    read: () => page.locator('body').ariaSnapshot(),
    find: (role, name) => page.getByRole(role, { name, exact: true }).textContent(),
    never: (timeout) => page.getByText('Never').waitFor({ timeout }).catch(() => null),
    another: async (url) => { const other = await newPage(); await other.goto(url); await other.locator('body').ariaSnapshot(); },
    close: () => browser.close(),
  };
}

export async function seleniumLibrary() {
  const { Builder, By, until } = await load('selenium-webdriver'), chrome = await load('selenium-webdriver/chrome.js');
  const settings = new chrome.Options().addArguments('--headless=new', '--no-sandbox', '--disable-gpu', '--window-size=1280,800');
  settings.setBinaryPath(BROWSER);
  const make = () => new Builder().forBrowser('chrome').setChromeOptions(settings).setChromeService(new chrome.ServiceBuilder('/usr/bin/chromedriver')).build();
  const drivers = [], pids = [];
  const begin = async () => {
    const [driver, more] = await started(async () => { const made = await make(); await made.getSession(); return made; });
    drivers.push(driver);
    pids.push(...more);
    return driver;
  };
  const driver = await begin();
  return {
    pids,
    open: (url) => driver.get(url),
    find: (role, name) => driver.findElement(By.xpath(`//${role}[normalize-space()="${name}"]`)).getText(),
    never: (timeout) => driver.wait(until.elementLocated(By.xpath('//*[text()="Never"]')), timeout).catch(() => null),
    another: async (url) => (await begin()).get(url),
    close: async () => { for (const one of drivers) await one.quit(); },
  };
}
