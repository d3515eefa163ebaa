// Keys, and the table that tells them.
type Action = "play" | "step" | "substep" | "back" | "restart" | "first" | "last" | "loop" | "fit" | "camera" | "grid" | "wireframe" | "shot" | "field" | "left" | "right" | "help" | "close";
interface Key {
  key: string; // KeyboardEvent.key, lower case; "shift+..." with Shift
  shown: string;
  action: Action;
  text: string;
}
const keys: Key[] = [
  { key: " ", shown: "Space", action: "play", text: "play, pause" },
  { key: "arrowright", shown: "→", action: "step", text: "one frame" },
  { key: "shift+arrowright", shown: "Shift →", action: "substep", text: "one step of the solver" },
  { key: "arrowleft", shown: "←", action: "back", text: "frame before (recording)" },
  { key: "home", shown: "Home", action: "first", text: "first frame" },
  { key: "end", shown: "End", action: "last", text: "last frame (recording)" },
  { key: "r", shown: "R", action: "restart", text: "restart; the scene file is read again" },
  { key: "l", shown: "L", action: "loop", text: "start again at the end" },
  { key: "f", shown: "F", action: "fit", text: "fit camera to the scene" },
  { key: "c", shown: "C", action: "camera", text: "camera of the scene" },
  { key: "k", shown: "K", action: "field", text: "colour by the next field" },
  { key: "g", shown: "G", action: "grid", text: "ground grid" },
  { key: "w", shown: "W", action: "wireframe", text: "wireframe" },
  { key: "s", shown: "S", action: "shot", text: "picture as PNG" },
  { key: "o", shown: "O", action: "left", text: "list of objects" },
  { key: "p", shown: "P", action: "right", text: "numbers and plots" },
  { key: "?", shown: "?", action: "help", text: "this table" },
  { key: "h", shown: "H", action: "help", text: "this table" },
  { key: "escape", shown: "Esc", action: "close", text: "close it" },
];
const mouse = [
  ["left button", "turn"],
  ["right button", "move"],
  ["wheel", "nearer, farther"],
  ["Shift + left button", "grab a part of a running scene"],
  ["drag in a plot", "zoom; double click: all"],
];

export function bindKeys(actions: Record<Action, () => unknown>, table: HTMLTableElement): void {
  addEventListener("keydown", (e) => {
    const at = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || (at instanceof HTMLInputElement && at.type !== "range" && at.type !== "checkbox")) return;
    const name = e.key.toLowerCase();
    const key = keys.find((k) => k.key === (e.shiftKey && name.startsWith("arrow") ? "shift+" : "") + name);
    if (!key) return;
    e.preventDefault();
    actions[key.action]();
  });
  const add = (left: string, right: string) => {
    const row = table.insertRow();
    const kbd = document.createElement("kbd");
    kbd.textContent = left;
    row.insertCell().append(kbd);
    row.insertCell().textContent = right;
  };
  for (const k of keys) if (k.key !== "h") add(k.shown, k.text);
  for (const [what, text] of mouse) add(what, text);
}
