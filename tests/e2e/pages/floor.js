// The floor of the benchmarks: a page without a framework that restores a conversation, calls the provider and appends
// the Markdown of its answers as DOM nodes. It measures the cost of the browser alone.
"use strict";

const list = document.querySelector("main");
const composer = document.querySelector("textarea");

function make(parent, tag, text = "") {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    return parent.appendChild(element);
}

function inline(parent, text) {
    let from = 0;
    for (const found of text.matchAll(/`([^`]+)`|\*\*([^*]+)\*\*/g)) {
        if (found.index > from) parent.append(text.slice(from, found.index));
        make(parent, found[1] ? "code" : "strong", found[1] ?? found[2]);
        from = found.index + found[0].length;
    }
    if (from < text.length) parent.append(text.slice(from));
}

// Appends a streamed text: each line once it is complete, and the unfinished one as it is.
class Writer {
    constructor(root) {
        Object.assign(this, { root, rest: "", block: null, kind: "", open: null });
    }

    add(piece) {
        this.open?.remove();
        this.open = null;
        const lines = (this.rest + piece).split("\n");
        this.rest = lines.pop();
        for (const line of lines) this.line(line);
        if (this.rest) this.root.append(this.open = document.createTextNode(this.rest));
    }

    end() {
        this.add("\n");
    }

    into(kind, tag) {
        if (this.kind !== kind) {
            this.block = make(this.root, tag);
            this.kind = kind;
        }
        return this.block;
    }

    line(line) {
        if (this.kind === "code") {
            if (line.startsWith("```")) this.kind = "";
            else this.block.append(line + "\n");
        } else if (line.startsWith("```")) {
            this.block = make(make(this.root, "pre"), "code");
            this.kind = "code";
        } else if (line === "" || line.startsWith("|-")) {
            if (line === "") this.kind = "";
        } else if (line.startsWith("#")) {
            const level = line.indexOf(" ");
            inline(make(this.root, `h${level}`), line.slice(level + 1));
            this.kind = "";
        } else if (line.startsWith("- ")) {
            inline(make(this.into("list", "ul"), "li"), line.slice(2));
        } else if (line.startsWith("|")) {
            const row = make(this.into("table", "table"), "tr");
            for (const cell of line.split("|").slice(1, -1)) inline(make(row, "td"), cell.trim());
        } else {
            const paragraph = this.into("paragraph", "p");
            if (paragraph.hasChildNodes()) paragraph.append("\n");
            inline(paragraph, line);
        }
    }
}

function message(role) {
    const article = make(list, "article");
    article.dataset.testid = "message";
    article.dataset.role = role;
    const text = make(article, "div");
    text.dataset.testid = "message-text";
    return new Writer(text);
}

function show(role, text) {
    const writer = message(role);
    writer.add(text);
    writer.end();
}

async function ask(text) {
    show("user", text);
    const writer = message("assistant");
    const address = new URLSearchParams(location.search).get("provider");
    const response = await fetch(`${address}/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-goog-api-key": "AIza-key-of-the-fake-provider" },
        body: JSON.stringify({
            systemInstruction: { parts: [{ text: "You are the Architect." }] },
            contents: [{ role: "user", parts: [{ text }] }],
        }),
    });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
        for (const line of lines) {
            if (!line.startsWith("data: ")) continue;
            const parts = JSON.parse(line.slice(6)).candidates?.[0]?.content?.parts ?? [];
            for (const part of parts) if (part.text && !part.thought) writer.add(part.text);
        }
        if (atEnd) list.scrollTop = list.scrollHeight;
    }
    writer.end();
}

function open() {
    return new Promise((resolve, reject) => {
        const request = indexedDB.open("floor", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("messages", { autoIncrement: true });
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

// The conversation that the next visits restore.
async function seed(texts) {
    const database = await open();
    const transaction = database.transaction(["messages"], "readwrite");
    texts.forEach((text, at) => transaction.objectStore("messages").put([at % 2 ? "assistant" : "user", text]));
    await new Promise(done => { transaction.oncomplete = done; });
    database.close();
}

async function restore() {
    const database = await open();
    const request = database.transaction(["messages"]).objectStore("messages").getAll();
    request.onsuccess = () => {
        for (const [role, text] of request.result) show(role, text);
        list.scrollTop = list.scrollHeight;
        database.close();
    };
}

document.querySelector("button").onclick = () => {
    ask(composer.value);
    composer.value = "";
};
if (location.search.includes("restore")) restore();
