use super::*;
use crate::id::{Millis, RunId, SessionId};
use crate::mind::MindFile;
use crate::run::graph::kinds;
use crate::run::{NodeStatus, RunCause};
use crate::testing::SeqIds;
use nexus_text::content_hash::ContentHash;
use proptest::prelude::*;

fn run() -> Run {
    let mut ids = SeqIds::default();
    let (run, session) = (RunId::new(&mut ids), SessionId::new(&mut ids));
    let mut run = Run::opened(run, session, RunCause::Continued(run), ContentHash::of_text(""), Millis(0));
    run.rounds.definition_of_done = "All tests pass.".into();
    run
}

fn node() -> Node {
    let node = Node::new("impl".into(), "agent.codex", 0);
    Node { instruction: "Implement it.".into(), status: NodeStatus::Ready, ..node }
}

fn mind(files: &[(&str, &str)]) -> Mind {
    let mut mind = Mind { objective: "A clock.".into(), ..Mind::default() };
    for (name, text) in files {
        mind.files.insert((*name).to_owned(), MindFile::new(text));
    }
    mind.active = files.last().map(|(name, _)| (*name).to_owned());
    mind
}

#[test]
fn pack_has_blocks_in_order_and_no_secrets() {
    let inbox =
        [Envelope::text(kinds::HANDOFF, "lead".into(), None, "Use sk-proj-abcdefghijklmnopqrstuvwxyz0123.")];
    let files = [("a.js", "one();"), ("b.js", "two();")];
    let pack = context_pack("Build it.", &mind(&files), &run(), &node(), &inbox, false);
    let heads: Vec<_> = pack.lines().filter(|line| line.starts_with("# ")).collect();
    assert_eq!(heads, ["# Goal", "# Your part", "# Done when", "# Files", "# What is new"]);
    assert!(pack.contains("A clock.\nBuild it.") && pack.contains("All tests pass."), "{pack}");
    assert!(pack.find("two();") < pack.find("one();"), "the active file comes first");
    assert!(!pack.contains("abcdefghijklmnop"), "{pack}");
    let later = context_pack("Build it.", &mind(&files), &run(), &node(), &inbox, true);
    assert!(later.contains("a.js (6 bytes") && !later.contains("one();"));
}

#[test]
fn pack_spells_out_invisible_characters() {
    let pack = context_pack("Build it.\u{E0041}", &mind(&[]), &run(), &node(), &[], false);
    assert!(pack.contains("Build it.⟨U+E0041⟩"), "{pack}");
}

proptest! {
    #[test]
    fn pack_never_exceeds_its_size_limit(
        sizes in proptest::collection::vec(0usize..40_000, 0..12),
        goal in 0usize..40_000,
        news in proptest::collection::vec(0usize..9_000, 0..8),
    ) {
        let files: Vec<_> =
            sizes.iter().enumerate().map(|(at, size)| (format!("f{at}"), "ä\n".repeat(*size))).collect();
        let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let envelope = |size: &usize| Envelope::text(kinds::RESULT, "x".into(), None, "w ".repeat(*size));
        let inbox: Vec<_> = news.iter().map(envelope).collect();
        let pack = context_pack(&"g".repeat(goal), &mind(&files), &run(), &node(), &inbox, false);
        prop_assert!(pack.len() <= PACK_BYTES, "{}", pack.len());
    }
}
