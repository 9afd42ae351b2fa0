"""Hearts: given in one window, counted in all windows."""

import pytest
from playwright.sync_api import expect


def test_a_heart_given_in_one_window_is_counted_in_another(window, device):
    giver, watcher = window("Ada", device), window("", device)
    post = giver.kennel.post()
    watcher.go()
    giver.go()
    giver.tile(post).hover()
    giver.heart(post).click()
    expect(giver.heart(post)).to_have_attribute("aria-pressed", "true")
    expect(watcher.heart(post)).to_have_attribute("data-count", "1")
    expect(watcher.heart(post)).to_have_attribute("aria-pressed", "false")
    giver.heart(post).click()
    expect(watcher.heart(post)).to_have_attribute("data-count", "0")


def test_a_heart_is_shown_in_all_windows_of_its_user(window, device):
    first, second, other = window("Ada", device), window("Ada"), window("Bob")
    post = first.kennel.post()
    for person in (first, second, other):
        person.go()
    first.tile(post).hover()
    for given in ("true", "false"):
        first.heart(post).click()
        expect(first.heart(post)).to_have_attribute("aria-pressed", given)
        expect(second.heart(post)).to_have_attribute("aria-pressed", given)
        expect(other.heart(post)).to_have_attribute("data-count", "1" if given == "true" else "0")
        expect(other.heart(post)).to_have_attribute("aria-pressed", "false")
    dialog = second.open(post)
    first.heart(post).click()
    expect(dialog.locator(".heart")).to_have_attribute("aria-pressed", "true")


def test_a_user_who_signs_in_receives_events_of_their_own_hearts(window):
    person = window()
    post = person.kennel.post()
    person.go()
    person.page.get_by_role("button", name="Sign in").click()
    with person.page.expect_request("**/events*"):
        person.sign_in("Ada")
    expect(person.toast("Welcome, Ada.")).to_be_visible()
    person.kennel.heart("Ada", post)
    expect(person.heart(post)).to_have_attribute("aria-pressed", "true")


def test_a_late_event_of_an_earlier_heart_changes_nothing(window):
    giver = window("Ada")
    post = giver.kennel.post()
    giver.page.add_init_script(
        """const listen = EventSource.prototype.addEventListener;
        window.held = [];
        EventSource.prototype.addEventListener = function (kind, hear) {
          listen.call(this, kind, kind === "favourites" ? (event) => held.push(() => hear(event)) : hear);
        };""")
    giver.go()
    giver.tile(post).hover()
    for given in ("true", "false"):
        with giver.page.expect_response("**/favourite"):
            giver.heart(post).click()
        expect(giver.heart(post)).to_have_attribute("aria-pressed", given)
    giver.page.wait_for_function("held.length === 2")
    for number in range(2):
        giver.page.evaluate("(number) => held[number]()", number)
        expect(giver.heart(post)).to_have_attribute("aria-pressed", "false")
        expect(giver.heart(post)).to_have_attribute("data-count", "0")


def test_an_open_photo_and_its_tile_show_the_same_count(window):
    watcher = window()
    post = watcher.kennel.post()
    watcher.go()
    dialog = watcher.open(post)
    expect(dialog.locator(".heart .count")).to_have_text("0")
    for number, person in enumerate(["Ada", "Bob", "Olga"], start=1):
        watcher.kennel.heart(person, post)
        expect(dialog.locator(".heart .count")).to_have_text(str(number))
    expect(watcher.heart(post)).to_have_attribute("data-count", "3")


@pytest.mark.parametrize("taps, sent", [(7, ["PUT"]), (8, ["PUT", "DELETE"])])
def test_many_quick_taps_end_in_the_last_state(window, taps, sent):
    giver, watcher = window("Ada"), window()
    post = giver.kennel.post()
    giver.page.add_init_script(
        """const ask = fetch;
        window.asked = [];
        window.fetch = async (address, options) => {
          if (String(address).endsWith("/favourite")) {
            asked.push(options.method);
            await new Promise((resolve) => { window.releaseRequest = resolve; });
          }
          return ask(address, options);
        };""")
    watcher.go()
    giver.go()
    giver.tile(post).hover()
    for _ in range(taps):
        giver.heart(post).click()
    # All taps happen while the first request is waiting.
    for number, method in enumerate(sent, start=1):
        giver.page.wait_for_function("(number) => asked.length === number", arg=number)
        assert giver.page.evaluate("asked.at(-1)") == method
        giver.page.evaluate("releaseRequest()")
        expect(watcher.heart(post)).to_have_attribute("data-count", "1" if method == "PUT" else "0")
    is_given = "true" if taps % 2 else "false"
    expect(giver.heart(post)).to_have_attribute("aria-pressed", is_given)
    expect(giver.heart(post)).to_have_attribute("data-count", str(taps % 2))
    assert giver.page.evaluate("asked") == sent
    giver.page.reload()
    expect(giver.heart(post)).to_have_attribute("aria-pressed", is_given)


def test_a_heart_that_fails_to_send_is_undone_and_reported(window):
    giver = window("Ada")
    giver.tolerated.append("ERR_FAILED")
    post = giver.kennel.post()
    giver.go()
    giver.page.route("**/favourite", lambda route: route.abort())
    giver.tile(post).hover()
    giver.heart(post).click()
    expect(giver.toast("cannot be reached")).to_be_visible()
    expect(giver.heart(post)).to_have_attribute("aria-pressed", "false")
    expect(giver.heart(post)).to_have_attribute("data-count", "0")


def test_the_hearts_page_shows_the_photos_with_a_heart(window):
    giver = window("Olga")
    liked, other = giver.kennel.post(caption="Liked"), giver.kennel.post(caption="Not yet")
    giver.kennel.heart("Olga", liked)
    giver.go()
    giver.page.get_by_role("link", name="Hearts").click()
    expect(giver.tile(liked)).to_be_visible()
    expect(giver.tile(other)).to_have_count(0)


def test_the_hearts_page_asks_visitors_to_sign_in(window):
    person = window().go("/hearts")
    expect(person.page.get_by_text("Sign in to see the photos that you gave a heart.")).to_be_visible()


def test_reduced_motion_disables_animations(window):
    calm, lively = window("Ada", reduced_motion="reduce"), window("Bob", reduced_motion="no-preference")
    post = calm.kennel.post()
    for person in (calm, lively):
        person.page.add_init_script(
            "window.motions = 0; addEventListener('animationstart', () => window.motions++, true)")
        person.go()
        person.tile(post).hover()
        person.heart(post).click()
        expect(person.heart(post)).to_have_attribute("aria-pressed", "true")
    expect(calm.heart(post)).to_have_attribute("data-count", "2")
    expect(lively.heart(post)).to_have_attribute("data-count", "2")
    # The start of an animation is reported with its first frame, which may come after the count.
    lively.page.wait_for_function("window.motions > 0")
    calm.page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert calm.page.evaluate("window.motions") == 0
