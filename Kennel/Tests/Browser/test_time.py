"""Photos by the time when they were taken: months, the list of months, and editing."""

import re

import pictures
import pytest
from kennel import Kennel, program
from playwright.sync_api import expect

# The newest first. More than one page of photos.
TIMES = [
    *(f"2026-07-{day:02}T12:00:00+02:00" for day in range(28, 0, -1)),
    *(f"2026-06-{day:02}T12:00:00+02:00" for day in range(12, 0, -1)),
    "2019-12-31T23:59:00-05:00",
    "2008-02-29T08:00:00Z",
]


@pytest.fixture(scope="module")
def kennel(tmp_path_factory):
    """A kennel of its own, because the other tests expect photos of one month."""
    kennel = Kennel(program(), tmp_path_factory.mktemp("kennel-of-months"))
    # The order of sharing is another one.
    for number, time in sorted(enumerate(TIMES), key=lambda one: one[0] * 7 % len(TIMES)):
        post = kennel.post("Ada", f"Photo {number}", number, (300, 200))
        kennel.edit("Ada", post, taken=time)
    yield kennel
    kennel.stop()


def captions(window) -> list[str]:
    return [one.get_attribute("alt") for one in window.page.locator("#grid > .tile .sharp").all()]


def headings(window) -> list[str]:
    return window.page.locator("#grid h2").all_inner_texts()


def open_months(window):
    window.page.locator(".months summary").click()
    return window.page.get_by_role("navigation", name="Months")


def test_photos_are_in_the_order_in_which_they_were_taken(window, device):
    looking = window(device=device, java_script_enabled=False).go()
    shown = captions(looking)
    assert shown == [f"Photo {number}" for number in range(len(shown))]
    assert headings(looking) == ["July 2026", "June 2026"]
    looking.page.get_by_role("link", name="Older photos").click()
    assert headings(looking) == ["June 2026", "December 2019", "February 2008"]
    assert captions(looking) == [f"Photo {number}" for number in range(len(shown), len(TIMES))]


def test_each_month_is_headed_once_while_scrolling(window, device):
    looking = window(device=device).go()
    looking.page.wait_for_function(
        "() => { scrollTo(0, document.body.scrollHeight); return !document.querySelector('.older'); }")
    assert headings(looking) == ["July 2026", "June 2026", "December 2019", "February 2008"]
    expect(looking.page.locator(".months .now")).to_have_text(re.compile("^(June 2026|December 2019)$"))
    assert captions(looking) == [f"Photo {number}" for number in range(len(TIMES))]


def test_the_list_of_months_leads_to_a_month(window, device):
    looking = window(device=device).go()
    months = open_months(looking)
    expect(months.get_by_role("link", name="July 2026, 28 photos")).to_be_visible()
    months.get_by_role("link", name="February 2008, 1 photo").click()
    looking.expect_address("/?month=2008-02")
    assert headings(looking) == ["February 2008"]
    looking.page.get_by_role("link", name="Newest photos").click()
    looking.expect_address("/")


def test_the_list_of_months_needs_no_script(window, device):
    looking = window(device=device, java_script_enabled=False).go()
    open_months(looking).get_by_role("link", name="December 2019").click()
    looking.expect_address("/?month=2019-12")
    assert headings(looking) == ["December 2019", "February 2008"]


def test_the_list_of_months_works_with_the_keyboard(window):
    looking = window().go()
    summary = looking.page.locator(".months summary")
    summary.focus()
    looking.page.keyboard.press("Enter")
    expect(looking.page.locator(".years")).to_be_visible()
    looking.page.keyboard.press("Escape")
    expect(looking.page.locator(".years")).to_be_hidden()
    expect(summary).to_be_focused()
    looking.page.keyboard.press("Enter")
    looking.page.keyboard.press("Tab")
    looking.page.keyboard.press("Tab")
    expect(looking.page.get_by_role("link", name="June 2026")).to_be_focused()
    looking.page.keyboard.press("Enter")
    # June is loaded, so the page scrolls to it.
    looking.expect_address("/")
    expect(looking.page.locator(".month[data-month='2026-06'] h2")).to_be_focused()
    expect(looking.page.locator(".month[data-month='2026-06'] h2")).to_be_in_viewport()


def test_rows_end_with_their_month(window):
    looking = window(viewport={"width": 1280, "height": 800}).go()
    last, first = looking.page.evaluate(
        """() => {
          const tiles = [...document.querySelectorAll("#grid > .tile")];
          const june = tiles.findIndex((tile) => tile.dataset.month === "2026-06");
          return [tiles[june - 1], tiles[0]].map((tile) => tile.getBoundingClientRect().toJSON());
        }""")
    assert last["height"] <= first["height"] * 1.3


def test_an_opened_photo_is_followed_by_that_of_another_month(window):
    looking = window().go()
    tiles = looking.page.locator("#grid > .tile")
    dialog = looking.open(int(tiles.nth(27).get_attribute("data-post")))
    looking.page.keyboard.press("ArrowRight")
    expect(dialog.get_by_role("heading", name="Photo 28", exact=True)).to_be_visible()
    expect(dialog.get_by_text("12 June 2026, 12:00")).to_be_visible()


def test_a_caption_and_a_time_are_edited_in_all_windows(window, device):
    person, watcher = window("Ada", device), window("", device)
    post = person.kennel.post("Ada", "Befor", 60)
    person.go()
    watcher.go()
    expect(watcher.tile(post)).to_be_visible()
    dialog = person.open(post)
    dialog.get_by_role("button", name="Edit").click()
    form = person.page.get_by_role("dialog", name="Edit photo")
    form.get_by_label("Caption").fill("After <all>")
    form.get_by_label("Taken on").fill("2026-06-12T18:45")
    form.get_by_role("button", name="Save").click()
    expect(form).to_be_hidden()
    expect(dialog.get_by_role("heading", name="After <all>")).to_be_visible()
    expect(dialog.get_by_text("12 June 2026, 18:45")).to_be_visible()
    for one in (person, watcher):
        expect(one.tile(post).locator(".sharp")).to_have_attribute("alt", "After <all>")
        expect(one.tile(post)).to_have_attribute("data-month", "2026-06")
        expect(one.page.locator("#grid h2").first).to_have_text("July 2026")
    person.kennel.delete("Ada", post)


def test_an_invalid_time_is_explained(window):
    person = window("Ada")
    post = person.kennel.post("Ada", "Kept", 61)
    person.tolerated.append("422")
    person.go()
    person.open(post).get_by_role("button", name="Edit").click()
    form = person.page.get_by_role("dialog", name="Edit photo")
    form.locator("form").evaluate("(form) => { form.noValidate = true; }")
    form.get_by_label("Taken on").fill("2999-01-01T00:00")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_role("alert")).to_contain_text("cannot have been taken at that time")
    form.get_by_role("button", name="Cancel").click()
    person.kennel.delete("Ada", post)


def test_other_users_see_no_edit_button(window):
    person = window("Bob").go("/?month=2019-12")
    dialog = person.open(int(person.page.locator("#grid > .tile").first.get_attribute("data-post")))
    expect(dialog.get_by_role("button", name="Edit")).to_have_count(0)


def test_a_new_photo_of_an_earlier_month_is_announced_and_shown(window):
    watcher = window().go()
    photo = pictures.jpeg(62, (600, 400), taken="2026:06:20 10:00:00")
    post = watcher.kennel.call("Ada", "POST", "/posts", photo, "image/jpeg")["id"]
    watcher.page.get_by_role("button", name="1 new photo").click()
    expect(watcher.tile(post)).to_be_in_viewport()
    expect(watcher.tile(post).locator(".open")).to_be_focused()
    # Otherwise it may still be loading the picture.
    watcher.page.close()
    watcher.kennel.delete("Ada", post)


def test_the_sharer_of_an_old_photo_reads_where_it_is(window, tmp_path):
    path = tmp_path / "old.jpg"
    path.write_bytes(pictures.jpeg(63, (600, 400), taken="2008:03:01 12:00:00"))
    person = window("Ada").go()
    with person.page.expect_file_chooser() as chooser:
        person.page.get_by_role("button", name="Share").click()
    chooser.value.set_files([str(path)])
    person.page.get_by_role("dialog", name="Share photos").get_by_role("button", name="Share").click()
    expect(person.toast("Your photo is shared. See March 2008.")).to_be_visible()
    person.go("/?month=2008-03")
    tile = person.page.locator("#grid > .tile").first
    post = int(tile.get_attribute("data-post"))
    person.page.close()
    person.kennel.delete("Ada", post)
