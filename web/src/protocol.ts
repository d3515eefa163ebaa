// The server's messages (docs/viewer.md), as the page uses them.

export interface ObjectInfo {
  name: string;
  kind: string;
  material: string;
  rigid: boolean;
  points: number; // vertices
  drawn: number; // vertices with a normal each: one of the mesh is several of these along sharp edges
  triangles: number;
  segments: number;
  draw_points: boolean;
  sheet: boolean;
  radius: number; // [m] of points and segments
  color: [number, number, number]; // linear RGB
}
export interface SceneInfo {
  scene: string;
  fps: number;
  first_frame: number;
  camera: number[]; // eye, look_at, up [m], fov [rad]; empty = none
  up: [number, number, number];
  ground: number; // [m] height along up
  color_by: string;
  numbers: string[];
  fields: string[];
  objects: ObjectInfo[];
}
export interface ObjectArrays {
  corners: Uint32Array; // 3 per triangle, of drawn vertices
  source: Uint32Array; // vertex of each drawn vertex
  segments: Uint32Array; // 2 vertices each
  rest: Float32Array; // rigid objects: vertices in the body's axes
}
export interface Layout {
  id: number;
  info: SceneInfo;
  arrays: ObjectArrays[];
}
export interface Frame {
  serial: number;
  layout: number;
  frame: number;
  time: number; // [s]
  cost: number; // [s] wall time of computing it
  numbers: Float64Array;
  field: number; // place in SceneInfo.fields, -1 = none
  places: Float32Array[]; // per object: 7 of a body (position, quaternion x y z w), otherwise 3 per vertex
  values: Float32Array[]; // per object one per vertex, NaN = none; empty without a field
}
export interface Hello {
  type: "hello";
  protocol: number;
  version: string;
  live: boolean;
  scene: string;
  file: string;
  solver?: string;
  dt?: number;
  substeps?: number;
  threads?: number;
}
export interface State {
  type: "state";
  state: "playing" | "paused" | "finished" | "failed";
  message: string;
  frame: number;
  first_frame: number;
  last_frame: number;
  time: number;
  step: number;
  speed: number;
  loop: boolean;
}
export interface Complaint {
  type: "error";
  about: string;
  message: string;
}
export interface LogLine {
  type: "log";
  text: string;
}
export type TextMessage = Hello | State | Complaint | LogLine | { type: "hash"; hash: string; step: number };

export const protocolVersion = 1;
const layoutMagic = 0x4c574e53;
const frameMagic = 0x46574e53;

export function isLayout(data: ArrayBuffer): boolean {
  return new DataView(data).getUint32(0, true) === layoutMagic;
}

export function decodeLayout(data: ArrayBuffer): Layout {
  const view = new DataView(data);
  const length = view.getUint32(12, true);
  const info = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 16, length))) as SceneInfo;
  let at = 16 + length;
  const whole = (count: number) => {
    const list = new Uint32Array(data, at, count);
    at += 4 * count;
    return list;
  };
  const arrays = info.objects.map((o) => {
    const corners = whole(3 * o.triangles);
    const source = whole(o.drawn);
    const segments = whole(2 * o.segments);
    const rest = new Float32Array(data, at, o.rigid ? 3 * o.points : 0);
    at += rest.byteLength;
    return { corners, source, segments, rest };
  });
  return { id: view.getUint32(8, true), info, arrays };
}

export function decodeFrame(data: ArrayBuffer, layout: Layout): Frame | null {
  const view = new DataView(data);
  if (view.getUint32(0, true) !== frameMagic || view.getUint32(12, true) !== layout.id) return null;
  const numberCount = view.getUint32(40, true);
  const field = view.getInt32(44, true);
  let at = 48 + 8 * numberCount;
  const real = (count: number) => {
    const list = new Float32Array(data, at, count);
    at += 4 * count;
    return list;
  };
  const objects = layout.info.objects;
  const places = objects.map((o) => real(o.rigid ? 7 : 3 * o.points));
  const values = field >= 0 ? objects.map((o) => real(o.points)) : [];
  return {
    serial: view.getUint32(8, true),
    layout: layout.id,
    frame: view.getFloat64(16, true),
    time: view.getFloat64(24, true),
    cost: view.getFloat64(32, true),
    numbers: new Float64Array(data, 48, numberCount),
    field,
    places,
    values,
  };
}
