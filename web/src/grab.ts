// Shift and the left button take hold of a part of a running scene; it follows the mouse in the plane across the view.
import { Plane, Vector3 } from "three";
import type { Connection } from "./connection";
import type { Stage } from "./stage";

export function enableGrabbing(stage: Stage, connection: Connection, allowed: () => boolean): void {
  const plane = new Plane();
  let pointer = -1;
  const place = (e: PointerEvent): Vector3 | null => stage.ray(e.clientX, e.clientY).ray.intersectPlane(plane, new Vector3());

  stage.canvas.addEventListener(
    "pointerdown",
    (e) => {
      if (!e.shiftKey || e.button !== 0 || !allowed()) return;
      const hit = stage.pick(e.clientX, e.clientY);
      if (!hit) return;
      e.stopImmediatePropagation(); // the camera stays
      plane.setFromNormalAndCoplanarPoint(stage.camera.getWorldDirection(new Vector3()), hit.at);
      pointer = e.pointerId;
      stage.canvas.setPointerCapture(pointer);
      connection.send("grab", { object: hit.object, vertex: hit.vertex, at: hit.at.toArray() });
    },
    { capture: true },
  );
  stage.canvas.addEventListener("pointermove", (e) => {
    if (e.pointerId !== pointer) return;
    const to = place(e);
    if (to) connection.send("drag", { to: to.toArray() });
  });
  const end = (e: PointerEvent) => {
    if (e.pointerId !== pointer) return;
    pointer = -1;
    connection.send("release");
  };
  stage.canvas.addEventListener("pointerup", end);
  stage.canvas.addEventListener("pointercancel", end);
}
