//! The board's PREVIEW view: shows a file, follows changes of agents, and shows the page's console.
//!
//! Agents can read status and console too. Pages run only in the sandboxed iframe; without full isolation their
//! scripts run only if the operator allows it. A page is built from a file and the files and images of the session
//! that it references; raster images are shown fitted or at full size, with their metadata.

use leptos::html::Img;

use crate::ui::hooks::files::PictureUrl;
use crate::ui::hooks::preview_frame::{
    FrameContent, FrameEvent, FrameIsolation, frame_address, isolation, use_frame,
};
use crate::ui::markdown::{MarkdownView, ProseText};
use crate::ui::prelude::*;
use nexus_model::limits::PREVIEW_DEBOUNCE_MS;
use nexus_model::mind::blob::ImageFile;
use nexus_model::mind::preview::{
    Console, ConsoleLine, LogLevel, MessageImage, PreviewKind, PreviewReport, PreviewState,
    PreviewStopReason, fetched, kind_of, pictures, referenced_file, shown_file,
};
use nexus_text::html_bundle::{named_file, web_page};
use nexus_view::strings::board::preview as words;

lazy_view!(board, lazy_preview, PreviewPanel);

#[derive(Clone, Copy, Default)]
struct PreviewPanelState {
    shown: RwSignal<Option<PreviewFile>>,
    state: RwSignal<PreviewState>,
    console: RwSignal<Console>,
    /// Incremented by each run.
    run: RwSignal<u32>,
    /// The last scroll position, and its file.
    at: StoredValue<(String, (f64, f64))>,
}

impl PreviewPanelState {
    fn run(self) {
        self.console.set(Console::default());
        self.state.set(PreviewState::Loading);
        self.run.update(|run| *run = run.wrapping_add(1));
    }

    fn log(self, tone: LogLevel, text: &str) {
        self.console.update(|console| console.push(tone, text));
    }

    fn is_alive(self) -> bool {
        !matches!(self.state.get(), PreviewState::Stopped(_))
    }
}

#[component]
pub fn PreviewPanel() -> impl IntoMarkup {
    let &Page { dispatch, mind, .. } = expect_context();
    let Workspace { images, tabs, .. } = expect_context();
    let this = PreviewPanelState::default();
    let sources = PreviewSources { page: expect_context(), waiting: images };
    let offers = select(move || sources.offers());
    let file = select_from(move |last: Option<&Option<String>>| {
        let (files, active, picked) = (mind.files.order.get(), mind.active.get(), tabs.preview.get());
        let last = last.and_then(|last| last.as_deref());
        let pictures: Vec<_> = offers.with(|offers| offers.iter().map(|one| one.name.clone()).collect());
        shown_file(&files, &pictures, picked.as_deref(), active.as_deref(), last).cloned()
    });
    let page = select(move || file.get().and_then(|file| page_of(&file, sources)));
    follow(this, page);
    let closed_in = RwSignal::new(None);
    spawn_local(async move { closed_in.set(Some(isolation().await)) });
    Effect::new(move |_| {
        let Some(page) = this.shown.get() else { return };
        dispatch.engine().previews.set(PreviewReport {
            session: page.session,
            file: page.name,
            state: this.state.get(),
            open: true,
            missing: page.missing,
            console: this.console.get(),
        });
    });
    on_cleanup(move || dispatch.engine().previews.close());
    view! {
        <section class="preview" data-testid="preview" data-state=move || words::state(this.state.get()).0 aria-label=common::PREVIEW>
            <PreviewBar this offers />
            {move || match this.shown.get() {
                None => view! { <p class="preview-none">{words::NONE}</p> },
                Some(page) => view! { <PreviewBody this page closed_in /> },
            }}
        </section>
    }
}

/// Shows the built page: another file, or that of another session, at once, else after a pause in writing.
fn follow(this: PreviewPanelState, made: Selector<Option<PreviewFile>>) {
    let &Page { dispatch, .. } = expect_context();
    let waiting = Task::here();
    let show = move || {
        if this.shown.try_get_untracked().is_some_and(|shown| shown != made.get_untracked()) {
            this.shown.set(made.get_untracked());
            this.run();
        }
    };
    Effect::new(move |before: Option<Option<(SessionId, String)>>| {
        let name = made.with_some(|page| Some((page.session, page.name.clone())));
        if before.flatten() == name {
            waiting.start(async move {
                dispatch.clock().sleep(PREVIEW_DEBOUNCE_MS).await;
                show();
            });
        } else {
            waiting.abort();
            show();
        }
        name
    });
}

#[component]
fn PreviewBar(this: PreviewPanelState, offers: Selector<Vec<ImageOption>>) -> impl IntoMarkup {
    let &Page { mind, .. } = expect_context();
    let Workspace { tabs, .. } = expect_context();
    let files = select(move || {
        let mut files = mind.files.order.get();
        files.retain(|name| kind_of(name).is_some());
        files
    });
    let name = move || this.shown.with_some(|page| page.name.clone());
    // Only content in an iframe can be rerun.
    let runs = move || {
        let is_framed = |page: &PreviewFile| matches!(page.kind, PreviewKind::Page | PreviewKind::Picture);
        this.shown.with_some(is_framed)
    };
    let option = move |name: String, words: String| {
        let is_shown = this.shown.with_some(|page| page.name == name);
        option(name, words, is_shown)
    };
    let options = move || files.get().into_iter().map(|file| option(file.clone(), file)).into_markup();
    let pictures = move || {
        // A file of the session takes precedence over an image of the same name.
        let is_file = |name: &String| files.with(|files| files.contains(name));
        let offers = offers.get().into_iter().filter(|offer| !is_file(&offer.name));
        let options: Vec<_> = offers
            .map(|offer| {
                let words = words::picture(&offer.name, offer.bytes, offer.is_pending);
                option(offer.name, words)
            })
            .collect();
        (!options.is_empty()).then(|| view! { <optgroup label=words::PICTURES>{options}</optgroup> })
    };
    view! {
        <div class="preview-bar">
            {labelled("preview-file", common::FILE,
                select_box([options.into_markup(), pictures.into_markup()], move |name| tabs.preview.set(Some(name)))
                    .test("preview-file").property("value", name))}
            <span class="preview-state" role="status" data-testid="preview-state">
                {move || this.shown.with(Option::is_some).then(|| words::state(this.state.get()))}
            </span>
            <Show when=runs>
                {quiet_button(common::RUN_AGAIN).test("preview-again").on_click(move |_| this.run())}
            </Show>
        </div>
    }
}

#[component]
fn PreviewBody(
    this: PreviewPanelState,
    page: PreviewFile,
    closed_in: RwSignal<Option<FrameIsolation>>,
) -> impl IntoMarkup {
    let Workspace { tabs, .. } = expect_context();
    match page.kind {
        PreviewKind::Prose => {
            this.state.set(PreviewState::Still);
            let text = Selector::fixed(ProseText { text: page.text.to_string(), whole: true });
            // Links are not followed here.
            let clicked = Callback::new(|event: MouseEvent| event.prevent_default());
            view! {
                <div class="preview-prose" tabindex="0" role="document" aria-label=page.name>
                    <MarkdownView text root=NodeRef::new() clicked />
                </div>
            }
        }
        PreviewKind::Raster => {
            this.state.set(PreviewState::Still);
            let (mime, bytes) = page.raster.unwrap_or_default();
            view! { <ImagePreview name=page.name mime bytes base64=page.text /> }
        }
        PreviewKind::Picture => view! { <PreviewRunner this page scripts=false /> },
        PreviewKind::Page => {
            let missing = page.missing.clone();
            let page = StoredValue::new(page);
            let off = move |why: Text| {
                view! {
                    <div class="preview-note" role="note" data-testid="preview-scripts-off">
                        <span>{why}</span>
                        {button(words::RUN_SCRIPTS).test("preview-scripts")
                            .on_click(move |_| {
                                tabs.scripts.set(true);
                                this.run();
                            })}
                    </div>
                }
            };
            view! {
                {move || match closed_in.get() {
                    None => {
                        view! { <p class="preview-note" role="status">{words::CHECKING}</p> }
                    }
                    Some(closed) => {
                        let scripts = closed == FrameIsolation::In || tabs.scripts.get();
                        let why = match closed {
                            FrameIsolation::In => None,
                            FrameIsolation::NoHeaders => Some(words::NO_HEADERS),
                            FrameIsolation::OtherBrowser => Some(words::OTHER_BROWSER),
                        };
                        view! {
                            {why.filter(|_| !scripts).map(off)}
                            <PreviewRunner this page=page.get_value() scripts />
                        }
                    }
                }}
                {(!missing.is_empty())
                    .then(|| view! {
                        <p class="preview-note" role="note" data-testid="preview-missing">{words::missing(&missing)}</p>
                    })}
                <ConsoleList console=this.console />
            }
        }
    }
}

/// Runs a page in an iframe, a new one for each run.
#[component]
fn PreviewRunner(this: PreviewPanelState, page: PreviewFile, scripts: bool) -> impl IntoMarkup {
    let page = StoredValue::new(page);
    let is_alive = select(move || this.is_alive());
    move || {
        this.run.track();
        if is_alive.get() {
            return view! { <PreviewFrame this page=page.get_value() scripts /> };
        }
        let state = this.state.get_untracked();
        let cause = if let PreviewState::Stopped(cause) = state { words::stopped(cause) } else { "" };
        view! {
            <div class="preview-note" data-kind="stopped" role="alert" data-testid="preview-stopped">
                <span>{cause}</span>
                {button(common::RUN_AGAIN).test("preview-rerun").on_click(move |_| this.run())}
            </div>
        }
    }
}

#[component]
fn PreviewFrame(this: PreviewPanelState, page: PreviewFile, scripts: bool) -> impl IntoMarkup {
    let &Page { mind, .. } = expect_context();
    let Workspace { tabs, .. } = expect_context();
    let frame = NodeRef::new();
    let is_page = page.kind == PreviewKind::Page;
    let name = StoredValue::new(page.name.clone());
    let at = this.at.with_value(|(file, at)| if *file == page.name { *at } else { (0.0, 0.0) });
    let stop = move |cause| this.state.set(PreviewState::Stopped(cause));
    let on_event = move |event: FrameEvent| match event {
        FrameEvent::Line(tone, text) => this.log(LogLevel::named(&tone).unwrap_or_default(), &text),
        FrameEvent::Loaded => this.state.set(match (is_page, scripts) {
            (true, true) => PreviewState::Running,
            (true, false) => PreviewState::ScriptsOff,
            (false, _) => PreviewState::Still,
        }),
        FrameEvent::At(x, y) => this.at.set_value((name.get_value(), (x, y))),
        FrameEvent::Link(address) => {
            let named = named_file(&name.get_value(), &address);
            let there = named.filter(|file| mind.files.order.get_untracked().contains(file));
            match there.filter(|file| kind_of(file).is_some()) {
                Some(file) => tabs.preview.set(Some(file)),
                None => this.log(LogLevel::Warn, &words::link_outside(&address)),
            }
        }
        FrameEvent::Silent => stop(PreviewStopReason::Silent),
        FrameEvent::Flood => stop(PreviewStopReason::Flood),
        FrameEvent::Reloaded => stop(PreviewStopReason::NavigatedAway),
        FrameEvent::NotLoaded => stop(PreviewStopReason::NotLoaded),
    };
    let kind = if is_page { "page" } else { "picture" };
    let (title, text, files) = (page.name.clone(), page.text.to_string(), page.files);
    use_frame(frame, FrameContent { kind, name: page.name, text, files, scripts, at }, on_event);
    view! {
        <iframe
            class="preview-frame" data-testid="preview-frame" sandbox="allow-scripts"
            referrerpolicy="no-referrer" title=title src=frame_address() node_ref=frame
        ></iframe>
    }
}

/// The console's lines, newest last.
#[component]
pub fn ConsoleList(console: RwSignal<Console>) -> impl IntoMarkup {
    let lines = move || console.with(|console| console.lines().cloned().collect::<Vec<_>>());
    let dropped = move || {
        let number = console.with(Console::dropped);
        (number > 0).then(|| view! { <p class="preview-dropped">{words::dropped(number)}</p> })
    };
    let row = |line: ConsoleLine| {
        view! {
            <li data-testid="preview-line" data-tone=line.tone.name()>{reveal(&translate_template(&line.text))}</li>
        }
    };
    view! {
        <details class="preview-console" open>
            <summary>{common::CONSOLE}</summary>
            {dropped}
            <ul data-testid="preview-console" tabindex="0" aria-label=common::CONSOLE>
                {keyed_list(lines, |line: &ConsoleLine| line.number, row)}
            </ul>
            {move || console.with(|console| console.lines().next().is_none())
                .then(|| view! { <p class="preview-dropped">{words::QUIET}</p> })}
        </details>
    }
}

#[derive(Clone, Copy)]
struct PreviewSources {
    page: &'static Page,
    waiting: Selector<Vec<(u32, NewBlob)>>,
}

#[derive(Clone, Debug, PartialEq)]
struct PreviewFile {
    session: SessionId,
    name: String,
    kind: PreviewKind,
    text: Arc<str>,
    /// Files that its scripts can fetch, as JSON.
    files: Arc<str>,
    /// Referenced files that do not exist.
    missing: Vec<String>,
    /// Media type and size in bytes of a raster image.
    raster: Option<(String, u64)>,
}

#[derive(Clone, Debug, PartialEq)]
struct ImageOption {
    name: String,
    bytes: u64,
    /// True if its message is not sent yet.
    is_pending: bool,
}

impl PreviewSources {
    /// The available images, pending ones first. Reactive.
    fn offers(self) -> Vec<ImageOption> {
        let waiting = self.waiting.with(|list| {
            let offer = |(_, blob): &(u32, NewBlob)| ImageOption {
                name: blob.name.clone(),
                bytes: bytes_of(blob),
                is_pending: true,
            };
            list.iter().rev().map(offer).collect::<Vec<_>>()
        });
        let sent = self.sent_images();
        let sent = sent.into_iter().filter(|one| !waiting.iter().any(|other| other.name == one.name));
        let sent = sent.map(|one| ImageOption { name: one.name, bytes: one.bytes, is_pending: false });
        waiting.iter().cloned().chain(sent).collect()
    }

    fn sent_images(self) -> Vec<MessageImage> {
        let session = self.page.sessions.focus.get();
        self.page.world.with(WorldParts::SESSIONS, |world| pictures(world, session))
    }

    /// Media type, size and content of the image of this name: a file of the session, else an image of a message.
    /// Reactive.
    fn picture(self, name: &str) -> Option<(String, u64, Arc<str>)> {
        let file = self.page.mind.files.row(&name.to_owned()).map(|text| text.get());
        if let Some(image) = file.as_deref().and_then(ImageFile::of) {
            return Some((image.mime.to_owned(), image.bytes(), Arc::from(image.base64)));
        }
        let pending = self.waiting.with(|list| {
            let own = referenced_file(list.iter().rev().map(|(_, blob)| blob.name.as_str()), name)?;
            let (_, blob) = list.iter().rev().find(|(_, blob)| blob.name == own)?;
            Some((blob.mime.clone(), bytes_of(blob), Arc::from(blob.base64.as_str())))
        });
        pending.or_else(|| {
            let sent = self.sent_images();
            let own = referenced_file(sent.iter().map(|one| one.name.as_str()), name)?;
            let one = sent.iter().find(|one| one.name == own)?;
            let content = self.page.world.with_untracked(|world| world.blob(&one.hash).cloned())?;
            Some((one.mime.clone(), one.bytes, content))
        })
    }
}

fn bytes_of(blob: &NewBlob) -> u64 {
    u64::try_from(blob.base64.len() / 4 * 3).unwrap_or(u64::MAX)
}

/// The file as previewed. Reactive to the file, and for a page to all files.
fn page_of(name: &str, sources: PreviewSources) -> Option<PreviewFile> {
    let mind = sources.page.mind;
    let has = mind.files.order.with(|files| files.iter().any(|file| file == name));
    let kind = kind_of(name).filter(|_| has).unwrap_or(PreviewKind::Raster);
    let text = |name: &String| mind.files.row(name).map(|text| text.get());
    let (text, files, missing, raster) = match kind {
        PreviewKind::Raster => {
            let (mime, bytes, text) = sources.picture(name)?;
            (text, Arc::default(), Vec::new(), Some((mime, bytes)))
        }
        PreviewKind::Picture | PreviewKind::Prose => {
            (text(&name.to_owned())?, Arc::default(), Vec::new(), None)
        }
        PreviewKind::Page => {
            let names = mind.files.order.get();
            let files: VecMap<String, Arc<str>> =
                names.into_iter().filter_map(|name| text(&name).map(|text| (name, text))).collect();
            let image = |file: &str| {
                let (mime, _, base64) = sources.picture(file)?;
                Some(format!("data:{mime};base64,{base64}"))
            };
            let text_of = |file: &str| files.get(&file.to_owned()).map(|text| &**text);
            let page =
                web_page(name, &|file| text_of(file).filter(|text| ImageFile::of(text).is_none()), &image)?;
            let fetched = fetched(&page.html, &files);
            let fetched = fetched.and_then(|files| json::write(files).ok()).unwrap_or_default();
            (Arc::from(page.html), Arc::from(fetched), page.missing, None)
        }
    };
    let session = sources.page.sessions.focus.get();
    Some(PreviewFile { session, name: name.to_owned(), kind, text, files, missing, raster })
}

lazy_view!(board, lazy_image_file, ImageFileView { name: String, text: Arc<str> });

/// An image file, shown instead of the editor.
#[component]
pub fn ImageFileView(name: String, text: Arc<str>) -> impl IntoMarkup {
    let image = ImageFile::of(&text)?;
    let (mime, bytes, base64) = (image.mime.to_owned(), image.bytes(), Arc::from(image.base64));
    Some(view! { <ImagePreview name mime bytes base64 /> })
}

#[component]
pub fn ImagePreview(name: String, mime: String, bytes: u64, base64: Arc<str>) -> impl IntoMarkup {
    let url = PictureUrl::new(&base64, &mime);
    let address = url.as_ref().map(|url| url.address().to_owned());
    // Revoked when the image is no longer shown.
    let url_handle = StoredValue::new(url);
    on_cleanup(move || url_handle.dispose());
    let name = StoredValue::new(name);
    let points = RwSignal::new(None::<(u32, u32)>);
    let is_broken = RwSignal::new(address.is_none());
    let full = RwSignal::new(false);
    let image = NodeRef::<Img>::new();
    let loaded = move |_| {
        points.set(image.get_untracked().map(|image| (image.natural_width(), image.natural_height())));
    };
    let zoom = move |wanted: bool, title: &'static str, test: &'static str| {
        quiet_button(title)
            .test(test)
            .with("aria-pressed", move || (full.get() == wanted).to_string())
            .on_click(move |_| full.set(wanted))
    };
    view! {
        <div class="preview-zoom">
            <div class="preview-zooms" role="group" aria-label=words::ZOOM>
                {zoom(false, words::FIT.get(), "picture-fit")}
                {zoom(true, words::FULL, "picture-full")}
            </div>
            <span class="preview-about" role="status" data-testid="picture-about">
                {move || words::about_picture(points.get(), &mime, bytes)}
            </span>
        </div>
        <div
            class="preview-raster" data-testid="preview-raster"
            data-zoom=move || if full.get() { "full" } else { "fit" } tabindex="0" role="group"
            aria-label=name.get_value()
        >
            <Show
                when=move || !is_broken.get()
                fallback=|| view! { <p class="preview-broken" role="alert">{words::BROKEN}</p> }
            >
                <img
                    node_ref=image src=address.clone() alt=name.get_value() on:load=loaded
                    on:error=move |_| is_broken.set(true)
                />
            </Show>
        </div>
    }
}
