// Pictures of the report: `pictures.mjs OUT_FOLDER plots` makes one PNG for each plot that the README shows, `pages` shows the whole
// page light and dark, narrow and wide, to be looked at.
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, what] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(process.env.PEERS), 'package.json'));
const { chromium } = (await import(pathToFileURL(require.resolve('playwright-core')))).default;
const PLOTS = ['flakes', 'late', 'act', 'economy'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const address = pathToFileURL(path.resolve(folder, 'index.html')).href;

async function open(width, colorScheme, deviceScaleFactor = 1) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, deviceScaleFactor });
  await page.goto(address);
  return page;
}

if (what === 'pages') {
  for (const width of [400, 1300]) {
    for (const scheme of ['light', 'dark']) {
      const page = await open(width, scheme);
      await page.screenshot({ path: path.join(folder, `page-${width}-${scheme}.png`), fullPage: true });
    }
  }
} else {
  const page = await open(900, 'light', 1.5);
  for (const id of PLOTS) {
    const plot = page.locator(`#${id}`);
    if (await plot.count()) await plot.screenshot({ path: path.join(folder, `${id}.png`) });
  }
}
await browser.close();
