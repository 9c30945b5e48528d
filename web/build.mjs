// Builds what the crate `noli-pages` embeds: the viewer with three.js once, and the script and style of each page.
import { copyFile } from 'node:fs/promises';
import { build } from 'vite';

const OUT = process.argv[2] ?? '../crates/pages/assets';

const library = (entry, name, fileName, external) => ({
  configFile: false,
  root: import.meta.dirname,
  logLevel: 'warn',
  build: {
    outDir: OUT,
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry, name, formats: ['iife'], fileName: () => `${fileName}.js`, cssFileName: fileName },
    rolldownOptions: { external, output: { globals: { 'noli-viewer': 'NoliViewer' } } },
  },
});

await build(library('viewer/index.ts', 'NoliViewer', 'viewer', []));
for (const page of ['report', 'studio']) {
  await build(library(`${page}/main.ts`, `Noli_${page}`, page, ['noli-viewer']));
}
await copyFile(`${import.meta.dirname}/studio/studio.html`, `${OUT}/studio.html`);
