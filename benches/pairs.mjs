// How two are compared that took turns: round by round, so that what slows the machine for a while slows both.

export const at = (list, share) => {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
};

/** The mean of the middle half: as deaf to outliers as a median, and steady where times come in steps (a frame more or less). */
function middleMean(values) {
  const sorted = [...values].sort((a, b) => a - b), cut = Math.floor(sorted.length / 4), middle = sorted.slice(cut, sorted.length - cut);
  return middle.reduce((sum, one) => sum + one, 0) / middle.length;
}

/** Ours by theirs. With fewer than three rounds in common it is the ratio of the medians. */
export function timesOf(ours, theirs) {
  const pairs = ours.slice(0, theirs.length).map((one, round) => one / theirs[round]);
  return pairs.length >= 3 ? middleMean(pairs) : at(ours, 0.5) / at(theirs, 0.5);
}
