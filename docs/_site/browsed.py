"""Look at the built site in a real browser: three widths, light and dark, the keyboard alone, axe.

    python docs/_site/browsed.py SITE [PICTURES]

SITE is what ``make docs`` built. With PICTURES, a folder, every look is also written there.
``AXE_CORE`` names the folder of npm's axe-core; without it that part is left out, which is said.
"""

from __future__ import annotations

import os
import sys
import tempfile
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from browser import Browser

PAGES = (
    "docs/README",
    "README",
    "docs/install",
    "docs/study-by-files",
    "docs/bench-dc-clustering",
    "docs/bench-attacks",
    "docs/threat-model",
    "docs/methods/collaboration",
    "docs/cli",
    "docs/security-officer",
    "examples/comparing-methods",
    "docs/api/consilience.CollaborationClustering",
    "search",
)
WIDTHS = (400, 800, 1400)
AXE = Path(os.environ.get("AXE_CORE", "node_modules/axe-core")) / "axe.min.js"
SERIOUS = """axe.run(document).then((found) => found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ").slice(0, 300)}`))"""
FOCUS = """(() => {
    const it = document.activeElement, box = it.getBoundingClientRect();
    const marked = (one) => {
        const style = getComputedStyle(one);
        return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0
            || style.boxShadow !== "none";
    };
    const near = [it, it.nextElementSibling, ...(it.labels || [])].filter(Boolean);
    return {
        what: it.outerHTML.replace(/\\s+/g, " ").slice(0, 120),
        none: it === document.body || it === document.documentElement,
        first: it.classList.contains("skip-to-content"),
        inside: document.querySelector("[role=main]").contains(it),
        seen: near.some(marked) && near.some((one) => {
            const at = one.getBoundingClientRect();
            return at.width > 0 && at.height > 0 && at.right > 0 && at.left < innerWidth
                && at.bottom > 0 && at.top < innerHeight;
        }),
    };
})()"""
STILL = """new Promise((done) => {
    let last = "", same = 0;
    const look = () => {
        const at = document.activeElement.getBoundingClientRect(), now = `${at.x} ${at.y}`;
        same = now === last ? same + 1 : 0;
        last = now;
        if (same > 3) done(true); else requestAnimationFrame(look);
    };
    look();
})"""
"""Whoever is focused no longer moves: the theme scrolls smoothly."""
KEY_WIDTHS = (400, 1400)
KEY_PAGES = PAGES[:6]
MOST_STOPS = 40


def looks(browser: Browser, page: Path, width: int, dark: bool) -> list[str]:
    """Return what is wrong with a page of this width in light or dark."""
    browser.open(page, width, dark)
    wrong = [f"asks for {r}" for r in browser.requests() if not r.startswith(("file:", "data:"))]
    wrong += [f"says {c['params']}" for c in browser.complaints()]
    wide = browser.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        wrong.append(f"is {wide} wide")
    if AXE.exists():
        browser.evaluate(AXE.read_text(encoding="utf-8"))
        wrong += browser.evaluate(SERIOUS, wait=True)
    return wrong


def press(browser: Browser, key: str) -> None:
    """Press and release a key."""
    codes = {"Tab": 9, "Enter": 13, "Space": 32}
    text = {"Enter": "\r", "Space": " "}.get(key, "")
    said = {
        "key": text if key == "Space" else key,
        "code": key,
        "windowsVirtualKeyCode": codes[key],
    }
    kind = "keyDown" if text else "rawKeyDown"
    browser.call("Input.dispatchKeyEvent", type=kind, text=text, **said)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **said)


def keys(browser: Browser, page: Path, width: int) -> list[str]:
    """Return what is wrong for who walks through a page with Tab alone."""
    browser.open(page, width)
    wrong = []
    press(browser, "Tab")
    if not browser.evaluate(FOCUS)["first"]:
        return [f"begins with {browser.evaluate(FOCUS)['what']}, not with a link to the content"]
    for _ in range(MOST_STOPS):
        browser.evaluate(STILL, wait=True)
        at = browser.evaluate(FOCUS)
        if at["none"]:
            break
        if not at["seen"]:
            wrong.append(f"hides the focus on {at['what']}")
        press(browser, "Tab")
    browser.open(page, width)
    press(browser, "Tab")
    press(browser, "Enter")
    browser.until("location.hash === '#furo-main-content'")
    press(browser, "Tab")
    at = browser.evaluate(FOCUS)
    if not at["inside"] and not at["none"]:
        wrong.append(f"does not skip to the content but to {at['what']}")
    return wrong


def main(site: str, pictures: str | None = None) -> int:
    """Look at every page, print what is wrong, and return how many looks found something."""
    if not AXE.exists():
        print("axe-core is not there and left out: npm install axe-core")
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(Path(profile))
        browser.attach()
        n_wrong = 0
        for name, width in product(PAGES, WIDTHS):
            page = Path(site).resolve() / f"{name}.html"
            by_keys = name in KEY_PAGES and width in KEY_WIDTHS
            found = {"keys": keys(browser, page, width) if by_keys else []}
            for scheme in ("light", "dark"):
                found[scheme] = looks(browser, page, width, scheme == "dark")
                if pictures:
                    Path(pictures).mkdir(parents=True, exist_ok=True)
                    file = f"{name.replace('/', '-')}-{width}-{scheme}.png"
                    browser.shoot(Path(pictures) / file)
            for how, wrong in found.items():
                n_wrong += bool(wrong)
                for what in wrong:
                    print(f"{name}, {width}, {how}: {what}")
        browser.close()
    looked, walked = 2 * len(PAGES) * len(WIDTHS), len(KEY_PAGES) * len(KEY_WIDTHS)
    print(f"{looked} looks at {len(PAGES)} pages, {walked} walks by keys: {n_wrong} wrong")
    return n_wrong


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) > 0)
