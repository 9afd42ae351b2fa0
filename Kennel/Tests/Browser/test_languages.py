"""The page in German: what scripts show, the layout with longer words, and the choice of a person."""

import pytest
from playwright.sync_api import expect

from kennel import Kennel, program
from test_accessibility import AXE, violations

# Words of the English page that no German text contains.
ENGLISH = [
    "Sign in", "Sign out", "Photos", "Albums", "Share", "Cancel", "Close", "Choose", "Caption", "Comments", "Your", "the ",
    "Heart", "Months", "Delete", "Search", "People", "Password", "Select", "Account", "ago",
]


@pytest.fixture(scope="module")
def family(tmp_path_factory):
    kennel = Kennel(program(), tmp_path_factory.mktemp("family"))
    for number in range(4):
        kennel.shown = kennel.post("Ada", "Rex" if number else "", number, (300, 200))
        kennel.edit("Ada", kennel.shown, taken=f"2026-0{1 + number % 2}-10T12:00:00Z")
    kennel.comment("Bob", kennel.shown, "Schön!")
    kennel.album = kennel.call(
        "Ada", "POST", "/albums", f'{{"title":"Sommer","posts":[{kennel.shown}]}}'.encode(), "application/json")["id"]
    yield kennel
    kennel.stop()


def english_on(page) -> list[str]:
    """Returns the English words on a page: in visible texts, and in what screen readers read."""
    shown = page.evaluate("""() => [document.title, document.body.innerText, ...[...document.querySelectorAll("*")].flatMap((one) =>
      [one.ariaLabel, one.placeholder, one.title, one.alt])].filter((text) => typeof text === "string").join("\\n")""")
    return [word for word in ENGLISH if word in shown]


def is_fine(person) -> None:
    page = person.page
    expect(page.locator("html")).to_have_attribute("lang", "de")
    assert english_on(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate(AXE)
    assert violations(page, None) == []


def test_the_pages_are_german(family, window, device):
    person = window("Olga", device=device, kennel=family, locale="de-DE", reduced_motion="reduce")
    for path in [
        "/", f"/photos/{family.shown}", "/albums", f"/albums/{family.album}", "/hearts", "/search", "/deleted", "/you", "/people",
    ]:
        person.go(path)
        person.page.wait_for_load_state("networkidle")
        is_fine(person)
    person.go()
    expect(person.page.get_by_role("heading", name="Februar 2026")).to_be_visible()


def test_dialogs_and_messages_are_german(family, window, device, picture):
    person = window("Ada", device=device, kennel=family, locale="de-DE", reduced_motion="reduce")
    page = person.page
    person.go()
    page.locator("#upload-files").set_input_files([picture("eins.jpg", 21), picture("zwei.jpg", 22)])
    dialog = page.get_by_role("dialog", name="Fotos teilen")
    expect(dialog.get_by_role("button", name="2 Fotos teilen")).to_be_enabled()
    is_fine(person)
    dialog.get_by_role("button", name="2 Fotos teilen").click()
    expect(person.toast("Deine 2 Fotos sind geteilt.")).to_be_visible()
    page.locator("#grid .open").first.click()
    expect(page.locator("#lightbox .when")).to_contain_text("Geteilt: gerade eben")
    page.locator("#lightbox [data-share]").click()
    page.get_by_role("button", name="Link erstellen").click()
    expect(page.locator("#links li").first).to_contain_text("gilt bis zum")
    is_fine(person)
    page.locator("#links [data-close]").click()
    page.locator("#lightbox [data-delete-post]").click()
    expect(page.get_by_role("heading", name="Dieses Foto löschen?")).to_be_visible()
    page.get_by_role("button", name="Abbrechen").click()


def test_signing_in_is_german(family, window, device):
    person = window(device=device, kennel=family, locale="de-AT", reduced_motion="reduce")
    person.tolerated.append("401")
    person.go()
    person.page.get_by_role("button", name="Anmelden").click()
    dialog = person.page.get_by_role("dialog", name="Anmelden")
    dialog.get_by_label("Name").fill("Ada")
    dialog.get_by_label("Passwort").fill("falsch")
    dialog.get_by_role("button", name="Anmelden").click()
    expect(dialog.get_by_role("alert")).to_have_text("Der Name oder das Passwort ist falsch.")
    is_fine(person)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_person_chooses_the_language(family, window, scripts):
    person = window("Bob", device="phone", kennel=family, java_script_enabled=scripts)
    person.go("/you")
    person.page.get_by_label("The language of the pages, for you.").select_option("Deutsch")
    person.page.get_by_role("button", name="Change the language").click()
    expect(person.page.get_by_role("status").filter(has_text="Die Sprache ist geändert.")).to_be_visible()
    person.go("/")
    expect(person.page.get_by_role("heading", name="Fotos", exact=True)).to_be_visible()
    person.go("/you")
    person.page.get_by_label("Die Sprache der Seiten, für dich.").select_option("Wie im Browser")
    person.page.get_by_role("button", name="Sprache ändern").click()
    expect(person.page.get_by_role("heading", name="You", exact=True)).to_be_visible()
