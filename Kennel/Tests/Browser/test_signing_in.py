"""Signing in and out."""

from playwright.sync_api import expect


def test_signing_in_and_out(window, device):
    person = window(device=device).go()
    person.page.get_by_role("button", name="Sign in").click()
    person.sign_in("Ada")
    expect(person.toast("Welcome, Ada.")).to_be_visible()
    expect(person.page.get_by_role("button", name="Share")).to_be_visible()
    person.page.get_by_role("button", name="Account of Ada").click()
    person.page.get_by_role("button", name="Sign out").click()
    expect(person.page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(person.page.get_by_role("button", name="Share")).to_have_count(0)


def test_a_wrong_password_is_reported_and_can_be_corrected(window):
    person = window()
    person.tolerated.append("401")
    person.go()
    person.page.get_by_role("button", name="Sign in").click()
    person.sign_in("Ada", "wrong")
    dialog = person.page.get_by_role("dialog", name="Sign in")
    expect(dialog.get_by_role("alert")).not_to_be_empty()
    expect(dialog.get_by_label("Password")).to_be_focused()
    person.sign_in("Ada")
    expect(dialog).to_be_hidden()


def test_a_heart_is_given_after_signing_in(window):
    person = window()
    post = person.kennel.post()
    person.go()
    person.tile(post).hover()
    person.heart(post).click()
    expect(person.page.get_by_text("Sign in to give a heart.")).to_be_visible()
    person.sign_in("Ada")
    expect(person.heart(post)).to_have_attribute("aria-pressed", "true")
    expect(person.heart(post)).to_have_attribute("data-count", "1")


def test_closing_the_sign_in_dialog_changes_nothing(window):
    person = window()
    post = person.kennel.post()
    person.go()
    person.tile(post).hover()
    person.heart(post).click()
    person.page.keyboard.press("Escape")
    expect(person.page.get_by_role("dialog", name="Sign in")).to_be_hidden()
    expect(person.heart(post)).to_have_attribute("aria-pressed", "false")
