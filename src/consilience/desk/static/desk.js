// The little that a page cannot do by itself: copy a line, send a dropped file, follow a command.
"use strict";

function each(mark, use) {
  document.querySelectorAll(mark).forEach(use);
}

each("button.copy", (button) => {
  const label = button.innerHTML;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = "Copied";
    setTimeout(() => { button.innerHTML = label; }, 1500);
  });
});

each(".drop", (zone) => {
  const input = zone.querySelector("input");
  const told = zone.querySelector(".dropped");

  async function send(files) {
    const refused = [];
    let to = "";
    for (const file of files) {
      told.textContent = `Taking ${file.name} …`;
      const answer = await fetch(zone.dataset.to, {
        method: "POST",
        body: file,
        headers: {
          "content-type": "application/octet-stream",
          "x-csrf": zone.dataset.csrf,
          "x-file-name": encodeURIComponent(file.name),
        },
      });
      const said = await answer.json().catch(() => ({ why: "it could not be taken." }));
      if (!answer.ok) refused.push(`${file.name}: ${said.why}`);
      if (said.to) to = said.to;
    }
    told.textContent = refused.join(" ");
    zone.classList.toggle("bad", refused.length > 0);
    if (refused.length) return;
    const base = new URL(document.querySelector("a.brand").href);
    location.href = to ? new URL(to, base).href : location.href.replace(/#.*/, "");
  }

  input.addEventListener("change", () => send(input.files));
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, (event) => { event.preventDefault(); zone.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) {
    zone.addEventListener(name, () => zone.classList.remove("over"));
  }
  zone.addEventListener("drop", (event) => { event.preventDefault(); send(event.dataTransfer.files); });
});

each(".job[data-events]", (job) => {
  const events = new EventSource(job.dataset.events);
  const step = job.querySelector(".step");
  const seconds = job.querySelector(".seconds");
  events.addEventListener("message", (event) => {
    const told = JSON.parse(event.data);
    if (told.said.length && told.said[0].trim() && step.textContent !== told.said[0]) step.textContent = told.said[0];
    seconds.textContent = `${told.seconds} s`;
    if (told.state !== "running" && told.state !== "stopping") {
      events.close();
      location.reload();
    }
  });
  job.querySelector(".stop").addEventListener("click", (event) => {
    event.target.disabled = true;
    fetch(job.dataset.cancel, { method: "POST", headers: { "x-csrf": job.dataset.csrf } });
  });
});

each(".frontier", (frontier) => {
  const points = JSON.parse(frontier.dataset.points);
  const circles = frontier.querySelectorAll(".point");
  const handle = frontier.querySelector("input[type=range]");
  const percent = (share) => `${Math.round(100 * share)} %`;
  const put = (mark, text) => { frontier.querySelector(mark).textContent = text; };

  function show() {
    const point = points[handle.value];
    circles.forEach((circle, k) => circle.classList.toggle("chosen", k === Number(handle.value)));
    put(".setting", point.setting);
    put(".agreement", percent(point.agreement));
    put(".rebuilt", percent(point.reconstruction));
    put(".recognised", percent(point.top1));
    const marks = [];
    if (point.present) marks.push("This is what the study has now.");
    if (point.knee) marks.push("It gives away least of those that keep 95 % of the best agreement.");
    put(".mark", marks.join(" "));
    handle.setAttribute("aria-valuetext", `${point.setting}: agreement ${percent(point.agreement)}, rebuilt ${percent(point.reconstruction)}`);
  }

  handle.addEventListener("input", show);
  circles.forEach((circle, k) => circle.addEventListener("click", () => { handle.value = k; show(); }));
  show();
});

each("form.choices", (form) => {
  form.addEventListener("submit", () => {
    const chosen = form.querySelector("input[name=choice]:checked");
    for (const name of ["clusters", "method"]) {
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = name;
      field.value = chosen ? chosen.dataset[name] : "";
      form.append(field);
    }
  });
});

// On a telephone the steps are a strip that may begin left of the one that is shown.
each(".rail [aria-current]", (here) => here.scrollIntoView({ block: "nearest", inline: "center" }));

each("iframe.report", (frame) => {
  const fit = () => { frame.height = frame.contentDocument.documentElement.scrollHeight + 4; };
  frame.addEventListener("load", fit);
  window.addEventListener("resize", fit);
});
