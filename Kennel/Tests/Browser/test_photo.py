"""A photo over the grid, and on its own page."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def three(kennel):
    """Returns three posts, the newest first."""
    return [kennel.post(caption=f"{name} of three", number=number) for number, name in enumerate(
        ["Last", "Middle", "First"])][::-1]


def test_a_photo_opens_over_the_grid_and_has_an_address(window, device, three):
    looking = window(device=device).go()
    dialog = looking.open(three[1])
    expect(dialog.get_by_role("heading", name="Middle of three")).to_be_visible()
    looking.expect_address(f"/photos/{three[1]}")
    expect(looking.page).to_have_title("Middle of three · Kennel")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    looking.expect_address("/")
    expect(looking.page).to_have_title("Kennel")
    expect(looking.tile(three[1]).locator(".open")).to_be_focused()


def test_the_original_is_downloaded(window, device, three):
    looking = window(device=device).go()
    dialog = looking.open(three[0])
    with looking.page.expect_download() as download:
        dialog.get_by_role("link", name="Original").click()
    assert download.value.suggested_filename == f"photo-{three[0]}.jpg"
    expect(looking.page.locator("#lightbox")).to_be_visible()


def test_arrow_keys_change_the_photo_and_escape_closes_it(window, three):
    looking = window().go()
    dialog = looking.open(three[0])
    article = dialog.locator("article")
    looking.page.keyboard.press("ArrowRight")
    expect(article).to_have_attribute("data-post", str(three[1]))
    looking.page.keyboard.press("ArrowRight")
    expect(article).to_have_attribute("data-post", str(three[2]))
    looking.page.keyboard.press("ArrowLeft")
    expect(article).to_have_attribute("data-post", str(three[1]))
    looking.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(looking.tile(three[1]).locator(".open")).to_be_focused()
    looking.expect_address("/")


def test_arrow_keys_work_with_any_focused_element(window, three):
    looking = window().go()
    dialog = looking.open(three[0])
    article = dialog.locator("article")
    dialog.locator(".heart").focus()
    for post in three[1:]:
        looking.page.keyboard.press("ArrowRight")
        expect(article).to_have_attribute("data-post", str(post))
    for post in three[1::-1]:
        dialog.get_by_role("button", name="Newer photo").click()
        expect(article).to_have_attribute("data-post", str(post))
    looking.page.keyboard.press("ArrowRight")
    expect(article).to_have_attribute("data-post", str(three[1]))


def test_back_and_forward_close_and_open_the_photo(window, three):
    looking = window().go()
    dialog = looking.open(three[0])
    looking.page.go_back()
    expect(dialog).to_be_hidden()
    looking.page.go_forward()
    expect(dialog.locator("article")).to_have_attribute("data-post", str(three[0]))
    looking.page.reload()
    expect(looking.page.get_by_role("heading", name="First of three")).to_be_visible()
    looking.page.go_back()
    expect(looking.tile(three[0])).to_be_visible()
    looking.expect_address("/")


def test_a_late_close_event_does_not_close_a_reopened_photo(window, three):
    looking = window().go()
    dialog = looking.open(three[0])
    looking.page.evaluate("document.getElementById('lightbox').dispatchEvent(new Event('close'))")
    looking.page.keyboard.press("ArrowRight")
    expect(dialog.locator("article")).to_have_attribute("data-post", str(three[1]))
    looking.expect_address(f"/photos/{three[1]}")


def test_a_swipe_changes_the_photo(window, three):
    looking = window(device="phone").go()
    dialog = looking.open(three[0])
    box = dialog.locator(".stage").bounding_box()
    y = box["y"] + box["height"] / 2
    session = looking.context.new_cdp_session(looking.page)

    def touch(kind: str, x: float | None) -> None:
        points = [] if x is None else [{"x": x, "y": y}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 320)
    for x in (280, 220, 160, 100):
        touch("touchMove", x)
    touch("touchEnd", None)
    expect(dialog.locator("article")).to_have_attribute("data-post", str(three[1]))


def test_the_focus_stays_within_an_opened_photo(window, three):
    looking = window().go()
    looking.open(three[1])
    for _ in range(12):
        looking.page.keyboard.press("Tab")
        inside = looking.page.evaluate(
            "document.activeElement === document.body"
            " || Boolean(document.activeElement.closest('#lightbox'))")
        assert inside


def test_the_last_loaded_photo_leads_to_older_ones(window):
    looking = window()
    # Without its older photos, the last row is not shown.
    looking.page.route("**/?before=*", lambda route: None)
    looking.go()
    held = looking.page.locator("#grid > .held").count()
    assert held > 0
    last = looking.page.locator("#grid > .tile").last.get_attribute("data-post")
    shown = looking.page.locator("#grid > .tile:not(.held)").last
    dialog = looking.open(int(shown.get_attribute("data-post")))
    for _ in range(held):
        looking.page.keyboard.press("ArrowRight")
    expect(dialog.locator("article")).to_have_attribute("data-post", last)
    looking.page.keyboard.press("ArrowRight")
    looking.page.unroute("**/?before=*")
    expect(dialog.locator("article")).not_to_have_attribute("data-post", last)


def test_a_deleted_photo_disappears_in_all_windows(window, device):
    author, watcher = window("Ada", device), window("", device)
    for someone in (author, watcher):
        # A thumbnail that was requested just before.
        someone.tolerated.append("/thumbnail")
    post = author.kennel.post("Ada", "Soon gone")
    watcher.go()
    author.go()
    expect(watcher.tile(post)).to_be_visible()
    dialog = author.open(post)
    dialog.get_by_role("button", name="Delete").click()
    question = author.page.get_by_role("alertdialog")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_be_hidden()
    dialog.get_by_role("button", name="Delete").click()
    question.get_by_role("button", name="Delete").click()
    expect(author.toast("The photo is in the bin.")).to_be_visible()
    expect(author.tile(post)).to_have_count(0)
    expect(watcher.tile(post)).to_have_count(0)
    assert not author.kennel.has(post)


def test_a_viewer_of_a_deleted_photo_is_notified(window):
    watcher = window()
    post = watcher.kennel.post("Ada")
    watcher.go()
    watcher.open(post)
    watcher.kennel.delete("Ada", post)
    expect(watcher.toast("This photo was deleted.")).to_be_visible()
    expect(watcher.page.locator("#lightbox article")).not_to_have_attribute("data-post", str(post))


def test_other_users_see_no_delete_button(window):
    person = window("Ada")
    post = person.kennel.post("Bob")
    person.go()
    dialog = person.open(post)
    expect(dialog.get_by_role("button", name="Delete")).to_have_count(0)
