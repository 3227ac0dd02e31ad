// How two are compared that took turns in the same rounds.

export const at = (list, share) => {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

/** The mean of the middle half: as deaf to outliers as a median, and steadier where times come in steps, a frame more or less. Of three the middle one. */
function usual(times) {
  const cut = Math.max(Math.floor(times.length / 4), times.length > 2 ? 1 : 0), middle = [...times].sort((a, b) => a - b).slice(cut, times.length - cut);
  return middle.reduce((sum, one) => sum + one, 0) / middle.length;
}

/** Ours by theirs, of the rounds that both took part in. */
export function timesOf(ours, theirs) {
  const rounds = Math.min(ours.length, theirs.length);
  return usual(ours.slice(0, rounds)) / usual(theirs.slice(0, rounds));
}
