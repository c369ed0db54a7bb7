// The languages of the editor, as module texts that build.mjs bundles. The names are those of
// `crates/text/src/highlight/language.rs`.

const of = (name, from, call) =>
  `import { ${name} } from "${from}";\nexport const language = () => ${call};\n`;
const stream = (name, from) =>
  `import { StreamLanguage } from "@codemirror/language";\nimport { ${name} } from "${from}";\n` +
  `export const language = () => StreamLanguage.define(${name});\n`;

export const LANGUAGES = {
  rust: of("rust", "@codemirror/lang-rust", "rust()"),
  javascript: of("javascript", "@codemirror/lang-javascript", "javascript({ jsx: true })"),
  typescript: of("javascript", "@codemirror/lang-javascript", "javascript({ jsx: true, typescript: true })"),
  python: of("python", "@codemirror/lang-python", "python()"),
  json: of("json", "@codemirror/lang-json", "json()"),
  html: of("html", "@codemirror/lang-html", "html({ autoCloseTags: false })"),
  css: of("css", "@codemirror/lang-css", "css()"),
  markdown: of("markdown", "@codemirror/lang-markdown", "markdown()"),
  xml: of("xml", "@codemirror/lang-xml", "xml({ autoCloseTags: false })"),
  yaml: of("yaml", "@codemirror/lang-yaml", "yaml()"),
  sql: of("sql", "@codemirror/lang-sql", "sql()"),
  cpp: of("cpp", "@codemirror/lang-cpp", "cpp()"),
  go: of("go", "@codemirror/lang-go", "go()"),
  java: of("java", "@codemirror/lang-java", "java()"),
  shell: stream("shell", "@codemirror/legacy-modes/mode/shell"),
  toml: stream("toml", "@codemirror/legacy-modes/mode/toml"),
  ruby: stream("ruby", "@codemirror/legacy-modes/mode/ruby"),
  diff: stream("diff", "@codemirror/legacy-modes/mode/diff"),
};
