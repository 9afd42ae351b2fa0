"""Very many photos: the document stays small while scrolling, nothing moves, and what was taken out returns."""

import re

import pytest
from crowd import fill
from kennel import Kennel, program
from playwright.sync_api import expect

COUNT = 50_000
# Reads the number of tiles in each frame, and how far the page has shifted without the reader's doing.
WATCH = """
  window.most = 0;
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifts += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  const count = () => {
    window.most = Math.max(window.most, document.querySelectorAll("#grid > .tile").length);
    requestAnimationFrame(count);
  };
  count();
"""


@pytest.fixture(scope="module")
def kennel(tmp_path_factory):
    kennel = Kennel(program(), tmp_path_factory.mktemp("kennel-of-many"))
    fill(kennel, COUNT)
    yield kennel
    kennel.stop()


def scroll(window, to: str, until: str) -> None:
    """Scrolls by the height of the window in each frame, as with a wheel, until a condition is true."""
    window.page.evaluate(
        f"""() => new Promise((resolve, reject) => {{
          const end = performance.now() + 60_000;
          const step = () => {{
            if ({until}) return resolve();
            if (performance.now() > end) return reject(new Error("too slow"));
            scrollBy({{ top: {to} * innerHeight * 0.9, behavior: "instant" }});
            requestAnimationFrame(() => requestAnimationFrame(step));
          }};
          step();
        }})""")


def posts(window) -> list[int]:
    return window.page.evaluate(
        "[...document.querySelectorAll('#grid > .tile')].map((tile) => Number(tile.dataset.post))")


def all_posts(window) -> list[int]:
    return window.page.evaluate(
        """async () => {
          const module = [...document.querySelectorAll("link[rel=modulepreload]")].find((one) => one.href.endsWith("/tiles.js"));
          return (await import(module.href)).allPosts();
        }""")


def expect_calm(window) -> None:
    most, shifts = window.page.evaluate("[window.most, window.shifts]")
    assert 0 < most < 400
    assert shifts < 0.05


def newest(window, count: int) -> list[int]:
    found: list[int] = []
    path = "/posts?limit=100"
    while len(found) < count:
        answer = window.context.request.get(window.kennel.address + path)
        found += [post["id"] for post in answer.json()["posts"]]
        path = re.search(r"<(.*)>", answer.headers["link"])[1]
    return found[:count]


def test_hundreds_of_photos_down_and_up_again(window, device):
    looking = window(device=device)
    looking.page.add_init_script(WATCH)
    looking.go()
    top = posts(looking)[:20]
    place = looking.tile(top[5]).bounding_box()
    scroll(looking, "1", "document.querySelectorAll('#grid > .gap').length > 4")
    known = all_posts(looking)
    assert len(known) > 250
    assert known == newest(looking, len(known))
    assert top[0] not in posts(looking)
    scroll(looking, "-1", "scrollY === 0")
    assert posts(looking)[:20] == top
    assert looking.tile(top[5]).bounding_box() == pytest.approx(place, abs=1)
    # More photos may have arrived below.
    loaded = all_posts(looking)
    assert loaded[: len(known)] == known
    assert loaded == newest(looking, len(loaded))
    expect_calm(looking)


def test_from_the_first_photo_to_the_last_by_months(window, device):
    looking = window(device=device)
    looking.page.add_init_script(WATCH)
    looking.go()
    months = looking.page.locator(".years a").evaluate_all("(links) => links.map((link) => link.dataset.month)")
    assert len(months) > 200
    for month in (months[len(months) // 2], months[-2]):
        looking.page.locator(".months summary").click()
        looking.page.locator(f".years a[data-month='{month}']").click()
        looking.expect_address(f"/?month={month}")
        expect(looking.page.locator(".month").first).to_have_attribute("data-month", month)
        expect_calm(looking)
    scroll(looking, "1", "!document.querySelector('.older') && innerHeight + scrollY >= document.body.scrollHeight - 2")
    expect_calm(looking)
    last = looking.page.locator("#grid > .tile").last
    expect(last).to_be_in_viewport()
    expect(last.locator(".sharp")).to_have_attribute("alt", f"Copy {COUNT - 8}")
    # A month that is loaded, but taken out of the document, is there immediately.
    looking.page.locator(".months summary").click()
    looking.page.locator(f".years a[data-month='{months[-2]}']").click()
    expect(looking.page.locator(f".month[data-month='{months[-2]}'] h2")).to_be_focused()
    expect(looking.page.locator(f".month[data-month='{months[-2]}'] h2")).to_be_in_viewport()
    assert len(looking.page.locator(f".month[data-month='{months[-2]}']").all()) == 1


def test_the_focus_stays_and_tab_continues_where_it_was(window):
    looking = window().go()
    tile = looking.page.locator("#grid > .tile").nth(20)
    order = posts(looking)
    post = int(tile.get_attribute("data-post"))
    following = order[order.index(post) + 1]
    tile.locator(".open").focus()
    scroll(looking, "1", "document.querySelectorAll('#grid > .gap').length > 2")
    expect(looking.tile(post).locator(".open")).to_be_focused()
    looking.page.keyboard.press("Tab")
    expect(looking.tile(post).locator(".heart")).to_be_focused()
    looking.page.keyboard.press("Tab")
    expect(looking.tile(following).locator(".open")).to_be_focused()
    expect(looking.tile(following)).to_be_in_viewport()


def test_a_selection_includes_photos_that_are_taken_out(window):
    person = window("Ada").go()
    person.page.get_by_role("button", name="Account of Ada").click()
    person.page.get_by_role("button", name="Select photos").click()
    bar = person.page.get_by_role("region", name="Selected photos")
    chosen = posts(person)[:3]
    for post in chosen[:2]:
        person.tile(post).locator(".open").click()
    scroll(person, "1", "document.querySelectorAll('#grid > .gap').length > 1")
    # The focus keeps its photo in the document.
    assert chosen[1] in posts(person)
    person.page.evaluate("document.activeElement.blur()")
    scroll(person, "1", f"!document.querySelector('[data-post=\"{chosen[1]}\"]')")
    assert chosen[0] not in posts(person)
    expect(bar.get_by_text("2 selected")).to_be_visible()
    scroll(person, "-1", "scrollY === 0")
    expect(person.tile(chosen[1]).get_by_role("checkbox")).to_be_checked()
    expect(person.tile(chosen[2]).get_by_role("checkbox")).not_to_be_checked()
    person.page.keyboard.press("Escape")
    expect(person.page.get_by_role("checkbox")).to_have_count(0)


def test_a_photo_deep_in_the_grid_is_opened_and_left_with_the_back_button(window):
    looking = window().go()
    scroll(looking, "1", "document.querySelectorAll('#grid > .gap').length > 2")
    before = looking.page.evaluate("scrollY")
    post = looking.page.evaluate(
        """[...document.querySelectorAll("#grid > .tile")].find((tile) => {
          const box = tile.getBoundingClientRect();
          return box.top > 100 && box.bottom < innerHeight;
        }).dataset.post""")
    dialog = looking.open(int(post))
    looking.page.keyboard.press("ArrowRight")
    expect(dialog.locator("article")).not_to_have_attribute("data-post", post)
    looking.page.go_back()
    expect(dialog).to_be_hidden()
    looking.expect_address("/")
    assert looking.page.evaluate("scrollY") == pytest.approx(before, abs=400)
    looking.page.go_forward()
    expect(dialog.locator("article")).to_be_visible()


def test_hearts_and_captions_of_photos_that_are_taken_out_are_current_when_they_return(window):
    looking = window().go()
    first, second = posts(looking)[:2]
    scroll(looking, "1", "document.querySelectorAll('#grid > .gap').length > 2")
    expect(looking.tile(first)).to_have_count(0)
    looking.kennel.heart("Ada", first)
    looking.kennel.edit("Bob", second, caption="Edited out of sight")
    looking.kennel.heart("Ada", posts(looking)[50])
    expect(looking.heart(posts(looking)[50]).locator(".count")).to_have_text("1")
    scroll(looking, "-1", "scrollY === 0")
    expect(looking.heart(first).locator(".count")).to_have_text("1")
    expect(looking.tile(second).locator(".sharp")).to_have_attribute("alt", "Edited out of sight")
    assert posts(looking)[:2] == [first, second]


def test_without_scripts_the_pages_follow_each_other(window):
    looking = window(java_script_enabled=False).go()
    first = looking.page.locator("#grid > .tile").count()
    assert 0 < first < 100
    looking.page.get_by_role("link", name="Older photos").click()
    assert looking.page.locator("#grid > .tile").count() == first
