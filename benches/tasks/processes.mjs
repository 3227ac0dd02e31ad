// What processes use, read from /proc: a process, and it with all that it started.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';

const PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']).toString());

const stat = (pid) => {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
};

export function family(root) {
  const parents = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => [Number(name), Number(stat(name)?.[1])]);
  const found = [root];
  for (const one of found) found.push(...parents.filter(([, parent]) => parent === one).map(([pid]) => pid));
  return found;
}

/** Processor milliseconds of a process and all that it started. */
export function cpuTicks(root) {
  const ticks = family(root).map(stat).filter(Boolean).map((fields) => Number(fields[11]) + Number(fields[12]));
  return ticks.reduce((sum, n) => sum + n, 0) * 1000 / PER_SECOND;
}

/** MiB of memory: what the process alone has, and it with all that it started (shared pages shared out). */
export function memoryOf(root) {
  const share = (pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  };
  return [share(root), family(root).map(share).reduce((sum, n) => sum + n, 0)];
}
