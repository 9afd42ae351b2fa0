"""Searching, the photos of a person, and the address of a feed."""

import re
import urllib.error
import urllib.request
import xml.etree.ElementTree

import pytest
from kennel import Kennel, program
from playwright.sync_api import expect

CAPTIONS = ["Rex at the lake", "Luna asleep", "Rex & Luna", "Café"]


@pytest.fixture(scope="module")
def kennel(tmp_path_factory):
    """A kennel of its own, whose words only these tests use. Ada has shared more than one page of photos."""
    kennel = Kennel(program(), tmp_path_factory.mktemp("kennel-to-search"))
    for number, caption in enumerate(CAPTIONS):
        kennel.post("Bob", caption, number, (300, 200))
    for number in range(33):
        kennel.post("Ada", f"Puppy {number}", 100 + number, (300, 200))
    yield kennel
    kennel.stop()


def captions(window) -> list[str]:
    return [one.get_attribute("alt") for one in window.page.locator("#grid > .tile .sharp").all()]


def search(window, text: str, device: str) -> None:
    if device == "phone":
        window.page.get_by_role("link", name="Search", exact=True).click()
    field = window.page.get_by_role("searchbox", name="Search photos")
    field.fill(text)
    field.press("Enter")
    window.page.wait_for_url(re.compile("/search\\?q="))


@pytest.mark.parametrize("scripts", [True, False])
def test_a_search_finds_photos_by_their_words(window, device, scripts):
    looking = window(device=device, java_script_enabled=scripts).go()
    search(looking, "rex", device)
    assert captions(looking) == ["Rex & Luna", "Rex at the lake"]
    field = looking.page.get_by_role("searchbox", name="Search photos")
    expect(field).to_have_count(1)
    expect(field).to_have_value("rex")
    field.fill("cafe bob")
    looking.page.get_by_role("button", name="Search").click()
    expect(field).to_have_value("cafe bob")
    assert captions(looking) == ["Café"]


def test_a_change_by_others_keeps_what_is_typed_into_the_search_field(window):
    looking = window("Ada").go()
    field = looking.page.get_by_role("searchbox", name="Search photos")
    field.fill("half a wo")
    post = looking.kennel.post("Bob", "Before", 90, (300, 200))
    looking.kennel.edit("Bob", post, caption="After")
    looking.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(looking.tile(post).locator(".sharp")).to_have_attribute("alt", "After")
    expect(field).to_have_value("half a wo")
    expect(field).to_be_focused()
    looking.kennel.call("Bob", "DELETE", f"/posts/{post}")


def test_a_search_without_results_says_what_can_be_found(window, device):
    looking = window("Ada", device=device).go()
    search(looking, "\" OR * NEAR( <b>", device)
    expect(looking.page.get_by_role("heading", name="Nothing found")).to_be_visible()
    assert looking.page.evaluate("document.documentElement.scrollWidth") <= looking.page.viewport_size["width"]
    looking.go("/search")
    expect(looking.page.get_by_role("heading", name="Find photos")).to_be_visible()


def test_more_results_are_loaded_while_scrolling_and_photos_open(window, device):
    looking = window("Ada", device=device).go("/search?q=puppy")
    looking.page.wait_for_function(
        "() => { scrollTo(0, document.body.scrollHeight); return !document.querySelector('.older'); }")
    assert captions(looking) == [f"Puppy {number}" for number in reversed(range(33))]
    looking.open(5)
    looking.page.keyboard.press("Escape")
    looking.expect_address("/search?q=puppy")


def test_the_name_on_a_photo_leads_to_the_photos_of_the_person(window, device):
    looking = window("Ada", device=device).go("/search?q=lake")
    looking.open(1).get_by_role("link", name="Bob", exact=True).click()
    expect(looking.page.get_by_role("heading", name="Photos by Bob")).to_be_visible()
    assert captions(looking) == list(reversed(CAPTIONS))
    looking.page.go_back()
    expect(looking.page.locator("article.photo")).to_have_attribute("data-post", "1")


def test_the_address_of_a_feed_is_made_copied_and_ended(window, device):
    own = window("Ada", device=device, permissions=["clipboard-read", "clipboard-write"]).go("/you")
    own.page.get_by_role("button", name="Make an address").click()
    address = own.page.get_by_label("Address").input_value()
    own.page.get_by_role("button", name="Copy the address").click()
    expect(own.toast("copied")).to_be_visible()
    assert own.page.evaluate("navigator.clipboard.readText()") == address
    with urllib.request.urlopen(address) as answer:
        feed = xml.etree.ElementTree.fromstring(answer.read())
    titles = [one.text for one in feed.iter("{http://www.w3.org/2005/Atom}title")]
    assert titles[1:] == [f"Puppy {number}" for number in reversed(range(3, 33))]
    own.go("/you")
    own.page.get_by_role("button", name="Turn off the feed").click()
    expect(own.page.get_by_role("status").filter(has_text="The feed is turned off")).to_be_visible()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(address)
