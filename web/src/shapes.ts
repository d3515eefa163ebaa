// What objects are drawn with. Vertices that are not there (dead particles, removed objects) come as NaN and are left out.
import {
  BufferAttribute, BufferGeometry, Color, CylinderGeometry, DoubleSide, DynamicDrawUsage, IcosahedronGeometry,
  InstancedBufferAttribute, InstancedMesh, Matrix4, Mesh, MeshStandardMaterial, Quaternion, Vector3, type Intersection, type Object3D,
} from "three";
import type { Range } from "./colors";
import type { ObjectArrays, ObjectInfo } from "./protocol";

const white = new Color(1, 1, 1);

function makeMaterial(color: Color): MeshStandardMaterial {
  return new MeshStandardMaterial({ color, roughness: 0.72, metalness: 0, side: DoubleSide });
}
function colorOf(info: ObjectInfo): Color {
  return new Color(...info.color); // linear, as three.js works
}

// area-weighted normals of drawn vertices
function fillNormals(corners: Uint32Array, x: Float32Array, n: Float32Array): void {
  n.fill(0);
  for (let t = 0; t < corners.length; t += 3) {
    const a = 3 * corners[t], b = 3 * corners[t + 1], c = 3 * corners[t + 2];
    const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
    const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const i of [a, b, c]) {
      n[i] += nx;
      n[i + 1] += ny;
      n[i + 2] += nz;
    }
  }
  for (let i = 0; i < n.length; i += 3) {
    const length = Math.hypot(n[i], n[i + 1], n[i + 2]) || 1;
    n[i] /= length;
    n[i + 1] /= length;
    n[i + 2] /= length;
  }
}

function spread(source: Uint32Array, from: Float32Array, to: Float32Array): void {
  for (let i = 0; i < source.length; ++i) {
    const k = 3 * source[i];
    to[3 * i] = from[k];
    to[3 * i + 1] = from[k + 1];
    to[3 * i + 2] = from[k + 2];
  }
}

export interface Vertex {
  object: number; // place in the layout
  vertex: number;
}
// A drawn part of the scene, of one or several objects.
export interface Shape {
  readonly node: Object3D;
  readonly objects: number[]; // places in the layout
  setWireframe(on: boolean): void;
  // what a ray has hit, if it is a part of this
  hit(found: Intersection): Vertex | null;
}

// The surface of an object that deforms.
export class Skin implements Shape {
  readonly node: Mesh<BufferGeometry, MeshStandardMaterial>;
  readonly objects: number[];
  private readonly own: Color;

  constructor(object: number, info: ObjectInfo, private readonly arrays: ObjectArrays) {
    this.objects = [object];
    this.own = colorOf(info);
    const geometry = new BufferGeometry();
    for (const name of ["position", "normal", "color"]) {
      const attribute = new BufferAttribute(new Float32Array(3 * info.drawn), 3);
      attribute.setUsage(DynamicDrawUsage);
      geometry.setAttribute(name, attribute);
    }
    geometry.setIndex(new BufferAttribute(arrays.corners, 1));
    this.node = new Mesh(geometry, makeMaterial(this.own));
    this.node.frustumCulled = false;
    this.node.castShadow = this.node.receiveShadow = true;
  }

  update(places: Float32Array, values: Float32Array | undefined, range: Range): void {
    const { position, normal, color } = this.node.geometry.attributes;
    this.node.userData.gone = Number.isNaN(places[0]);
    spread(this.arrays.source, places, position.array as Float32Array);
    fillNormals(this.arrays.corners, position.array as Float32Array, normal.array as Float32Array);
    position.needsUpdate = normal.needsUpdate = true;
    const material = this.node.material;
    if (material.vertexColors !== (values !== undefined)) {
      material.vertexColors = values !== undefined;
      material.color = values ? white : this.own;
      material.needsUpdate = true;
    }
    if (values) {
      this.arrays.source.forEach((v, i) => range.write(values[v], color.array as Float32Array, 3 * i));
      color.needsUpdate = true;
    }
    this.node.geometry.boundingSphere = this.node.geometry.boundingBox = null;
  }
  setWireframe(on: boolean): void {
    this.node.material.wireframe = on;
  }
  hit({ object, face, point }: Intersection): Vertex | null {
    if (object !== this.node) return null;
    const x = this.node.geometry.attributes.position;
    let best = 0;
    let nearest = Infinity;
    for (const i of face ? [face.a, face.b, face.c] : [0]) {
      const d = point.distanceTo(new Vector3().fromBufferAttribute(x as BufferAttribute, i));
      if (d < nearest) [nearest, best] = [d, i];
    }
    return { object: this.objects[0], vertex: this.arrays.source[best] };
  }
}

// All bodies of one shape: drawn at once, one colour each (of a field: the mean of their vertices).
export class Bodies implements Shape {
  readonly node: InstancedMesh<BufferGeometry, MeshStandardMaterial>;
  private readonly own: Float32Array;
  private readonly matrix = new Matrix4();
  private readonly rotation = new Quaternion();
  private readonly position = new Vector3();
  private readonly unit = new Vector3(1, 1, 1);

  constructor(readonly objects: number[], infos: ObjectInfo[], private readonly arrays: ObjectArrays) {
    const count = infos[objects[0]].drawn;
    const x = new Float32Array(3 * count), n = new Float32Array(3 * count);
    spread(arrays.source, arrays.rest, x);
    fillNormals(arrays.corners, x, n);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(x, 3));
    geometry.setAttribute("normal", new BufferAttribute(n, 3));
    geometry.setIndex(new BufferAttribute(arrays.corners, 1));
    this.node = new InstancedMesh(geometry, makeMaterial(white), objects.length);
    this.node.frustumCulled = false;
    this.node.castShadow = infos[objects[0]].kind !== "plane";
    this.node.receiveShadow = true;
    this.own = new Float32Array(3 * objects.length);
    objects.forEach((o, i) => this.own.set(infos[o].color, 3 * i));
    this.node.instanceColor = new InstancedBufferAttribute(this.own.slice(), 3);
  }

  update(places: Float32Array[], values: Float32Array[], range: Range, visible: (object: number) => boolean): void {
    const colors = this.node.instanceColor!.array as Float32Array;
    this.objects.forEach((o, i) => {
      const p = places[o];
      if (Number.isNaN(p[0]) || !visible(o)) this.matrix.makeScale(0, 0, 0);
      else this.matrix.compose(this.position.set(p[0], p[1], p[2]), this.rotation.set(p[3], p[4], p[5], p[6]), this.unit);
      this.node.setMatrixAt(i, this.matrix);
      if (values.length > 0) {
        let sum = 0;
        for (const v of values[o]) sum += v;
        range.write(sum / values[o].length, colors, 3 * i);
      } else {
        for (let k = 0; k < 3; ++k) colors[3 * i + k] = this.own[3 * i + k];
      }
    });
    this.node.instanceMatrix.needsUpdate = true;
    this.node.instanceColor!.needsUpdate = true;
    this.node.boundingSphere = this.node.boundingBox = null;
  }
  setWireframe(on: boolean): void {
    this.node.material.wireframe = on;
  }
  hit({ object, face, instanceId }: Intersection): Vertex | null {
    if (object !== this.node) return null;
    return { object: this.objects[instanceId ?? 0], vertex: this.arrays.source[face?.a ?? 0] };
  }
}

// Particles as balls, links as sticks with balls at their ends.
export class Links implements Shape {
  readonly node: InstancedMesh<BufferGeometry, MeshStandardMaterial>;
  readonly objects: number[];
  private readonly sticks: InstancedMesh<BufferGeometry, MeshStandardMaterial> | null = null;
  private readonly shown: number[] = []; // vertex of each ball
  private readonly starts: number[] = []; // first vertex of each stick
  private readonly vertices: Uint32Array;
  private readonly color: Color;

  constructor(object: number, private readonly info: ObjectInfo, private readonly arrays: ObjectArrays) {
    this.objects = [object];
    this.color = colorOf(info);
    this.vertices = info.draw_points ? Uint32Array.from({ length: info.points }, (_, i) => i) : new Uint32Array(new Set(arrays.segments));
    const count = this.vertices.length;
    const ball = new IcosahedronGeometry(1, count < 500 ? 3 : count < 5000 ? 2 : 1);
    this.node = this.make(ball, count);
    if (arrays.segments.length > 0) {
      this.sticks = this.make(new CylinderGeometry(1, 1, 1, 10, 1, true), arrays.segments.length / 2);
      this.node.add(this.sticks);
    }
  }
  private make(geometry: BufferGeometry, count: number): InstancedMesh<BufferGeometry, MeshStandardMaterial> {
    const mesh = new InstancedMesh(geometry, makeMaterial(white), count);
    mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(3 * count), 3);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
  }

  update(x: Float32Array, values: Float32Array | undefined, range: Range): void {
    const r = this.info.radius;
    const matrix = new Matrix4(), scale = new Vector3(r, r, r), turn = new Quaternion(), p = new Vector3();
    const paint = (mesh: InstancedMesh, at: number, vertex: number) => {
      const colors = mesh.instanceColor!.array as Float32Array;
      if (values) range.write(values[vertex], colors, 3 * at);
      else this.color.toArray(colors, 3 * at);
    };
    this.shown.length = 0;
    for (const i of this.vertices) {
      if (Number.isNaN(x[3 * i])) continue;
      matrix.compose(p.fromArray(x, 3 * i), turn.identity(), scale);
      this.node.setMatrixAt(this.shown.length, matrix);
      paint(this.node, this.shown.length, i);
      this.shown.push(i);
    }
    this.node.count = this.shown.length;
    if (this.sticks) this.updateSticks(this.sticks, x, matrix, paint);
    for (const mesh of [this.node, this.sticks]) {
      if (!mesh) continue;
      mesh.instanceMatrix.needsUpdate = mesh.instanceColor!.needsUpdate = true;
      mesh.boundingSphere = mesh.boundingBox = null;
    }
  }
  private updateSticks(sticks: InstancedMesh, x: Float32Array, matrix: Matrix4, paint: (m: InstancedMesh, at: number, v: number) => void): void {
    const { segments } = this.arrays;
    const a = new Vector3(), b = new Vector3(), y = new Vector3(0, 1, 0), turn = new Quaternion(), scale = new Vector3();
    this.starts.length = 0;
    for (let s = 0; s < segments.length; s += 2) {
      a.fromArray(x, 3 * segments[s]);
      b.fromArray(x, 3 * segments[s + 1]);
      if (Number.isNaN(a.x) || Number.isNaN(b.x)) continue;
      const length = a.distanceTo(b);
      scale.set(this.info.radius, length, this.info.radius);
      paint(sticks, this.starts.length, segments[s]);
      b.sub(a);
      turn.setFromUnitVectors(y, length > 0 ? b.clone().divideScalar(length) : y);
      matrix.compose(a.addScaledVector(b, 0.5), turn, scale);
      sticks.setMatrixAt(this.starts.length, matrix);
      this.starts.push(segments[s]);
    }
    sticks.count = this.starts.length;
  }
  setWireframe(on: boolean): void {
    this.node.material.wireframe = on;
    if (this.sticks) this.sticks.material.wireframe = on;
  }
  hit({ object, instanceId }: Intersection): Vertex | null {
    const list = object === this.node ? this.shown : object === this.sticks ? this.starts : null;
    return list && { object: this.objects[0], vertex: list[instanceId ?? 0] ?? 0 };
  }
}
