"""Secret links, the place of a photo, and who can see the photos."""

import re
import sqlite3
import urllib.error
import urllib.request

import pictures
import pytest
from kennel import PASSWORD, Kennel, program
from playwright.sync_api import expect
from test_sharing import choose


def fetch(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=30) as response:
        return response.read()


def test_a_link_is_made_copied_and_revoked(window, device):
    author = window("Ada", device)
    author.context.grant_permissions(["clipboard-read", "clipboard-write"])
    post = author.kennel.post("Ada", "For grandmother")
    author.kennel.comment("Bob", post, "Between us")
    author.go()
    author.open(post).get_by_role("button", name="Share", exact=True).click()
    dialog = author.page.get_by_role("dialog", name="Share with a link")
    dialog.get_by_label("The link works").select_option("for 1 day")
    dialog.get_by_role("button", name="Make a link").click()
    expect(author.toast("The link is copied.")).to_be_visible()
    address = dialog.get_by_label("The new link is shown only now").input_value()
    assert author.page.evaluate("navigator.clipboard.readText()") == address
    assert re.fullmatch(re.escape(author.kennel.address) + r"/s/[\w-]{43}", address)
    stranger = window("", device)
    stranger.page.goto(address)
    expect(stranger.page.get_by_role("heading", name="For grandmother")).to_be_visible()
    expect(stranger.page.get_by_text("Between us")).to_have_count(0)
    picture = stranger.page.locator(".sharp")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    assert stranger.page.evaluate("document.scripts.length") == 0
    dialog.get_by_role("button", name="Revoke").click()
    expect(author.toast("The link is revoked.")).to_be_visible()
    expect(dialog.get_by_role("listitem")).to_have_count(0)
    stranger.tolerated.append("404")
    stranger.page.reload()
    expect(stranger.page.get_by_text("Ask the person who sent it for another one.")).to_be_visible()


def test_only_the_author_and_owners_can_share(window):
    post = (person := window("Ada")).kennel.post("Bob")
    expect(person.go().open(post).get_by_role("button", name="Share")).to_have_count(0)
    owner = window("Olga").go()
    owner.open(post).get_by_role("button", name="Share", exact=True).click()
    dialog = owner.page.get_by_role("dialog", name="Share with a link")
    expect(dialog).to_be_visible()
    owner.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(owner.page.locator("#lightbox")).to_be_visible()


def test_the_author_shares_the_place_of_a_photo(window, picture):
    person = window("Ada").go()
    dialog = choose(person, picture(data=pictures.camera(7)))
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(person.toast("Your photo is shared.")).to_be_visible()
    post = person.kennel.posts()[0]["id"]
    address = f"{person.kennel.address}/posts/{post}/photo"
    assert b"SecretCam" not in fetch(address)
    photo = person.open(post)
    photo.get_by_role("button", name="Share it").click()
    expect(person.toast("Others now get the camera data, too.")).to_be_visible()
    assert b"SecretCam" in fetch(address)
    photo.get_by_role("button", name="Hide it").click()
    expect(photo.get_by_role("button", name="Share it")).to_be_visible()
    assert b"SecretCam" not in fetch(address)
    with person.page.expect_download() as download:
        photo.get_by_role("link", name="As uploaded").click()
    assert b"SecretCam" in download.value.path().read_bytes()


def test_the_place_is_shared_at_the_upload(window, picture):
    person = window("Ada").go()
    dialog = choose(person, picture(data=pictures.camera(8)))
    dialog.get_by_label("Others also get the camera data").check()
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(person.toast("Your photo is shared.")).to_be_visible()
    post = person.kennel.posts()[0]["id"]
    assert b"SecretCam" in fetch(f"{person.kennel.address}/posts/{post}/photo")


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    kennel = Kennel(program(), tmp_path_factory.mktemp("closed"), options=())
    kennel.post("Bob", "Private")
    yield kennel
    kennel.stop()


def status(kennel: Kennel) -> int:
    try:
        with urllib.request.urlopen(kennel.address + "/posts", timeout=30) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def test_the_owner_decides_who_can_see_the_photos(browser, closed):
    context = browser.new_context()
    answer = context.request.post(closed.address + "/session", data={"name": "Olga", "password": PASSWORD})
    assert answer.status == 201
    page = context.new_page()
    page.goto(closed.address)
    for choice, expected in (("Everyone who reaches", 200), ("Only people with an account", 401)):
        page.get_by_role("button", name="Account of Olga").click()
        page.get_by_role("button", name="Who can see").click()
        dialog = page.get_by_role("dialog", name="Who can see the photos?")
        dialog.get_by_label(choice).check()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_be_hidden()
        assert status(closed) == expected
    context.close()


def test_a_page_that_the_browser_kept_shows_nothing_after_signing_out(window, closed):
    person = window("Olga", kennel=closed)
    # Loading the page again is refused.
    person.tolerated.append("401")
    post = closed.post("Olga", "Private")
    person.go()
    expect(person.tile(post)).to_be_visible()
    person.context.clear_cookies()
    person.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(person.page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(person.page.get_by_alt_text("Private")).to_have_count(0)


def test_a_comment_that_was_begun_outlives_the_session(window, closed):
    person = window("Olga", kennel=closed)
    person.tolerated.append("401")
    post = closed.post("Olga", "Private too")
    dialog = person.go().open(post)
    field = dialog.get_by_role("textbox")
    field.fill("Half a sentence")
    person.context.clear_cookies()
    person.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(person.page.get_by_text("You were signed out.")).to_be_visible()
    expect(person.page.locator("#lightbox .sharp")).to_be_hidden()
    expect(person.page.locator("main")).to_be_hidden()
    person.sign_in("Olga")
    expect(field).to_be_visible()
    expect(field).to_have_value("Half a sentence")


def test_the_owner_of_an_earlier_kennel_is_asked_once(browser, closed):
    # An upgrade leaves a kennel like this.
    with sqlite3.connect(closed.directory / "kennel.sqlite") as database:
        database.execute("INSERT OR REPLACE INTO decisions VALUES ('visibility', 'undecided')")
    database.close()
    assert status(closed) == 200
    context = browser.new_context()
    context.request.post(closed.address + "/session", data={"name": "Olga", "password": PASSWORD})
    page = context.new_page()
    page.goto(closed.address)
    dialog = page.get_by_role("dialog", name="Who can see the photos?")
    expect(dialog.get_by_text("made with an earlier version")).to_be_visible()
    expect(dialog.get_by_label("Everyone who reaches")).to_be_checked()
    dialog.get_by_role("button", name="Cancel").click()
    questions = []
    page.on("request", lambda request: questions.append(1) if request.url.endswith("/visibility") else None)
    page.reload()
    page.get_by_role("button", name="Account of Olga").click()
    page.get_by_role("button", name="Who can see").click()
    expect(dialog.get_by_text("made with an earlier version")).to_be_visible()
    # Only the click has asked.
    assert len(questions) == 1
    other = context.new_page()
    other.goto(closed.address)
    dialog = other.get_by_role("dialog", name="Who can see the photos?")
    dialog.get_by_label("Only people with an account").check()
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    assert status(closed) == 401
    context.close()


def test_others_cannot_decide_it(browser, closed):
    context = browser.new_context()
    context.request.post(closed.address + "/session", data={"name": "Ada", "password": PASSWORD})
    page = context.new_page()
    page.goto(closed.address)
    page.get_by_role("button", name="Account of Ada").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    expect(page.get_by_role("button", name="Who can see")).to_have_count(0)
    context.close()
