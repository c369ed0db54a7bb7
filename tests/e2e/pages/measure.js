// Runs in every document before its own scripts: records long tasks, and when the page can be used and shows the end of
// the conversation. Reads only the document.
(() => {
    const tasks = [];
    new PerformanceObserver(list => {
        for (const task of list.getEntries()) tasks.push([task.startTime, task.duration]);
    }).observe({ type: "longtask", buffered: true });
    // Keeps the page out of the back/forward cache, so that its memory is not counted with the next page.
    addEventListener("unload", () => {});
    const marks = {};
    const deepest = node => {
        while (node?.lastChild) node = node.lastChild;
        return node?.textContent ?? "";
    };
    const texts = () => document.querySelectorAll("[data-role=assistant] [data-testid=message-text]");
    const ends = words => {
        const all = texts();
        return all.length > 0 && deepest(all[all.length - 1]).includes(words);
    };
    const nodes = () => {
        const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
        let count = 0;
        while (walker.nextNode()) count += 1;
        return count;
    };
    const blocked = from => tasks.filter(([start]) => start >= from)
        .reduce((sum, [, took]) => sum + Math.max(0, took - 50), 0);
    const longest = from => tasks.filter(([start]) => start >= from)
        .reduce((most, [, took]) => Math.max(most, took), 0);
    // Number of requests, and transferred kilobytes.
    const fetched = () => {
        const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
        return [all.length, all.reduce((sum, each) => sum + each.encodedBodySize, 0) / 1000];
    };
    // End of the last response before that time.
    const came = until => Math.max(...[...performance.getEntriesByType("navigation"),
        ...performance.getEntriesByType("resource")].map(each => each.responseEnd).filter(end => end <= until));
    // Times from key to frame, and from frame to frame.
    const type = () => {
        const keys = [], frames = [];
        addEventListener("keydown", event => requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = () => keys.push(performance.now() - event.timeStamp);
            channel.port2.postMessage(0);
        }), true);
        let before = 0;
        const frame = now => {
            if (before) frames.push(now - before);
            before = now;
            requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
        Object.assign(window.__measure, { keys, frames });
    };
    window.__measure = { marks, ends, nodes, blocked, longest, fetched, came, type };
    if (!location.protocol.startsWith("http") || location.pathname.startsWith("/-/")) return;
    const mark = name => {
        marks[name] = performance.now();
        performance.mark(`measure-${name}`);
    };
    const look = () => {
        const takes = selector => {
            const field = document.querySelector(selector);
            return field && !field.disabled && field.checkVisibility();
        };
        const fields = "[data-testid=first-name], [data-testid=composer]";
        // Text typed into the static page is in the composer later.
        if (!marks.typed && takes(`#boot-draft, ${fields}`)) mark("typed");
        if (!marks.usable && takes(fields)) mark("usable");
        if (!marks.last && ends("The conversation ends here.")) mark("last");
        // As it was left, before the program has loaded it.
        if (!marks.left && (marks.last || document.querySelector(".picture .message"))) mark("left");
        const waits = !marks.usable || (sessionStorage.getItem("measure-last") && !marks.last);
        if (waits) setTimeout(look, 4);
    };
    look();
})();
