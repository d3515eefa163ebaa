// Curves of the report over time. Frames come in any order when a recording is scrubbed, so rows are kept sorted by time.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

interface Curve {
  number: string; // of the report, without unit
  label: string;
  color: string;
  scale?: number; // shown = scale * number
}
interface Chart {
  title: string;
  log?: boolean;
  curves: Curve[];
}
const charts: Chart[] = [
  {
    title: "energy [J]",
    curves: [
      { number: "energy.total", label: "total", color: "#1d2530" },
      { number: "energy.kinetic", label: "kinetic", color: "#d8572a" },
      { number: "energy.elastic", label: "elastic", color: "#3c9a7d" },
      { number: "energy.gravity", label: "gravity", color: "#2b7bb9" },
      { number: "energy.contact", label: "contact", color: "#8561ab" },
    ],
  },
  { title: "penetration [mm]", curves: [{ number: "penetration", label: "deepest", color: "#b3322b", scale: 1000 }] },
  { title: "residual", log: true, curves: [{ number: "residual", label: "of the solver", color: "#8561ab" }] },
  { title: "time per step [ms]", curves: [{ number: "seconds", label: "wall", color: "#1f6fb2", scale: 1000 }] },
];
const mostRows = 4000;

type Row = Float64Array; // time, then all curves of all charts

export class Plots {
  rows: Row[] = [];
  private readonly plots: uPlot[] = [];
  private columns: number[] = []; // per curve: place among the report's numbers, -1 = absent
  private drawn = 0; // [ms] when
  private waiting = false;

  constructor(private readonly home: HTMLElement) {}

  // names as the layout has them: "penetration [m]"
  setNames(names: string[]): void {
    const plain = names.map((n) => n.replace(/ \[.*/, ""));
    const columns = charts.flatMap((c) => c.curves.map((k) => plain.indexOf(k.number)));
    if (this.plots.length > 0 && columns.join() === this.columns.join()) return;
    this.columns = columns;
    this.clear();
    for (const p of this.plots.splice(0)) p.destroy();
    this.home.replaceChildren();
    let at = 0;
    for (const chart of charts) {
      if (chart.curves.some((_, i) => columns[at + i] >= 0)) this.plots.push(this.make(chart));
      at += chart.curves.length;
    }
  }
  private make(chart: Chart): uPlot {
    const frame = document.createElement("div");
    frame.className = "plot";
    this.home.append(frame);
    const short = (v: number) => (v === 0 ? "0" : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? v.toExponential(0) : String(+v.toPrecision(4)));
    const value = (_u: uPlot, v: number | null) => (v === null || v === undefined ? "–" : v.toPrecision(4));
    const axis = { stroke: "#5b6776", font: "10px system-ui", grid: { stroke: "#e8ecf1", width: 1 }, ticks: { stroke: "#d4dae2", width: 1, size: 4 } };
    return new uPlot(
      {
        width: 304, height: 96, title: chart.title,
        cursor: { y: false, sync: { key: "time" }, drag: { x: true, y: false } },
        scales: { x: { time: false }, y: chart.log ? { distr: 3, log: 10 } : { range: (_u, a, b) => widen(a, b) } },
        axes: [
          { ...axis, size: 22, space: 50 },
          { ...axis, size: 46, space: 22, values: (_u, ticks) => ticks.map((v) => (v === null ? "" : short(v))) },
        ],
        series: [{ label: "t" }, ...chart.curves.map((c) => ({ label: c.label, stroke: c.color, width: 1.3, points: { show: false }, value }))],
      },
      [[], ...chart.curves.map(() => [])] as uPlot.AlignedData,
      frame,
    );
  }

  clear(): void {
    this.rows = [];
  }

  add(time: number, numbers: Float64Array): void {
    const row = new Float64Array(1 + this.columns.length);
    row[0] = time;
    let k = 1;
    for (const chart of charts)
      for (const curve of chart.curves) {
        const from = this.columns[k - 1];
        row[k++] = from >= 0 ? (curve.scale ?? 1) * numbers[from] : NaN;
      }
    let at = this.rows.length;
    while (at > 0 && this.rows[at - 1][0] >= time) --at;
    this.rows.splice(at, this.rows[at]?.[0] === time ? 1 : 0, row);
    if (this.rows.length > mostRows) this.rows = this.rows.filter((_, i) => i % 2 === 0 || i === this.rows.length - 1);
    this.plan();
  }

  // at most ten times a second: the scene matters more
  private plan(): void {
    if (this.waiting) return;
    this.waiting = true;
    setTimeout(() => {
      this.waiting = false;
      this.drawn = performance.now();
      this.draw();
    }, Math.max(0, this.drawn + 100 - performance.now()));
  }
  private draw(): void {
    const time = this.rows.map((r) => r[0]);
    let k = 1, plot = 0;
    for (const chart of charts) {
      const present = chart.curves.some((_, i) => this.columns[k - 1 + i] >= 0);
      const data = chart.curves.map((_, i) => this.rows.map((r) => usable(r[k + i], chart.log)));
      k += chart.curves.length;
      if (present) this.plots[plot++].setData([time, ...data] as uPlot.AlignedData);
    }
  }
}

function usable(v: number, log: boolean | undefined): number | null {
  return Number.isFinite(v) && (!log || v > 0) ? v : null;
}
// a curve that does not move is drawn in the middle, not on an axis of rounding errors
function widen(a: number | null, b: number | null): [number, number] {
  if (a === null || b === null) return [0, 1];
  const least = 1e-9 + 1e-6 * Math.max(Math.abs(a), Math.abs(b));
  if (b - a < least) return a === 0 && b === 0 ? [0, 1] : [a - 0.05 * Math.abs(a) - 1e-9, b + 0.05 * Math.abs(b) + 1e-9];
  return [a - 0.06 * (b - a), b + 0.06 * (b - a)];
}
