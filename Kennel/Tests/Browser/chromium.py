"""The browser of the tests."""

import os

from playwright.sync_api import Browser, BrowserType

# Chromium without a window and the parts that draw one, which takes half the processor time of `chromium`. CHROMIUM names
# another program, for example a second version.
PROGRAM = "/usr/bin/chromium-headless-shell"


def launch(chromium: BrowserType, *arguments: str) -> Browser:
    """Starts the browser. Its own sandbox does not work for root and in containers."""
    return chromium.launch(
        executable_path=os.environ.get("CHROMIUM", PROGRAM), args=["--no-sandbox", *arguments])
