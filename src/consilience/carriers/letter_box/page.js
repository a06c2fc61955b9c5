"use strict";
// Writes what the letter box says into the page, as text; nothing is ever read as HTML.
function write(place, text) {
  // What stands between two ` is a command.
  const parts = text.split("`").map((part, k) => {
    if (k % 2 === 0) return part;
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
  place.replaceChildren(...parts);
}

const line = document.getElementById("line");
const events = new EventSource("page/events");

events.onmessage = (event) => {
  const said = JSON.parse(event.data);
  for (const [id, text] of Object.entries(said.texts)) {
    const place = document.getElementById(id);
    if (place && place.textContent !== text.replaceAll("`", "")) write(place, text);
  }
  for (const [id, state] of Object.entries(said.states)) {
    const place = document.getElementById(id);
    if (place) place.dataset.state = state;
  }
  for (const [id, items] of Object.entries(said.lists)) {
    const entries = items.map((text) => {
      const entry = document.createElement("li");
      write(entry, text);
      return entry;
    });
    const place = document.getElementById(id);
    if (place) place.replaceChildren(...entries);
  }
};
events.onopen = () => write(line, "This page follows by itself what happens.");
events.onerror = () => {
  const over = events.readyState === EventSource.CLOSED;
  write(line, over
    ? "This link is over. Make another: `consilience join ADDRESS --as ROLE --link`"
    : "No connection to the letter box; trying again.");
};
