// The viewer's page as people meet it: browser.mjs SINEW PAGE CHROMIUM. Ends with 0 when every expectation held.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBrowser, startServer } from "./session.mjs";

const [sinew, page_folder, executable] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "sinew-page-"));
const scene = join(folder, "fall.json");
writeFileSync(scene, `{ "name": "fall", "time": { "fps": 50, "seconds": 60, "substeps": 2 }, "solver": "position",
  "objects": { "floor": { "kind": "plane", "at": [0, -1, 0] },
    "ball": { "kind": "sphere", "radius": 0.3, "mass": 1, "at": [0.8, 0.6, 0], "color": [0.8, 0.02, 0.02] },
    "sheet": { "kind": "cloth_grid", "size": [1, 1], "edge": 0.1, "at": [0, 0.5, 0], "fixed": { "group": "x_min" } } },
  "camera": { "eye": [2.5, 1.2, 2.5], "look_at": [0.2, 0, 0], "fov": "40 deg" } }`);

const problems = [];
let expected = 0;
function expect(condition, what) {
  ++expected;
  if (!condition) throw new Error("FAILED: " + what);
}

async function openPage(context, address) {
  const page = await context.newPage();
  page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
  page.on("pageerror", (e) => problems.push(String(e)));
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.dataset.frame !== undefined);
  return page;
}
const status = (page, name) => page.evaluate((n) => document.documentElement.dataset[n], name);
const frameOf = async (page) => Number(await status(page, "frame"));
const until = (page, test, value) => page.waitForFunction(test, value, { polling: 50 });
const untilState = (page, word) => until(page, (w) => document.documentElement.dataset.state === w, word);
const untilFrame = (page, n) => until(page, (k) => Number(document.documentElement.dataset.frame) === k, n);

// of the drawn view: number of different colours, and the middle of what is red, as parts of the width and height
function look(page) {
  return page.evaluate(() => {
    const { stage } = window.sinew;
    stage.draw();
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [320, 190];
    const flat = copy.getContext("2d");
    flat.drawImage(stage.canvas, 0, 0, copy.width, copy.height);
    const { data } = flat.getImageData(0, 0, copy.width, copy.height);
    const colors = new Set();
    let red = 0, x = 0, y = 0, sum = 0;
    for (let i = 0; i < data.length; i += 4) {
      colors.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      sum = (Math.imul(sum, 31) + data[i] + 7 * data[i + 1] + 13 * data[i + 2]) | 0;
      if (data[i] < 90 || data[i + 1] > 0.6 * data[i] || data[i + 2] > 0.6 * data[i]) continue;
      ++red;
      x += (i / 4) % copy.width;
      y += Math.floor(i / 4 / copy.width);
    }
    return { colors: colors.size, red, x: x / red / copy.width, y: y / red / copy.height, sum };
  });
}

async function testLive(context) {
  const server = startServer(sinew, [scene, "--page", page_folder, "--paused"]);
  const page = await openPage(context, await server.address);
  await untilState(page, "paused");
  expect((await frameOf(page)) === 0, "it waits at the first frame");
  const start = await look(page);
  expect(start.colors > 50, `the picture has ${start.colors} colours`);
  expect(start.red > 50, `the ball is seen: ${start.red} pixels`);

  // one frame, by key and by button
  await page.keyboard.press("ArrowRight");
  await untilFrame(page, 1);
  await page.click("#step");
  await untilFrame(page, 2);
  await page.click("#substep");
  await untilFrame(page, 2.5);

  // playing moves the ball down, pausing stops everything
  await page.keyboard.press("Space");
  await untilState(page, "playing");
  await until(page, () => Number(document.documentElement.dataset.frame) >= 14);
  await page.keyboard.press("Space");
  await untilState(page, "paused");
  await until(page, () => document.documentElement.dataset.frame === document.documentElement.dataset.at);
  const stopped = await frameOf(page), there = await look(page);
  expect(there.y > start.y + 0.03, `the ball falls: ${start.y} to ${there.y}`);
  await page.waitForTimeout(400);
  expect((await frameOf(page)) === stopped && (await look(page)).sum === there.sum, "nothing moves while it is paused");
  expect((await page.locator("#clock").textContent()).includes("/ 3000"), "frame and time are shown");

  // plots and numbers
  expect(Number(await status(page, "plotted")) >= 5, "the plots have rows");
  const plotted = await page.evaluate(() => [...document.querySelectorAll(".plot canvas")].map((c) => {
    const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
    let inked = 0;
    for (let i = 3; i < data.length; i += 4) inked += data[i] > 0 ? 1 : 0;
    return inked;
  }));
  expect(plotted.length === 4 && plotted.every((n) => n > 500), `four plots are drawn: ${plotted}`);
  expect(/\d/.test(await page.locator("#numbers").textContent()), "numbers are shown");

  // colours by a field, visibility, wireframe
  await page.selectOption("#field", "speed");
  await until(page, () => document.documentElement.dataset.field !== "-1" && !document.getElementById("legend").hidden);
  expect((await look(page)).sum !== there.sum, "the field has other colours");
  await page.selectOption("#field", "");
  await until(page, () => document.documentElement.dataset.field === "-1");
  await page.locator("#objects label", { hasText: "ball" }).click();
  expect((await look(page)).red < 20, "a hidden object is not drawn");
  await page.locator("#objects label", { hasText: "ball" }).click();
  expect((await look(page)).red > 50, "and drawn again");

  // camera: turned by the mouse, fitted, back to the scene's
  const eye = () => page.evaluate(() => window.sinew.stage.camera.position.toArray());
  const before = await eye();
  await page.mouse.move(640, 600), await page.mouse.down(), await page.mouse.move(700, 560, { steps: 4 }), await page.mouse.up();
  expect(String(await eye()) !== String(before), "dragging turns the view");
  await page.keyboard.press("f");
  await page.keyboard.press("c");
  expect((await eye()).every((x, i) => Math.abs(x - [2.5, 1.2, 2.5][i]) < 1e-9), "the scene's camera");

  // a hand takes the sheet and lifts it
  const at = await page.evaluate(() => {
    const { stage } = window.sinew;
    for (let y = 120; y < 640; y += 6)
      for (let x = 260; x < 900; x += 6) {
        const hit = stage.pick(x, y);
        // well away from the edge that is held, x = -0.5, y = 0.5
        if (hit && hit.object === 2 && Math.hypot(hit.at.x + 0.5, hit.at.y - 0.5) > 0.4) return [x, y, hit.vertex, hit.at.y];
      }
    return null;
  });
  expect(at !== null, "the sheet can be picked");
  await page.keyboard.down("Shift");
  await page.mouse.move(at[0], at[1]), await page.mouse.down(), await page.mouse.move(at[0], at[1] - 200, { steps: 4 });
  await page.keyboard.up("Shift");
  await page.keyboard.press("Space");
  await until(page, ([, , v, y]) => window.sinew.stage.frame.places[2][3 * v + 1] > y + 0.1, at);
  await page.mouse.up();
  await page.keyboard.press("Space");
  await untilState(page, "paused");

  // help, settings, errors, picture
  await page.keyboard.press("?");
  expect(await page.locator("#keys").isVisible(), "the keys are shown");
  await page.keyboard.press("Escape");
  expect(!(await page.locator("#keys").isVisible()), "and gone");
  await page.fill("#path", "gravitty"), await page.fill("#value", "0"), await page.click("#set button");
  await page.locator("#notes .bad", { hasText: "gravitty" }).waitFor();
  await page.locator("#view").focus();
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
  const png = readFileSync(await download.path());
  expect(png.length > 5000 && png.subarray(1, 4).toString() === "PNG", "a picture is saved");
  await page.keyboard.press("r");
  await untilFrame(page, 0);

  // the server ends: a message, and no error of the page's own
  server.stop();
  await page.locator("#lost").waitFor();
  expect((await server.exited) === 0, "the server ends cleanly");
  problems.splice(0, problems.length, ...problems.filter((p) => !/WebSocket|ERR_CONNECTION/.test(p))); // tries to connect again
  await page.close();
}

async function testRecording(context) {
  execFileSync(sinew, ["run", scene, "--frames", "50", "--out", join(folder, "out"), "--quiet"], { timeout: 60000 });
  const server = startServer(sinew, [join(folder, "out/fall.sinew"), "--page", page_folder, "--paused"]);
  const page = await openPage(context, await server.address);
  const first = await look(page);
  await page.locator("#slider").fill("10");
  await untilFrame(page, 10);
  const ten = await look(page);
  expect(ten.y > first.y + 0.02, "the slider scrubs, and the ball has fallen");
  await page.locator("#view").focus();
  await page.keyboard.press("ArrowLeft");
  await untilFrame(page, 9);
  await page.keyboard.press("End");
  await untilFrame(page, 50);
  await page.keyboard.press("Home");
  await untilFrame(page, 0);
  await page.click("#loop");
  await until(page, () => document.getElementById("loop").classList.contains("on"));
  await page.selectOption("#speed", "4");
  await page.click("#play");
  await until(page, () => Number(document.documentElement.dataset.frame) > 30);
  await until(page, () => Number(document.documentElement.dataset.frame) < 20);
  expect(Number(await status(page, "plotted")) > 5, "the plots have rows");
  server.stop();
  await server.exited;
  await page.close();
}

let browser = null;
let code = 0;
try {
  browser = await openBrowser(executable);
  await testLive(browser.context);
  await testRecording(browser.context);
  problems.splice(0, problems.length, ...problems.filter((p) => !/WebSocket|ERR_CONNECTION/.test(p)));
  expect(problems.length === 0, "errors of the page: " + problems.join("; "));
  console.log(`${expected} expectations held`);
} catch (e) {
  console.error(e, problems);
  code = 1;
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(code);
