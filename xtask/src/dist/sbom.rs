//! Bill of materials in CycloneDX JSON: every crate linked into the page, and every npm package in its bundles.
//!
//! Contains no time and no random number: the same lock files give the same bill.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::error::{Context as _, Result};
use crate::run::{cargo, output};
use crate::workspace::Workspace;

/// Package name of the page.
const PAGE: &str = "nexus";
const NPM_LOCK: &str = "xtask/parts/package-lock.json";

/// The bill of materials of this checkout.
pub(super) fn of(workspace: &Workspace) -> Result<String> {
    let mut command = Command::new(cargo());
    command.current_dir(&workspace.root).args([
        "metadata",
        "--format-version=1",
        "--locked",
        "--filter-platform=wasm32-unknown-unknown",
    ]);
    let metadata = output(&mut command).context("`cargo metadata` failed")?;
    let metadata = serde_json::from_str(&metadata).context("reading the output of `cargo metadata`")?;
    let lock = fs::read_to_string(workspace.root.join(NPM_LOCK)).context("reading the npm lockfile")?;
    let lock = serde_json::from_str(&lock).context("reading the npm lockfile")?;
    let bill = bill(&metadata, &lock)?;
    serde_json::to_string_pretty(&bill).context("writing the bill of materials")
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn bill(metadata: &Value, lock: &Value) -> Result<Value> {
    let packages: BTreeMap<&str, &Value> =
        list(metadata, "packages").map(|package| (text(package, "id"), package)).collect();
    let root = packages.values().find(|package| text(package, "name") == PAGE);
    let root = root.context("`cargo metadata` does not list the page")?;
    let resolve = metadata.get("resolve").context("`cargo metadata` has no resolve graph")?;
    let nodes: BTreeMap<&str, &Value> = list(resolve, "nodes").map(|node| (text(node, "id"), node)).collect();
    // Only normal dependencies are linked; dev and build dependencies are not.
    let mut linked = BTreeSet::new();
    let mut next = vec![text(root, "id")];
    while let Some(id) = next.pop() {
        if !linked.insert(id) {
            continue;
        }
        for dependency in nodes.get(id).into_iter().flat_map(|node| list(node, "deps")) {
            if list(dependency, "dep_kinds").any(|kind| kind.get("kind").is_none_or(Value::is_null)) {
                next.push(text(dependency, "pkg"));
            }
        }
    }
    let crates =
        linked.iter().filter_map(|id| packages.get(id)).filter(|package| text(package, "name") != PAGE);
    let mut components: Vec<Value> = crates.map(|package| crate_component(package)).collect();
    if let Some(Value::Object(packages)) = lock.get("packages") {
        let is_shipped = |package: &Value| package.get("dev") != Some(&Value::Bool(true));
        let shipped = packages.iter().filter(|(path, package)| !path.is_empty() && is_shipped(package));
        components.extend(shipped.map(|(path, package)| npm_component(path, package)));
    }
    components.sort_by(|one, other| text(one, "purl").cmp(text(other, "purl")));
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": { "type": "application", "name": PAGE, "version": text(root, "version") },
        },
        "components": components,
    }))
}

fn component(name: &str, version: &str, purl: String, license: &str) -> Value {
    let mut component = json!({
        "type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
    });
    if let (false, Some(object)) = (license.is_empty(), component.as_object_mut()) {
        object.insert("licenses".to_owned(), json!([{ "expression": license }]));
    }
    component
}

fn crate_component(package: &Value) -> Value {
    let (name, version) = (text(package, "name"), text(package, "version"));
    // The older notation of alternatives.
    let license = text(package, "license").replace('/', " OR ");
    component(name, version, format!("pkg:cargo/{name}@{version}"), &license)
}

fn npm_component(path: &str, package: &Value) -> Value {
    let name = path.rsplit("node_modules/").next().unwrap_or(path);
    let version = text(package, "version");
    let purl = format!("pkg:npm/{}@{version}", name.replace('@', "%40"));
    let mut component = component(name, version, purl, text(package, "license"));
    if let (Some((_, hash)), Some(object)) =
        (text(package, "integrity").split_once("sha512-"), component.as_object_mut())
    {
        object.insert(
            "properties".to_owned(),
            json!([{ "name": "npm:integrity", "value": format!("sha512-{hash}") }]),
        );
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_packages_are_listed_and_dev_and_build_dependencies_are_not() {
        let package =
            |name: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0"});
        let dep = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let packages = ["nexus", "serde", "itoa", "proptest", "cc"].map(package);
        let metadata = json!({
            "packages": packages,
            "resolve": {"nodes": [
                {"id": "nexus", "deps": [dep("serde", Value::Null), dep("proptest", json!("dev"))]},
                {"id": "serde", "deps": [dep("itoa", Value::Null), dep("cc", json!("build"))]},
                {"id": "itoa", "deps": []}, {"id": "proptest", "deps": []}, {"id": "cc", "deps": []},
            ]},
        });
        let lock = json!({"packages": {
            "": {"name": "nexus-parts"},
            "node_modules/@codemirror/view": {"version": "6.0.0", "license": "MIT", "integrity": "sha512-abc"},
            "node_modules/esbuild": {"version": "0.1.0", "dev": true},
        }});
        let bill = bill(&metadata, &lock).unwrap();
        let names: Vec<_> = list(&bill, "components").map(|component| text(component, "purl")).collect();
        assert_eq!(
            names,
            ["pkg:cargo/itoa@1.0.0", "pkg:cargo/serde@1.0.0", "pkg:npm/%40codemirror/view@6.0.0"]
        );
        assert_eq!(bill["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!((text(&bill, "bomFormat"), text(&bill, "specVersion")), ("CycloneDX", "1.5"));
    }
}
