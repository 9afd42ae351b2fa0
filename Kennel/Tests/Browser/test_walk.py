"""The walk of an invited person: from an invitation to a shared album. Nobody but the first start uses a terminal."""

import datetime
import re

import pictures
import pytest
from kennel import Kennel, program
from playwright.sync_api import expect
from test_accounts import join
from test_selecting import begin
from test_sharing import choose

COUNT = 200
KNOWN = 17
FIRST = datetime.date(2024, 10, 1)


@pytest.fixture
def family(tmp_path):
    """A closed kennel without accounts."""
    kennel = Kennel(program(), tmp_path / "family", people=(), options=())
    yield kennel
    kennel.stop()


def taken(number: int) -> datetime.date:
    """The days of the photos are spread over two years."""
    return FIRST + datetime.timedelta(days=number * 730 // COUNT)


def draw(folder) -> list:
    paths = []
    for number in range(COUNT):
        paths.append(folder / f"IMG_{number:04}.jpg")
        paths[-1].write_bytes(pictures.jpeg(number, (90, 60), taken=f"{taken(number):%Y:%m:%d} 12:00:00"))
    return paths


def all_posts(kennel) -> list[dict]:
    posts, before = [], ""
    while before is not None:
        page = kennel.call("Grandma", "GET", f"/posts?limit=100{before}")
        posts += page["posts"]
        before = f"&before={page['next']}" if page.get("next") else None
    return posts


def wait_for(person, count: int) -> None:
    """Waits until so many photos were sent, or found to be here."""
    person.page.wait_for_function(
        "(count) => document.querySelector('#upload .total progress').value >= count", arg=count, timeout=60_000)


def test_an_invited_person_shares_two_years_of_photos(family, window, tmp_path):
    photos = draw(tmp_path)

    # The owner invites from the page.
    owner = window(device="phone", kennel=family)
    owner.tolerated += ["401", "net::ERR_"]
    join(owner, family.first_link, "Grandma")
    expect(owner.page.get_by_role("heading", name="Welcome, Grandma")).to_be_visible()
    owner.go("/people")
    owner.page.get_by_role("radio", name="Member").check()
    owner.page.get_by_role("button", name="Make a link").click()
    link = owner.page.get_by_role("textbox", name="Link").input_value()
    for path in photos[:KNOWN]:
        family.call("Grandma", "POST", "/posts", path.read_bytes(), "image/jpeg")

    # The invited person joins.
    person = window(device="phone", kennel=family)
    person.tolerated += ["409", "net::ERR_"]
    join(person, link.removeprefix(family.address), "Paul")
    expect(person.page.get_by_role("heading", name="Welcome, Paul")).to_be_visible()
    person.page.get_by_role("link", name="See the photos").click()
    expect(person.page.locator("#grid .tile")).to_have_count(KNOWN)

    # The photos are chosen in one go. The connection is cut twice.
    dialog = choose(person, *photos)
    expect(dialog.locator(".chosen li")).to_have_count(COUNT)
    for number in (KNOWN, COUNT - 1):
        dialog.get_by_label(f"Caption for IMG_{number:04}.jpg").fill(f"Photo {number}")
    dialog.get_by_role("button", name=f"Share {COUNT} photos").click()
    wait_for(person, 40)
    family.restart()
    wait_for(person, 110)
    person.context.set_offline(True)
    expect(dialog.get_by_text("The connection was lost. Trying again…").first).to_be_visible()
    person.context.set_offline(False)
    expect(dialog.locator(".total [role=status]")).to_have_text(
        f"{COUNT - KNOWN} of {COUNT} shared, {KNOWN} were already here.", timeout=60_000)
    expect(dialog.locator(".chosen li")).to_have_count(KNOWN)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    posts = all_posts(family)
    assert [post["taken"][:10] for post in posts] == [f"{taken(number)}" for number in reversed(range(COUNT))]
    assert [post["author"] for post in posts] == ["Paul"] * (COUNT - KNOWN) + ["Grandma"] * KNOWN
    written = {number: post["caption"] for number, post in zip(reversed(range(COUNT)), posts) if post["caption"]}
    assert written == {KNOWN: f"Photo {KNOWN}", COUNT - 1: f"Photo {COUNT - 1}"}

    # Last summer is in the list of months.
    july = [post["id"] for post in posts if post["taken"].startswith("2026-07")]
    person.page.reload()
    person.page.locator(".months summary").click()
    months = person.page.get_by_role("navigation", name="Months")
    months.get_by_role("link", name=f"July 2026, {len(july)} photos").click()
    expect(person.page.locator("#grid h2", has_text="July 2026")).to_be_in_viewport()
    for post in july:
        expect(person.tile(post)).to_be_visible()

    # Some of its photos become an album.
    bar = begin(person, "Paul")
    for post in july[:3]:
        person.tile(post).get_by_role("checkbox").click()
    bar.get_by_role("button", name="Add to album…").click()
    adding = person.page.get_by_role("dialog", name="Add to album")
    adding.get_by_label("Title of the new album").fill("Last summer")
    adding.get_by_role("button", name="Add").click()
    expect(person.toast("3 photos added.")).to_be_visible()
    person.go("/albums")
    person.page.get_by_role("link", name="Last summer 3 photos").click()
    expect(person.page.get_by_text("3 photos · by Paul")).to_be_visible()

    # A link to it ends after a week.
    person.page.locator("main").get_by_role("button", name="Share").click()
    sharing = person.page.get_by_role("dialog", name="Share with a link")
    expect(sharing.get_by_label("The link works")).to_have_value("7")
    sharing.get_by_role("button", name="Make a link").click()
    address = sharing.get_by_label("The new link is shown only now")
    expect(address).to_have_value(re.compile(re.escape(family.address) + r"/s/[\w-]{43}$"))
    album = person.page.url.rsplit("/", 1)[1]
    made = family.call("Grandma", "GET", f"/albums/{album}/links")["links"]
    ends = datetime.datetime.fromisoformat(made[0]["expires"]) - datetime.datetime.now(datetime.timezone.utc)
    assert len(made) == 1 and abs(ends - datetime.timedelta(days=7)) < datetime.timedelta(minutes=5)

    # A stranger sees the album, and nothing else.
    stranger = window(device="phone", kennel=family)
    stranger.tolerated.append("401")
    stranger.page.goto(address.input_value())
    expect(stranger.page.get_by_role("heading", name="Last summer")).to_be_visible()
    expect(stranger.page.locator(".grid .open")).to_have_count(3)
    stranger.page.wait_for_function(
        "() => [...document.querySelectorAll('.grid img.sharp')].every((one) => one.complete && one.naturalWidth > 0)")
    stranger.page.locator(".grid .open").first.click()
    expect(stranger.page.get_by_role("link", name="Older")).to_be_visible()
    stranger.go()
    expect(stranger.page.get_by_role("main").get_by_label("Password")).to_be_visible()
    expect(stranger.page.locator(".grid .open")).to_have_count(0)
