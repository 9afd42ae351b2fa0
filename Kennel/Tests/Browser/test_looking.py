"""Viewing photos: at any width, in dark or light mode, and without scripts."""

import pytest
from playwright.sync_api import expect


def ids(window) -> list[int]:
    return [int(tile.get_attribute("data-post")) for tile in window.page.locator("#grid > .tile").all()]


def test_the_newest_photo_comes_first(window, device):
    looking = window(device=device)
    newest = looking.kennel.post(caption="The newest")
    looking.go()
    shown = ids(looking)
    assert shown[0] == newest
    assert shown == sorted(shown, reverse=True)
    expect(looking.page).to_have_title("Kennel")


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 2560])
def test_rows_are_full_and_the_page_does_not_overflow(window, width):
    looking = window(viewport={"width": width, "height": 800}).go()
    # All sizes are read in one step, because older photos may arrive at any time.
    page_width, grid, *tiles = looking.page.evaluate(
        """() => [
          document.documentElement.scrollWidth,
          ...[...document.querySelectorAll("#grid, #grid > .tile")].map((one) => one.getBoundingClientRect().toJSON()),
        ]""")
    assert page_width <= width
    rows: dict[int, list[dict]] = {}
    for box in tiles:
        rows.setdefault(round(box["y"]), []).append(box)
    tops = sorted(rows)
    for top in tops[:-1]:
        row = rows[top]
        heights = [box["height"] for box in row]
        assert max(heights) - min(heights) < 1
        right = max(box["x"] + box["width"] for box in row)
        assert abs(right - (grid["x"] + grid["width"])) < 1.5
    # The last row is not stretched.
    assert rows[tops[-1]][0]["height"] <= max(box["height"] for box in rows[tops[0]]) * 1.7


def test_a_blurred_placeholder_is_shown_before_the_photo(window):
    looking = window(java_script_enabled=False)
    looking.page.route("**/thumbnail*", lambda route: route.abort())
    looking.tolerated.append("net::ERR_FAILED")
    looking.go()
    first = looking.page.locator("#grid .soft").first
    assert first.get_attribute("src").startswith("data:image/")
    box = looking.page.locator("#grid .tile").first.bounding_box()
    assert box["height"] > 50


def test_nothing_moves_when_photos_arrive(window):
    looking = window()
    looking.page.add_init_script(
        "window.shifts = 0; new PerformanceObserver((list) => {"
        " for (const entry of list.getEntries()) window.shifts += entry.value;"
        "}).observe({ type: 'layout-shift', buffered: true });")
    looking.go()
    expect(looking.page.locator("#grid .sharp").first).not_to_have_class("sharp waiting")
    assert looking.page.evaluate("window.shifts") < 0.01


def test_older_photos_load_while_scrolling(window, device):
    looking = window(device=device)
    # In a tall window, some older photos are loaded immediately.
    first = looking.context.request.get(looking.kennel.address).text().count('<li class="tile')
    looking.go()
    looking.page.wait_for_function(
        "() => { scrollTo(0, document.body.scrollHeight); return !document.querySelector('.older'); }")
    shown = ids(looking)
    assert len(shown) > first > 0
    assert len(set(shown)) == len(shown)


def test_everything_can_be_viewed_without_scripts(window, device):
    looking = window(device=device, java_script_enabled=False)
    post = looking.kennel.post(caption="For everybody")
    looking.kennel.comment("Ada", post, "Seen without a script")
    looking.go()
    expect(looking.page.get_by_role("button", name="Sign in")).to_be_hidden()
    looking.tile(post).locator(".open").click()
    looking.expect_address(f"/photos/{post}")
    expect(looking.page.get_by_role("heading", name="For everybody")).to_be_visible()
    expect(looking.page.get_by_text("Seen without a script")).to_be_visible()
    looking.page.get_by_role("link", name="All photos").click()
    looking.page.get_by_role("link", name="Older photos").click()
    expect(looking.page.locator("#grid > .tile").first).to_be_visible()
    looking.page.get_by_role("link", name="Newest photos").click()
    looking.expect_address("/")


@pytest.mark.parametrize("scheme, color", [("light", "rgb(251, 250, 248)"), ("dark", "rgb(19, 18, 17)")])
def test_the_page_follows_the_color_scheme(window, scheme, color):
    looking = window(color_scheme=scheme).go()
    expect(looking.page.locator("html")).to_have_css("background-color", color)


def test_a_missing_photo_shows_an_error_message(window):
    looking = window()
    looking.tolerated.append("404")
    looking.go("/photos/99999999")
    expect(looking.page.get_by_text("The post does not exist")).to_be_visible()
    looking.page.get_by_role("link", name="See the photos").click()
    looking.expect_address("/")


def test_an_error_page_shows_the_signed_in_user(window, device):
    person = window("Ada", device)
    person.tolerated.append("404")
    person.go("/photos/99999999")
    expect(person.page.get_by_role("button", name="Account of Ada")).to_be_visible()
    expect(person.page.get_by_role("button", name="Sign in")).to_have_count(0)
    person.page.get_by_role("button", name="Account of Ada").click()
    person.page.get_by_role("button", name="Sign out").click()
    person.expect_address("/")


def test_relative_times_are_rounded_down(window):
    looking = window(timezone_id="Europe/Berlin").go()
    shown = looking.page.evaluate(
        """async () => {
          // The module of the page, which has the texts: its address has a hash.
          const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
          const { formatTimes } = await import(loaded.find((name) => /\\/times\\b[^/]*\\.js$/.test(name)));
          // A Wednesday, half past eight in the morning.
          Date.now = () => Date.parse("2026-07-15T06:30:00Z");
          const place = document.createElement("p");
          for (const minutes of [0.9, 1.8, 59.8, 60.5, 24 * 60 - 1, 25 * 60, 47 * 60, 6 * 24 * 60, 7 * 24 * 60 - 1]) {
            place.appendChild(document.createElement("time")).dateTime = new Date(Date.now() - minutes * 60000).toISOString();
          }
          formatTimes(place);
          return [...place.children].map((one) => one.textContent);
        }""")
    # 47 hours ago was a Monday, which is not yesterday.
    assert shown[:6] == ["just now", "1 minute ago", "59 minutes ago", "1 hour ago", "23 hours ago", "yesterday"]
    assert shown[6:] == ["2 days ago", "6 days ago", "8 July 2026"]


def test_captions_and_names_are_visible_without_a_pointer(window):
    post = (looking := window(device="phone")).kennel.post("Bob", "Rex at the lake")
    looking.go()
    about = looking.tile(post).locator(".about")
    assert about.evaluate("about => getComputedStyle(about).opacity") == "1"
    expect(about).to_contain_text("Rex at the lake")
    expect(about).to_contain_text("Bob")

def test_html_in_captions_and_comments_is_escaped(window, device):
    looking = window(device=device)
    hostile = "<img src=x onerror=\"document.title='caught'\"><b>bold</b> & \"quoted\""
    post = looking.kennel.post("Bob", hostile)
    looking.kennel.comment("Ada", post, hostile)
    looking.go()
    picture = looking.tile(post).locator(".sharp")
    assert picture.get_attribute("alt") == hostile
    dialog = looking.open(post)
    expect(dialog.get_by_role("heading", level=1)).to_have_text(hostile)
    expect(dialog.locator(".comments .text")).to_have_text(hostile)
    assert dialog.locator("b").count() == 0
    looking.go(f"/photos/{post}")
    expect(looking.page.get_by_role("heading", level=1)).to_have_text(hostile)
    looking.kennel.delete("Bob", post)
