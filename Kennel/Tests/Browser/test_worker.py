"""The service worker: the latest photos while the kennel cannot be reached, photos from a share sheet, and updates."""

import base64
import re

import pictures
import pytest
from kennel import Kennel, program
from playwright.sync_api import expect

KEPT = "kennel-kept-photos"
SHARED = "kennel-shared-files"


@pytest.fixture
def own(tmp_path):
    """Returns a function that starts a kennel for people with an account only. It stops after the windows are closed."""
    kennels = []

    def start(*options: str) -> Kennel:
        kennel = Kennel(program(), tmp_path / "data", options=options)
        kennels.append(kennel)
        return kennel

    yield start
    for kennel in kennels:
        kennel.stop()


def kept(person) -> list[str]:
    """The paths of what is kept, or an empty list."""
    return person.page.evaluate(
        """async (name) => {
          if (!(await caches.has(name))) return [];
          const requests = await (await caches.open(name)).keys();
          return requests.map(({ url }) => new URL(url).pathname);
        }""", KEPT)


def wait(person, is_kept: bool) -> None:
    """Waits until photos are kept, or are not. `wait_for_function` does not wait for the result of an asynchronous function."""
    person.page.evaluate(
        """([isWanted, name]) => new Promise((resolve, reject) => {
          const end = performance.now() + 20_000;
          const look = async () => {
            const isKept = (await caches.has(name)) && Boolean(await (await caches.open(name)).match("/"));
            if (isKept === isWanted) resolve();
            else if (performance.now() > end) reject(new Error(`kept: ${isKept}`));
            else setTimeout(look, 20);
          };
          look();
        })""", [is_kept, KEPT])


def wait_until_kept(person) -> None:
    wait(person, True)


def wait_until_forgotten(person) -> None:
    wait(person, False)


def share(person, *names: str) -> None:
    """Sends a form as the share sheet of a phone does: the browser navigates to its result."""
    person.page.evaluate(
        """([data, names]) => {
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          const transfer = new DataTransfer();
          for (const name of names) transfer.items.add(new File([bytes], name, { type: "image/jpeg" }));
          const form = document.createElement("form");
          Object.assign(form, { method: "post", action: "/share", enctype: "multipart/form-data" });
          const input = form.appendChild(document.createElement("input"));
          Object.assign(input, { type: "file", name: "photo", multiple: true, files: transfer.files });
          document.body.append(form);
          form.submit();
        }""", [base64.b64encode(pictures.jpeg(7, (300, 200))).decode(), list(names)])


def test_the_latest_photos_are_shown_offline_and_marked(own, window, device):
    kennel = own()
    posts = [kennel.post("Bob", f"Photo {number}", number, (300, 200)) for number in range(3)]
    person = window("Ada", device, kennel=kennel).go()
    wait_until_kept(person)
    person.tolerated += ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED", "Failed to load resource", "ERR_FAILED"]
    kennel.stop()
    person.go()
    expect(person.page.locator("#offline")).to_be_visible()
    expect(person.page.locator("#offline")).to_contain_text("The kennel cannot be reached.")
    for post in posts:
        picture = person.tile(post).locator(".sharp")
        expect(picture).to_be_visible()
        person.page.wait_for_function("(picture) => picture.complete && picture.naturalWidth > 0", arg=picture.element_handle())
    # Other pages lead to it.
    person.go("/albums")
    expect(person.page.locator("#offline")).to_be_visible()
    # No originals, and no other pages.
    assert all(re.fullmatch(r"/|/assets/.*|/posts/\d+/thumbnail", path) for path in kept(person))
    kennel.start(int(kennel.address.rsplit(":", 1)[1]))
    person.go()
    expect(person.page.locator("#offline")).to_be_hidden()
    person.expect_address("/")


def test_signing_out_empties_it(own, window):
    kennel = own()
    kennel.post("Bob", "Rex", 1, (300, 200))
    person = window("Ada", kennel=kennel).go()
    wait_until_kept(person)
    person.tolerated += ["401"]
    person.page.get_by_role("button", name="Account of Ada").click()
    person.page.get_by_role("button", name="Sign out").click()
    expect(person.page.get_by_role("heading", name="Sign in").first).to_be_visible()
    assert kept(person) == []


def test_another_account_and_a_session_that_ended_empty_it(own, window):
    kennel = own("--public")
    kennel.post("Bob", "Rex", 1, (300, 200))
    person = window("Ada", kennel=kennel).go()
    wait_until_kept(person)
    # Nothing is kept for visitors who have not signed in.
    cookies = person.context.cookies()
    person.context.clear_cookies()
    person.go()
    wait_until_forgotten(person)
    person.context.add_cookies(cookies)
    person.go()
    wait_until_kept(person)
    person.context.request.post(kennel.address + "/session", data={"name": "Bob", "password": "correct horse"})
    person.go("/albums")
    wait_until_forgotten(person)


def test_what_is_older_than_a_week_is_not_shown(own, window):
    kennel = own()
    person = window("Ada", kennel=kennel).go()
    wait_until_kept(person)
    person.page.evaluate(
        """async (name) => {
          const cache = await caches.open(name);
          const page = await cache.match("/");
          const headers = new Headers(page.headers);
          headers.set("Kennel-Kept", String(Date.now() - 8 * 24 * 60 * 60 * 1000));
          await cache.put("/", new Response(await page.text(), { headers }));
        }""", KEPT)
    person.tolerated += ["ERR_", "Failed to load resource"]
    kennel.stop()
    with pytest.raises(Exception, match="ERR_"):
        person.go()
    kennel.start(int(kennel.address.rsplit(":", 1)[1]))
    person.go()
    wait_until_kept(person)
    assert person.page.evaluate(
        """async (name) => Date.now() - Number((await (await caches.open(name)).match("/")).headers.get("Kennel-Kept"))""",
        KEPT) < 600_000


def test_shared_photos_reach_the_upload_dialog(own, window, device):
    kennel = own()
    person = window("Ada", device, kennel=kennel).go()
    wait_until_kept(person)
    share(person, "beach.jpg", "ball.jpg")
    dialog = person.page.get_by_role("dialog", name="Share photos")
    expect(dialog.locator(".preview img")).to_have_count(2)
    expect(dialog.get_by_label("Caption for beach.jpg")).to_be_visible()
    person.expect_address("/")
    # Nothing was sent yet, and nothing stays.
    assert kennel.call("Ada", "GET", "/posts")["posts"] == []
    assert not person.page.evaluate("(name) => caches.has(name)", SHARED)
    dialog.get_by_role("button", name="Remove ball.jpg").click()
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(person.toast("Your photo is shared.")).to_be_visible()
    assert len(kennel.call("Ada", "GET", "/posts")["posts"]) == 1


def test_shared_photos_wait_for_the_sign_in(own, window):
    kennel = own()
    person = window("Ada", kennel=kennel).go()
    wait_until_kept(person)
    person.context.clear_cookies()
    person.tolerated += ["401"]
    share(person, "beach.jpg")
    form = person.page.locator("main form")
    form.get_by_label("Name").fill("Ada")
    form.get_by_label("Password").fill("correct horse")
    form.get_by_role("button", name="Sign in").click()
    expect(person.page.get_by_role("dialog", name="Share photos").get_by_label("Caption for beach.jpg")).to_be_visible()


def test_a_share_without_the_worker_asks_for_another(own, window):
    person = window("Ada", kennel=own("--no-worker")).go()
    share(person, "beach.jpg")
    expect(person.toast("The photos did not arrive. Share them again.")).to_be_visible()
    person.expect_address("/")


def test_a_new_version_is_shown_immediately_and_a_worker_can_be_removed(own, window):
    kennel = own()
    kennel.post("Bob", "Rex", 1, (300, 200))
    person = window("Ada", kennel=kennel).go()
    wait_until_kept(person)
    person.tolerated += ["ERR_", "Failed to load resource"]
    kennel.options = ("--title", "Litter")
    kennel.restart()
    person.go()
    expect(person.page.locator(".home")).to_have_text("Litter")
    # This kennel serves a worker that deletes what is kept, and removes itself.
    kennel.options = ("--no-worker",)
    kennel.restart()
    person.go()
    person.page.evaluate("async () => (await navigator.serviceWorker.getRegistration())?.update()")
    wait_until_forgotten(person)
    person.go()
    assert not person.page.evaluate("Boolean(navigator.serviceWorker.controller)")
    wait_until_forgotten(person)
