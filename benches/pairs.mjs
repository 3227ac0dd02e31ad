// How two are compared that took turns in the same rounds.

export const at = (list, share) => {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

function meanOf(times, first, end) {
  const chosen = [...times].sort((a, b) => a - b).slice(first, end);
  return chosen.reduce((sum, one) => sum + one, 0) / chosen.length;
}

/** The mean of the middle half: as deaf to outliers as a median, and steadier where times come in steps, a frame more or less. Of three the middle one. */
export function usual(times) {
  const cut = Math.max(Math.floor(times.length / 4), times.length > 2 ? 1 : 0);
  return meanOf(times, cut, times.length - cut);
}

/** The mean of the fastest quarter. What slows a machine for seconds or minutes can only add, and does not come into this as long as a quarter of
 * the times are free of it; into a middle half it comes where it lasts for more than a quarter of them. */
export function undisturbed(times) {
  return meanOf(times, 0, Math.ceil(times.length / 4));
}

/** Ours by theirs, of the rounds that both took part in. */
export function timesOf(ours, theirs, rule = usual) {
  const rounds = Math.min(ours.length, theirs.length);
  return rule(ours.slice(0, rounds)) / rule(theirs.slice(0, rounds));
}
