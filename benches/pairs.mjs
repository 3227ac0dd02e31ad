// How two are compared that took turns in the same rounds.

export const at = (list, share) => {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

/** The mean of the faster half. What else goes on on a machine only ever makes a program slower, so this is what it takes when it is left
 * alone; a median goes up and down with how often it was not. */
function calm(times) {
  const faster = [...times].sort((a, b) => a - b).slice(0, Math.ceil(times.length / 2));
  return faster.reduce((sum, one) => sum + one, 0) / faster.length;
}

/** Ours by theirs, of the rounds that both took part in. */
export function timesOf(ours, theirs) {
  const rounds = Math.min(ours.length, theirs.length);
  return calm(ours.slice(0, rounds)) / calm(theirs.slice(0, rounds));
}
