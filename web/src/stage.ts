// The three-dimensional view: camera, light, ground, objects. Draws only when something has changed.
import {
  AmbientLight, Box3, Color, DirectionalLight, Group, HemisphereLight, Mesh, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion,
  Raycaster, Scene, ShaderMaterial, Vector2, Vector3, WebGLRenderer, type InstancedMesh,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Range } from "./colors";
import type { Frame, Layout, ObjectArrays } from "./protocol";
import { Bodies, Links, Skin, type Shape, type Vertex } from "./shapes";

const gridShader = {
  vertexShader: `
    varying vec3 place;
    varying vec2 flat_place;
    void main() {
      flat_place = position.xy;
      vec4 world = modelMatrix * vec4(position, 1.0);
      place = world.xyz;
      gl_Position = projectionMatrix * viewMatrix * world;
    }`,
  fragmentShader: `
    varying vec3 place;
    varying vec2 flat_place;
    uniform float spacing;
    uniform float reach;
    uniform vec3 center;
    float lines(vec2 x, float width) {
      vec2 w = fwidth(x);
      vec2 d = abs(fract(x - 0.5) - 0.5) / max(w, vec2(1e-6));
      float fade = clamp(1.0 - 2.0 * max(w.x, w.y), 0.0, 1.0);
      return fade * (1.0 - clamp(min(d.x, d.y) - width, 0.0, 1.0));
    }
    void main() {
      float fine = 0.18 * lines(flat_place / spacing, 0.0);
      float coarse = 0.4 * lines(flat_place / (10.0 * spacing), 0.3);
      float far = 1.0 - smoothstep(0.35 * reach, reach, distance(place, center));
      float a = far * max(fine, coarse);
      if (a < 0.004) discard;
      gl_FragColor = vec4(vec3(0.12, 0.16, 0.22), a);
    }`,
};

export interface Hit extends Vertex {
  at: Vector3;
}

export class Stage {
  readonly renderer: WebGLRenderer;
  readonly camera = new PerspectiveCamera(35, 1, 0.01, 1000);
  readonly range = new Range();
  readonly hidden = new Set<string>(); // names of objects
  controls: OrbitControls;
  private readonly scene = new Scene();
  private readonly sun = new DirectionalLight(0xfff4e2, 2.4);
  private readonly content = new Group();
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private skins: { shape: Skin | Links; object: number }[] = [];
  private bodies: Bodies[] = [];
  private layout: Layout | null = null;
  private frame: Frame | null = null;
  private wireframe = false;
  private dirty = true;
  private started = false;
  onDrawn: (() => void) | null = null;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "high-performance" });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene.background = new Color(0xdde3ea);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.scene.add(this.content, new HemisphereLight(0xf4f8ff, 0x9b948a, 1.35), new AmbientLight(0xffffff, 0.25), this.sun, this.sun.target);
    this.grid = new Mesh(
      new PlaneGeometry(1, 1),
      new ShaderMaterial({
        ...gridShader,
        uniforms: { spacing: { value: 1 }, reach: { value: 10 }, center: { value: new Vector3() } },
        transparent: true, depthWrite: false, side: 2, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2,
      }),
    );
    this.grid.renderOrder = 1;
    this.scene.add(this.grid);
    this.controls = this.makeControls();
    const loop = () => {
      requestAnimationFrame(loop);
      this.resize();
      if (this.dirty) this.draw();
    };
    requestAnimationFrame(loop);
  }

  private makeControls(): OrbitControls {
    const controls = new OrbitControls(this.camera, this.canvas);
    controls.enableDamping = false;
    controls.screenSpacePanning = true;
    controls.addEventListener("change", () => this.touch());
    return controls;
  }

  touch(): void {
    this.dirty = true;
  }
  draw(): void {
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
    this.onDrawn?.();
  }
  private resize(): void {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    const ratio = Math.min(2, devicePixelRatio);
    const size = this.renderer.getSize(new Vector2());
    if (width === 0 || height === 0) return;
    if (size.x === width && size.y === height && this.renderer.getPixelRatio() === ratio) return;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.touch();
  }

  setLayout(layout: Layout): void {
    const isSame = this.layout?.info.scene === layout.info.scene;
    this.layout = layout;
    this.frame = null;
    if (!isSame) this.started = false;
    for (const shape of this.shapes()) {
      this.content.remove(shape.node);
      shape.node.traverse((n) => {
        if (!(n instanceof Mesh)) return;
        n.geometry.dispose();
        (n as InstancedMesh).dispose?.();
        n.material.dispose();
      });
    }
    this.skins = [];
    this.bodies = [];
    const alike = new Map<string, number[]>();
    layout.info.objects.forEach((info, i) => {
      const arrays = layout.arrays[i];
      if (info.rigid && info.triangles > 0) {
        const key = `${info.kind === "plane"} ${shapeKey(arrays)}`;
        const known = alike.get(key);
        if (known) known.push(i);
        else alike.set(key, [i]);
        return;
      }
      if (info.triangles > 0) this.skins.push({ shape: new Skin(i, info, arrays), object: i });
      if (info.draw_points || info.segments > 0) this.skins.push({ shape: new Links(i, info, arrays), object: i });
    });
    for (const objects of alike.values()) this.bodies.push(new Bodies(objects, layout.info.objects, layout.arrays[objects[0]]));
    for (const shape of this.shapes()) {
      this.content.add(shape.node);
      shape.setWireframe(this.wireframe);
    }
    this.touch();
  }
  private shapes(): Shape[] {
    return [...this.skins.map((s) => s.shape), ...this.bodies];
  }

  setFrame(frame: Frame): void {
    this.frame = frame;
    if (frame.values.length > 0) for (const values of frame.values) this.range.add(values);
    this.place();
    if (!this.started) {
      this.started = true;
      this.fitGround();
      this.sceneCamera();
    }
  }
  // objects to where the frame has them
  place(): void {
    const frame = this.frame, layout = this.layout;
    if (!frame || !layout) return;
    const visible = (o: number) => !this.hidden.has(layout.info.objects[o].name);
    for (const { shape, object } of this.skins) {
      shape.update(frame.places[object], frame.values[object], this.range);
      shape.node.visible = visible(object) && !shape.node.userData.gone;
    }
    for (const b of this.bodies) b.update(frame.places, frame.values, this.range, visible);
    this.touch();
  }

  // bounds of what is seen, without planes, which are ground
  bounds(): Box3 {
    const box = new Box3();
    const p = new Vector3(), q = new Quaternion();
    this.layout?.info.objects.forEach((o, i) => {
      const x = this.frame?.places[i];
      if (!x || o.kind === "plane" || this.hidden.has(o.name)) return;
      const { rest } = this.layout!.arrays[i];
      if (o.rigid) q.set(x[3], x[4], x[5], x[6]);
      const list = o.rigid ? rest : x;
      for (let k = 0; k < list.length; k += 3) {
        p.fromArray(list, k);
        if (o.rigid) p.applyQuaternion(q).add(new Vector3(x[0], x[1], x[2]));
        if (Number.isFinite(p.x)) box.expandByPoint(p);
      }
    });
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    return box;
  }
  private up(): Vector3 {
    return new Vector3(...(this.layout?.info.up ?? [0, 1, 0])).normalize();
  }

  // grid, light and depth range for the scene's size
  private fitGround(): void {
    const box = this.bounds(), up = this.up();
    const size = Math.max(1e-6, box.getSize(new Vector3()).length());
    const center = box.getCenter(new Vector3());
    const ground = this.layout?.info.ground ?? 0;
    center.addScaledVector(up, ground - center.dot(up) + 2e-4 * size);
    const spacing = 10 ** Math.floor(Math.log10(size / 3));
    this.grid.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
    // lines go through the origin, whole spacings away from the middle
    const local = center.clone().applyQuaternion(this.grid.quaternion.clone().invert());
    local.x = 10 * spacing * Math.round(local.x / (10 * spacing));
    local.y = 10 * spacing * Math.round(local.y / (10 * spacing));
    this.grid.position.copy(local.applyQuaternion(this.grid.quaternion));
    this.grid.geometry.dispose();
    this.grid.geometry = new PlaneGeometry(40 * size, 40 * size);
    Object.assign(this.grid.material.uniforms.spacing, { value: spacing });
    Object.assign(this.grid.material.uniforms.reach, { value: 8 * size });
    (this.grid.material.uniforms.center.value as Vector3).copy(center);

    const middle = box.getCenter(new Vector3());
    const side = new Vector3(0.45, 0, 0.35).addScaledVector(up, -up.dot(new Vector3(0.45, 0, 0.35)));
    this.sun.position.copy(middle).addScaledVector(up, 1.4 * size).addScaledVector(side, 1.6 * size);
    this.sun.target.position.copy(middle);
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -1.1 * size;
    shadow.right = shadow.top = 1.1 * size;
    shadow.near = 0.05 * size;
    shadow.far = 4 * size;
    shadow.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * size;
    this.sun.shadow.radius = 3;
    this.camera.near = 0.002 * size;
    this.camera.far = 60 * size;
    this.camera.updateProjectionMatrix();
  }

  // the scene's own camera, or all of it
  sceneCamera(): void {
    const c = this.layout?.info.camera ?? [];
    if (c.length !== 10) return this.fit();
    this.camera.up.set(c[6], c[7], c[8]);
    this.camera.position.set(c[0], c[1], c[2]);
    this.camera.fov = (c[9] * 180) / Math.PI;
    this.renewControls(new Vector3(c[3], c[4], c[5]));
    this.camera.far = Math.max(this.camera.far, 20 * this.camera.position.distanceTo(this.controls.target));
    this.camera.updateProjectionMatrix();
  }
  fit(): void {
    const box = this.bounds(), up = this.up();
    const center = box.getCenter(new Vector3()), radius = Math.max(1e-6, 0.5 * box.getSize(new Vector3()).length());
    let view = this.camera.position.clone().sub(this.controls.target);
    if (!this.started || view.lengthSq() === 0 || !this.layout) view = new Vector3(0.6, 0, 0.85).addScaledVector(up, 0.45);
    const angle = (0.5 * this.camera.fov * Math.PI) / 180;
    const narrow = Math.min(angle, Math.atan(Math.tan(angle) * this.camera.aspect));
    this.camera.up.copy(up);
    this.camera.position.copy(center).addScaledVector(view.normalize(), radius / Math.sin(narrow));
    this.renewControls(center);
  }
  // controls take the direction of `up` when they are made
  private renewControls(target: Vector3): void {
    this.controls.dispose();
    this.controls = this.makeControls();
    this.controls.target.copy(target);
    this.controls.update();
    this.touch();
  }

  toggleGrid(): void {
    this.grid.visible = !this.grid.visible;
    this.touch();
  }
  toggleWireframe(): void {
    this.wireframe = !this.wireframe;
    for (const shape of this.shapes()) shape.setWireframe(this.wireframe);
    this.touch();
  }

  ray(x: number, y: number): Raycaster {
    const box = this.canvas.getBoundingClientRect();
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height), this.camera);
    return caster;
  }
  pick(x: number, y: number): Hit | null {
    const caster = this.ray(x, y);
    for (const found of caster.intersectObjects(this.content.children, true)) {
      if (!found.object.visible) continue;
      for (const shape of this.shapes()) {
        const vertex = shape.hit(found);
        if (vertex) return { ...vertex, at: found.point };
      }
    }
    return null;
  }

  async picture(): Promise<Blob> {
    this.draw(); // the buffer is valid until the browser shows it
    return new Promise((done, fail) => this.canvas.toBlob((b) => (b ? done(b) : fail(new Error("no picture"))), "image/png"));
  }
}

// bodies whose vertices and triangles are the same share one shape
function shapeKey(a: ObjectArrays): string {
  let h = 2166136261;
  for (const list of [new Uint32Array(a.rest.buffer, a.rest.byteOffset, a.rest.length), a.corners, a.source])
    for (const v of list) h = Math.imul(h ^ v, 16777619) ^ (h >>> 15);
  return `${a.rest.length} ${a.corners.length} ${h >>> 0}`;
}
