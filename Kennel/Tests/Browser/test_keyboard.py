"""The page can be used with the keyboard only."""

from playwright.sync_api import expect


def test_from_the_first_tab_to_a_heart_and_a_comment(window):
    person = window()
    post = person.kennel.post("Bob", "By keyboard")
    person.go()
    keys = person.page.keyboard
    keys.press("Tab")
    expect(person.page.get_by_role("link", name="Skip to the photos")).to_be_focused()
    expect(person.page.get_by_role("link", name="Skip to the photos")).to_be_in_viewport()
    keys.press("Tab")
    expect(person.page.get_by_role("link", name="Kennel")).to_be_focused()
    for name in ("Photos", "Albums"):
        keys.press("Tab")
        expect(person.page.get_by_role("navigation", name="Pages").get_by_role("link", name=name)).to_be_focused()
    keys.press("Tab")
    expect(person.page.get_by_role("searchbox", name="Search photos")).to_be_focused()
    keys.press("Tab")
    expect(person.page.get_by_role("button", name="Search")).to_be_focused()
    keys.press("Tab")
    expect(person.page.get_by_role("button", name="Sign in")).to_be_focused()
    keys.press("Enter")
    keys.type("Ada")
    keys.press("Tab")
    keys.type("correct horse")
    keys.press("Enter")
    expect(person.toast("Welcome, Ada.")).to_be_visible()

    person.page.reload()
    keys.press("Tab")
    keys.press("Enter")
    expect(person.page.get_by_role("main")).to_be_focused()
    keys.press("Tab")
    expect(person.tile(post).locator(".open")).to_be_focused()
    keys.press("Tab")
    expect(person.heart(post)).to_be_focused()
    keys.press("Space")
    expect(person.heart(post)).to_have_attribute("aria-pressed", "true")
    keys.press("Shift+Tab")
    keys.press("Enter")
    dialog = person.page.locator("#lightbox")
    expect(dialog.get_by_role("heading", name="By keyboard")).to_be_visible()
    comment = dialog.get_by_label("Your comment")
    for _ in range(8):
        if comment.evaluate("(field) => field === document.activeElement"):
            break
        keys.press("Tab")
    expect(comment).to_be_focused()
    keys.type("Typed, not clicked")
    keys.press("Enter")
    expect(dialog.locator(".comments .text")).to_have_text("Typed, not clicked")
    # Other users may see the comment before its writer receives the response.
    expect(comment).to_be_empty()
    keys.press("Escape")
    expect(dialog).to_be_hidden()
    expect(person.tile(post).locator(".open")).to_be_focused()


def test_the_focused_element_has_an_outline(window):
    person = window("Ada").go()
    for _ in range(8):
        person.page.keyboard.press("Tab")
        outline = person.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"


def test_every_control_has_an_accessible_name(window):
    person = window("Ada")
    post = person.kennel.post("Ada", "")
    person.kennel.comment("Ada", post, "Hello")
    person.go()
    person.open(post)
    nameless = person.page.evaluate(
        """() => [...document.querySelectorAll("a, button, input, textarea, img, dialog, nav")].filter((one) => {
          if (!one.checkVisibility() || one.matches("img[alt='']")) return false;
          if (one.matches("dialog")) {
            return !one.ariaLabel && !document.getElementById(one.getAttribute("aria-labelledby"))?.textContent
              && one.open;
          }
          return !(one.ariaLabel || one.alt || one.textContent.trim() || one.labels?.length
            || one.querySelector("img[alt]:not([alt=''])"));
        }).map((one) => one.outerHTML.slice(0, 120))""")
    assert nameless == []
    ids = person.page.evaluate("[...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
