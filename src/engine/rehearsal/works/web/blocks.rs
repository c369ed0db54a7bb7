//! Never depends on which page a block is put into: it uses only `app`, `$` and `make` of the page's script.
//!
//! Owns the parts that a page can be given one by one. A feature in the operator's words gets the first block whose
//! words it mentions; what no block knows gets a small list of its own, which works too.

use crate::engine::rehearsal::words::{capital, fill, html, mentions};

/// A part of a page.
pub(super) struct Block {
    /// Its name in `data-block` and in the script.
    pub(super) name: &'static str,
    words: &'static [&'static str],
    markup: &'static str,
    /// What makes every block of the name on the page work; run once.
    pub(super) script: &'static str,
}

const BLOCKS: &[Block] = &[
    Block {
        name: "search",
        words: &["search", "filter", "find", "look up"],
        markup: r#"<label>Show only lines with <input type="search"></label>"#,
        script: r#"each("search", (block) => {
  const apply = () => {
    const wanted = block.querySelector("input").value.toLowerCase();
    for (const line of document.querySelectorAll("main li")) {
      line.hidden = !line.textContent.toLowerCase().includes(wanted);
    }
  };
  block.addEventListener("input", apply);
  document.addEventListener("app:changed", apply);
});"#,
    },
    Block {
        name: "theme",
        words: &["dark mode", "night mode", "light mode", "theme toggle", "theme switch", "theme switcher"],
        markup: r#"<button type="button">Dark or light</button>"#,
        script: r##"each("theme", (block) => {
  const root = document.documentElement.style;
  const apply = (dark) => {
    for (const [name, value] of [["--ground", "#15181c"], ["--card", "#1e2329"], ["--ink", "#e7e5e4"]]) {
      dark ? root.setProperty(name, value) : root.removeProperty(name);
    }
  };
  apply(app.load("dark", false));
  block.querySelector("button").addEventListener("click", () => {
    app.save("dark", !app.load("dark", false));
    apply(app.load("dark", false));
  });
});"##,
    },
    Block {
        name: "sound",
        words: &["sound", "beep", "alarm", "bell", "chime", "notification", "notify", "alert"],
        markup: r#"<button type="button">Try the sound</button>"#,
        script: r#"each("sound", (block) => {
  const beep = () => {
    const audio = new AudioContext();
    const tone = audio.createOscillator();
    tone.connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.3);
  };
  block.querySelector("button").addEventListener("click", beep);
  document.addEventListener("app:done", beep);
});"#,
    },
    Block {
        name: "export",
        words: &["export", "download", "share", "copy", "print", "backup", "save as"],
        markup: r#"<button type="button">Download as text</button>"#,
        script: r#"each("export", (block) => {
  block.querySelector("button").addEventListener("click", () => {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([app.text()], { type: "text/plain" }));
    link.download = app.key + ".txt";
    link.click();
    URL.revokeObjectURL(link.href);
  });
});"#,
    },
    Block {
        name: "history",
        words: &["history", "log", "activity", "timeline", "recent"],
        markup: r#"<ol></ol>"#,
        script: r#"each("history", (block) => {
  document.addEventListener("app:changed", (event) => {
    const line = new Date().toLocaleTimeString() + " " + (event.detail ?? "");
    block.querySelector("ol").prepend(make("li", line));
    [...block.querySelectorAll("li")].slice(20).forEach((old) => old.remove());
  });
});"#,
    },
    Block {
        name: "numbers",
        words: &[
            "count",
            "statistic",
            "stats",
            "progress",
            "total",
            "summary",
            "score",
            "streak",
            "chart",
            "dashboard",
            "overview",
        ],
        markup: r#"<table>
        <tbody></tbody>
      </table>"#,
        script: r#"each("numbers", (block) => {
  const show = () => {
    const rows = app.stats().map(([name, value]) => make("tr", make("th", name), make("td", String(value))));
    block.querySelector("tbody").replaceChildren(...rows);
  };
  document.addEventListener("app:changed", show);
  show();
});"#,
    },
    Block {
        name: "reset",
        words: &["reset", "clear", "start over", "restart", "new game", "undo all"],
        markup: r#"<button type="button">Start over</button>"#,
        script: r#"each("reset", (block) => {
  block.querySelector("button").addEventListener("click", () => app.reset());
});"#,
    },
    Block {
        name: "keys",
        words: &["keyboard", "shortcut", "hotkey"],
        markup: r#"<p>Press <kbd>Alt</kbd> + <kbd>R</kbd> to start over.</p>"#,
        script: r#"each("keys", () => {
  document.addEventListener("keydown", (event) => {
    if (event.altKey && event.key.toLowerCase() === "r") {
      event.preventDefault();
      app.reset();
    }
  });
});"#,
    },
    Block {
        name: "hours",
        words: &["opening hours", "hours", "opening times", "timetable", "schedule", "calendar"],
        markup: r#"<table>
        <tbody>
          <tr><th>Monday</th><td>closed</td></tr>
          <tr><th>Tuesday to Friday</th><td>8:00 to 18:00</td></tr>
          <tr><th>Saturday and Sunday</th><td>9:00 to 14:00</td></tr>
        </tbody>
      </table>
      <p>Sample times: put yours in.</p>"#,
        script: r#"each("hours", (block) => {
  const rows = block.querySelectorAll("tr");
  const today = [2, 0, 1, 1, 1, 1, 2][new Date().getDay()];
  rows[today]?.classList.add("today");
});"#,
    },
    Block {
        name: "prices",
        words: &["menu", "price", "pricing", "product", "shop", "order", "offer", "ticket"],
        markup: r#"<table>
        <tbody>
          <tr><td><label><input type="checkbox" value="4.50"> Small</label></td><td>4.50</td></tr>
          <tr><td><label><input type="checkbox" value="7.00"> Medium</label></td><td>7.00</td></tr>
          <tr><td><label><input type="checkbox" value="9.50"> Large</label></td><td>9.50</td></tr>
        </tbody>
      </table>
      <p>Together: <output>0.00</output>. Sample prices: put yours in.</p>"#,
        script: r#"each("prices", (block) => {
  block.addEventListener("change", () => {
    const chosen = [...block.querySelectorAll("input:checked")].map((box) => Number(box.value));
    block.querySelector("output").textContent = chosen.reduce((sum, price) => sum + price, 0).toFixed(2);
  });
});"#,
    },
    Block {
        name: "contact",
        words: &[
            "contact",
            "sign up",
            "signup",
            "newsletter",
            "booking",
            "book",
            "reserve",
            "reservation",
            "subscribe",
            "register",
            "rsvp",
            "feedback",
            "form",
        ],
        markup: r#"<form>
        <label>Name <input name="name" required></label>
        <label>Email <input name="email" type="email" required></label>
        <label>Message <textarea name="message" rows="2"></textarea></label>
        <button type="submit">Keep</button>
      </form>
      <p><output>Nothing is sent anywhere: entries stay in this browser.</output></p>"#,
        script: r#"each("contact", (block) => {
  block.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const kept = app.load("contacts", []);
    kept.push(Object.fromEntries(new FormData(event.target)));
    app.save("contacts", kept);
    block.querySelector("output").textContent = "Thank you. Kept in this browser: " + kept.length;
    event.target.reset();
  });
});"#,
    },
    Block {
        name: "gallery",
        words: &["gallery", "photo", "picture", "image", "portfolio"],
        markup: r#"<div class="row">
        <button type="button">1</button>
        <button type="button">2</button>
        <button type="button">3</button>
      </div>
      <svg viewBox="0 0 300 120" width="300" role="img" aria-label="Chosen picture"><rect width="300" height="120"></rect></svg>"#,
        script: r#"each("gallery", (block) => {
  const rect = block.querySelector("rect");
  const choose = (index) => rect.setAttribute("fill", "hsl(" + (index * 70 + 20) + " 60% 55%)");
  block.querySelectorAll("button").forEach((button, index) => button.addEventListener("click", () => choose(index)));
  choose(0);
});"#,
    },
    Block {
        name: "faq",
        words: &["faq", "question", "help", "instruction", "how to"],
        markup: r#"<details>
        <summary>Where is my data kept?</summary>
        <p>In this browser and nowhere else.</p>
      </details>
      <details>
        <summary>Does it need a network?</summary>
        <p>No. All of it is in these files.</p>
      </details>"#,
        script: r#"each("faq", (block) => {
  const all = [...block.querySelectorAll("details")];
  all.forEach((one) => one.addEventListener("toggle", () => {
    if (one.open) {
      all.filter((other) => other !== one).forEach((other) => { other.open = false; });
    }
  }));
});"#,
    },
];

const LINES: Block = Block {
    name: "lines",
    words: &[],
    markup: r#"<form>
        <label>New line <input required maxlength="200" autocomplete="off"></label>
        <button type="submit">Add</button>
      </form>
      <ul></ul>"#,
    script: r#"each("lines", (block) => {
  const name = "lines:" + block.dataset.feature;
  const lines = app.load(name, []);
  const show = () => block.querySelector("ul").replaceChildren(...lines.map((line) => make("li", line)));
  block.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    lines.push(block.querySelector("input").value);
    app.save(name, lines);
    event.target.reset();
    show();
    app.changed(block.dataset.feature);
  });
  show();
});"#,
};

impl Block {
    /// The block for a feature.
    pub(super) fn of(feature: &str) -> &'static Self {
        BLOCKS.iter().find(|block| mentions(feature, block.words)).unwrap_or(&LINES)
    }

    /// The section that shows `feature`.
    pub(super) fn section(&self, feature: &str) -> String {
        let values =
            [("name", self.name), ("feature", &html(feature)), ("heading", &html(&capital(feature)))];
        let open = fill(
            "    <section data-block=\"{{name}}\" data-feature=\"{{feature}}\">\n      <h2 dir=\"auto\">{{heading}}</h2>\n      ",
            &values,
        );
        format!("{open}{}\n    </section>\n", self.markup)
    }
}
