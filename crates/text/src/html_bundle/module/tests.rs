use proptest::prelude::*;

use super::*;

fn found(script: &str) -> Vec<&str> {
    module_syntax(script).specifiers.into_iter().map(|range| script.get(range).unwrap()).collect()
}

#[test]
fn every_form_of_import_is_found() {
    let script = r#"
            import "./side.js";
            import one from './one.js';
            import * as two from "./two.js";
            import three, { a as b, "odd name" as c } from "./three.js";
            import from from "./from.js"; import{x}from"./tight.js"
            export * from "./all.js";
            export * as all from "./all-as.js"; export { a, b as default } from './some.js';
            import data from "./data.json" with { type: "json" };
            const late = await import("./late.js"), later = import( './later.js' , {});
        "#;
    let wanted = [
        "./side.js",
        "./one.js",
        "./two.js",
        "./three.js",
        "./from.js",
        "./tight.js",
        "./all.js",
        "./all-as.js",
        "./some.js",
        "./data.json",
        "./late.js",
        "./later.js",
    ];
    assert_eq!(found(script), wanted);
}

#[test]
fn look_alikes_are_ignored() {
    for script in [
        "// import './a.js'",
        "/* import './a.js' */ export const a = 1; export { a };",
        "const text = \"import './a.js'\"; export default text",
        "const text = `import './a.js' ${1}import './b.js'`; import.meta.url;",
        "const rule = /import '.\\/a.js'[/]'/; const half = 1 / 2; object.import('./a.js')",
        "export function f() { return /\"/ } export default class {}",
        "import(name); import('./' + name); importing('./a.js'); $import './a.js'",
        "export const f = 1 // from './a.js'",
    ] {
        assert_eq!(found(script), [""; 0], "{script}");
    }
}

#[test]
fn scan_continues_after_skipped_parts() {
    let script = "const a = `x ${ `y ${ {b: '}'} }` } '`; import './a.js'; f(1) / 2; /'/.test(x);\n\
                  const c = [...d, ...import.meta.e]; import './b.js'; if (x) /`/g.exec(y); import './c.js'";
    assert_eq!(found(script), ["./a.js", "./b.js"], "what follows a bracket divides");
    assert_eq!(found("export { a }\nimport './d.js'"), ["./d.js"]);
}

#[test]
fn only_statements_make_a_module() {
    for script in [
        "import 'a.js'",
        "export const a = 1;",
        "x; export default 1",
        "import.meta.url",
        "import a from './a.js'",
    ] {
        assert!(module_syntax(script).is_module, "{script}");
    }
    for script in [
        "import('./a.js')",
        "x = {import: 1, export: 2}",
        "module.exports = {}",
        "a.import(b)",
        "// import x",
        "'export'",
    ] {
        assert!(!module_syntax(script).is_module, "{script}");
    }
}

proptest! {
    #[test]
    fn ranges_are_ordered_and_valid_in_any_script(script in "(import|export|from|[a-z{}()`'\"/*\\\\$\n. é])*") {
        let mut end = 0;
        for range in module_syntax(&script).specifiers {
            prop_assert!(range.start > end && script.get(range.clone()).is_some());
            end = range.end;
        }
    }
}
