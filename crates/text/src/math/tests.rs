use super::*;

/// A formula as text: each element as its name with its content in brackets.
fn as_text(tex: &str) -> String {
    let Node::Element(math) = set(tex, false) else { return String::new() };
    math.children.iter().map(describe).collect()
}

fn describe(node: &Node) -> String {
    match node {
        Node::Text(text) => text.clone(),
        Node::Element(element) => {
            let inner: Vec<_> = element.children.iter().map(describe).collect();
            let is_leaf =
                [Tag::MathName, Tag::MathNumber, Tag::MathSign, Tag::MathText].contains(&element.tag);
            let name = element.tag.name().trim_start_matches('m');
            if is_leaf { inner.concat() } else { format!("{name}({})", inner.join(" ")) }
        }
    }
}

#[test]
fn common_forms_are_converted() {
    for (tex, expected) in [
        ("x^2", "sup(x 2)"),
        ("a_{ij}^2", "subsup(a row(i j) 2)"),
        ("\\frac{1}{n+1}", "frac(1 row(n + 1))"),
        ("\\frac12", "frac(12 row())"),
        ("\\sqrt{x} + \\sqrt[3]{y}", "row(sqrt(x) + root(y 3))"),
        ("f''(x)", "row(sup(f ′′) ( x ))"),
        ("\\sum_{i=1}^n i", "row(underover(∑ row(i = 1) n) i)"),
        ("\\int_0^1 x\\,dx", "row(subsup(∫ 0 1) x space() d x)"),
        ("\\lim_{x \\to 0} f", "row(under(lim row(x → 0)) f)"),
        ("\\left( \\frac{a}{b} \\right]", "row(( frac(a b) ])"),
        ("\\hat{x} \\neq \\vec v", "row(over(x ^) ≠ over(v →))"),
        ("\\mathbb{R}^n", "sup(ℝ n)"),
        ("\\text{if } x > 0", "row(if\u{a0} x > 0)"),
        (
            "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
            "row(( table(tr(td(a) td(b)) tr(td(c) td(d))) ))",
        ),
        ("\\begin{cases} 1 & x \\\\[2pt] 0 \\end{cases}", "row({ table(tr(td(1) td(x)) tr(td(0))))"),
        ("\\binom{n}{k}", "row(( frac(n k) ))"),
        ("3.14 - \\pi", "row(3.14 − π)"),
        ("\\underbrace{a+b}_{n}", "under(under(row(a + b) ⏟) n)"),
        ("\\{x \\mid x \\in A\\}", "row({ x ∣ x ∈ A })"),
    ] {
        assert_eq!(as_text(tex), expected, "{tex}");
    }
}

#[test]
fn unknown_input_is_shown_as_source() {
    assert_eq!(as_text("\\foo{x}"), "row(\\foo x)");
    assert_eq!(
        as_text("\\begin{weird} x \\end{weird}"),
        "row(\\begin{weird} x \\end weird)".replace("weird)", "row(w e i r d))")
    );
    assert_eq!(as_text("a } b"), "row(a } b)");
    assert_eq!(as_text("x^"), "sup(x row())");
    assert_eq!(as_text("\\"), "\\");
}

#[test]
fn any_formula_is_bounded() {
    for tex in [
        "{".repeat(8_000),
        "\\frac".repeat(1_600),
        "x^".repeat(4_000),
        "\\left(".repeat(1_200),
        "\\sqrt[".repeat(1_200),
        "\\begin{matrix}".repeat(500),
        "\\hat".repeat(2_000),
        "}".repeat(8_000),
        "&\\\\".repeat(2_000),
    ] {
        assert!(!set(&tex, true).words().is_empty());
    }
    let long = "x".repeat(MATHS_BYTES + 1);
    assert_eq!(set(&long, true), Element::of(Tag::Code, "prose-tex").with_text(long).into());
}
