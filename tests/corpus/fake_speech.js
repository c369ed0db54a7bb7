// Stands in for the browser's speech: a recogniser that returns what a test provides, and a voice that records what it
// speaks. `__voice.putBack()` removes it.
(() => {
    const voice = window.__voice = { starts: 0, on: false, said: [], cancels: 0, speaks: true, real: {} };
    class Ear {
        start() {
            if (voice.on) { throw new DOMException('It runs.', 'InvalidStateError'); }
            if (voice.refuses) { throw new DOMException('No.', voice.refuses); }
            voice.starts += 1; voice.on = true; voice.ear = this; voice.lang = this.lang;
        }
        stop() { if (voice.ear === this && voice.on && !voice.sticks) { setTimeout(() => this.end(), 0); } }
        abort() { if (voice.ear === this) { voice.on = false; } }
        end() { voice.on = false; this.onend?.({}); }
    }
    voice.hear = (finals, interim) => {
        const result = (transcript, isFinal) => Object.assign([{ transcript }], { isFinal });
        const results = finals.map(words => result(words, true));
        if (interim) { results.push(result(interim, false)); }
        voice.ear.onresult?.({ resultIndex: 0, results });
    };
    voice.end = () => voice.ear.end();
    voice.fail = error => { voice.ear.onerror?.({ error }); if (voice.on) { voice.ear.end(); } };
    class Utterance { constructor(text) { this.text = text; this.rate = 1; this.pitch = 1; this.lang = ''; this.voice = null; } }
    const synthesis = {
        getVoices: () => [
            { name: 'Ada', lang: 'en-US', localService: true },
            { name: 'Bruno', lang: 'de_DE', localService: true },
        ],
        speak(spoken) {
            voice.said.push({ text: spoken.text, voice: spoken.voice?.name ?? '', rate: spoken.rate, pitch: spoken.pitch, lang: spoken.lang });
            voice.now = spoken;
            if (voice.speaks) { setTimeout(() => voice.spoken(spoken), 10); }
        },
        cancel() {
            const spoken = voice.now;
            voice.now = null;
            voice.cancels += 1;
            spoken?.onerror?.({ error: 'interrupted' });
        },
    };
    voice.spoken = spoken => { if (voice.now === spoken) { voice.now = null; spoken?.onend?.({}); } };
    voice.put = (on, name, value) => {
        voice.real[name] ??= [on, Object.getOwnPropertyDescriptor(on, name)];
        Object.defineProperty(on, name, { value, configurable: true, writable: true });
    };
    voice.putBack = () => {
        for (const [name, [on, real]] of Object.entries(voice.real))
            if (real) Object.defineProperty(on, name, real); else delete on[name];
        delete window.__voice;
    };
    voice.put(window, 'SpeechRecognition', undefined);
    voice.put(window, 'webkitSpeechRecognition', Ear);
    voice.put(window, 'SpeechSynthesisUtterance', Utterance);
    voice.put(window, 'speechSynthesis', synthesis);
})();
