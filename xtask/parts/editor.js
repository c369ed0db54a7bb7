// The file editor on the screen. Its document has "\n" line ends only; offsets are in UTF-16 units, as in JavaScript
// strings. It knows nothing of drafts and files, and uses no network.

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

import { conflicts, goToNext, nearest, placesIn, resolve } from "./conflicts.js";

const LINES_LOOKED_AT = 300;
const SAVED_EDITORS = 16;

/** Undo history, caret and scroll position of removed editors, by their keys. */
const saved = new Map();

/** The single change that turns `old` into `text`. */
function changeTo(old, text) {
  const least = Math.min(old.length, text.length);
  let from = 0;
  while (from < least && old[from] === text[from]) from++;
  let end = 0;
  while (end < least - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  return { from, to: old.length - end, insert: text.slice(from, text.length - end) };
}

/** The indentation used by the text. */
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
 * Creates an editor in `parent`.
 *
 * `options`: `key` (restores undo, caret and scroll of a removed editor), `text`, `label` and `hint` (for screen
 * readers), `words` (texts of the conflicts), `phrases` (texts of the library), `readOnly`, `wrap`; `quick` (a text of at
 * most that many characters is reported once a frame), `quiet` and `most` (the delay for a longer one after a key, and in
 * all, in milliseconds); `changed(text)`, called with the whole text after local changes; `conflicted(number)`, called when
 * the number of conflicts changes; `settled()`, called when the last conflict is resolved.
 */
export function mount(parent, options) {
  const [language, readOnly, wrap] = [new Compartment(), new Compartment(), new Compartment()];
  const doc = Text.of(options.text.split("\n"));
  const wrapping = (on) => (on ? EditorView.lineWrapping : []);

  // ---- Reporting changes --------------------------------------------------------------------------

  let unreported = false;
  let since = 0;
  let timer = 0;
  let frame = 0;

  const report = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    timer = frame = 0;
    if (!unreported) return;
    unreported = false;
    options.changed(view.state.doc.toString());
  };
  const reportSoon = () => {
    const now = performance.now();
    if (!unreported) since = now;
    unreported = true;
    if (document.hidden || now - since > options.most) return void report();
    if (view.state.doc.length <= options.quick) {
      frame ||= requestAnimationFrame(report);
    } else {
      clearTimeout(timer);
      timer = setTimeout(report, options.quiet);
    }
  };

  // ---- The editor ---------------------------------------------------------------------------------

  let places = 0;
  const listen = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    const byOthers = update.transactions.every((each) => !each.docChanged || each.annotation(Transaction.remote));
    if (!byOthers) reportSoon();
    const now = placesIn(update.state).length;
    if (now !== places) options.conflicted((places = now));
    if (now === 0 && update.transactions.some((each) => each.isUserEvent("input.resolve"))) {
      // Not during the update.
      setTimeout(() => {
        report();
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
      conflicts(options.words),
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
        blur: () => void report(),
        // Remote changes wait until the composition ends.
        compositionend: () => void setTimeout(reportSoon),
        // The page opens files; they are no text for the open one.
        drop: (event) => event.dataTransfer.types.includes("Files"),
      }),
      language.of([]),
      readOnly.of(EditorState.readOnly.of(options.readOnly)),
      wrap.of(wrapping(options.wrap)),
      listen,
    ],
  };
  const earlier = saved.get(options.key);
  const state = earlier
    ? EditorState.fromJSON(earlier.state, config, { history: historyField })
    : EditorState.create({ doc, ...config });
  const view = new EditorView({ state, parent, scrollTo: earlier?.scroll });
  if (earlier && earlier.state.doc !== options.text) {
    // Remote changes since it was removed.
    const annotations = [Transaction.addToHistory.of(false), Transaction.remote.of(true)];
    view.dispatch({ changes: changeTo(earlier.state.doc, options.text), annotations });
  }
  // Like other fields: `value` is the whole text.
  Object.defineProperty(view.contentDOM, "value", { get: () => view.state.doc.toString() });
  if ((places = placesIn(view.state).length) > 0) options.conflicted(places);

  const leaving = [
    [document, "visibilitychange"],
    [window, "pagehide"],
    [window, "beforeunload"],
  ];
  // Before the handlers that store drafts.
  for (const [target, name] of leaving) target.addEventListener(name, report, { capture: true });

  return {
    /** The current text; `isUntold` is true if its last changes are not reported yet. */
    text: () => view.state.doc.toString(),
    isUntold: () => unreported,
    told: () => {
      unreported = false;
    },
    isComposing: () => view.composing,
    /** Applies remote changes, `[from, to, insert, …]` in order. Undo skips them. */
    apply(flat) {
      const changes = [];
      for (let at = 0; at < flat.length; at += 3) {
        changes.push({ from: flat[at], to: flat[at + 1], insert: flat[at + 2] });
      }
      const annotations = [Transaction.addToHistory.of(false), Transaction.remote.of(true)];
      view.dispatch({ changes, annotations });
    },
    /** Sets the syntax colours: a module with `language()`, or none. */
    colour(module) {
      view.dispatch({ effects: language.reconfigure(module ? module.language() : []) });
    },
    wrap: (on) => view.dispatch({ effects: wrap.reconfigure(wrapping(on)) }),
    readOnly: (on) => view.dispatch({ effects: readOnly.reconfigure(EditorState.readOnly.of(on)) }),
    /** Takes over focus and selection from the field that it replaces. */
    focus(from, to) {
      const most = view.state.doc.length;
      view.dispatch({ selection: { anchor: Math.min(from, most), head: Math.min(to, most) }, scrollIntoView: true });
      view.focus();
    },
    find: () => void openSearchPanel(view),
    goTo: () => void gotoLine(view),
    nextConflict: () => void goToNext(view),
    resolve(side) {
      const place = nearest(view.state);
      if (place) resolve(view, place, side);
      view.focus();
    },
    destroy() {
      report();
      saved.delete(options.key);
      saved.set(options.key, {
        state: view.state.toJSON({ history: historyField }),
        scroll: view.scrollSnapshot(),
      });
      if (saved.size > SAVED_EDITORS) saved.delete(saved.keys().next().value);
      for (const [target, name] of leaving) target.removeEventListener(name, report, { capture: true });
      view.destroy();
    },
  };
}
