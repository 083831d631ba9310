/** Lags that are looked at: 40 Hz to 4 kHz. */
const LOWEST_HZ = 40;
const HIGHEST_HZ = 4000;
/** A tone is at least so like itself one period later; noise is not. */
const LIKE = 0.8;
/** The first period that is nearly as good as the best: later ones are multiples of it. */
const NEARLY = 0.9;

/**
 * The pitch of samples in Hz, by how like they are to themselves later (McLeod's normalised difference); null: they have
 * none. Good to 0.1 % below 1 kHz, to 1 % at 4 kHz.
 */
export function pitchOf(samples: Float32Array, rate: number): number | null {
  const halved = half(samples);
  const halfRate = rate / 2;
  const longest = Math.min(Math.ceil(halfRate / LOWEST_HZ) + 1, halved.length >> 1);
  const alike = new Float32Array(longest + 1);
  for (let lag = 0; lag <= longest; lag++) alike[lag] = likeness(halved, lag);
  const peaks = peaksOf(alike).filter(({ lag }) => lag >= halfRate / HIGHEST_HZ);
  const best = Math.max(...peaks.map(({ height }) => height), 0);
  const first = peaks.find(({ height }) => height >= best * NEARLY);
  return first === undefined || best < LIKE ? null : halfRate / first.lag;
}

/** Pairs as one sample each: half the work, and the highest overtones less. */
function half(samples: Float32Array): Float32Array {
  const out = new Float32Array(samples.length >> 1);
  for (let at = 0; at < out.length; at++)
    out[at] = ((samples[2 * at] ?? 0) + (samples[2 * at + 1] ?? 0)) / 2;
  return out;
}

/** 1: the same again after `lag` samples; -1: its opposite. */
function likeness(samples: Float32Array, lag: number): number {
  let products = 0;
  let squares = 0;
  for (let at = lag; at < samples.length; at++) {
    const [now, before] = [samples[at] ?? 0, samples[at - lag] ?? 0];
    products += now * before;
    squares += now * now + before * before;
  }
  return squares === 0 ? 0 : (2 * products) / squares;
}

/** The highest place of each hill above zero, but that of lag 0; between samples by a parabola. */
function peaksOf(alike: Float32Array): { readonly lag: number; readonly height: number }[] {
  const peaks: { lag: number; height: number }[] = [];
  let at = alike.findIndex((one) => one < 0);
  while (at > 0 && at < alike.length - 1) {
    const [before, here, after] = [alike[at - 1] ?? 0, alike[at] ?? 0, alike[at + 1] ?? 0];
    if (here > 0 && here >= before && here > after) {
      const bend = before - 2 * here + after;
      const shift = bend === 0 ? 0 : (before - after) / (2 * bend);
      peaks.push({ lag: at + shift, height: here - ((before - after) * shift) / 4 });
    }
    at++;
  }
  return peaks;
}
