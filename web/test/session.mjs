// A server and a browser that shows it; used by the test and by the picture. Everything on this machine, with time limits.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const patience = 30000; // [ms]
process.on("SIGTERM", () => process.exit(1)); // a time limit from outside

// `sinew view ...` on a free port
export function startServer(sinew, args) {
  const child = spawn(sinew, ["view", ...args, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error("the server printed no address")), patience);
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
      if (!found) return;
      clearTimeout(timer);
      done(found[0]);
    });
    child.on("exit", (code) => fail(new Error(`the server ended: ${code}`)));
  });
  process.on("exit", () => child.kill("SIGKILL")); // nothing outlives the test
  const exited = new Promise((done) => child.on("exit", done));
  return { address, exited, stop: () => child.kill("SIGINT") };
}

export async function openBrowser(executablePath, size = { width: 1280, height: 760 }) {
  const folder = mkdtempSync(join(tmpdir(), "sinew-browser-"));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath, headless: true, viewport: size, timeout: patience, acceptDownloads: true,
    args: ["--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
  context.setDefaultTimeout(patience);
  const close = async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, close };
}
