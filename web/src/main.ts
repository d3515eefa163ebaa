// The viewer's page: the server's messages in, what people do out.
import { Color } from "three";
import { gradient } from "./colors";
import { Connection, serverAddress } from "./connection";
import { enableGrabbing } from "./grab";
import { bindKeys } from "./keys";
import { NumberTables } from "./numbers";
import { Plots } from "./plots";
import { protocolVersion, type Frame, type Hello, type Layout, type State, type TextMessage } from "./protocol";
import { Stage } from "./stage";
import "./style.css";

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const stage = new Stage(find<HTMLCanvasElement>("view"));
const plots = new Plots(find("plots"));
const tables = new NumberTables(find("numbers"), find("every"), find("more"));
const slider = find<HTMLInputElement>("slider");
const fieldChoice = find<HTMLSelectElement>("field");
const status = document.documentElement.dataset; // for tests and style sheets

let hello: Hello | null = null;
let state: State | null = null;
let layout: Layout | null = null;
let confirmed = 0;
let latest: Frame | null = null;
let scrubbing = false;

const connection = new Connection(serverAddress(), {
  connected(on) {
    find("lost").hidden = on || status.connected === undefined;
    status.connected = String(on);
    if (!on) showState("no connection", "lost");
  },
  text: receiveText,
  layout: receiveLayout,
  frame: receiveFrame,
});

export function note(text: string, bad = false): void {
  const line = document.createElement("div");
  line.textContent = text;
  line.classList.toggle("bad", bad);
  const notes = find("notes");
  notes.append(line);
  while (notes.children.length > 5) notes.firstChild!.remove();
  setTimeout(() => line.remove(), bad ? 8000 : 4000);
}

function showState(text: string, kind: string): void {
  const chip = find("state");
  chip.textContent = text;
  chip.className = "chip " + kind;
  status.state = kind;
}

function receiveText(message: TextMessage): void {
  if (message.type === "hello") {
    hello = message;
    if (message.protocol !== protocolVersion) note("the server speaks another version: reload the page", true);
    document.title = `${message.scene} – Sinew`;
    find("scene").textContent = message.scene || message.file;
    const facts = message.live ? [`solver ${message.solver}`, `step ${+(1000 * (message.dt ?? 0)).toPrecision(3)} ms`, `${message.threads} threads`] : ["recording"];
    find("facts").textContent = facts.join(" · ");
    find("set").hidden = !message.live;
    find<HTMLButtonElement>("back").disabled = message.live;
    find<HTMLButtonElement>("substep").disabled = !message.live;
    slider.disabled = message.live;
    plots.clear();
    if (fieldChoice.value) connection.send("field", { name: fieldChoice.value });
  } else if (message.type === "state") {
    if (state && state.message !== message.message && message.message) note(message.message, true);
    state = message;
    showState(message.state, message.state);
    find("play").textContent = message.state === "playing" ? "❚❚" : "▶";
    find("loop").classList.toggle("on", message.loop);
    showSpeed(message.speed);
    slider.min = String(message.first_frame);
    slider.max = String(message.last_frame);
    showClock(message.frame, message.time);
    status.at = String(message.frame);
  } else if (message.type === "error") {
    note(message.about ? `${message.about}: ${message.message}` : message.message, true);
  } else if (message.type === "log") {
    note(message.text, message.text.startsWith("warning"));
  }
}

function receiveLayout(next: Layout): void {
  layout = next;
  stage.setLayout(next);
  tables.setNames(next.info.numbers);
  plots.setNames(next.info.numbers);
  const chosen = fieldChoice.value || (fieldChoice.options.length === 0 ? next.info.color_by : "");
  fieldChoice.replaceChildren(new Option("objects", ""), ...next.info.fields.map((f) => new Option(f, f)));
  fieldChoice.value = next.info.fields.includes(chosen) ? chosen : "";
  if (fieldChoice.value) connection.send("field", { name: fieldChoice.value });
  listObjects(next);
}

function receiveFrame(frame: Frame): void {
  if (hello?.live && latest && frame.time < latest.time) {
    plots.clear();
    resetRange();
  }
  latest = frame;
  stage.setFrame(frame);
  tables.show(frame, hello?.live ?? false);
  plots.add(frame.time, frame.numbers);
  showClock(frame.frame, frame.time);
  showLegend();
}
// the next frame may come once this one is on the screen
stage.onDrawn = () => {
  if (!latest || latest.serial === confirmed) return;
  confirmed = latest.serial;
  connection.send("got", { serial: confirmed });
  status.frame = String(latest.frame);
  status.plotted = String(plots.rows.length);
  status.field = String(latest.field);
};

function showClock(frame: number, time: number): void {
  const whole = Math.abs(frame - Math.round(frame)) < 1e-6;
  find("clock").textContent = `${whole ? Math.round(frame) : frame.toFixed(2)} / ${state?.last_frame ?? "–"}   ${time.toFixed(3)} s`;
  if (!scrubbing) slider.value = String(Math.round(frame));
}
function showSpeed(speed: number): void {
  const choice = find<HTMLSelectElement>("speed");
  if (![...choice.options].some((o) => Number(o.value) === speed)) choice.add(new Option(`${speed}×`, String(speed)));
  choice.value = [...choice.options].find((o) => Number(o.value) === speed)!.value;
}

function listObjects(l: Layout): void {
  const names = l.info.objects;
  find("objects").replaceChildren(
    ...names.slice(0, 500).map((o) => {
      const item = document.createElement("li"), label = document.createElement("label"), box = document.createElement("input");
      const patch = document.createElement("i"), name = document.createElement("span"), count = document.createElement("small");
      box.type = "checkbox";
      box.checked = !stage.hidden.has(o.name);
      box.onchange = () => {
        if (box.checked) stage.hidden.delete(o.name);
        else stage.hidden.add(o.name);
        stage.place();
      };
      patch.style.background = "#" + new Color(...o.color).getHexString();
      name.textContent = o.name;
      count.textContent = String(o.points);
      label.title = `${o.name}: ${o.kind}${o.material ? ", " + o.material : ""}, ${o.points} vertices`;
      label.append(box, patch, name, count);
      item.append(label);
      return item;
    }),
  );
}

function resetRange(): void {
  stage.range.low = Infinity;
  stage.range.high = -Infinity;
}
function showLegend(): void {
  const on = latest !== null && latest.field >= 0 && stage.range.known;
  find("legend").hidden = !on;
  if (!on) return;
  find("low").textContent = stage.range.low.toPrecision(3);
  find("high").textContent = stage.range.high.toPrecision(3);
}
function chooseField(name: string): void {
  fieldChoice.value = name;
  resetRange();
  connection.send("field", { name });
}

async function savePicture(): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await stage.picture());
  const frame = String(Math.round(latest?.frame ?? 0)).padStart(4, "0");
  link.download = `${hello?.scene || "sinew"}_${frame}.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  note(link.download);
}

const actions = {
  play: () => connection.send(state?.state === "playing" ? "pause" : "play"),
  step: () => connection.send("step"),
  substep: () => connection.send("step", { steps: true }),
  back: () => goTo(Math.round(latest?.frame ?? 0) - 1),
  restart: () => connection.send("restart"),
  first: () => (hello?.live ? connection.send("restart") : goTo(state?.first_frame ?? 0)),
  last: () => goTo(state?.last_frame ?? 0),
  loop: () => connection.send("loop", { on: !state?.loop }),
  fit: () => stage.fit(),
  camera: () => stage.sceneCamera(),
  grid: () => stage.toggleGrid(),
  wireframe: () => stage.toggleWireframe(),
  shot: () => void savePicture().catch((e: unknown) => note(String(e), true)),
  field: () => chooseField(fieldChoice.options[(fieldChoice.selectedIndex + 1) % fieldChoice.options.length].value),
  left: () => document.body.classList.toggle("no-left"),
  right: () => document.body.classList.toggle("no-right"),
  help: () => (find("keys").hidden = !find("keys").hidden),
  close: () => (find("keys").hidden = true),
};
function goTo(frame: number): void {
  if (hello?.live) return note("a scene that is simulated has no way back: restart, or view its recording");
  connection.send("seek", { frame: Math.max(state?.first_frame ?? 0, Math.min(state?.last_frame ?? 0, frame)) });
}

for (const id of ["play", "step", "substep", "back", "restart", "loop", "fit", "camera", "shot", "help", "close"] as const)
  find(id).onclick = () => {
    actions[id]();
    (document.activeElement as HTMLElement | null)?.blur(); // the space bar plays, it does not press the button again
  };
find("keys").onclick = (e) => e.target === find("keys") && actions.close();
find("retry").onclick = () => connection.retry();
find<HTMLSelectElement>("speed").onchange = (e) => connection.send("speed", { value: Number((e.target as HTMLSelectElement).value) });
fieldChoice.onchange = () => {
  chooseField(fieldChoice.value);
  stage.canvas.focus(); // keys go to the view again
};
find("legend").onclick = () => {
  resetRange();
  connection.send("field", { name: fieldChoice.value });
};
find("bar").style.background = gradient;
find("all").onclick = () => {
  const names = layout?.info.objects.map((o) => o.name) ?? [];
  const show = stage.hidden.size > 0;
  stage.hidden.clear();
  if (!show) names.forEach((n) => stage.hidden.add(n));
  stage.place();
  if (layout) listObjects(layout);
};
slider.oninput = () => {
  scrubbing = true;
  goTo(Number(slider.value));
};
slider.onchange = () => (scrubbing = false);
find("set").onsubmit = (e) => {
  e.preventDefault();
  connection.send("set", { path: find<HTMLInputElement>("path").value, value: find<HTMLInputElement>("value").value });
};
bindKeys(actions, find<HTMLTableElement>("keylist"));
enableGrabbing(stage, connection, () => hello?.live ?? false);

declare global {
  interface Window {
    sinew: { stage: Stage; plots: Plots }; // for tests and the console
  }
}
window.sinew = { stage, plots };
