// Conflicts in a text, between the markers of the merge: finds them, shows whose lines are whose, and replaces them with
// one side or both. The user decides which.
//
//     <<<<<<<   the current text
//     =======   the text typed here
//     >>>>>>>

import { RangeSetBuilder, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

const MARK = /^(<{7}|={7}|>{7})( |$)/;

/** The complete conflicts, in order; unmatched markers are ordinary text. */
function placesOf(doc) {
  const places = [];
  let open = null;
  let at = 0;
  for (const line of doc.iterLines()) {
    const mark = line.length < 7 ? null : MARK.exec(line)?.[1][0];
    if (mark === "<") open = { from: at, now: at + line.length + 1, middle: -1, mine: -1 };
    else if (mark === "=" && open?.middle === -1) {
      open.middle = at;
      open.mine = at + line.length + 1;
    } else if (mark === ">" && open && open.middle >= 0) {
      places.push({ ...open, last: at, to: at + line.length });
      open = null;
    }
    at += line.length + 1;
  }
  return places;
}

/** True if a line changed by this transaction is now a marker. */
function touchesMarks(transaction) {
  let touches = false;
  const { newDoc } = transaction;
  transaction.changes.iterChangedRanges((_from, _to, from, to) => {
    for (let at = from; !touches && at <= to; ) {
      const line = newDoc.lineAt(at);
      touches = MARK.test(line.text);
      at = line.to + 1;
    }
  });
  return touches;
}

class Choice extends WidgetType {
  constructor(words) {
    super();
    this.words = words;
  }

  eq() {
    return true;
  }

  toDOM(view) {
    const bar = document.createElement("div");
    bar.className = "cm-conflict-choice";
    for (const side of ["mine", "theirs", "both"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.dataset.testid = `conflict-here-${side}`;
      button.textContent = this.words[side];
      button.addEventListener("click", () => {
        const at = view.posAtDOM(bar);
        const place = placesIn(view.state).find(({ from, to }) => from <= at && at <= to);
        if (place) resolve(view, place, side);
      });
      bar.append(button);
    }
    return bar;
  }

  ignoreEvent() {
    return true;
  }
}

class Whose extends WidgetType {
  constructor(words) {
    super();
    this.words = words;
  }

  eq(other) {
    return other.words === this.words;
  }

  toDOM() {
    const whose = document.createElement("span");
    whose.className = "cm-conflict-whose";
    whose.textContent = this.words;
    return whose;
  }
}

function decorate(doc, places, words) {
  const set = new RangeSetBuilder();
  const line = (kind) => Decoration.line({ class: `cm-conflict-${kind}` });
  const [mark, now, mine] = [line("mark"), line("now"), line("mine")];
  const whose = (text) => Decoration.widget({ widget: new Whose(text), side: 1 });
  for (const place of places) {
    set.add(place.from, place.from, Decoration.widget({ widget: new Choice(words), block: true, side: -1 }));
    for (let at = place.from; at <= place.to; ) {
      const { from, to } = doc.lineAt(at);
      const isMark = from === place.from || from === place.middle || from === place.last;
      set.add(from, from, isMark ? mark : from < place.middle ? now : mine);
      if (from === place.from) set.add(to, to, whose(words.now));
      if (from === place.last) set.add(to, to, whose(words.typed));
      at = to + 1;
    }
  }
  return set.finish();
}

let field = null;

/** The extension that shows the conflicts, with these texts. */
export function conflicts(words) {
  const read = (doc) => {
    const places = placesOf(doc);
    return { places, shown: decorate(doc, places, words) };
  };
  field ??= StateField.define({
    create: (state) => read(state.doc),
    update(value, transaction) {
      if (!transaction.docChanged) return value;
      if (value.places.length === 0 && !touchesMarks(transaction)) return value;
      return read(transaction.newDoc);
    },
    provide: (own) => EditorView.decorations.from(own, (value) => value.shown),
  });
  return field;
}

export function placesIn(state) {
  return (field && state.field(field, false)?.places) ?? [];
}

/** Replaces a conflict with one side or both. */
export function resolve(view, place, side) {
  const { doc } = view.state;
  const now = doc.sliceString(place.now, place.middle);
  const mine = doc.sliceString(place.mine, place.last);
  const chosen = { mine, theirs: now, both: now + mine }[side];
  const isLast = place.to >= doc.length;
  const insert = isLast ? chosen.replace(/\n$/, "") : chosen;
  view.dispatch({
    changes: { from: place.from, to: Math.min(place.to + 1, doc.length), insert },
    selection: { anchor: place.from },
    scrollIntoView: true,
    userEvent: "input.resolve",
  });
}

/** The conflict at the caret, else the next one, else the first. */
export function nearest(state) {
  const places = placesIn(state);
  const { head } = state.selection.main;
  return places.find(({ to }) => head <= to) ?? places[0];
}

/** Goes to the next conflict after the caret, and from the last one to the first. */
export function goToNext(view) {
  const places = placesIn(view.state);
  const { head } = view.state.selection.main;
  const next = places.find(({ from }) => head < from) ?? places[0];
  if (!next) return false;
  view.dispatch({ selection: { anchor: next.from }, effects: EditorView.scrollIntoView(next.from, { y: "center" }) });
  view.focus();
  return true;
}
