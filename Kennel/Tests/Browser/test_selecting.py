"""Selecting several photos in the grid, and deleting them."""

from playwright.sync_api import expect


def begin(person, name="Ada"):
    person.page.get_by_role("button", name=f"Account of {name}").click()
    person.page.get_by_role("button", name="Select photos").click()
    return person.page.get_by_role("region", name="Selected photos")


def test_several_photos_are_deleted_together(window, device):
    person = window("Ada", device)
    # The page may be keeping the thumbnail of a photo at this moment.
    person.tolerated.append("404")
    posts = [person.kennel.post("Ada", f"Selected {number}") for number in range(3)]
    person.go()
    bar = begin(person)
    delete = bar.get_by_role("button", name="Delete")
    expect(delete).to_be_disabled()
    for post in posts[:2]:
        person.tile(post).get_by_role("checkbox").click()
    expect(bar.get_by_text("2 selected")).to_be_visible()
    expect(person.page.locator("#lightbox")).to_be_hidden()
    delete.click()
    question = person.page.get_by_role("alertdialog", name="Delete 2 photos?")
    question.get_by_role("button", name="Delete").click()
    expect(person.toast("2 photos moved to the bin.")).to_be_visible()
    expect(bar).to_be_hidden()
    for post in posts[:2]:
        expect(person.tile(post)).to_have_count(0)
        assert not person.kennel.has(post)
    # The others are links again.
    person.open(posts[2])
    person.kennel.delete("Ada", posts[2])


def test_photos_are_selected_with_the_keyboard(window):
    person = window("Ada")
    # At the end, a thumbnail may still be loading that is deleted.
    person.tolerated += ["403", "404"]
    own = person.kennel.post("Ada", "Mine")
    foreign = person.kennel.post("Bob", "Not mine")
    person.go()
    bar = begin(person)
    # The newest photo has the focus.
    keys = person.page.keyboard
    expect(person.tile(foreign).get_by_role("checkbox", name="Not mine")).to_be_focused()
    keys.press("Space")
    keys.press("Tab")
    expect(person.tile(own).get_by_role("checkbox", name="Mine")).to_be_focused()
    keys.press("Enter")
    expect(bar.get_by_text("2 selected")).to_be_visible()
    keys.press("Enter")
    expect(person.tile(own).get_by_role("checkbox")).not_to_be_checked()
    keys.press("Space")
    bar.get_by_role("button", name="Delete").click()
    person.page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    expect(person.toast("1 photo moved to the bin.")).to_be_visible()
    expect(person.toast("1 photo of other people cannot be deleted by you.")).to_be_visible()
    expect(person.tile(own)).to_have_count(0)
    expect(person.tile(foreign)).to_be_visible()
    person.kennel.delete("Bob", foreign)


def test_a_range_is_selected_and_escape_ends_it(window):
    person = window("Ada").go()
    bar = begin(person)
    photos = person.page.locator("#grid .open")
    photos.nth(1).click()
    photos.nth(4).click(modifiers=["Shift"])
    expect(bar.get_by_text("4 selected")).to_be_visible()
    person.page.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    expect(person.page.get_by_role("checkbox")).to_have_count(0)


def test_visitors_cannot_select(window):
    looking = window().go()
    expect(looking.page.get_by_role("button", name="Select photos")).to_have_count(0)


def test_the_bar_fits_on_a_small_phone(window):
    person = window("Ada", "phone", viewport={"width": 320, "height": 600}).go()
    bar = begin(person)
    person.page.locator("#grid .open").first.click()
    for name in ("Done", "Delete"):
        expect(bar.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
