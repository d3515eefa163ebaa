import { defineConfig } from "vite";

// SINEW_WEB_OUT: where CMake wants the page; by hand it goes to dist/
export default defineConfig({
  base: "./",
  esbuild: { legalComments: "eof" }, // the licences of three.js and uPlot ask for their notices
  build: { outDir: process.env.SINEW_WEB_OUT || "dist", emptyOutDir: true, chunkSizeWarningLimit: 1500 },
});
