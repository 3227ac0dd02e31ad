// The browser that all are compared with: the one that Stillpoint takes, so that nobody has a lighter one.
import fs from 'node:fs';

export const BROWSER = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => fs.existsSync(path));
