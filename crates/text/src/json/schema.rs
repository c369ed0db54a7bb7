//! Validates JSON against the part of JSON Schema that needs no regular expressions and no network.
//!
//! [`SchemaReport::unchecked`] names the keywords that are not checked: `pattern`, `patternProperties`, `format`,
//! `unevaluated…`, `dependentSchemas`, `$dynamicRef`, and a `$ref` to another document.

use serde_json::{Map, Value};

/// Maximum number of reported mismatches.
const MOST: usize = 50;
/// Maximum depth of references between schemas.
const DEPTH: usize = 60;
/// Keywords of the standard that are not checked here.
const UNCHECKED: &str = "pattern patternProperties format unevaluatedProperties unevaluatedItems dependentSchemas \
    dependencies $dynamicRef $recursiveRef contentSchema";

/// The result of a validation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaReport {
    /// Where the value does not fit, as a JSON Pointer and words.
    pub mismatches: Vec<(String, String)>,
    /// Keywords of the schema that were found but not checked.
    pub unchecked: Vec<String>,
}

pub fn validate(schema: &Value, value: &Value) -> SchemaReport {
    let mut checker = SchemaChecker { root: schema, report: SchemaReport::default() };
    checker.check(schema, value, "", 0);
    checker.report
}

struct SchemaChecker<'s> {
    root: &'s Value,
    report: SchemaReport,
}

impl<'s> SchemaChecker<'s> {
    fn add_mismatch(&mut self, at: &str, words: String) {
        if self.report.mismatches.len() < MOST {
            self.report.mismatches.push((at.to_owned(), words));
        }
    }

    fn skip(&mut self, keyword: &str) {
        if !self.report.unchecked.iter().any(|own| own == keyword) {
            self.report.unchecked.push(keyword.to_owned());
        }
    }

    /// True if a value fits; reports no mismatch.
    fn fits(&mut self, schema: &'s Value, value: &Value, depth: usize) -> bool {
        let mut inner = SchemaChecker { root: self.root, report: SchemaReport::default() };
        inner.check(schema, value, "", depth);
        for keyword in inner.report.unchecked {
            self.skip(&keyword);
        }
        inner.report.mismatches.is_empty()
    }

    fn check(&mut self, schema: &'s Value, value: &Value, at: &str, depth: usize) {
        let schema = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return self.add_mismatch(at, "nothing is allowed here".to_owned()),
            Value::Object(schema) => schema,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                return self.skip("a schema that is none");
            }
        };
        if depth > DEPTH {
            return self.skip("schemas that refer to each other too deeply");
        }
        for keyword in UNCHECKED.split(' ') {
            if schema.contains_key(keyword) {
                self.skip(keyword);
            }
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            match reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                Some(target) => self.check(target, value, at, depth + 1),
                None => self.skip("$ref"),
            }
        }
        self.kind(schema, value, at);
        self.combined(schema, value, at, depth);
        match value {
            Value::Object(map) => self.object(schema, map, at, depth),
            Value::Array(items) => self.array(schema, items, at, depth),
            Value::String(text) => {
                self.length(schema, ["minLength", "maxLength"], text.chars().count(), "characters", at)
            }
            Value::Number(number) => self.number(schema, number.as_f64().unwrap_or(f64::NAN), at),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn kind(&mut self, schema: &Map<String, Value>, value: &Value, at: &str) {
        let wanted: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !wanted.is_empty() && !wanted.iter().any(|kind| is_of_kind(value, kind)) {
            self.add_mismatch(at, format!("must be {}, not {}", wanted.join(" or "), kind_of(value)));
        }
        if let Some(Value::Array(allowed)) = schema.get("enum")
            && !allowed.iter().any(|one| is_same(one, value))
        {
            let words: Vec<_> = allowed.iter().take(10).map(Value::to_string).collect();
            self.add_mismatch(at, format!("must be one of {}", words.join(", ")));
        }
        if let Some(only) = schema.get("const")
            && !is_same(only, value)
        {
            self.add_mismatch(at, format!("must be {only}"));
        }
    }

    fn combined(&mut self, schema: &'s Map<String, Value>, value: &Value, at: &str, depth: usize) {
        let list = |name: &str| schema.get(name).and_then(Value::as_array);
        for inner in list("allOf").into_iter().flatten() {
            self.check(inner, value, at, depth + 1);
        }
        if let Some(any) = list("anyOf")
            && !any.iter().any(|inner| self.fits(inner, value, depth + 1))
        {
            self.add_mismatch(at, "fits none of anyOf".to_owned());
        }
        if let Some(one) = list("oneOf") {
            let fitting = one.iter().filter(|inner| self.fits(inner, value, depth + 1)).count();
            if fitting != 1 {
                self.add_mismatch(at, format!("fits {fitting} of oneOf, and must fit exactly one"));
            }
        }
        if let Some(not) = schema.get("not")
            && self.fits(not, value, depth + 1)
        {
            self.add_mismatch(at, "fits what `not` rules out".to_owned());
        }
        if let Some(condition) = schema.get("if") {
            let branch = if self.fits(condition, value, depth + 1) { "then" } else { "else" };
            if let Some(inner) = schema.get(branch) {
                self.check(inner, value, at, depth + 1);
            }
        }
    }

    fn object(&mut self, schema: &'s Map<String, Value>, map: &Map<String, Value>, at: &str, depth: usize) {
        for name in names(schema.get("required")) {
            if !map.contains_key(name) {
                self.add_mismatch(at, format!("must have `{name}`"));
            }
        }
        let needed = schema.get("dependentRequired").and_then(Value::as_object);
        for (name, others) in needed.into_iter().flatten().filter(|(name, _)| map.contains_key(*name)) {
            for other in names(Some(others)).filter(|other| !map.contains_key(*other)) {
                self.add_mismatch(at, format!("must have `{other}`, since it has `{name}`"));
            }
        }
        self.length(schema, ["minProperties", "maxProperties"], map.len(), "properties", at);
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, item) in map {
            let below = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
            if let Some(inner) = schema.get("propertyNames")
                && !self.fits(inner, &Value::String(name.clone()), depth + 1)
            {
                self.add_mismatch(at, format!("must not have a property named {name}"));
            }
            match (properties.and_then(|own| own.get(name)), schema.get("additionalProperties")) {
                (Some(inner), _) => self.check(inner, item, &below, depth + 1),
                // Additional properties depend on patterns, which are not read.
                (None, Some(_)) if schema.contains_key("patternProperties") => {}
                (None, Some(Value::Bool(false))) => self.add_mismatch(at, format!("must not have `{name}`")),
                (None, Some(inner)) => self.check(inner, item, &below, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn array(&mut self, schema: &'s Map<String, Value>, items: &[Value], at: &str, depth: usize) {
        self.length(schema, ["minItems", "maxItems"], items.len(), "items", at);
        let is_twice =
            |(place, item): (usize, &Value)| items.iter().take(place).any(|other| is_same(other, item));
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) && items.iter().enumerate().any(is_twice) {
            self.add_mismatch(at, "must not have an item twice".to_owned());
        }
        // Older schemas have a list as `items`, and `additionalItems` for the rest.
        let old = schema.get("items").filter(|items| items.is_array());
        let first = schema.get("prefixItems").or(old).and_then(Value::as_array);
        let rest = if old.is_some() { schema.get("additionalItems") } else { schema.get("items") };
        for (place, item) in items.iter().enumerate() {
            let own = first.and_then(|first| first.get(place)).or(rest);
            if let Some(inner) = own {
                self.check(inner, item, &format!("{at}/{place}"), depth + 1);
            }
        }
        if let Some(inner) = schema.get("contains") {
            let count = items.iter().filter(|item| self.fits(inner, item, depth + 1)).count();
            let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
            let (least, most) = (limit("minContains").unwrap_or(1.0), limit("maxContains"));
            if (count as f64) < least || most.is_some_and(|most| count as f64 > most) {
                self.add_mismatch(at, format!("{count} items fit `contains`, which is too few or too many"));
            }
        }
    }

    fn length(&mut self, schema: &Map<String, Value>, names: [&str; 2], length: usize, of: &str, at: &str) {
        let [least, most] = names.map(|name| schema.get(name).and_then(Value::as_f64));
        if let Some(least) = least.filter(|least| (length as f64) < *least) {
            self.add_mismatch(at, format!("must have at least {least} {of}, and has {length}"));
        }
        if let Some(most) = most.filter(|most| length as f64 > *most) {
            self.add_mismatch(at, format!("must have at most {most} {of}, and has {length}"));
        }
    }

    fn number(&mut self, schema: &Map<String, Value>, number: f64, at: &str) {
        let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
        // In draft 4 the exclusive limits are flags of the others.
        let is_marked = |name: &str| schema.get(name) == Some(&Value::Bool(true));
        let is_too_small = |least: f64| number < least || is_marked("exclusiveMinimum") && number <= least;
        let is_too_large = |most: f64| number > most || is_marked("exclusiveMaximum") && number >= most;
        let outside =
            |name: &str, is_outside: &dyn Fn(f64) -> bool| limit(name).filter(|bound| is_outside(*bound));
        let crossed = [
            (outside("minimum", &is_too_small), "at least"),
            (outside("maximum", &is_too_large), "at most"),
            (outside("exclusiveMinimum", &|least| number <= least), "greater than"),
            (outside("exclusiveMaximum", &|most| number >= most), "less than"),
        ];
        for (bound, words) in crossed {
            if let Some(bound) = bound {
                self.add_mismatch(at, format!("must be {words} {bound}"));
            }
        }
        if let Some(step) = limit("multipleOf").filter(|step| *step > 0.0) {
            let steps = number / step;
            if (steps - steps.round()).abs() > 1e-9 * steps.abs().max(1.0) {
                self.add_mismatch(at, format!("must be a multiple of {step}"));
            }
        }
    }
}

fn names(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_of_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => kind_of(value) == other,
    }
}

/// True if two values are equal in JSON Schema: 1 and 1.0 are one number.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests;
