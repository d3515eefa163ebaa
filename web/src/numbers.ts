// The report's numbers as tables: a few that tell how the run is, and all of them.
import type { Frame } from "./protocol";

function short(v: number): string {
  if (!Number.isFinite(v)) return String(v);
  if (v === 0 || Number.isInteger(v)) return Math.abs(v) < 1e7 ? String(v) : v.toExponential(3);
  return Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(1) : v.toPrecision(3);
}

export class NumberTables {
  private names: string[] = [];
  private readonly places = new Map<string, number>();
  private few: HTMLTableCellElement[] = [];
  private every: HTMLTableCellElement[] = [];

  constructor(private readonly top: HTMLTableElement, private readonly all: HTMLTableElement, private readonly more: HTMLDetailsElement) {}

  setNames(names: string[]): void {
    this.names = names;
    this.places.clear();
    names.forEach((n, i) => this.places.set(n.replace(/ \[.*/, ""), i));
    this.top.replaceChildren();
    this.all.replaceChildren();
    this.few = [];
    const labels = ["energy", "contacts", "momentum", "penetration", "angular", "iterations", "step", "residual", "real time", "frame cost"];
    for (let i = 0; i < labels.length; i += 2) {
      const row = this.top.insertRow();
      for (const label of [labels[i], labels[i + 1]]) {
        row.insertCell().textContent = label;
        this.few.push(row.insertCell());
      }
    }
    this.every = names.map((n) => {
      const row = this.all.insertRow();
      row.insertCell().textContent = n;
      return row.insertCell();
    });
  }

  show(frame: Frame, live: boolean): void {
    const n = (name: string) => {
      const i = this.places.get(name);
      return i === undefined ? NaN : frame.numbers[i];
    };
    const length = (name: string) => Math.hypot(n(name + ".x"), n(name + ".y"), n(name + ".z"));
    const pace = live && frame.cost > 0 && n("seconds") > 0 ? n("dt") / n("seconds") : NaN;
    const texts = [
      short(n("energy.total")) + " J", short(n("contacts")),
      short(length("momentum")) + " Ns", short(1000 * n("penetration")) + " mm",
      short(length("angular_momentum")) + " Nms", short(n("iterations")),
      short(1000 * n("seconds")) + " ms", short(n("residual")),
      Number.isNaN(pace) ? "–" : short(+pace.toPrecision(3)) + "×", live ? short(1000 * frame.cost) + " ms" : "–",
    ];
    texts.forEach((t, i) => (this.few[i].textContent = /NaN/.test(t) ? "–" : t));
    if (this.more.open) this.names.forEach((_, i) => (this.every[i].textContent = short(frame.numbers[i])));
  }
}
