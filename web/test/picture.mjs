// A picture of the page: picture.mjs SINEW PAGE CHROMIUM FILE FRAME OUT.png [field]. tools/viewer_picture.sh calls it.
import { openBrowser, startServer } from "./session.mjs";

const [sinew, page_folder, executable, file, frame, out, field] = process.argv.slice(2);
const server = startServer(sinew, [file, "--page", page_folder, "--paused", "--speed", "0"]);
const browser = await openBrowser(executable, { width: 1280, height: 800 });
let code = 0;
try {
  const page = await browser.context.newPage();
  await page.goto(await server.address);
  await page.waitForFunction(() => document.documentElement.dataset.frame !== undefined);
  if (field) await page.selectOption("#field", field);
  await page.locator("#view").focus();
  await page.waitForFunction(() => document.documentElement.dataset.state === "paused");
  await page.keyboard.press("Space");
  await page.waitForFunction((n) => Number(document.documentElement.dataset.frame) >= n, Number(frame), { timeout: 120000, polling: 20 });
  // a fast scene may have ended by now, and would begin again
  if (await page.evaluate(() => document.documentElement.dataset.state === "playing")) await page.keyboard.press("Space");
  await page.waitForFunction(() => document.documentElement.dataset.state !== "playing");
  await page.waitForTimeout(600);
  await page.screenshot({ path: out });
} catch (e) {
  console.error(e);
  code = 1;
} finally {
  server.stop();
  await browser.close();
}
process.exit(code);
