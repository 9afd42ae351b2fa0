"""Sharing goes on after a cut connection and after a reload: nothing is sent twice, and no caption is lost."""

import dataclasses
import subprocess
import urllib.parse

import pictures
import pytest
from kennel import Kennel, program
from playwright.sync_api import expect
from test_accessibility import AXE, LOOKS, RULES_OF_LOOKS, violations
from test_privacy import fetch
from test_sharing import choose, network, slow


@pytest.fixture
def kennel(tmp_path):
    """A kennel of its own, because its server is killed."""
    kennel = Kennel(program(), tmp_path / "kennel")
    yield kennel
    kennel.stop()


def large(picture, count: int):
    # Slowed down, even two take 25 s, so that the next step of a test comes before their end on a busy machine too.
    return [picture(f"{number}.png", data=pictures.noise(500 + number, 500)) for number in range(count)]


def captions(kennel) -> list[str]:
    return sorted(post["caption"] for post in kennel.posts())


def write_captions(dialog, count: int) -> list[str]:
    written = [f"Caption {number}" for number in range(count)]
    for number, caption in enumerate(written):
        dialog.get_by_label(f"Caption for {number}.png").fill(caption)
    return written


def begin_slowly(person, dialog, count: int):
    """Begins to share photos over a slow connection, and waits until some bytes have arrived."""
    line = network(person)
    slow(line, 60_000)
    dialog.get_by_role("button", name=f"Share {count} photos").click()
    bar = dialog.get_by_role("progressbar", name="Uploading 0.png").element_handle()
    person.page.wait_for_function("(bar) => bar.value > 0.1", arg=bar)
    return line


def kept(person, count: int) -> None:
    """Waits until the browser keeps a number of photos."""
    person.page.wait_for_function(
        """(count) => new Promise((resolve) => {
          indexedDB.open("kennel-uploads").onsuccess = ({ target: { result } }) => {
            const counting = result.transaction("files").objectStore("files").count();
            counting.onsuccess = () => { result.close(); resolve(counting.result === count); };
          };
        })""", arg=count)


def test_a_file_that_cannot_be_read_any_more_is_named(window, tmp_path):
    person = window("Ada")
    person.tolerated.append("net::ERR_FILE_NOT_FOUND")
    # Without this, the page reads the file before it sends it.
    person.page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
    person.go()
    file = tmp_path / "gone.png"
    file.write_bytes(pictures.noise(100, 1))
    dialog = choose(person, file)
    file.unlink()
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog.get_by_text("“gone.png” cannot be read any more. Choose it again.")).to_be_visible()


def test_a_killed_server_receives_the_rest(kennel, window, device, picture):
    person = window("Ada", device)
    person.tolerated.append("net::ERR_")
    person.go()
    dialog = choose(person, *large(picture, 5))
    written = write_captions(dialog, 5)
    line = begin_slowly(person, dialog, 5)
    # Several are sent at the same time, but not all.
    expect(dialog.get_by_role("progressbar", name="Uploading")).to_have_count(3)
    person.kennel.stop()
    expect(dialog.get_by_text("The connection was lost. Trying again…")).to_have_count(3)
    slow(line, -1)
    person.kennel.start(urllib.parse.urlsplit(person.kennel.address).port)
    expect(person.toast("Your 5 photos are shared.")).to_be_visible()
    expect(dialog).to_be_hidden()
    assert captions(person.kennel) == written


def test_sharing_goes_on_after_a_reload(kennel, window, device, picture):
    person = window("Ada", device)
    person.tolerated.append("net::ERR_")
    person.go()
    sent: list[int] = []
    person.page.on("request", lambda one: sent.append(int(one.headers["upload-offset"])) if one.method == "PATCH" else None)
    dialog = choose(person, *large(picture, 4))
    written = write_captions(dialog, 4)
    dialog.get_by_label("Others also get the camera data").check()
    line = begin_slowly(person, dialog, 4)
    sent.clear()
    person.page.reload()
    expect(dialog).to_be_visible()
    # What had arrived is not sent again.
    expect(dialog.get_by_role("progressbar", name="Uploading 0.png")).not_to_have_js_property("value", 0)
    assert sent and sent[0] > 0
    expect(dialog.get_by_label("Caption for 3.png")).to_have_value("Caption 3")
    expect(dialog.get_by_label("Others also get the camera data")).to_be_checked()
    slow(line, -1)
    expect(person.toast("Your 4 photos are shared.")).to_be_visible()
    assert captions(person.kennel) == written
    kept(person, 0)
    # Nothing is left for another start.
    person.page.reload()
    expect(person.page.locator("#grid .tile")).to_have_count(4)
    expect(dialog).to_be_hidden()


def test_photos_that_were_stopped_wait_for_the_person_after_a_reload(kennel, window, picture):
    person = window("Ada").go()
    dialog = choose(person, *large(picture, 2))
    write_captions(dialog, 2)
    line = begin_slowly(person, dialog, 2)
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog.get_by_role("progressbar")).to_have_count(0)
    slow(line, -1)
    person.page.reload()
    expect(dialog.get_by_label("Caption for 1.png")).to_have_value("Caption 1")
    # Another window does not take them away.
    other = person.context.new_page()
    other.goto(person.kennel.address)
    expect(other.locator("#upload")).to_be_hidden()
    person.page.bring_to_front()
    dialog.get_by_role("button", name="Cancel").click()
    person.page.get_by_role("alertdialog").get_by_role("button", name="Discard").click()
    expect(dialog).to_be_hidden()
    kept(person, 0)
    person.page.reload()
    expect(person.page.get_by_role("heading", name="No photos yet")).to_be_visible()
    expect(dialog).to_be_hidden()


def test_photos_of_two_windows_keep_their_choice_about_the_camera_data(kennel, window, picture):
    person = window("Ada")
    person.tolerated.append("net::ERR_")
    other = dataclasses.replace(person, page=person.context.new_page())
    for number, (one, name) in enumerate(((person, "shared"), (other, "private"))):
        one.go()
        dialog = choose(one, picture(f"{name}.jpg", data=pictures.camera(number)))
        dialog.get_by_label(f"Caption for {name}.jpg").fill(name)
        dialog.get_by_label("Others also get the camera data").set_checked(name == "shared")
        # The bytes are never sent.
        one.page.route("**/uploads/*", lambda route: None)
        with one.page.expect_request(lambda sent: sent.method == "PATCH"):
            dialog.get_by_role("button", name="Share", exact=True).click()
    kept(other, 2)
    for one in (other, person):
        one.page.close()
    person = dataclasses.replace(person, page=person.context.new_page()).go()
    expect(person.toast("Your 2 photos are shared.")).to_be_visible()
    for post in kennel.posts():
        photo = fetch(f"{kennel.address}/posts/{post['id']}/photo")
        assert (b"SecretCam" in photo) == (post["caption"] == "shared")
    assert captions(kennel) == ["private", "shared"]


def test_an_upload_that_exceeds_the_quota_at_its_end_is_removed(kennel, window, picture):
    person = window("Ada")
    person.tolerated.append("413")
    person.go()

    def limit(route) -> None:
        if route.request.method == "PATCH":
            # The upload was begun while there was room.
            subprocess.run(
                [kennel.program, "quota", "Ada", "1kB", "--quiet", "--data", str(kennel.directory)],
                stdout=subprocess.DEVNULL, check=True)
        route.continue_()

    person.page.route("**/uploads/*", limit)
    dialog = choose(person, picture())
    with person.page.expect_response(lambda answer: answer.request.method == "DELETE") as removed:
        dialog.get_by_role("button", name="Share", exact=True).click()
    assert removed.value.status == 204
    expect(dialog.locator(".failed .state")).to_contain_text("There is no room for this photo")
    expect(dialog.get_by_role("button", name="Share")).to_be_disabled()
    kept(person, 0)


def test_what_became_of_many_photos_is_said(kennel, window, device, picture):
    known = [pictures.jpeg(number, (120, 80)) for number in range(3)]
    person = window("Ada", device)
    person.tolerated += ["409", "415"]
    person.go()
    for bytes in known:
        person.kennel.call("Bob", "POST", "/posts", bytes, "image/jpeg")
    photos = [picture(f"known-{number}.jpg", data=bytes) for number, bytes in enumerate(known)]
    photos += [picture(f"{number}.jpg", data=pictures.jpeg(number, (120, 80))) for number in range(6)]
    sizes: list[str] = []
    person.page.on("request", lambda one: sizes.append(one.url) if one.method == "PATCH" else None)
    dialog = choose(person, *photos, picture("fake.jpg", data=b"Walk at nine"))
    dialog.get_by_role("button", name="Share 10 photos").click()
    expect(dialog.locator(".total [role=status]")).to_have_text("6 of 10 shared, 3 were already here, 1 failed.")
    expect(dialog.locator(".chosen li")).to_have_count(4)
    # The bytes of photos that are already here are not sent.
    assert len(set(sizes)) == 7
    person.page.evaluate(AXE)
    faults: list[str] = []
    for scheme, width, look in LOOKS:
        person.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        person.page.set_viewport_size({"width": width, "height": 900})
        faults += violations(person.page, RULES_OF_LOOKS if look else None)
    assert not faults, "\n".join(faults)
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()


def test_many_photos_are_shared_with_the_keyboard(kennel, window, picture):
    person = window("Ada").go()
    dialog = choose(person, *[picture(f"{number}.jpg", number) for number in range(3)])
    expect(dialog.get_by_label("Caption for 0.jpg")).to_be_focused()
    person.page.keyboard.type("The first")
    for _ in range(2):
        person.page.keyboard.press("Tab")
        person.page.keyboard.press("Tab")
    expect(dialog.get_by_label("Caption for 2.jpg")).to_be_focused()
    share = dialog.get_by_role("button", name="Share 3 photos")
    for _ in range(10):
        person.page.keyboard.press("Tab")
        if share.evaluate("(one) => one === document.activeElement"):
            break
    person.page.keyboard.press("Enter")
    expect(person.toast("Your 3 photos are shared.")).to_be_visible()
    assert [post["caption"] for post in person.kennel.posts()] == ["", "", "The first"]
