/**
 * The pet's small voice: syllables of a soft synthesizer, pitched by its body. The audio context exists while there is
 * something to hear and some seconds after; a silent pet has none.
 */

interface Tone {
  /** Hertz */
  pitch: number;
  /** share of an octave by which syllables differ */
  spread: number;
  wave: OscillatorType;
  /** Hertz of the low-pass filter */
  soft: number;
}

const USUAL: Tone = { pitch: 410, spread: 0.3, wave: "triangle", soft: 1500 };
const TONES: Readonly<Record<string, Tone>> = {
  soulpet: { pitch: 520, spread: 0.35, wave: "triangle", soft: 1900 },
  biscuit: { pitch: 340, spread: 0.4, wave: "triangle", soft: 1400 },
  inkwell: { pitch: 450, spread: 0.22, wave: "sine", soft: 1700 },
  vesper: { pitch: 285, spread: 0.25, wave: "sine", soft: 1200 },
  moss: { pitch: 230, spread: 0.2, wave: "triangle", soft: 1000 },
};

const VOLUME = 0.07;
const SYLLABLE = 0.11;
const GAP = 0.035;
const BETWEEN = 0.22;
const ATTACK = 0.018;
const RELEASE = 0.05;
/** Seconds of sound that may wait; what comes beyond is left out. */
const LONGEST_QUEUE = 3;
const CLOSES_AFTER_MS = 4_000;

export const toneOf = (skin: string): Tone => TONES[skin.replace(/^soulpet\//, "")] ?? USUAL;

export class SmallVoice {
  #context: AudioContext | null = null;
  #out: AudioNode | null = null;
  /** time of the context at which the last sound ends */
  #until = 0;
  #closes: ReturnType<typeof setTimeout> | undefined;
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Sing phrases, each a number of syllables, once the earlier ones have ended. */
  babble(skin: string, phrases: readonly number[]): void {
    const context = this.#open();
    if (!context) return;
    const tone = toneOf(skin);
    for (const count of phrases) {
      if (this.#until - context.currentTime > LONGEST_QUEUE) break;
      for (let at = 0; at < count; at++) {
        const last = at === count - 1;
        const height = tone.pitch * 2 ** ((this.#random() - 0.5) * tone.spread - (last ? 0.08 : 0));
        this.#sound(tone, height, last ? SYLLABLE * 1.4 : SYLLABLE * (0.8 + 0.4 * this.#random()), GAP);
      }
      this.#until += BETWEEN - GAP;
    }
    this.#closeLater();
  }

  /** Hum once: high for a poke, low for a landing. */
  hum(skin: string, low: boolean): void {
    const context = this.#open();
    if (!context || this.#until > context.currentTime) return;
    const tone = toneOf(skin);
    this.#sound(tone, tone.pitch * (low ? 0.6 : 1.15) * 2 ** ((this.#random() - 0.5) * 0.1), 0.24, GAP);
    this.#closeLater();
  }

  /** Be silent at once. */
  stop(): void {
    clearTimeout(this.#closes);
    const context = this.#context;
    this.#context = null;
    this.#out = null;
    void context?.close();
  }

  #open(): AudioContext | null {
    if (typeof AudioContext === "undefined") return null;
    if (!this.#context) {
      try {
        const context = new AudioContext();
        const limit = context.createDynamicsCompressor();
        limit.threshold.value = -18;
        limit.knee.value = 0;
        limit.ratio.value = 20;
        limit.attack.value = 0.002;
        limit.connect(context.destination);
        this.#context = context;
        this.#out = limit;
      } catch {
        return null; // no sound device
      }
      this.#until = 0;
    }
    return this.#context;
  }

  #sound(tone: Tone, pitch: number, seconds: number, gap: number): void {
    const [context, out] = [this.#context, this.#out];
    if (!context || !out) return;
    const start = Math.max(this.#until, context.currentTime + 0.02);
    const end = start + seconds;
    const [source, filter, gain] = [context.createOscillator(), context.createBiquadFilter(), context.createGain()];
    source.type = tone.wave;
    source.frequency.setValueAtTime(pitch * 0.94, start);
    source.frequency.linearRampToValueAtTime(pitch * 1.05, start + seconds * 0.35);
    source.frequency.linearRampToValueAtTime(pitch * 0.97, end);
    filter.type = "lowpass";
    filter.frequency.value = tone.soft;
    // From silence to silence, or it would click.
    gain.gain.setValueAtTime(0, start);
    gain.gain.linearRampToValueAtTime(VOLUME, start + ATTACK);
    gain.gain.setValueAtTime(VOLUME, end - RELEASE);
    gain.gain.linearRampToValueAtTime(0, end);
    source.connect(filter).connect(gain).connect(out);
    source.onended = () => gain.disconnect();
    source.start(start);
    source.stop(end + 0.01);
    this.#until = end + gap;
  }

  #closeLater(): void {
    clearTimeout(this.#closes);
    const context = this.#context;
    if (!context) return;
    const left = Math.max(0, this.#until - context.currentTime) * 1000;
    this.#closes = setTimeout(() => this.stop(), left + CLOSES_AFTER_MS);
  }
}
