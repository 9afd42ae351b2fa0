"""Albums: making them from a selection, changing them, and sharing them with a link."""

import io
import json
import re
import urllib.request
import zipfile

import pytest
from playwright.sync_api import expect
from test_selecting import begin


@pytest.fixture
def posts(kennel):
    made = [kennel.post("Ada", f"Lake {number}", number) for number in range(3)]
    yield made
    for post in made:
        if kennel.has(post):
            kennel.delete("Ada", post)


@pytest.fixture
def album(kennel, posts):
    """An album of Ada with the first two photos."""
    return make_album(kennel, "At the lake", posts[:2])


def make_album(kennel, title, posts, person="Ada", **more) -> int:
    body = json.dumps({"title": title, "posts": posts, **more}).encode()
    return kennel.call(person, "POST", "/albums", body, "application/json")["id"]


def change(kennel, album, path, posts):
    body = json.dumps({"posts": posts}).encode()
    kennel.call("Ada", "POST", f"/albums/{album}{path}", body, "application/json")


def select(person, posts, name="Ada"):
    bar = begin(person, name)
    for post in posts:
        person.tile(post).get_by_role("checkbox").click()
    return bar


def test_an_album_is_made_from_a_selection(window, device, posts):
    person = window("Ada", device).go()
    title = f"New <b>album</b> on a {device}"
    bar = select(person, posts[:2])
    bar.get_by_role("button", name="Add to album…").click()
    dialog = person.page.get_by_role("dialog", name="Add to album")
    dialog.get_by_label("Album", exact=True).select_option("New album…")
    dialog.get_by_label("Title of the new album").fill(title)
    dialog.get_by_role("button", name="Add").click()
    expect(person.toast("2 photos added.")).to_be_visible()
    expect(bar).to_be_hidden()
    # The same album is offered for the third photo.
    bar = select(person, posts[1:])
    bar.get_by_role("button", name="Add to album…").click()
    dialog.get_by_label("Album", exact=True).select_option(title)
    expect(dialog.get_by_label("Title of the new album")).to_be_hidden()
    dialog.get_by_role("button", name="Add").click()
    expect(person.toast("1 photo added.")).to_be_visible()
    # The photo's page leads to the album.
    photo = person.open(posts[0])
    photo.get_by_role("link", name=title).click()
    expect(person.page.get_by_role("heading", name=title)).to_be_visible()
    expect(person.page.get_by_text("3 photos · by Ada")).to_be_visible()
    for post in posts:
        expect(person.tile(post)).to_be_visible()
    person.page.get_by_role("link", name="Albums").last.click()
    link = person.page.get_by_role("link", name=f"{title} 3 photos")
    picture = link.locator("img")
    person.page.wait_for_function("(one) => one.complete && one.naturalWidth > 0", arg=picture.element_handle())
    link.click()
    expect(person.page.get_by_role("heading", name=title)).to_be_visible()


def test_an_album_is_changed_on_its_page(window, device, posts, album):
    person = window("Ada", device).go(f"/albums/{album}")
    other = window("", device).go(f"/albums/{album}")
    for name in ("Edit", "Delete"):
        expect(other.page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    # The cover is the newest photo, until another one is chosen.
    bar = select(person, posts[:1])
    expect(bar.get_by_role("button", name="Delete")).to_be_hidden()
    bar.get_by_role("button", name="Use as cover").click()
    expect(person.toast("The album has a new cover.")).to_be_visible()
    listed = person.kennel.call("Ada", "GET", f"/albums/{album}")
    assert listed["cover"] == posts[0]
    # An open page of another person follows.
    change(person.kennel, album, "/posts", posts[2:])
    expect(person.tile(posts[2])).to_be_visible()
    expect(other.page.get_by_text("3 photos · by Ada")).to_be_visible()
    bar = select(person, posts[1:])
    bar.get_by_role("button", name="Remove").click()
    expect(person.toast("2 photos removed from the album.")).to_be_visible()
    expect(person.tile(posts[1])).to_have_count(0)
    expect(other.tile(posts[1])).to_have_count(0)
    assert person.kennel.has(posts[1])
    person.page.get_by_role("button", name="Edit").click()
    dialog = person.page.get_by_role("dialog", name="Edit album")
    dialog.get_by_role("textbox", name="Title", exact=True).fill("By the sea")
    dialog.get_by_label("All members can add photos").check()
    dialog.get_by_role("button", name="Save").click()
    expect(person.page.get_by_role("heading", name="By the sea")).to_be_visible()
    expect(other.page.get_by_text("1 photo · by Ada · all members can add photos")).to_be_visible()
    person.page.get_by_role("button", name="Delete").click()
    question = person.page.get_by_role("alertdialog", name="Delete this album?")
    other.tolerated.append("404")
    question.get_by_role("button", name="Delete").click()
    person.page.wait_for_url("**/albums")
    expect(other.toast("This album was deleted.")).to_be_visible()
    assert person.kennel.has(posts[0])


def test_others_add_to_open_albums_only(window, kennel, posts):
    closed = make_album(kennel, "Only Ada's", posts[:1])
    make_album(kennel, "Everybody's", posts[:1], isOpen=True)
    person = window("Bob").go()
    bar = select(person, posts[1:2], "Bob")
    bar.get_by_role("button", name="Add to album…").click()
    choice = person.page.get_by_role("dialog", name="Add to album").get_by_label("Album", exact=True)
    expect(choice.get_by_text("Everybody's")).to_have_count(1)
    expect(choice.get_by_text("Only Ada's")).to_have_count(0)
    # Escape closes the dialog, and the selection stays.
    person.page.keyboard.press("Escape")
    expect(bar.get_by_text("1 selected")).to_be_visible()
    person.go(f"/albums/{closed}")
    expect(person.page.get_by_role("button", name="Edit")).to_have_count(0)


def test_an_album_is_shared_with_a_link_and_the_link_is_revoked(window, device, posts, album):
    author = window("Ada", device).go(f"/albums/{album}")
    author.page.locator("main").get_by_role("button", name="Share").click()
    dialog = author.page.get_by_role("dialog", name="Share with a link")
    expect(dialog.get_by_text("This includes photos that are added later.")).to_be_visible()
    dialog.get_by_label("The link works").select_option("for 1 day")
    dialog.get_by_role("button", name="Make a link").click()
    address = dialog.get_by_label("The new link is shown only now")
    expect(address).to_have_value(re.compile(re.escape(author.kennel.address) + r"/s/[\w-]{43}$"))
    address = address.input_value()

    stranger = window("", device, java_script_enabled=False)
    page = stranger.page
    page.goto(address)
    expect(page.get_by_role("heading", name="At the lake")).to_be_visible()
    expect(page.locator(".grid .open")).to_have_count(2)
    page.get_by_role("link", name="Lake 1").click()
    expect(page.get_by_role("heading", name="Lake 1")).to_be_visible()
    page.get_by_role("link", name="Older").click()
    expect(page.get_by_role("heading", name="Lake 0")).to_be_visible()
    expect(page.get_by_role("link", name="Older")).to_have_count(0)
    page.get_by_role("link", name="At the lake").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "At the lake.zip"
    assert zipfile.ZipFile(download.value.path()).namelist() == ["001 Lake 0.jpg", "002 Lake 1.jpg"]

    change(author.kennel, album, "/posts", posts[2:])
    change(author.kennel, album, "/posts/remove", posts[:1])
    page.reload()
    expect(page.get_by_role("link", name="Lake 2")).to_be_visible()
    expect(page.get_by_role("link", name="Lake 0")).to_have_count(0)

    dialog.get_by_role("button", name="Revoke").click()
    expect(author.toast("The link is revoked.")).to_be_visible()
    stranger.tolerated.append("404")
    page.reload()
    expect(page.get_by_text("Ask the person who sent it for another one.")).to_be_visible()


def test_albums_are_viewed_without_scripts(window, device, posts, album):
    person = window("", device, java_script_enabled=False).go()
    person.page.get_by_role("navigation", name="Pages").get_by_role("link", name="Albums").click()
    person.page.locator(f"[data-album='{album}'] a").click()
    expect(person.page.get_by_role("heading", name="At the lake")).to_be_visible()
    person.tile(posts[0]).get_by_role("link").click()
    expect(person.page.get_by_role("heading", name="Lake 0")).to_be_visible()
    with urllib.request.urlopen(f"{person.kennel.address}/albums/{album}/zip", timeout=30) as response:
        assert len(zipfile.ZipFile(io.BytesIO(response.read())).namelist()) == 2


def test_an_album_is_made_with_the_keyboard(window, posts):
    person = window("Ada").go("/albums")
    keys = person.page.keyboard
    person.page.get_by_role("button", name="New album").focus()
    keys.press("Enter")
    expect(person.page.get_by_role("textbox", name="Title", exact=True)).to_be_focused()
    keys.type("Typed")
    keys.press("Enter")
    expect(person.page.get_by_role("heading", name="Typed")).to_be_visible()
    expect(person.page.get_by_role("heading", name="No photos in this album")).to_be_visible()


@pytest.mark.parametrize("width", [320, 390])
def test_the_bar_of_an_album_fits_on_a_phone(window, album, width):
    person = window("Ada", "phone", viewport={"width": width, "height": 700}).go(f"/albums/{album}")
    bar = begin(person)
    person.page.locator("#grid .open").first.click()
    for name in ("Done", "Add to album…", "Use as cover", "Remove"):
        expect(bar.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
