//! Page nodes: a closed list of elements and attributes.
//!
//! None of them can run a script, load anything except an inlined image, or carry an arbitrary id.

use std::borrow::Cow;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderedMarkdown {
    pub nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Text(String),
    Element(Box<Element>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    pub tag: Tag,
    pub attributes: Vec<(Attribute, Cow<'static, str>)>,
    pub children: Vec<Node>,
}

macro_rules! names {
    ($(#[$about:meta])* $list:ident { $($variant:ident $name:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $list { $($variant,)* }

        impl $list {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

names! {
    /// All elements. Those from `Math` on are MathML.
    Tag {
        Link "a",
        Quote "blockquote",
        Break "br",
        Button "button",
        Code "code",
        Struck "s",
        Block "div",
        Emphasis "em",
        Caption "figcaption",
        Figure "figure",
        Rule "hr",
        Image "img",
        Item "li",
        Numbered "ol",
        Paragraph "p",
        Preformatted "pre",
        Section "section",
        Span "span",
        Strong "strong",
        Raised "sup",
        Table "table",
        TableBody "tbody",
        TableCell "td",
        TableTitle "th",
        TableHead "thead",
        TableRow "tr",
        List "ul",
        Math "math",
        MathFraction "mfrac",
        MathName "mi",
        MathNumber "mn",
        MathSign "mo",
        MathOver "mover",
        MathRootOf "mroot",
        MathRow "mrow",
        MathSpace "mspace",
        MathRoot "msqrt",
        MathSub "msub",
        MathSubSup "msubsup",
        MathSup "msup",
        MathTable "mtable",
        MathTableCell "mtd",
        MathText "mtext",
        MathTableRow "mtr",
        MathUnder "munder",
        MathUnderOver "munderover",
    }
}

impl Tag {
    pub fn is_maths(self) -> bool {
        self as usize >= Self::Math as usize
    }
}

names! {
    /// All attributes. None of them loads or runs anything but `href` and `src`, which the screen checks once more.
    Attribute {
        Accent "accent",
        Act "data-act",
        Address "href",
        Align "data-align",
        Alt "alt",
        Class "class",
        Direction "dir",
        Display "display",
        DisplayStyle "displaystyle",
        Fence "fence",
        Hidden "aria-hidden",
        Kind "data-kind",
        Label "aria-label",
        Level "aria-level",
        LineThickness "linethickness",
        LargeOperator "largeop",
        MathVariant "mathvariant",
        MovableLimits "movablelimits",
        Place "data-place",
        Plain "data-plain",
        Relation "rel",
        Role "role",
        Scope "scope",
        Source "src",
        Start "start",
        Stretchy "stretchy",
        TabIndex "tabindex",
        Target "target",
        Task "data-task",
        Test "data-testid",
        Title "title",
        Type "type",
        Weight "data-level",
        Width "width",
    }
}

impl Node {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn words(&self) -> String {
        let mut out = String::new();
        gather(self, &mut out);
        out
    }
}

fn gather(node: &Node, out: &mut String) {
    match node {
        Node::Text(text) => out.push_str(text),
        Node::Element(element) => element.children.iter().for_each(|child| gather(child, out)),
    }
}

impl From<Element> for Node {
    fn from(element: Element) -> Self {
        Self::Element(Box::new(element))
    }
}

impl Element {
    pub fn new(tag: Tag) -> Self {
        Self { tag, attributes: Vec::new(), children: Vec::new() }
    }

    pub fn of(tag: Tag, class: &'static str) -> Self {
        Self::new(tag).with(Attribute::Class, class)
    }

    /// A button that does this.
    pub fn button(class: &'static str, act: &'static str) -> Self {
        Self::of(Tag::Button, class).with(Attribute::Type, "button").with(Attribute::Act, act)
    }

    pub fn with(mut self, attribute: Attribute, value: impl Into<Cow<'static, str>>) -> Self {
        self.attributes.push((attribute, value.into()));
        self
    }

    pub fn with_child(self, child: impl Into<Node>) -> Self {
        self.with_children([child.into()])
    }

    pub fn with_children(mut self, children: impl IntoIterator<Item = Node>) -> Self {
        self.children.extend(children);
        self
    }

    /// Appends a text to its children.
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.children.push(Node::Text(text.into()));
        self
    }

    pub fn value(&self, attribute: Attribute) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| *name == attribute).map(|(_, value)| value.as_ref())
    }
}
