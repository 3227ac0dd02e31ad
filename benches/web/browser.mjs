// The browser that all are compared with: the one that Stillpoint takes, so that nobody has a lighter one. The program itself, not the
// script that Debian puts before it: chromedriver would end the script and leave the browser behind.
import fs from 'node:fs';

export const BROWSER = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'].find((path) => fs.existsSync(path));
