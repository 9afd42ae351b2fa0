"""axe-core finds no violation on any page, and larger text stays complete: for everyone, in both themes, on small and large
screens."""

import pathlib
import re
import subprocess

import axe_playwright_python
import pictures
import pytest
from chromium import launch
from kennel import PASSWORD, Kennel, program

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# All rules are checked in two of the four looks, and what depends on the look in the others too.
LOOKS = [("light", 390, None), ("dark", 1440, None), ("light", 1440, "look"), ("dark", 390, "look")]
RULES_OF_LOOKS = ["color-contrast", "link-in-text-block", "target-size"]
# Returns the elements whose text does not fit. Captions may be shortened, because they are complete on the photo's page.
CUT = """() => {
  const found = [...document.querySelectorAll("body *")].filter((one) => {
    if (!one.checkVisibility() || one.closest("svg, .about, .symbols, .skip") || getComputedStyle(one).clipPath !== "none") return false;
    if (![...one.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim())) return false;
    if (one.matches("textarea, option, select")) return false;
    const box = one.getBoundingClientRect();
    const isHidden = getComputedStyle(one).overflow !== "visible";
    return box.right > innerWidth + 1 || box.left < -1
      || (isHidden && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1));
  });
  return found.map((one) => one.outerHTML.slice(0, 160));
}"""


@pytest.fixture(scope="module")
def kennel(tmp_path_factory):
    kennel = Kennel(program(), tmp_path_factory.mktemp("kennel-for-all"), options=())
    invited = subprocess.run(
        [kennel.program, "invite", "--role", "viewer", "--quiet", "--data", str(kennel.directory)],
        stdout=subprocess.PIPE, text=True, check=True)
    kennel.join = re.search(r"/join/[\w-]{43}", invited.stdout)[0]
    kennel.call("Olga", "POST", "/people/invitations", b'{"role":"member"}', "application/json")
    found = kennel.call("Olga", "GET", "/people")
    kennel.person = next(one["id"] for one in found["people"] if one["name"] == "Ada")
    kennel.call("Olga", "POST", f"/people/{kennel.person}/role", b'{"role":"viewer"}', "application/json")
    for name in ("Ada", "Bob"):
        kennel.call(name, "PUT", "/you/picture", pictures.jpeg(len(name), (300, 200)), "image/jpeg")
    for number in range(6):
        kennel.shown = kennel.post("Bob", "A caption of a photo" if number % 2 else "", number, (300, 200))
        kennel.edit("Bob", kennel.shown, taken=f"2026-0{1 + number % 3}-10T12:00:00Z")
        kennel.comment("Bob", kennel.shown, "Sit! " * 30)
        kennel.heart("Olga", kennel.shown)
    kennel.delete("Bob", kennel.post("Bob", "In the bin", 50, (300, 200)))
    kennel.secret = kennel.call("Bob", "POST", f"/posts/{kennel.shown}/links", b"{}", "application/json")["path"]
    album = f'{{"title":"Summer","posts":[{kennel.shown}]}}'.encode()
    kennel.album = kennel.call("Bob", "POST", "/albums", album, "application/json")["id"]
    kennel.shared = kennel.call("Bob", "POST", f"/albums/{kennel.album}/links", b"{}", "application/json")["path"]
    kennel.bob = next(one["id"] for one in found["people"] if one["name"] == "Bob")
    yield kennel
    kennel.stop()


def violations(page, rules) -> list[str]:
    options = {"runOnly": rules} if rules else {}
    found = page.evaluate("(options) => axe.run(document, { ...options, resultTypes: ['violations'] })", options)
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}" for rule in found["violations"]
        for node in rule["nodes"]]


def check(person, name: str) -> list[str]:
    page = person.page
    faults: list[str] = []
    page.evaluate(AXE)
    for scheme, width, look in LOOKS:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 900})
        found = violations(page, RULES_OF_LOOKS if look else None)
        faults += [f"{name}, {scheme}, {width}: {one}" for one in found]
    return faults


PAGES = {
    "": ["/", "/join", "/s", "/shared", "/nothing"],
    # A viewer.
    "Ada": ["/photos", "/you", "/people"],
    "Bob": ["/month", "/hearts", "/deleted", "/albums", "/album", "/search?q=caption", "/search?q=nothing", "/by-bob"],
    "Olga": ["/", "/photos", "/you", "/people", "/person", "/deleted", "/welcome"],
}


def address(kennel: Kennel, page: str) -> str:
    return {
        "/join": kennel.join, "/s": kennel.secret, "/photos": f"/photos/{kennel.shown}", "/month": "/?month=2026-02",
        "/person": f"/people/{kennel.person}", "/by-bob": f"/people/{kennel.bob}/photos",
        "/album": f"/albums/{kennel.album}", "/shared": kennel.shared,
    }.get(page, page)


@pytest.mark.parametrize("name", list(PAGES))
def test_no_page_has_a_violation(window, kennel, name):
    person = window(name)
    person.tolerated += ["401", "403", "404"]
    faults: list[str] = []
    for page in PAGES[name]:
        person.go(address(kennel, page))
        faults += check(person, f"{name or 'a stranger'} at {page}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", list(PAGES))
def test_text_of_twice_the_size_is_complete(browser, kennel, name):
    # The setting of the browser, which also counts in the conditions of style sheets.
    large = launch(browser.browser_type, "--blink-settings=defaultFontSize=32")
    context = large.new_context()
    if name:
        context.request.post(kennel.address + "/session", data={"name": name, "password": PASSWORD})
    page = context.new_page()
    faults: list[str] = []
    for shown in PAGES[name]:
        page.goto(kennel.address + address(kennel, shown))
        assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            place = f"{name or 'a stranger'} at {shown}, {width}"
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                faults.append(f"{place}: the page is wider than the window")
            faults += [f"{place}: cut: {one}" for one in page.evaluate(CUT)]
    large.close()
    assert not faults, "\n".join(faults)


def test_open_dialogs_and_menus_have_no_violation(window, kennel):
    person = window("Bob").go()
    faults: list[str] = []
    person.page.get_by_role("button", name="Account of Bob").click()
    faults += check(person, "the menu")
    person.page.keyboard.press("Escape")
    person.page.locator(".months summary").click()
    faults += check(person, "the months")
    person.page.keyboard.press("Escape")
    person.page.set_viewport_size({"width": 1440, "height": 900})
    dialog = person.open(kennel.shown)
    faults += check(person, "an opened photo")
    dialog.get_by_role("button", name="Edit").click()
    faults += check(person, "the edit dialog")
    person.page.keyboard.press("Escape")
    dialog.get_by_role("button", name="Share", exact=True).click()
    faults += check(person, "the link dialog")
    person.page.keyboard.press("Escape")
    assert not faults, "\n".join(faults)
