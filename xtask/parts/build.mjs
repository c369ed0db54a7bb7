// Bundles the packages: one bundle for each part, shared code in separate files, each file named by its content hash.
// Also writes a manifest of the files and hashes of each part, the same as lines for `cargo xtask size`, and the licences
// of the bundled packages. Uses no network: `xtask/src/parts.rs` installs the packages by the lock file first.
//
//     node build.mjs OUTPUT_FOLDER

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

import { LANGUAGES } from "./languages.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const output = path.resolve(process.argv[2] ?? "out");

/**
 * Changes to a package before it is bundled. A package without the searched text is an error, because the effect on the
 * page is then unknown.
 */
const PATCHES = [
  {
    // It writes rules into a `<style>` of the page, which the policy forbids; its alternative is for shadow roots.
    file: /style-mod[\\/]src[\\/]style-mod\.js$/,
    what: "!root.head && root.adoptedStyleSheets",
    with: "root.adoptedStyleSheets",
    times: 1,
  },
];

const patched = new Map(PATCHES.map((patch) => [patch, 0]));

const patches = {
  name: "patches",
  setup(bundler) {
    for (const patch of PATCHES) {
      bundler.onLoad({ filter: patch.file }, async ({ path: file }) => {
        const text = await readFile(file, "utf8");
        patched.set(patch, patched.get(patch) + text.split(patch.what).length - 1);
        return { contents: text.replaceAll(patch.what, patch.with), loader: "js" };
      });
    }
  },
};

/** Each language is a separate part: a module with the function that the editor calls. */
const languages = {
  name: "languages",
  setup(bundler) {
    bundler.onResolve({ filter: /^language:/ }, ({ path: name }) => ({ path: name, namespace: "language" }));
    bundler.onLoad({ filter: /.*/, namespace: "language" }, ({ path: name }) => ({
      contents: LANGUAGES[name.slice("language:".length)],
      resolveDir: here,
      loader: "js",
    }));
  },
};

const entryPoints = {
  editor: path.join(here, "editor.js"),
  ...Object.fromEntries(Object.keys(LANGUAGES).map((name) => [`language-${name}`, `language:${name}`])),
};

await mkdir(output, { recursive: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints,
  outdir: output,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  entryNames: "[name]-[hash]",
  chunkNames: "shared-[hash]",
  metafile: true,
  logLevel: "warning",
  plugins: [patches, languages],
});
for (const [patch, times] of patched) {
  if (times !== patch.times) throw new Error(`${patch.file} holds "${patch.what}" ${times} times, not ${patch.times}`);
}

// ---- Files of each part --------------------------------------------------------------------------

const outputs = metafile.outputs;
const nameOf = (file) => path.basename(file);

/** A file and its static imports, itself first. */
function closure(file, found = []) {
  if (found.includes(file)) return found;
  found.push(file);
  for (const { path: imported, kind, external } of outputs[file].imports) {
    if (external || kind !== "import-statement") throw new Error(`${file} asks for ${imported} by itself`);
    closure(imported, found);
  }
  return found;
}

async function integrity(file) {
  const bytes = await readFile(path.resolve(here, file));
  return `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
}

const manifest = {};
const lines = [];
for (const part of Object.keys(entryPoints).sort()) {
  const entry = Object.keys(outputs).find((file) => outputs[file].entryPoint && nameOf(file).startsWith(`${part}-`));
  const files = closure(entry);
  manifest[part] = await Promise.all(files.map(async (file) => [nameOf(file), await integrity(file)]));
  lines.push(`js-${part}: ${files.map((file) => `parts/${nameOf(file)}`).join(" ")}\n`);
}
await writeFile(path.join(output, "manifest.json"), JSON.stringify(manifest));
await writeFile(path.join(output, "list.txt"), lines.join(""));

// ---- Licences ------------------------------------------------------------------------------------

const packages = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const [, name] = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//) ?? [];
  if (name) packages.add(name);
}
let licences = "What the files of this folder were bundled from.\n";
for (const name of [...packages].sort()) {
  const folder = path.join(here, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} comes without the text of its licence`);
  licences += `\n---- ${name} ${version} (${license}) ----\n\n${await readFile(path.join(folder, file), "utf8")}`;
}
await writeFile(path.join(output, "licences.txt"), licences);
