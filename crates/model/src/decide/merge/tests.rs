//! Merges over random histories of several sessions, compared with git: a repository gets the same history, with each
//! state of a working mind as a commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use proptest::prelude::*;

use super::*;
use crate::command::Command;
use crate::decide::tests::DecideFixture;
use crate::id::SessionId;
use crate::mind::review::MindField;
use crate::mind::{Mind, MindWrite};
use nexus_text::merge3::Resolution;
use nexus_text::testing::{check_until_seen, not_installed};
use nexus_text::vec_map::VecMap;

/// A step of a history. Numbers select among the existing items.
#[derive(Clone, Debug)]
enum Step {
    /// Writes in a session: a field, a line of it, and the change of the line.
    Write(usize, usize, usize, u8),
    /// Removes a file in a session.
    Remove(usize, usize),
    Turn(usize),
    /// Forks a session from its head or from an older turn.
    Fork(usize, usize),
    /// Merges a session, or an older turn of it, into another one. Conflicts are resolved to one side.
    Merge(usize, usize, usize, bool),
    /// A criss-cross merge: one session into the other, and the other's former state into the first.
    Cross(usize, usize, bool),
}

fn any_step() -> impl Strategy<Value = Step> {
    let number = || 0..12usize;
    prop_oneof![
        6 => (number(), 0..4usize, 0..9usize, 0..6u8).prop_map(|(a, b, c, d)| Step::Write(a, b, c, d)),
        1 => (number(), number()).prop_map(|(a, b)| Step::Remove(a, b)),
        4 => number().prop_map(Step::Turn),
        2 => (number(), number()).prop_map(|(a, b)| Step::Fork(a, b)),
        2 => (number(), number(), any::<bool>()).prop_map(|(a, b, c)| Step::Cross(a, b, c)),
        5 => (number(), number(), number(), any::<bool>()).prop_map(|(a, b, c, d)| Step::Merge(a, b, c, d)),
    ]
}

/// A repository with a commit for each state.
struct Git {
    folder: PathBuf,
    /// The number of commits so far, which keeps equal commits distinct.
    commits: std::cell::Cell<u32>,
}

impl Git {
    /// `None` without git.
    fn new(name: &str) -> Option<Self> {
        // Thousands of small files: in memory, where there is a place for files there.
        let memory = Some(PathBuf::from("/dev/shm")).filter(|folder| folder.is_dir());
        let place = memory.unwrap_or_else(std::env::temp_dir);
        let folder = place.join(format!("nexus-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let git = Self { folder, commits: std::cell::Cell::new(0) };
        git.try_run(&["init", "-q", "-b", "start"])?;
        Some(git)
    }

    fn try_run(&self, args: &[&str]) -> Option<(String, bool)> {
        let out = Process::new("git")
            .current_dir(&self.folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(["-c", "user.name=n", "-c", "user.email=n@n", "-c", "core.autocrlf=false"])
            .args(["-c", "merge.renames=false", "-c", "diff.algorithm=myers", "-c", "gc.auto=0"])
            .args(args)
            .output()
            .ok()?;
        Some((String::from_utf8(out.stdout).unwrap(), out.status.success()))
    }

    fn run(&self, args: &[&str]) -> String {
        let (text, done) = self.try_run(args).unwrap();
        assert!(done, "git {args:?} failed: {text}");
        text.trim().to_owned()
    }

    fn path(folder: &Path, field: &MindField) -> PathBuf {
        match field {
            MindField::Objective => folder.join("objective"),
            MindField::Scratchpad => folder.join("scratchpad"),
            MindField::File(name) => folder.join("files").join(name),
        }
    }

    /// Writes a mind into the work tree.
    fn lay_out(&self, mind: &Mind) {
        drop(fs::remove_dir_all(self.folder.join("files")));
        fs::create_dir_all(self.folder.join("files")).unwrap();
        let names = mind.files.keys().map(|name| MindField::File(name.clone()));
        for field in [MindField::Objective, MindField::Scratchpad].into_iter().chain(names) {
            fs::write(Self::path(&self.folder, &field), &*field.text(mind).unwrap()).unwrap();
        }
    }

    /// The mind in the work tree.
    fn read(&self) -> Mind {
        let text = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
        let files = fs::read_dir(self.folder.join("files")).into_iter().flatten().map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, crate::mind::MindFile::new(&text(entry.path())))
        });
        Mind {
            objective: text(self.folder.join("objective")),
            scratchpad: text(self.folder.join("scratchpad")),
            active: None,
            files: files.collect(),
        }
    }

    /// Commits a mind on the branch that is checked out.
    fn commit(&self, mind: &Mind) -> String {
        self.lay_out(mind);
        self.run(&["add", "-A"]);
        self.commits.set(self.commits.get() + 1);
        self.run(&["commit", "-q", "--allow-empty", "-m", &self.commits.get().to_string()]);
        self.run(&["rev-parse", "HEAD"])
    }

    fn go_to(&self, commit: &str) {
        self.run(&["checkout", "-q", "-f", "--detach", commit]);
        self.run(&["clean", "-q", "-f", "-d"]);
    }
}

impl Drop for Git {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn texts(mind: &Mind) -> Mind {
    Mind { active: None, ..mind.clone() }
}

/// A device and a repository with the same history.
struct Twins<'g> {
    device: DecideFixture,
    git: &'g Git,
    sessions: Vec<SessionId>,
    at: VecMap<SessionId, String>,
    /// The commit of each turn at its end.
    closed: VecMap<TurnId, String>,
    /// The turn of each commit.
    turn_of: VecMap<String, TurnId>,
    /// The turns that each session went through.
    paths: VecMap<SessionId, Vec<TurnId>>,
    /// The number of written lines: each line is unique.
    written: usize,
    tried: Vec<&'static str>,
}

impl<'g> Twins<'g> {
    fn new(git: &'g Git) -> Self {
        let mut device = DecideFixture::new();
        let session = device.session;
        let lines = |name: &str| (0..9).map(|line| format!("{name} {line}\n")).collect::<String>();
        let base = device.row().mind;
        let file = |name: &str| MindWrite::File { name: name.into(), text: lines(name) };
        let writes = vec![
            MindWrite::Objective(lines("objective")),
            MindWrite::Scratchpad(lines("scratchpad")),
            file("a"),
            file("b"),
        ];
        device.run(&Command::EditMind { session, base, writes }).unwrap();
        // A failed history may have left an unfinished merge.
        drop(git.try_run(&["reset", "-q", "--hard"]));
        git.run(&["checkout", "-q", "--orphan", &format!("run-{}", std::process::id())]);
        let mut twins = Self {
            device,
            git,
            sessions: vec![session],
            at: VecMap::new(),
            closed: VecMap::new(),
            turn_of: VecMap::new(),
            paths: VecMap::new(),
            written: 0,
            tried: Vec::new(),
        };
        let commit = git.commit(&twins.mind(session));
        git.run(&["checkout", "-q", "--detach"]);
        git.run(&["branch", "-q", "-D", &format!("run-{}", std::process::id())]);
        twins.at.insert(session, commit);
        twins.turn(session);
        twins
    }

    fn mind(&self, session: SessionId) -> Mind {
        let row = self.device.world.session(&session).unwrap();
        self.device.world.working_mind(row).unwrap().as_ref().clone()
    }

    /// Commits the current state of a session.
    fn record(&mut self, session: SessionId, closed: bool) {
        self.git.go_to(self.at.get(&session).unwrap());
        let commit = self.git.commit(&self.mind(session));
        let turn = self.device.world.session(&session).unwrap().head;
        self.at.insert(session, commit.clone());
        if let Some(turn) = turn {
            self.turn_of.insert(commit.clone(), turn);
            if closed {
                self.closed.insert(turn, commit);
                self.paths.get_or_insert_with(session, Vec::new).push(turn);
            }
        }
    }

    fn turn(&mut self, session: SessionId) {
        self.device.session = session;
        self.device.turn("go on");
        self.record(session, true);
    }

    fn write(&mut self, session: SessionId, writes: Vec<MindWrite>) {
        let base = self.device.world.session(&session).unwrap().mind;
        self.device.run(&Command::EditMind { session, base, writes }).unwrap();
        self.record(session, false);
    }

    fn change(&mut self, session: SessionId, field: usize, line: usize, how: u8) {
        let mind = self.mind(session);
        let field = match field {
            0 => MindField::Objective,
            1 => MindField::Scratchpad,
            2 => MindField::File("a".into()),
            _ => MindField::File("b".into()),
        };
        let text = field.text(&mind).unwrap_or_default();
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let at = line.min(lines.len());
        self.written += 1;
        let new = format!("written {}\n", self.written);
        match how {
            0 | 1 => lines.insert(at, new),
            2 if at < lines.len() => drop(lines.remove(at)),
            _ if at < lines.len() => lines[at] = new,
            _ => lines.push(new),
        }
        self.write(session, vec![field.write(Some(lines.concat()))]);
    }

    fn step(&mut self, step: &Step) -> Result<(), TestCaseError> {
        let any = |number: usize| self.sessions[number % self.sessions.len()];
        let side = |ours: bool| if ours { Resolution::Ours } else { Resolution::Theirs };
        match *step {
            Step::Write(session, field, line, how) => self.change(any(session), field, line, how),
            Step::Remove(session, file) => {
                let session = any(session);
                let files: Vec<String> = self.mind(session).files.keys().cloned().collect();
                if let Some(name) = files.get(file % 3) {
                    self.write(session, vec![MindWrite::Remove(name.clone())]);
                }
            }
            Step::Turn(session) => self.turn(any(session)),
            Step::Fork(session, back) if self.sessions.len() < 4 => self.fork(any(session), back),
            Step::Fork(..) => {}
            Step::Merge(into, from, back, ours) => {
                let (into, from) = (any(into), any(from));
                if into != from {
                    return self.merge(into, from, self.spot(from, back), &side(ours));
                }
            }
            Step::Cross(one, other, ours) => {
                let (one, other) = (any(one), any(other));
                if one != other {
                    self.turn(one);
                    self.turn(other);
                    let before = self.spot(one, 0);
                    self.merge(one, other, self.spot(other, 0), &side(ours))?;
                    return self.merge(other, one, before, &side(!ours));
                }
            }
        }
        Ok(())
    }

    /// A turn this far back in a session, and its commit: at the head, of the working mind.
    fn spot(&self, session: SessionId, back: usize) -> (TurnId, String) {
        let path = self.paths.get(&session).unwrap();
        let head = self.device.world.session(&session).unwrap().head.unwrap();
        // The head is chosen most often.
        let turn = path[path.len().saturating_sub(1).saturating_sub(back.saturating_sub(8))];
        let commit = if turn == head { self.at.get(&session) } else { self.closed.get(&turn) };
        (turn, commit.unwrap().clone())
    }

    fn fork(&mut self, from: SessionId, back: usize) {
        let (turn, commit) = self.spot(from, back);
        let session = SessionId::new(&mut self.device.ids);
        let fork = Command::ContinueFrom { session, from, turn, mind: None, label: String::new() };
        self.device.run(&fork).unwrap();
        self.sessions.push(session);
        self.at.insert(session, commit);
        let path = self.paths.get(&from).unwrap();
        let to = path.iter().position(|other| *other == turn).unwrap();
        let path = path[..=to].to_vec();
        self.paths.insert(session, path);
    }

    fn merge(
        &mut self,
        into: SessionId,
        from: SessionId,
        (other, commit): (TurnId, String),
        side: &Resolution,
    ) -> Result<(), TestCaseError> {
        let (ours, theirs) = (
            self.device.world.session(&into).unwrap().as_ref().clone(),
            self.device.world.session(&from).unwrap().as_ref().clone(),
        );
        let from = Some(from).filter(|_| theirs.head == Some(other));
        let mut merging = MergeRequest {
            session: into,
            head: ours.head,
            mind: ours.mind,
            other,
            from,
            theirs: theirs.mind,
            resolutions: Vec::new(),
        };
        let tip = self.at.get(&into).unwrap().clone();
        let bases = self.git.run(&["merge-base", "--all", &tip, &commit]);
        let bases: Vec<&str> = bases.lines().collect();
        let tree = TurnTree { world: &self.device.world, noted: &[] };
        let met = tree.merge_bases(&[ours.head.unwrap()], other).unwrap();
        let mut turns: Vec<TurnId> = bases.iter().map(|base| *self.turn_of.get(*base).unwrap()).collect();
        turns.sort_unstable();
        let one = Branch::now(ours.head.unwrap(), Some((into, ours.mind)));
        let two = Branch::now(other, from.map(|from| (from, theirs.mind)));
        let states = shared_states(tree, (&[one], &two), &met).unwrap();
        let found: Vec<TurnId> = states.iter().map(|state| state.turn).collect();
        prop_assert_eq!(&found, &turns, "the bases of {:?}", merging);
        let found = match branches(&self.device.world, &ours, &merging) {
            Err(MergeError::Rejected(Rejection::NothingToMerge)) => {
                prop_assert_eq!(met.bases, [other]);
                self.tried.push("nothing");
                return Ok(());
            }
            found => found.unwrap(),
        };
        merging.theirs = theirs.mind;
        if let [base] = bases.as_slice() {
            self.git.go_to(base);
            prop_assert_eq!(texts(&found.base), self.git.read());
        } else {
            self.tried.push("crosswise");
        }
        self.git.go_to(&tip);
        let how = ["merge", "--no-ff", "--no-commit", "-q", "-s", "ort", &commit];
        let (_, is_clean) = self.git.try_run(&how).unwrap();
        let merge = MindMerge::of(&found.base, &self.mind(into), &found.theirs);
        prop_assert_eq!(merge.conflict_count() == 0, is_clean, "{:?}", merge);
        if is_clean {
            let merged = merge.resolved(&self.mind(into), &[]).unwrap();
            prop_assert_eq!(texts(&merged), self.git.read());
            self.tried.push("clean");
        } else {
            self.tried.push("conflicts");
        }
        let conflicts = merge.fields.iter().filter(|field| field.conflict_count() > 0);
        merging.resolutions = conflicts
            .map(|field| (field.field.clone(), vec![side.clone(); field.conflict_count()]))
            .collect();
        self.device.run(&Command::MergeBranch(merging)).unwrap();
        self.tried.push("merges");
        // Where git has nothing to merge it makes no commit; here there is a merge turn.
        let (_, merges) = self.git.try_run(&["rev-parse", "-q", "--verify", "MERGE_HEAD"]).unwrap();
        let made = self.git.commit(&self.mind(into));
        if !merges {
            self.git.go_to(&made);
        }
        let turn = self.device.world.session(&into).unwrap().head.unwrap();
        self.at.insert(into, made.clone());
        self.turn_of.insert(made.clone(), turn);
        self.closed.insert(turn, made);
        self.paths.get_or_insert_with(into, Vec::new).push(turn);
        Ok(())
    }
}

#[test]
fn merges_agree_with_git_over_random_histories() {
    let Some(git) = Git::new("histories") else {
        not_installed("git, to hold merges against");
        return;
    };
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(12) };
    let histories = prop::collection::vec(any_step(), 10..34);
    let kinds = ["merges", "clean", "conflicts", "crosswise", "nothing"];
    check_until_seen(&config, kinds, &histories, |steps, see| {
        let mut twins = Twins::new(&git);
        twins.fork(twins.sessions[0], 0);
        for step in &steps {
            twins.step(step)?;
        }
        twins.tried.into_iter().for_each(see);
        Ok(())
    });
}

/// A line that main took back, and with it the mind of its turn, does not return from the fork that has it.
#[test]
fn state_of_a_turn_that_returns_is_newer_than_what_was_written_meanwhile() {
    let Some(git) = Git::new("returned") else {
        not_installed("git, to hold merges against");
        return;
    };
    let mut twins = Twins::new(&git);
    twins.fork(twins.sessions[0], 0);
    let (insert, remove) = (Step::Write(0, 1, 7, 0), Step::Write(0, 1, 7, 2));
    for step in [insert, Step::Merge(1, 0, 0, false), remove, Step::Turn(0), Step::Cross(1, 0, false)] {
        twins.step(&step).unwrap();
    }
    let line = "written 1\n";
    assert!(twins.sessions.iter().all(|session| !twins.mind(*session).scratchpad.contains(line)));
}

/// Merges main into a fork, and the fork back into main.
#[test]
fn conflict_resolved_in_a_fork_stays_resolved_in_main() {
    let mut device = DecideFixture::new();
    let main = device.session;
    let write = |device: &mut DecideFixture, session, text: &str| {
        let base = device.world.session(&session).unwrap().mind;
        let writes = vec![MindWrite::File { name: "a".into(), text: text.into() }];
        device.run(&Command::EditMind { session, base, writes }).unwrap();
    };
    write(&mut device, main, "one\ntwo\nthree\nfour\nfive\n");
    let begun = device.turn("begin");
    let fork = SessionId::new(&mut device.ids);
    let (from, label) = (main, "fork".to_owned());
    device.run(&Command::ContinueFrom { session: fork, from, turn: begun, mind: None, label }).unwrap();
    write(&mut device, main, "MAIN\ntwo\nthree\nfive\n");
    device.turn("in main");
    device.session = fork;
    write(&mut device, fork, "FORK\ntwo\nthree\nfour\nfive\n");
    device.turn("in the fork");
    let drafted = |device: &DecideFixture, into: SessionId, from: SessionId| {
        let row = |id| device.world.session(id).unwrap().as_ref().clone();
        let (ours, theirs) = (row(&into), row(&from));
        let merging = MergeRequest {
            session: into,
            head: ours.head,
            mind: ours.mind,
            other: theirs.head.unwrap(),
            from: Some(from),
            theirs: theirs.mind,
            resolutions: Vec::new(),
        };
        let found = branches(&device.world, &ours, &merging).unwrap();
        let merge = MindMerge::of(&found.base, device.world.working_mind(&ours).unwrap(), &found.theirs);
        (merging, merge.conflict_count(), found.turns)
    };
    let (merging, conflicts, turns) = drafted(&device, fork, main);
    assert_eq!((conflicts, turns), (1, 1));
    let resolutions = vec![(MindField::File("a".into()), vec![Resolution::Ours])];
    device.run(&Command::MergeBranch(MergeRequest { resolutions, ..merging })).unwrap();
    let mind = |device: &DecideFixture, session| {
        let row = device.world.session(&session).unwrap();
        device.world.working_mind(row).unwrap().file("a").unwrap().to_owned()
    };
    assert_eq!(mind(&device, fork), "FORK\ntwo\nthree\nfive\n");
    device.session = main;
    device.turn("main goes on");
    let (merging, conflicts, turns) = drafted(&device, main, fork);
    assert_eq!((conflicts, turns), (0, 2), "it was decided in the fork");
    device.run(&Command::MergeBranch(merging)).unwrap();
    assert_eq!(mind(&device, main), "FORK\ntwo\nthree\nfive\n", "main removed the fourth line");
}

/// A fork with a working mind shares that mind, also if it continues before its first turn.
#[test]
fn fork_after_edits_has_no_conflict_in_unchanged_files() {
    let mut device = DecideFixture::new();
    let main = device.session;
    let turn = device.turn("begin");
    device.write("make a poem");
    let fork = SessionId::new(&mut device.ids);
    let (from, label) = (main, "fork".to_owned());
    device.run(&Command::ContinueFrom { session: fork, from, turn, mind: None, label }).unwrap();
    device.session = fork;
    device.write("make a song");
    let row = |id| device.world.session(&id).unwrap().as_ref().clone();
    let (ours, theirs) = (row(main), row(fork));
    let merging = MergeRequest {
        session: main,
        head: ours.head,
        mind: ours.mind,
        other: theirs.head.unwrap(),
        from: Some(fork),
        theirs: theirs.mind,
        resolutions: Vec::new(),
    };
    device.run(&Command::MergeBranch(merging)).unwrap();
    device.session = main;
    assert_eq!(device.objective(), "make a song");
}
