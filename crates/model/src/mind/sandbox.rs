//! The files that an agent may see and touch, and the part of a mind that it may see.
//!
//! If the rules of a worker and its senders differ, all of them have to allow the file.

use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::agent::{Permissions, matches};
use crate::mind::{Mind, MindFile};
use nexus_text::vec_map::VecMap;

/// Lists of file names, or prefixes that end in `*`. Each list has to allow a file; no list allows every file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sandbox(Vec<Vec<String>>);

impl Sandbox {
    pub fn of<'p>(all: impl IntoIterator<Item = &'p Permissions>) -> Self {
        let mut lists: Vec<Vec<String>> = Vec::new();
        for list in all.into_iter().filter_map(|permissions| permissions.sandbox.as_ref()) {
            if !lists.contains(list) {
                lists.push(list.clone());
            }
        }
        Self(lists)
    }

    pub fn closed() -> Self {
        Self(vec![Vec::new()])
    }

    /// True if it allows every file.
    pub fn is_open(&self) -> bool {
        self.0.is_empty()
    }

    pub fn allows(&self, file: &str) -> bool {
        self.0.iter().all(|list| list.iter().any(|pattern| matches(pattern, file)))
    }
}

/// A mind without hidden files, and with descriptions in place of images. Prompts and tools take this type, so that
/// they cannot show a hidden file or image data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleMind {
    mind: Arc<Mind>,
    hides_active: bool,
    hides_files: bool,
    /// The images: media type and size in bytes.
    images: VecMap<String, (String, u64)>,
}

impl VisibleMind {
    /// The part of `mind` that the sandbox allows.
    pub fn new(mind: &Arc<Mind>, sandbox: &Sandbox) -> Self {
        let mut mind = Arc::clone(mind);
        let hides_active = mind.active.as_ref().is_some_and(|name| !sandbox.allows(name));
        let hides_files = mind.files.keys().any(|name| !sandbox.allows(name));
        if !sandbox.is_open() {
            let shown = Arc::make_mut(&mut mind);
            shown.files.retain(|name, _| sandbox.allows(name));
            shown.active.take_if(|_| hides_active);
        }
        let image = |(name, file): (&String, &MindFile)| {
            let image = file.image()?;
            Some((name.clone(), (image.mime.to_owned(), image.bytes())))
        };
        let images: VecMap<_, _> = mind.files.iter().filter_map(image).collect();
        if !images.is_empty() {
            let own = Arc::make_mut(&mut mind);
            for (name, (mime, bytes)) in &images {
                let text = format!("({mime}, {bytes} bytes: an image, which has no text.)\n");
                if let Some(file) = own.files.get_mut(name) {
                    file.text = Arc::from(text);
                }
            }
        }
        Self { mind, hides_active, hides_files, images }
    }

    /// The whole mind, for readers without a sandbox.
    pub fn whole(mind: &Arc<Mind>) -> Self {
        Self::new(mind, &Sandbox::default())
    }

    /// Media type and size of an image file.
    pub fn image(&self, name: &str) -> Option<(&str, u64)> {
        self.images.get(name).map(|(mime, bytes)| (mime.as_str(), *bytes))
    }

    pub fn hides_active(&self) -> bool {
        self.hides_active
    }

    pub fn hides_files(&self) -> bool {
        self.hides_files
    }
}

impl Deref for VisibleMind {
    type Target = Mind;

    fn deref(&self) -> &Mind {
        &self.mind
    }
}

#[cfg(test)]
mod tests;
