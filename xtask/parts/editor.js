// Never knows what a draft or a file is, and never asks a network for anything: what it needs it is given.
//
// Owns the editor on the screen. Its document has one form of line end, "\n"; offsets are those of JavaScript strings.

import { defaultKeymap, history, historyField, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { gotoLine, highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, Text, Transaction } from "@codemirror/state";
import {
  EditorView,
  dropCursor,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

import { clashes, goToNext, nearest, placesIn, resolve } from "./clashes.js";

const LINES_LOOKED_AT = 300;
const KEPT = 16;

/** What could be undone, the caret and the scroll of editors that were taken away, by their keys. */
const kept = new Map();

/** What makes `old` into `text`, as one change. */
function changeTo(old, text) {
  const least = Math.min(old.length, text.length);
  let from = 0;
  while (from < least && old[from] === text[from]) from++;
  let end = 0;
  while (end < least - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  return { from, to: old.length - end, insert: text.slice(from, text.length - end) };
}

/** What the text itself is indented with. */
function indentOf(doc) {
  const lines = doc.iterLines(1, Math.min(doc.lines, LINES_LOOKED_AT) + 1);
  for (const line of lines) {
    if (line.startsWith("\t")) return "\t";
    const spaces = /^( {2,8})\S/.exec(line)?.[1].length;
    if (spaces) return " ".repeat(spaces >= 4 ? 4 : 2);
  }
  return "    ";
}

/**
 * Makes an editor in `parent`.
 *
 * `options`: `key`, by which undo, caret and scroll come back after the editor was away; `text`; `label` and `hint` for who cannot see it; `words` for clashes and `phrases` for the library;
 * `readOnly`, `wrap`; `quick` (the most characters of a text that is told once a frame), `quiet` and `most` (how long a
 * longer one may stay untold after a key, and altogether, in milliseconds); `changed(text)`, called with the whole text
 * some time after it was changed here; `clashed(number)`, called when the number of places with marks changes;
 * `settled()`, called when the last of them was decided.
 */
export function mount(parent, options) {
  const [language, readOnly, wrap] = [new Compartment(), new Compartment(), new Compartment()];
  const doc = Text.of(options.text.split("\n"));
  const wrapping = (on) => (on ? EditorView.lineWrapping : []);

  // ---- Telling what was typed ---------------------------------------------------------------------

  let untold = false;
  let since = 0;
  let timer = 0;
  let frame = 0;

  const tell = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    timer = frame = 0;
    if (!untold) return;
    untold = false;
    options.changed(view.state.doc.toString());
  };
  const tellSoon = () => {
    const now = performance.now();
    if (!untold) since = now;
    untold = true;
    if (document.hidden || now - since > options.most) return void tell();
    if (view.state.doc.length <= options.quick) {
      frame ||= requestAnimationFrame(tell);
    } else {
      clearTimeout(timer);
      timer = setTimeout(tell, options.quiet);
    }
  };

  // ---- The editor ---------------------------------------------------------------------------------

  let places = 0;
  const listen = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    const byOthers = update.transactions.every((each) => !each.docChanged || each.annotation(Transaction.remote));
    if (!byOthers) tellSoon();
    const now = placesIn(update.state).length;
    if (now !== places) options.clashed((places = now));
    if (now === 0 && update.transactions.some((each) => each.isUserEvent("input.resolve"))) {
      // Not from within the change.
      setTimeout(() => {
        tell();
        options.settled();
      });
    }
  });

  const config = {
    extensions: [
      EditorState.lineSeparator.of("\n"),
      EditorState.tabSize.of(4),
      indentUnit.of(indentOf(doc)),
      EditorState.phrases.of(options.phrases),
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightActiveLine(),
      history(),
      dropCursor(),
      indentOnInput(),
      bracketMatching(),
      highlightSelectionMatches({ minSelectionLength: 2 }),
      search({ top: true }),
      syntaxHighlighting(classHighlighter),
      clashes(options.words),
      keymap.of([indentWithTab, { key: "F8", run: goToNext }, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({
        id: "file-text",
        "data-testid": "file-editor",
        "aria-label": options.label,
        "aria-description": options.hint,
        autocapitalize: "off",
        spellcheck: "false",
      }),
      EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, "\n")),
      EditorView.domEventHandlers({
        blur: () => void tell(),
        // Others' writes wait until a word has been composed; now they are taken in.
        compositionend: () => void setTimeout(tellSoon),
      }),
      language.of([]),
      readOnly.of(EditorState.readOnly.of(options.readOnly)),
      wrap.of(wrapping(options.wrap)),
      listen,
    ],
  };
  const earlier = kept.get(options.key);
  const state = earlier
    ? EditorState.fromJSON(earlier.state, config, { history: historyField })
    : EditorState.create({ doc, ...config });
  const view = new EditorView({ state, parent, scrollTo: earlier?.scroll });
  if (earlier && earlier.state.doc !== options.text) {
    // Others wrote while it was away.
    const annotations = [Transaction.addToHistory.of(false), Transaction.remote.of(true)];
    view.dispatch({ changes: changeTo(earlier.state.doc, options.text), annotations });
  }
  // Like any other field: who reads fields by their value finds the text, all of it.
  Object.defineProperty(view.contentDOM, "value", { get: () => view.state.doc.toString() });
  if ((places = placesIn(view.state).length) > 0) options.clashed(places);

  const leaving = [
    [document, "visibilitychange"],
    [window, "pagehide"],
    [window, "beforeunload"],
  ];
  // In front of who keeps the drafts then.
  for (const [target, name] of leaving) target.addEventListener(name, tell, { capture: true });

  return {
    /** The text as it stands, and whether the last changes to it were not told yet. */
    text: () => view.state.doc.toString(),
    isUntold: () => untold,
    told: () => {
      untold = false;
    },
    isComposing: () => view.composing,
    /** What others wrote: `[from, to, insert, …]` in order. It is not undone by who edits here. */
    apply(flat) {
      const changes = [];
      for (let at = 0; at < flat.length; at += 3) {
        changes.push({ from: flat[at], to: flat[at + 1], insert: flat[at + 2] });
      }
      const annotations = [Transaction.addToHistory.of(false), Transaction.remote.of(true)];
      view.dispatch({ changes, annotations });
    },
    /** Colours the text by a language, `{language}`, or leaves it plain. */
    colour(module) {
      view.dispatch({ effects: language.reconfigure(module ? module.language() : []) });
    },
    wrap: (on) => view.dispatch({ effects: wrap.reconfigure(wrapping(on)) }),
    readOnly: (on) => view.dispatch({ effects: readOnly.reconfigure(EditorState.readOnly.of(on)) }),
    /** Takes over from the field that stood here. */
    focus(from, to) {
      const most = view.state.doc.length;
      view.dispatch({ selection: { anchor: Math.min(from, most), head: Math.min(to, most) }, scrollIntoView: true });
      view.focus();
    },
    find: () => void openSearchPanel(view),
    goTo: () => void gotoLine(view),
    nextClash: () => void goToNext(view),
    resolve(side) {
      const place = nearest(view.state);
      if (place) resolve(view, place, side);
      view.focus();
    },
    destroy() {
      tell();
      kept.delete(options.key);
      kept.set(options.key, {
        state: view.state.toJSON({ history: historyField }),
        scroll: view.scrollSnapshot(),
      });
      if (kept.size > KEPT) kept.delete(kept.keys().next().value);
      for (const [target, name] of leaving) target.removeEventListener(name, tell, { capture: true });
      view.destroy();
    },
  };
}
