// What processes use, read from /proc: a process, and it with all that it started.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';

const read = (file) => { try { return fs.readFileSync(file, 'utf8'); } catch { return null; } };

const parentOf = (pid) => {
  const text = read(`/proc/${pid}/stat`);
  return text && Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
};

/** These processes and all that they started. */
export function family(roots) {
  const parents = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => [Number(name), parentOf(name)]);
  const found = [...roots];
  for (const one of found) found.push(...parents.filter(([, parent]) => parent === one).map(([pid]) => pid));
  return found;
}

/** The processes that `make` started from here, with what it made. */
export async function started(make) {
  const children = () => family([process.pid]).filter((pid) => parentOf(pid) === process.pid);
  const before = new Set(children());
  const made = await make();
  return [made, children().filter((pid) => !before.has(pid))];
}

function threads(pid) {
  try {
    return fs.readdirSync(`/proc/${pid}/task`).map((name) => `/proc/${pid}/task/${name}`);
  } catch {
    return [];
  }
}

/** Processor milliseconds of one process, and of these with all that they started. */
export function cpuOfOne(pid) {
  const nanoseconds = threads(pid).map((task) => Number(read(`${task}/schedstat`)?.split(' ')[0] ?? 0));
  return nanoseconds.reduce((sum, n) => sum + n, 0) / 1e6;
}
export const cpuOf = (roots) => family(roots).map(cpuOfOne).reduce((sum, ms) => sum + ms, 0);

const LAST = os.cpus().length - 1;
/** All threads of a process, and what it starts from then on: on the first core, on the last, or where they like. */
export const PLACES = { first: '0', last: String(LAST), any: `0-${LAST}` };
export const place = (pid, where) => execFileSync('taskset', ['-acp', where, String(pid)], { stdio: 'ignore' });

const LOOKS = 4, LOOK_MS = 2, LONGEST_MS = 300;
// We, and those that keep the cores awake (script/bench).
const OWN = 1 + Number(process.env.STILLPOINT_AWAKE ?? 0);
const areOthersRunning = () => Number.parseInt(read('/proc/loadavg').split(' ')[3], 10) > OWN;
/** Until nobody but us has been ready to run for some looks in a row, or for so long at most: what one tool leaves to be done after its
 * answer, or a browser that is on its way out, is not the next tool's time. */
export async function atRest() {
  const deadline = performance.now() + LONGEST_MS;
  for (let looks = 0; looks < LOOKS && performance.now() < deadline;) {
    await new Promise((done) => setTimeout(done, LOOK_MS));
    looks = areOthersRunning() ? 0 : looks + 1;
  }
}

const memoryAlone = (pid) => {
  const told = read(`/proc/${pid}/smaps_rollup`) ?? '', kib = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(told)?.[1] ?? 0);
  return (kib('Pss') - kib('Pss_File')) / 1024;
};

// What an answer needed is given back soon after it, and not with it.
const STEADY = 0.01, MEMORY_LOOK_MS = 100, MOST_MEMORY_LOOKS = 20;

/** Reads until it has become steady. */
async function steady(reading) {
  let last, now = reading();
  for (let look = 0; look < MOST_MEMORY_LOOKS && !(Math.abs(now - last) <= STEADY * now); look++) {
    await new Promise((done) => setTimeout(done, MEMORY_LOOK_MS));
    [last, now] = [now, reading()];
  }
  return now;
}

/** MiB of memory: what a process alone has, and these with all that they started (shared pages shared out); without the files that they map, for how
 * much of those is in memory is the kernel's business. */
export const memoryOfOne = (pid) => steady(() => memoryAlone(pid));
export const memoryOf = (roots) => steady(() => family(roots).map(memoryAlone).reduce((sum, n) => sum + n, 0));
