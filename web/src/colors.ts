// Colours of fields: viridis (Smith and van der Walt 2015, CC0), the same table as src/render/color.cpp.
import { Color, SRGBColorSpace } from "three";

const viridis = [
  0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26828e, 0x21918c, 0x1f9f88, 0x27ad81,
  0x3dbc74, 0x5cc863, 0x81d34d, 0xaadc32, 0xd5e21a, 0xfde725,
];
const size = 256;
const table = new Float32Array(3 * size); // linear RGB
const noValue = new Color().setHex(0x9a9a9a, SRGBColorSpace);

for (let i = 0; i < size; ++i) {
  const t = (16 * i) / (size - 1);
  const k = Math.min(15, Math.floor(t));
  const part = (shift: number) => {
    const a = (viridis[k] >> shift) & 255;
    const b = (viridis[k + 1] >> shift) & 255;
    return (a + (t - k) * (b - a)) / 255;
  };
  const c = new Color().setRGB(part(16), part(8), part(0), SRGBColorSpace);
  table.set([c.r, c.g, c.b], 3 * i);
}

export const gradient = `linear-gradient(to right, ${viridis.map((c) => "#" + c.toString(16).padStart(6, "0")).join(", ")})`;

// The range of a field since it was chosen: what flickers from frame to frame cannot be read.
export class Range {
  low = Infinity;
  high = -Infinity;

  add(values: Float32Array): void {
    for (const v of values) {
      if (v < this.low) this.low = v;
      if (v > this.high) this.high = v;
    }
  }
  get known(): boolean {
    return this.low <= this.high;
  }
  // writes the colour of v to out[3 at]
  write(v: number, out: Float32Array, at: number): void {
    if (Number.isNaN(v)) {
      out[at] = noValue.r;
      out[at + 1] = noValue.g;
      out[at + 2] = noValue.b;
      return;
    }
    const t = this.high > this.low ? (v - this.low) / (this.high - this.low) : 0;
    const i = 3 * Math.round((size - 1) * Math.min(1, Math.max(0, t)));
    out[at] = table[i];
    out[at + 1] = table[i + 1];
    out[at + 2] = table[i + 2];
  }
}
