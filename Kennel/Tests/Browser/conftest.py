"""Fixtures: a headless browser and its windows.

Each window is monitored: an error on its console, or a request to another server, fails the test.
"""

import dataclasses
import pathlib
import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from chromium import launch
from kennel import PASSWORD, Kennel, program

# The desktop's user prefers reduced motion: most tests run on both devices, so with and without motion.
DEVICES = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
    "desktop": {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"},
}

expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def kennel(tmp_path_factory):
    kennel = Kennel(program(), tmp_path_factory.mktemp("kennel"))
    # More than one page of photos.
    for number in range(34):
        kennel.post("Bob", f"Photo {number}", number, (300, 200) if number % 3 else (200, 300))
    yield kennel
    kennel.stop()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        yield browser
        browser.close()


@dataclasses.dataclass
class Window:
    """A user's browser window."""

    page: Page
    context: BrowserContext
    kennel: Kennel
    faults: list[str]
    # Parts of console messages that the test expects.
    tolerated: list[str] = dataclasses.field(default_factory=list)

    def go(self, path: str = "/") -> "Window":
        self.page.goto(self.kennel.address + path)
        return self

    def tile(self, post: int):
        return self.page.locator(f"#grid [data-post='{post}']")

    def heart(self, post: int):
        return self.tile(post).locator(".heart")

    def open(self, post: int):
        self.tile(post).locator(".open").click()
        expect(self.page.locator("#lightbox article")).to_have_attribute("data-post", str(post))
        return self.page.locator("#lightbox")

    def expect_address(self, path: str) -> None:
        expect(self.page).to_have_url(re.compile(re.escape(self.kennel.address + path) + "$"))

    def toast(self, text: str):
        return self.page.locator(".toast", has_text=text)

    def sign_in(self, name: str, password: str = PASSWORD) -> None:
        dialog = self.page.get_by_role("dialog", name="Sign in")
        dialog.get_by_label("Name").fill(name)
        dialog.get_by_label("Password").fill(password)
        dialog.get_by_role("button", name="Sign in").click()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item) -> None:
    """Closes the windows before other fixtures end: they must not notice what these remove."""
    for window in getattr(item.funcargs.get("window"), "all", []):
        window.context.close()


@pytest.fixture
def window(request, browser: Browser):
    """Returns a function that opens windows. A window with a person's name is signed in as that person."""
    windows: list[Window] = []

    def open_window(person: str = "", device: str = "desktop", kennel: Kennel | None = None, **options) -> Window:
        kennel = kennel or request.getfixturevalue("kennel")
        context = browser.new_context(**{**DEVICES[device], **options})
        if person:
            answer = context.request.post(
                kennel.address + "/session", data={"name": person, "password": PASSWORD})
            assert answer.status == 201
        page = context.new_page()
        faults: list[str] = []
        window = Window(page, context, kennel, faults)
        page.on("console", lambda message: faults.append(
            f"{message.text} {message.location['url']}") if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))

        def check(sent) -> None:
            if not sent.url.startswith((kennel.address + "/", "data:", "blob:")):
                faults.append(f"a request to {sent.url}")

        page.on("request", check)
        windows.append(window)
        return window

    open_window.all = windows
    yield open_window
    for window in windows:
        left = [fault for fault in window.faults if not any(part in fault for part in window.tolerated)]
        assert not left, left


@pytest.fixture(params=list(DEVICES))
def device(request) -> str:
    return request.param


@pytest.fixture
def picture(tmp_path: pathlib.Path):
    """Returns a function that writes a picture to a named file."""
    import pictures

    def write(name: str = "dog.jpg", number: int = 5, data: bytes | None = None) -> pathlib.Path:
        path = tmp_path / name
        path.write_bytes(data if data is not None else pictures.jpeg(number, (600, 400)))
        return path

    return write
