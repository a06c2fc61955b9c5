"""A person without a mouse: every field is reached by Tab, and used by the keys it is made for."""

import json

from desks import settle

NAMES = {"Tab": ("Tab", 9, ""), "Enter": ("Enter", 13, "\r"), " ": ("Space", 32, " ")}
CONTROL = 2
MOST_TABS = 120

# What has the focus can be seen to have it: itself, or the place files are dropped at around it.
SEEN = """(() => {
    const shown = document.activeElement.closest(".drop") ?? document.activeElement;
    const style = getComputedStyle(shown), box = shown.getBoundingClientRect();
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.width > 2;
})()"""


class Keyboard:
    """Presses keys in a browser.

    Parameters
    ----------
    browser : Browser
    """

    def __init__(self, browser) -> None:
        self.browser = browser
        browser.call("Page.setInterceptFileChooserDialog", enabled=True)

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press a key and let it go."""
        letter = (f"Key{key.upper()}", ord(key[0].upper()) if key.isalpha() else 0, key)
        code, number, text = NAMES.get(key, letter)
        about = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        said = {} if modifiers else {"text": text}
        self.browser.call("Input.dispatchKeyEvent", type="keyDown", **about, **said)
        self.browser.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def reach(self, mark: str) -> None:
        """Go on by Tab until something has the focus, which can be seen at every step."""
        here = f"document.activeElement.matches({json.dumps(mark)})"
        for _ in range(MOST_TABS):
            self.press("Tab")
            where = "document.activeElement.outerHTML.slice(0, 200)"
            at_all = self.browser.evaluate("document.activeElement !== document.body")
            assert not at_all or self.browser.evaluate(SEEN), self.browser.evaluate(where)
            if self.browser.evaluate(here):
                return
        raise AssertionError(f"{mark} is not reached by Tab")

    def go(self, mark: str) -> None:
        """Follow a link, or press a button that leads to another page."""
        self.reach(mark)
        self.browser.arrive(lambda: self.press("Enter"))

    def do(self, action: str) -> None:
        """Press the button of an act, and wait until its command has ended."""
        self.go(f"form[action$='/do/{action}'] button:not(.copy)")
        settle(self.browser)

    def tick(self, mark: str) -> None:
        """Choose or tick something."""
        self.reach(mark)
        self.press(" ")
        assert self.browser.evaluate("document.activeElement.checked")

    def write(self, mark: str, text: str) -> None:
        """Write into a field, in the place of what it says."""
        self.reach(mark)
        self.press("a", CONTROL)
        for sign in text:
            self.press(sign)
        assert self.browser.evaluate("document.activeElement.value") == text

    def choose(self, mark: str, file) -> None:
        """Open the dialog of a field of files, and answer it as the system does."""
        self.reach(mark)
        browser = self.browser

        def answer() -> None:
            self.press("Enter")
            node = browser.wait_for_event("Page.fileChooserOpened")["backendNodeId"]
            browser.call("DOM.setFileInputFiles", backendNodeId=node, files=[str(file)])

        browser.arrive(answer)
