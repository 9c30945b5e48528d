(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const up = document.body.dataset.up || "";
  const root = document.documentElement;

  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* pages from files may have no storage */ }
  });

  const menu = byId("menu");
  menu.addEventListener("click", () => {
    menu.setAttribute("aria-expanded", String(byId("contents").classList.toggle("open")));
  });
  document.querySelector("#contents [aria-current]")?.scrollIntoView({ block: "nearest" });

  for (const block of document.querySelectorAll("pre")) {
    const button = document.createElement("button");
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(block.querySelector("code").innerText);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(block.querySelector("code"));
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.append(button);
  }

  const field = byId("search");
  const results = byId("results");
  const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const pattern = (words) => new RegExp(`(${words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");

  const score = ([page, heading, , text], words) => {
    let total = 0;
    for (const word of words) {
      const at = text.toLowerCase().split(word).length - 1;
      const titles = (heading.toLowerCase().includes(word) ? 20 : 0) + (page.toLowerCase().includes(word) ? 8 : 0);
      if (at + titles === 0) return 0;
      total += titles + Math.min(at, 5);
    }
    return total;
  };
  const excerpt = (text, words) => {
    const low = text.toLowerCase();
    const at = Math.max(0, Math.min(...words.map((w) => (low.includes(w) ? low.indexOf(w) : Infinity)).concat(1e9)));
    const from = at >= 1e9 ? 0 : Math.max(0, at - 60);
    return (from > 0 ? "… " : "") + text.slice(from, from + 160);
  };
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
    results.hidden = words.length === 0;
    if (words.length === 0) return;
    const found = (window.BOOK_INDEX || [])
      .map((entry) => [score(entry, words), entry])
      .filter(([points]) => points > 0)
      .sort((a, b) => b[0] - a[0])
      .slice(0, 30);
    const marked = (text) => escape(text).replace(pattern(words.map(escape)), "<mark>$1</mark>");
    results.innerHTML = found.length === 0
      ? "<p>Nothing found.</p>"
      : found.map(([, [page, heading, address, text]]) => {
        const title = heading === page ? marked(page) : `${marked(page)} › ${marked(heading)}`;
        return `<a href="${up}${address}">${title}<small>${marked(excerpt(text, words))}</small></a>`;
      }).join("");
  };
  const close = () => { results.hidden = true; };
  field.addEventListener("input", show);
  field.addEventListener("focus", show);
  document.addEventListener("click", (event) => {
    if (!results.contains(event.target) && event.target !== field) close();
  });
  results.addEventListener("click", close);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape") {
      close();
      field.blur();
    } else if (event.key === "Enter" && document.activeElement === field) {
      results.querySelector("a")?.click();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const links = [...results.querySelectorAll("a")];
      if (results.hidden || links.length === 0) return;
      event.preventDefault();
      const at = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
      if (at < 0) field.focus(); else links[Math.min(at, links.length - 1)].focus();
    }
  });
})();
