// The page for the harness's own tests: it calls the provider as the app does, and can do everything that is forbidden
// to the app.
"use strict";

const part = id => document.querySelector(`[data-testid="${id}"]`);

async function ask(address) {
    const stop = new AbortController();
    part("stop").hidden = false;
    part("stop").onclick = () => stop.abort();
    const body = {
        systemInstruction: { parts: [{ text: "You are the Architect." }] },
        contents: [{ role: "user", parts: [{ text: part("composer").value }] }],
    };
    try {
        const response = await fetch(
            `${address}/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse`, {
                method: "POST",
                headers: {
                    "content-type": "application/json",
                    "x-goog-api-key": "AIza-key-of-the-fake-provider",
                },
                body: JSON.stringify(body),
                signal: stop.signal,
            });
        const text = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
            const { done, value } = await text.read();
            if (done) break;
            part("message").textContent += value;
        }
        part("notice").textContent = `ended ${response.status}`;
    } catch (error) {
        part("notice").textContent = `failed ${error.name}`;
    }
}

async function keep(text) {
    localStorage.setItem("kept", text);
    const database = await new Promise((resolve, reject) => {
        const request = indexedDB.open("nexus", 1);
        request.onupgradeneeded = () => request.result.createObjectStore("events");
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const transaction = database.transaction(["events"], "readwrite");
    transaction.objectStore("events").put({ text }, [text, 1]);
    transaction.oncomplete = () => {
        database.close();
        part("notice").textContent = "kept";
    };
}

const acts = {
    break: () => { part("message").innerHTML = "<b>no</b>"; },
    throw: () => setTimeout(() => { throw new Error("thrown on purpose"); }),
    reject: () => { Promise.reject(new Error("rejected on purpose")); },
};

part("send").onclick = () => {
    const [act, argument] = part("composer").value.split(" ");
    if (act === "ask") ask(argument);
    else if (act === "keep") keep(argument);
    else if (acts[act]) acts[act]();
    else part("message").textContent = part("composer").value;
};

part("composer").onkeydown = event => {
    if (event.key === "Enter" && event.ctrlKey) part("send").click();
};
part("composer").onpaste = event => {
    const text = event.clipboardData.getData("text/plain");
    if (text.length < 1000) return;
    event.preventDefault();
    part("notice").textContent = `pasted ${text.length}`;
};
