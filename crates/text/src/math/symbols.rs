//! Tokeniser of TeX math, and TeX symbol names: their characters and how they are set.

// Each of these tables holds names, each followed by its character, with spaces between.

pub(super) const LETTERS: &str = "\
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ \
    lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ \
    chi χ psi ψ omega ω ell ℓ hbar ℏ imath ı jmath ȷ wp ℘";

pub(super) const UPRIGHT: &str = "\
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ \
    nabla ∇ emptyset ∅ varnothing ∅ aleph ℵ Re ℜ Im ℑ angle ∠ triangle △ square □ top ⊤ bot ⊥ degree ° \
    checkmark ✓ star ⋆ dagger † blacksquare ■ clubsuit ♣ hearts ♥";

pub(super) const SIGNS: &str = "\
    times × cdot ⋅ div ÷ pm ± mp ∓ ast ∗ circ ∘ bullet ∙ oplus ⊕ otimes ⊗ ominus ⊖ odot ⊙ wedge ∧ land ∧ \
    vee ∨ lor ∨ neg ¬ lnot ¬ cap ∩ cup ∪ setminus ∖ le ≤ leq ≤ leqslant ⩽ ge ≥ geq ≥ geqslant ⩾ ne ≠ neq ≠ \
    ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ cong ≅ equiv ≡ propto ∝ coloneqq ≔ doteq ≐ in ∈ notin ∉ ni ∋ subset ⊂ \
    subseteq ⊆ subsetneq ⊊ supset ⊃ supseteq ⊇ prec ≺ succ ≻ preceq ⪯ succeq ⪰ forall ∀ exists ∃ nexists ∄ \
    mid ∣ nmid ∤ parallel ∥ perp ⊥ models ⊨ vdash ⊢ therefore ∴ because ∵ to → rightarrow → \
    longrightarrow ⟶ leftarrow ← gets ← longleftarrow ⟵ leftrightarrow ↔ Rightarrow ⇒ implies ⟹ \
    Longrightarrow ⟹ Leftarrow ⇐ impliedby ⟸ Leftrightarrow ⇔ iff ⟺ mapsto ↦ hookrightarrow ↪ uparrow ↑ \
    downarrow ↓ Uparrow ⇑ Downarrow ⇓ nearrow ↗ searrow ↘ rightleftharpoons ⇌ leadsto ⇝ xrightarrow → \
    dots … ldots … cdots ⋯ vdots ⋮ ddots ⋱ dotsc … dotsb ⋯ colon : prime ′ backslash \\ lt < gt > bowtie ⋈ \
    rtimes ⋊ ltimes ⋉ sqcup ⊔ sqcap ⊓ uplus ⊎ amalg ⨿ triangleq ≜ asymp ≍ Box □ Diamond ◇ surd √";

pub(super) const STILL: &str = "\
    langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } lbrack [ rbrack ] lvert | \
    rvert | vert | Vert ‖ lVert ‖ rVert ‖";

pub(super) const LARGE: &str = "\
    sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ \
    bigotimes ⨂ bigsqcup ⨆";

pub(super) const SPACES: &str = "\
    , 0.167em : 0.222em > 0.222em ; 0.278em ! -0.167em nbsp 0.25em quad 1em qquad 2em enspace 0.5em \
    thinspace 0.167em";

pub(super) const FUNCTIONS: &str = "\
    sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp deg dim hom ker arg";

pub(super) const LIMITS: &str = "lim max min sup inf det gcd Pr limsup liminf argmax argmin";

/// The accent of a name: the mark, whether it is above, whether it stretches.
pub(super) fn accent(name: &str) -> Option<(&'static str, bool, bool)> {
    Some(match name {
        "hat" => ("^", true, false),
        "widehat" => ("^", true, true),
        "bar" => ("¯", true, false),
        "overline" => ("¯", true, true),
        "vec" => ("→", true, false),
        "overrightarrow" => ("→", true, true),
        "overleftarrow" => ("←", true, true),
        "dot" => ("˙", true, false),
        "ddot" => ("¨", true, false),
        "tilde" => ("~", true, false),
        "widetilde" => ("~", true, true),
        "check" => ("ˇ", true, false),
        "breve" => ("˘", true, false),
        "acute" => ("´", true, false),
        "grave" => ("`", true, false),
        "mathring" => ("˚", true, false),
        "overbrace" => ("⏞", true, true),
        "underbrace" => ("⏟", false, true),
        "underline" => ("_", false, true),
        _ => return None,
    })
}

/// The letters of alphabets that Unicode had before the others, and their signs.
const OLDER: [(&str, &str, &str); 3] = [
    ("mathbb", "CHNPQRZ", "ℂℍℕℙℚℝℤ"),
    ("mathcal|mathscr", "BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ"),
    ("mathfrak", "CHIRZ", "ℭℌℑℜℨ"),
];

/// A letter of another alphabet; itself if that has none.
pub(super) fn styled(c: char, alphabet: &str) -> char {
    let (upper, lower, digit): (u32, u32, Option<u32>) = match alphabet {
        "mathbb" => (0x1D538, 0x1D552, Some(0x1D7D8)),
        "mathcal" | "mathscr" => (0x1D49C, 0x1D4B6, None),
        "mathfrak" => (0x1D504, 0x1D51E, None),
        "mathbf" => (0x1D400, 0x1D41A, Some(0x1D7CE)),
        "mathsf" => (0x1D5A0, 0x1D5BA, Some(0x1D7E2)),
        "mathtt" => (0x1D670, 0x1D68A, Some(0x1D7F6)),
        "boldsymbol" | "bm" => (0x1D468, 0x1D482, Some(0x1D7CE)),
        _ => return c,
    };
    let is_of = |family: &str| family.split('|').any(|name| name == alphabet);
    let older = OLDER.iter().find(|(family, ..)| is_of(family));
    let older =
        older.and_then(|(_, letters, signs)| letters.chars().zip(signs.chars()).find(|(l, _)| *l == c));
    if let Some((_, sign)) = older {
        return sign;
    }
    let moved = match c {
        'A'..='Z' => Some(upper + u32::from(c) - u32::from('A')),
        'a'..='z' => Some(lower + u32::from(c) - u32::from('a')),
        '0'..='9' => digit.map(|zero| zero + u32::from(c) - u32::from('0')),
        _ => None,
    };
    moved.and_then(char::from_u32).unwrap_or(c)
}

/// The tokens of a formula, as written: a command with its backslash, a number, a character. Blanks and comments are a
/// space, and `~` is the command `\nbsp`.
pub(super) fn tokens(tex: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = tex;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' => 1 + command(rest.get(1..).unwrap_or_default()),
            // A comment extends to the end of its line.
            '%' => rest.find('\n').unwrap_or(rest.len()),
            c if c.is_whitespace() => rest.len() - rest.trim_start().len(),
            c if c.is_ascii_digit() => number(rest),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at_checked(length.max(1)).unwrap_or((rest, ""));
        tokens.push(match c {
            '~' => "\\nbsp",
            '%' => " ",
            c if c.is_whitespace() => " ",
            _ => token,
        });
        rest = after;
    }
    tokens
}

/// True if a token ends a group, a cell, a row, or a pair of delimiters.
pub(super) fn ends_row(token: &str) -> bool {
    matches!(token, "}" | "&" | "\\\\" | "\\end" | "\\right")
}

/// The length of a command's name: letters, or a single other character.
fn command(after: &str) -> usize {
    match after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len()) {
        0 => after.chars().next().map_or(0, char::len_utf8),
        letters => letters,
    }
}

/// The length of the number at the start: digits, with points and commas between them.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    while digit(end) || (bytes.get(end) == Some(&b'.') && digit(end + 1)) {
        end += 1;
    }
    end
}
