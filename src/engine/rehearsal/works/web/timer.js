const MINUTES = {{minutes}};
const REST_MINUTES = {{rest}};
let resting = false;
let left = MINUTES * 60;
let endsAt = 0;
let ticking = 0;
let finished = app.load("finished", 0);

const show = () => {
  $("left").textContent = [Math.floor(left / 60), left % 60].map((n) => String(n).padStart(2, "0")).join(":");
  $("phase").textContent = resting ? "Rest" : ticking ? "Working" : "Ready";
  $("start").textContent = ticking ? "Pause" : "Start";
};
const halt = () => {
  clearInterval(ticking);
  ticking = 0;
};
const tick = () => {
  left = Math.max(0, Math.round((endsAt - Date.now()) / 1000));
  if (left === 0) {
    halt();
    if (!resting) {
      finished += 1;
      app.save("finished", finished);
    }
    resting = REST_MINUTES > 0 && !resting;
    left = (resting ? REST_MINUTES : MINUTES) * 60;
    document.dispatchEvent(new Event("app:done"));
    app.changed(resting ? "Round finished" : "Rest is over");
  }
  show();
};
$("start").addEventListener("click", () => {
  if (ticking) {
    halt();
  } else {
    endsAt = Date.now() + left * 1000;
    ticking = setInterval(tick, 250);
  }
  app.changed(ticking ? "Started" : "Paused");
  show();
});
app.reset = () => {
  halt();
  resting = false;
  left = MINUTES * 60;
  show();
  app.changed("Reset");
};
app.stats = () => [["Rounds finished", finished], ["Minutes a round", MINUTES]];
$("again").addEventListener("click", app.reset);
show();
