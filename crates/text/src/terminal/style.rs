//! How characters of a terminal look: colours, attributes, and the letters that draw lines.

/// A colour of text or behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    #[default]
    Default,
    /// One of the 16 that a theme gives.
    Named(u8),
    Rgb(u8, u8, u8),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub fore: Color,
    pub back: Color,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underline: bool,
    pub inverse: bool,
    pub strike: bool,
    pub hidden: bool,
}

/// Characters of a row that look alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    pub text: String,
    pub style: Style,
}

impl Style {
    /// Changes it as a sequence of attributes says.
    pub(super) fn set(&mut self, params: &[Vec<u16>]) {
        let style = self;
        if params.is_empty() {
            *style = Style::default();
        }
        let mut params = params.iter();
        while let Some(values) = params.next() {
            let code = values.first().copied().unwrap_or_default();
            match code {
                0 => *style = Style::default(),
                1 => style.bold = true,
                2 => style.dim = true,
                3 => style.italic = true,
                4 => style.underline = values.get(1) != Some(&0),
                7 => style.inverse = true,
                8 => style.hidden = true,
                9 => style.strike = true,
                21 => style.underline = true,
                22 => (style.bold, style.dim) = (false, false),
                23 => style.italic = false,
                24 => style.underline = false,
                27 => style.inverse = false,
                28 => style.hidden = false,
                29 => style.strike = false,
                30..=37 => style.fore = Color::Named((code - 30) as u8),
                39 => style.fore = Color::Default,
                40..=47 => style.back = Color::Named((code - 40) as u8),
                49 => style.back = Color::Default,
                90..=97 => style.fore = Color::Named((code - 82) as u8),
                100..=107 => style.back = Color::Named((code - 92) as u8),
                38 | 48 => {
                    // Its values follow as sub-parameters, or as parameters of their own.
                    let rest: Vec<u16> = if values.len() > 1 {
                        values.iter().skip(1).copied().collect()
                    } else {
                        let kind = params.next().and_then(|values| values.first().copied());
                        let more = if kind == Some(2) { 3 } else { 1 };
                        let values = params.by_ref().take(more).filter_map(|values| values.first().copied());
                        kind.into_iter().chain(values).collect()
                    };
                    let color = color_of(&rest);
                    if code == 38 { style.fore = color } else { style.back = color }
                }
                _ => {}
            }
        }
    }
}

/// A colour by what follows 38 or 48.
fn color_of(values: &[u16]) -> Color {
    let byte = |value: &u16| u8::try_from(*value).unwrap_or(u8::MAX);
    match values {
        // Before red may stand the number of a colour space.
        [2, .., red, green, blue] => Color::Rgb(byte(red), byte(green), byte(blue)),
        [5, index @ 0..16] => Color::Named(byte(index)),
        [5, index @ 16..232] => {
            let level = |step: u16| if step == 0 { 0 } else { byte(&(55 + 40 * step)) };
            let cube = index - 16;
            Color::Rgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        }
        [5, index @ 232..256] => {
            let grey = byte(&(8 + 10 * (index - 232)));
            Color::Rgb(grey, grey, grey)
        }
        _ => Color::Default,
    }
}

/// What a letter draws in the set of lines.
pub(super) fn drawn(letter: char) -> char {
    match letter {
        '`' => '◆',
        'a' => '▒',
        'f' => '°',
        'g' => '±',
        'j' => '┘',
        'k' => '┐',
        'l' => '┌',
        'm' => '└',
        'n' => '┼',
        'o' => '⎺',
        'p' => '⎻',
        'q' => '─',
        'r' => '⎼',
        's' => '⎽',
        't' => '├',
        'u' => '┤',
        'v' => '┴',
        'w' => '┬',
        'x' => '│',
        '~' => '·',
        other => other,
    }
}
