"""Creating accounts with links, one's own account, and the people of a kennel."""

import json
import re
import subprocess

import pytest
from playwright.sync_api import expect

from kennel import PASSWORD, Kennel, program


@pytest.fixture
def family(tmp_path):
    """A closed kennel of its own, whose first start printed a link."""
    kennel = Kennel(program(), tmp_path / "family", people=(), options=())
    yield kennel
    kennel.stop()


def link_of(kennel: Kennel, *arguments: str) -> str:
    """Returns the path of a link that the command prints."""
    result = subprocess.run(
        [kennel.program, *arguments, "--quiet", "--data", str(kennel.directory)],
        stdout=subprocess.PIPE, text=True, check=True)
    return re.search(r"/join/[\w-]{43}", result.stdout)[0]


def fits(person) -> None:
    """Checks that the page is not wider than the window."""
    assert person.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def join(person, path: str, name: str, password: str = PASSWORD) -> None:
    person.go(path)
    person.page.get_by_label("Your name").fill(name)
    for field in person.page.locator("main input[type=password]").all():
        field.fill(password)
    fits(person)
    person.page.locator("main form [type=submit]").click()


@pytest.mark.parametrize("scripts", [True, False])
def test_the_first_start_makes_the_owner(family, window, device, scripts):
    person = window(device=device, kennel=family, java_script_enabled=scripts)
    person.tolerated.append("401")
    person.go()
    expect(person.page.get_by_role("heading", name="This kennel is new")).to_be_visible()
    join(person, family.first_link, "Grandma")
    expect(person.page.get_by_role("heading", name="Welcome, Grandma")).to_be_visible()
    person.expect_address("/welcome")
    fits(person)
    person.page.get_by_role("link", name="See the photos").click()
    expect(person.page.get_by_role("heading", name="No photos yet")).to_be_visible()


def test_passwords_that_differ_are_reported_at_their_field(family, window):
    person = window(device="phone", kennel=family)
    person.tolerated.append("422")
    person.go(family.first_link)
    person.page.get_by_label("Your name").fill("Grandma")
    person.page.get_by_role("main").get_by_label("Password", exact=True).fill("correct horse")
    again = person.page.get_by_label("Repeat the password")
    again.fill("correct house")
    person.page.get_by_role("button", name="Create the account").click()
    expect(again).to_be_focused()
    expect(again).to_have_accessible_description("The two passwords differ. Enter the same password twice.")
    expect(person.page.get_by_label("Your name")).to_have_value("Grandma")


def test_an_invitation_leads_a_phone_to_the_photos(window):
    owner = window("Olga").go()
    owner.page.get_by_role("button", name="Account of Olga").click()
    owner.page.get_by_role("link", name="People").click()
    owner.page.get_by_label("Viewer").check()
    owner.page.get_by_role("button", name="Make a link").click()
    link = owner.page.get_by_role("textbox", name="Link").input_value()
    expect(owner.page.get_by_role("img", name="QR code of the link")).to_be_visible()
    owner.page.get_by_role("button", name="Copy the link").click()
    expect(owner.toast("The link is copied.")).to_be_visible()
    person = window(device="phone")
    join(person, link.removeprefix(owner.kennel.address), "Vera")
    expect(person.page.get_by_role("heading", name="Welcome, Vera")).to_be_visible()
    person.page.get_by_role("link", name="See the photos").click()
    expect(person.page.locator("#grid .tile").first).to_be_visible()
    # A viewer cannot share.
    expect(person.page.get_by_role("button", name="Share")).to_have_count(0)
    post = person.kennel.post()
    person.go(f"/photos/{post}")
    person.page.get_by_role("button", name="Heart").click()
    expect(person.page.locator(".heart")).to_have_attribute("aria-pressed", "true")
    # The link works once.
    other = window(device="phone")
    other.tolerated.append("404")
    other.go(link.removeprefix(owner.kennel.address))
    expect(other.page.get_by_role("heading", name="This link does not work")).to_be_visible()


def test_a_viewer_who_drops_a_photo_reads_why_not(window, picture):
    person = window()
    join(person, link_of(person.kennel, "invite", "--role", "viewer"), "Victor")
    person.page.get_by_role("link", name="See the photos").click()
    transfer = person.page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.items.add(new File(['x'], 'a.jpg', { type: 'image/jpeg' })); "
        "return data; }")
    person.page.dispatch_event("body", "drop", {"dataTransfer": transfer})
    expect(person.toast("Ask an owner")).to_be_visible()
    expect(person.page.get_by_role("dialog", name="Share photos")).to_be_hidden()


def test_a_password_is_changed_and_others_are_signed_out(window, device):
    person = window(device=device)
    name = f"Paula {device}"
    join(person, link_of(person.kennel, "invite"), name)
    expect(person.page.get_by_role("heading", name=f"Welcome, {name}")).to_be_visible()
    other = window()
    other.context.request.post(other.kennel.address + "/session", data={"name": name, "password": PASSWORD})
    other.go("/you")
    expect(other.page.get_by_role("heading", name="Devices")).to_be_visible()
    expect(other.page.locator(".rows li")).to_have_count(2)
    person.go("/you")
    fits(person)
    person.page.get_by_label("Present password").fill(PASSWORD)
    person.page.get_by_label("New password", exact=True).fill("another horse")
    person.page.get_by_label("Repeat the new password").fill("another horse")
    person.page.get_by_role("button", name="Change the password").click()
    expect(person.page.get_by_role("status").filter(has_text="Your password is changed.")).to_be_visible()
    expect(person.page.locator(".rows li")).to_have_count(1)
    other.tolerated.append("401")
    other.go("/you")
    expect(other.page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_wrong_password_is_reported_at_its_field(window):
    person = window("Bob").go("/you")
    person.tolerated.append("422")
    field = person.page.get_by_label("Present password")
    field.fill("wrong horse")
    person.page.get_by_label("New password", exact=True).fill("another horse")
    person.page.get_by_label("Repeat the new password").fill("another horse")
    person.page.get_by_role("button", name="Change the password").click()
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description("This is not your present password.")


def test_another_device_is_signed_out(window):
    first = window()
    join(first, link_of(first.kennel, "invite"), "Simon")
    expect(first.page.get_by_role("heading", name="Welcome, Simon")).to_be_visible()
    second = window(device="phone")
    second.context.request.post(
        second.kennel.address + "/session", data={"name": "Simon", "password": PASSWORD})
    first.go("/you")
    rows = first.page.locator(".rows li")
    expect(rows).to_have_count(2)
    first.page.get_by_role("button", name=re.compile("^Sign out (?!this|all)")).click()
    expect(first.page.get_by_role("status").filter(has_text="The device is signed out.")).to_be_visible()
    expect(rows).to_have_count(1)
    second.tolerated.append("401")
    second.go("/you")
    expect(second.page.get_by_role("heading", name="Sign in")).to_be_visible()
    first.page.get_by_role("button", name="Sign out this device").click()
    first.expect_address("/")


def test_an_owner_changes_a_role_and_removes_a_person(window, device):
    name = f"Rita {device}"
    rita = window()
    join(rita, link_of(rita.kennel, "invite"), name)
    expect(rita.page.get_by_role("heading", name=f"Welcome, {name}")).to_be_visible()
    owner = window("Olga", device=device).go("/people")
    fits(owner)
    owner.page.get_by_role("link", name=f"Change {name}", exact=True).click()
    fits(owner)
    owner.page.get_by_label("Viewer").check()
    owner.page.get_by_role("button", name="Change the role").click()
    expect(owner.page.get_by_role("status").filter(has_text="The role is changed.")).to_be_visible()
    expect(owner.page.get_by_label("Viewer")).to_be_checked()
    owner.page.get_by_label(re.compile("^Remove the account of")).check()
    owner.page.get_by_role("button", name="Remove", exact=True).click()
    expect(owner.page.get_by_role("status").filter(has_text="The account is removed.")).to_be_visible()
    rita.tolerated.append("401")
    rita.go("/you")
    expect(rita.page.get_by_role("heading", name="Sign in")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False])
def test_an_owner_limits_the_space_of_a_person(window, device, scripts):
    name = f"Quentin {device} {scripts}"
    quentin = window()
    join(quentin, link_of(quentin.kennel, "invite"), name)
    expect(quentin.page.get_by_role("heading", name=f"Welcome, {name}")).to_be_visible()
    owner = window("Olga", device=device, java_script_enabled=scripts).go("/people")
    owner.tolerated.append("422")
    page = owner.page
    page.get_by_role("link", name=f"Change {name}", exact=True).click()
    size = page.get_by_label("Maximum size")
    change = page.get_by_role("button", name="Change the space")
    expect(page.get_by_role("radio", name="What everyone gets by default")).to_be_checked()
    page.get_by_role("radio", name="Up to this size").check()
    size.fill("a shelf")
    change.click()
    expect(size).to_have_accessible_description(re.compile("Use a number with a unit, such as 20 GB or 500 MB."))
    expect(size).to_have_value("a shelf")
    fits(owner)
    size.fill("1,5 GB")
    change.click()
    expect(page.get_by_role("status").filter(has_text="The space is changed.")).to_be_visible()
    expect(page.get_by_role("radio", name="Up to this size")).to_be_checked()
    expect(size).to_have_value("1.5 GB")
    fits(owner)
    # The person sees it.
    quentin.go("/you")
    expect(quentin.page.get_by_text("0 bytes of 1.5 GB")).to_be_visible()
    page.get_by_role("radio", name="As much space as there is").check()
    change.click()
    expect(page.get_by_role("radio", name="As much space as there is")).to_be_checked()
    expect(size).to_have_value("")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_picture_is_chosen_shown_and_removed(window, device, picture, scripts):
    person = window("Ada", device=device, java_script_enabled=scripts).go("/you")
    page = person.page
    shown = page.locator(".portrait .initial img")
    field = page.get_by_label("Choose a photo")
    expect(field).to_have_accessible_description(re.compile("Everyone who sees your photos"))
    expect(shown).to_have_count(0)
    seen = set()
    for number in (5, 6):
        field.set_input_files(picture(number=number))
        if scripts:
            # Before it is sent.
            expect(shown.last).to_have_attribute("src", re.compile("^blob:"))
        page.get_by_role("button", name="Use this picture").click()
        expect(page.get_by_role("status").filter(has_text="Your picture is changed.")).to_be_visible()
        expect(shown).to_have_count(1)
        address = shown.get_attribute("src")
        assert address not in seen
        seen.add(address)
        assert shown.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 256
        # In the bar, too.
        expect(page.locator(f".bar .initial img[src='{address}']:visible")).to_have_count(1)
        fits(person)
    page.get_by_role("button", name="Remove the picture").click()
    expect(shown).to_have_count(0)
    expect(page.locator(".portrait .initial")).to_have_text("A")


def test_a_file_that_is_too_large_or_no_photo_is_reported_at_its_field(window, device, picture):
    person = window("Ada", device=device).go("/you")
    person.tolerated.append("415")
    page = person.page
    field = page.get_by_label("Choose a photo")
    field.evaluate("(field) => { field.form.dataset.picture = 1000; }")
    field.set_input_files(picture(number=5))
    expect(field).to_have_accessible_description(re.compile("This file is too large. Choose a smaller one."))
    expect(page.locator(".portrait .initial")).to_have_text("A")
    assert field.input_value() == ""
    field.set_input_files(picture("dog.jpg", data=b"no dog"))
    page.get_by_role("button", name="Use this picture").click()
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(re.compile("The picture must be a photo."))


def test_a_changed_picture_is_seen_with_the_next_page(window, kennel):
    import pictures

    post = kennel.post("Bob", "Bob has a picture", 60)
    kennel.comment("Ada", post, "Nice")
    reader = window("Olga")
    seen = set()
    for number in (1, 2):
        for name in ("Bob", "Ada"):
            kennel.call(name, "PUT", "/you/picture", pictures.jpeg(number + ord(name[0]), (300, 200)), "image/jpeg")
        reader.go()
        dialog = reader.open(post)
        images = dialog.locator(".initial img")
        expect(images).to_have_count(2)
        for image in images.all():
            assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 200
            seen.add(image.get_attribute("src"))
    assert len(seen) == 4
    for path in ("/people", f"/people/{kennel.call('Bob', 'GET', '/you')['user']['id']}/photos"):
        reader.go(path)
        expect(reader.page.locator(".initial img").first).to_be_visible()
    for name in ("Bob", "Ada"):
        kennel.call(name, "DELETE", "/you/picture")


def test_an_owner_removes_a_picture(window, kennel):
    import pictures

    kennel.call("Bob", "PUT", "/you/picture", pictures.jpeg(3, (300, 200)), "image/jpeg")
    bob = next(one["id"] for one in kennel.call("Olga", "GET", "/people")["people"] if one["name"] == "Bob")
    person = window("Olga").go(f"/people/{bob}")
    person.page.get_by_role("button", name="Remove the picture").click()
    expect(person.page.get_by_role("status").filter(has_text="The picture is removed.")).to_be_visible()
    assert kennel.call("Bob", "GET", "/you")["picture"] is None


def test_the_pages_work_with_the_keyboard_and_have_labels(window):
    person = window("Olga")
    for path in ("/you", "/people", "/people/2", "/welcome"):
        person.go(path)
        assert person.page.locator("h1").count() == 1
        unlabelled = person.page.evaluate(
            "[...document.querySelectorAll('main input, main select')].filter((field) => !field.labels.length).length")
        assert unlabelled == 0, path
        person.page.keyboard.press("Tab")
        expect(person.page.get_by_role("link", name="Skip to the content")).to_be_focused()
        person.page.keyboard.press("Enter")
        expect(person.page.get_by_role("main")).to_be_focused()
        person.page.keyboard.press("Tab")
        inside = person.page.evaluate("document.activeElement.closest('main') !== null")
        assert inside, path
    person.go("/you")
    assert json.loads(person.context.request.get(
        person.kennel.address + "/you", headers={"Accept": "application/json"}).text())["user"]["name"] == "Olga"
