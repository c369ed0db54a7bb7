$("call").addEventListener("click", () => {
  $("more").hidden = false;
  document.querySelector("main section + *")?.scrollIntoView({ block: "start" });
  app.changed("Asked for more");
});
app.reset = () => {
  $("more").hidden = true;
};
app.stats = () => [["Parts on this page", document.querySelectorAll("main section").length]];
