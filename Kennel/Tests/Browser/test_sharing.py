"""Sharing photos: choosing, dropping and pasting them; captions, progress and cancelling."""

import base64

import pictures
import pytest
from playwright.sync_api import expect


def choose(person, *paths):
    with person.page.expect_file_chooser() as chooser:
        person.page.get_by_role("button", name="Share").first.click()
    chooser.value.set_files([str(path) for path in paths])
    return person.page.get_by_role("dialog", name="Share photos")


def network(person):
    return person.context.new_cdp_session(person.page)


def slow(session, bytes_a_second: int) -> None:
    session.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes_a_second})


def carry(person, event: str, data: bytes, name: str) -> None:
    """Simulates dropping or pasting a file."""
    person.page.evaluate(
        """([event, data, name]) => {
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          const transfer = new DataTransfer();
          transfer.items.add(new File([bytes], name, { type: "image/jpeg" }));
          const options = { bubbles: true, cancelable: true };
          if (event === "paste") {
            document.body.dispatchEvent(new ClipboardEvent(event, { ...options, clipboardData: transfer }));
          } else {
            document.body.dispatchEvent(new DragEvent(event, { ...options, dataTransfer: transfer }));
          }
        }""", [event, base64.b64encode(data).decode(), name])


def test_a_chosen_photo_is_shared_with_a_caption(window, device, picture):
    person, watcher = window("Ada", device).go(), window("", device).go()
    dialog = choose(person, picture())
    expect(dialog.locator(".preview img")).to_be_visible()
    dialog.get_by_label("Caption for dog.jpg").fill("Fresh from the <bath> & dry")
    dialog.get_by_role("button", name="Share").click()
    expect(person.toast("Your photo is shared.")).to_be_visible()
    expect(dialog).to_be_hidden()
    newest = person.kennel.posts()[0]
    assert newest["caption"] == "Fresh from the <bath> & dry"
    assert newest["author"] == "Ada"
    expect(person.page.locator("#grid > .tile").first).to_have_attribute("data-post", str(newest["id"]))
    # The grids of other users do not move until they click.
    watcher.page.get_by_role("button", name="1 new photo").click()
    expect(watcher.page.locator("#grid > .tile").first).to_have_attribute("data-post", str(newest["id"]))
    expect(watcher.page.get_by_role("button", name="new photo")).to_be_hidden()


def test_the_caption_is_not_in_an_address(window, picture):
    person = window("Ada").go()
    addresses = []
    person.page.on("request", lambda request: addresses.append(request.url))
    dialog = choose(person, picture())
    caption = "Гав! " * 399 + "Гав"
    dialog.get_by_label("Caption for dog.jpg").fill(caption)
    dialog.get_by_role("button", name="Share").click()
    expect(person.toast("Your photo is shared.")).to_be_visible()
    assert person.kennel.posts()[0]["caption"] == caption
    assert max(map(len, addresses)) < 200


def test_progress_is_shown_while_a_photo_is_sent(window, picture):
    person = window("Ada").go()
    dialog = choose(person, picture("large.png", data=pictures.noise(600, 400)))
    line = network(person)
    slow(line, 50_000)
    dialog.get_by_role("button", name="Share").click()
    progress = dialog.get_by_role("progressbar", name="Uploading large.png")
    expect(progress).to_be_visible()
    expect(progress).not_to_have_js_property("value", 0)
    assert 0 < progress.evaluate("(bar) => bar.value") < 1
    slow(line, -1)
    expect(person.toast("Your photo is shared.")).to_be_visible()


def test_an_upload_can_be_stopped_and_restarted(window, picture):
    person = window("Ada").go()
    before = person.kennel.posts()[0]["id"]
    dialog = choose(person, picture("large.png", data=pictures.noise(600, 400)))
    line = network(person)
    slow(line, 50_000)
    dialog.get_by_role("button", name="Share").click()
    expect(dialog.get_by_role("progressbar")).to_be_visible()
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog.get_by_role("progressbar")).to_be_hidden()
    assert person.kennel.posts()[0]["id"] == before
    slow(line, -1)
    dialog.get_by_role("button", name="Share").click()
    expect(person.toast("Your photo is shared.")).to_be_visible()


def test_photos_are_dropped_and_pasted(window):
    person = window("Ada").go()
    dialog = person.page.get_by_role("dialog", name="Share photos")
    carry(person, "dragenter", pictures.jpeg(1, (300, 200)), "dropped.jpg")
    expect(person.page.get_by_text("Drop photos to share them")).to_be_visible()
    carry(person, "drop", pictures.jpeg(1, (300, 200)), "dropped.jpg")
    expect(person.page.get_by_text("Drop photos to share them")).to_be_hidden()
    expect(dialog.get_by_label("Caption for dropped.jpg")).to_be_focused()
    carry(person, "paste", pictures.jpeg(2, (300, 200)), "pasted.jpg")
    expect(dialog.locator(".chosen li")).to_have_count(2)
    dialog.get_by_role("button", name="Remove dropped.jpg").click()
    expect(dialog.locator(".chosen li")).to_have_count(1)
    dialog.get_by_role("button", name="Share").click()
    expect(person.toast("Your photo is shared.")).to_be_visible()


def test_several_photos_each_have_a_caption(window, picture):
    person = window("Ada").go()
    dialog = choose(person, picture("one.jpg", 1), picture("two.jpg", 2))
    dialog.get_by_label("Caption for one.jpg").fill("The first")
    dialog.get_by_label("Caption for two.jpg").fill("The second")
    dialog.get_by_role("button", name="Share 2 photos").click()
    expect(person.toast("Your 2 photos are shared.")).to_be_visible()
    assert [post["caption"] for post in person.kennel.posts()[:2]] == ["The second", "The first"]


def test_a_photo_that_is_already_shared_is_skipped_or_shared_again(window, device, picture):
    person = window("Ada", device)
    person.tolerated.append("409")
    person.go()
    known = pictures.jpeg(21, (300, 200))
    first = person.kennel.call("Bob", "POST", "/posts", known, "image/jpeg")["id"]
    dialog = choose(person, picture("known.jpg", data=known), picture("new.jpg"))
    dialog.get_by_role("button", name="Share 2 photos").click()
    expect(person.toast("Your photo is shared.")).to_be_visible()
    expect(dialog.locator(".chosen li")).to_have_count(1)
    expect(dialog.locator(".state")).to_contain_text("Already shared.")
    expect(dialog.get_by_role("link", name="See it")).to_have_attribute("href", f"/photos/{first}")
    expect(dialog.get_by_role("button", name="Share", exact=True)).to_be_disabled()
    dialog.get_by_role("button", name="Share it again").click()
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog).to_be_hidden()
    newest = person.kennel.posts()[0]
    assert newest["author"] == "Ada" and newest["id"] > first


def test_a_known_photo_leaves_no_upload_without_https(window, picture):
    person = window("Ada")
    person.tolerated.append("409")
    # Over plain HTTP, browsers cannot compute the hash, so all bytes are sent before the photo is known.
    person.context.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', { value: undefined })")
    person.go()
    known = pictures.jpeg(22, (300, 200))
    first = person.kennel.call("Bob", "POST", "/posts", known, "image/jpeg")["id"]
    dialog = choose(person, picture("known.jpg", data=known))
    with person.page.expect_response(lambda answer: answer.request.method == "DELETE") as removed:
        dialog.get_by_role("button", name="Share", exact=True).click()
    assert removed.value.status == 204
    expect(dialog.get_by_role("link", name="See it")).to_have_attribute("href", f"/photos/{first}")
    dialog.get_by_role("button", name="Share it again").click()
    dialog.get_by_role("button", name="Share", exact=True).click()
    expect(dialog).to_be_hidden()
    newest = person.kennel.posts()[0]
    assert newest["author"] == "Ada" and newest["id"] > first


def test_a_file_that_is_not_a_photo_gives_an_error_message(window, picture):
    person = window("Ada")
    person.tolerated += ["415", "422"]
    person.go()
    dialog = choose(person, picture("notes.txt", data=b"Walk at nine"))
    expect(dialog.get_by_role("alert")).to_have_text("“notes.txt” is not a JPEG, PNG, WebP, GIF, HEIC or AVIF picture, nor an MP4 or MOV video.")
    expect(dialog.get_by_role("button", name="Share")).to_be_disabled()
    dialog.get_by_role("button", name="Cancel").click()
    # It has the name of a photo, so the server has to check it.
    dialog = choose(person, picture("fake.jpg", data=b"Walk at nine"))
    dialog.get_by_role("button", name="Share").click()
    expect(dialog.locator(".failed .state")).to_contain_text("The file type is not supported.")
    # Another attempt cannot succeed.
    expect(dialog.get_by_role("button", name="Share")).to_be_disabled()
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()


def expect_failures(person, dialog, count: int) -> None:
    """Lets the time pass until the page makes no more attempts."""
    failed = dialog.locator(".failed")
    for _ in range(40):
        person.page.clock.run_for(10_000)
        person.page.wait_for_timeout(50)
        if failed.count() == count:
            break
    expect(failed).to_have_count(count)


def test_a_damaged_photo_is_reported_and_the_others_are_sent(window, picture):
    person = window("Ada")
    person.tolerated += ["422", "500"]
    person.go()
    bytes = bytearray(pictures.noise(300, 200))
    bytes[len(bytes) // 2 : len(bytes) // 2 + 50] = b"x" * 50
    dialog = choose(person, picture("damaged.png", data=bytes), picture("intact.jpg"))
    for name in ("damaged.png", "intact.jpg"):
        dialog.get_by_label(f"Caption for {name}").fill(f"About {name}")
    person.page.clock.install()
    person.page.route("**/uploads", lambda route: route.fulfill(status=500))
    dialog.get_by_role("button", name="Share 2 photos").click()
    # Neither was received, so both can be sent again.
    expect_failures(person, dialog, 2)
    person.page.unroute("**/uploads")
    dialog.get_by_role("button", name="Try again").click()
    expect(person.toast("Your photo is shared.")).to_be_visible()
    expect(dialog.locator(".failed .state")).to_have_text(
        "The photo is damaged. Save it again in an image editor and upload the new file.")
    expect(dialog.get_by_role("button", name="Share")).to_be_disabled()
    expect(dialog.get_by_label("Caption for damaged.png")).to_have_value("About damaged.png")
    # Adding another photo does not send the damaged one again.
    carry(person, "paste", pictures.jpeg(3, (300, 200)), "pasted.jpg")
    dialog.get_by_role("button", name="Share").click()
    expect(dialog.locator(".chosen li")).to_have_count(1)
    dialog.get_by_role("button", name="Remove damaged.png").click()
    expect(dialog.get_by_role("button", name="Cancel")).to_be_visible()


@pytest.mark.parametrize("width", [320, 360, 375, 390])
def test_the_contents_fit_into_the_dialog(window, picture, width):
    person = window("Ada", "phone", viewport={"width": width, "height": 700}).go()
    for photos in ([picture("one.jpg")], [picture(f"{number}.jpg") for number in range(20)]):
        dialog = choose(person, *photos)
        out = dialog.evaluate(
            """async (dialog) => {
              await Promise.all(dialog.getAnimations({ subtree: true }).map((one) => one.finished));
              const edge = dialog.getBoundingClientRect();
              const side = parseFloat(getComputedStyle(dialog.querySelector("form")).paddingLeft);
              const sizes = [];
              for (const part of dialog.querySelectorAll("h2, .chosen li, .foot, .choices, .choices button")) {
                const box = part.getBoundingClientRect();
                sizes.push(edge.left + side - box.left, box.right - (edge.left + dialog.clientWidth - side));
                if (part.closest(".foot")) sizes.push(box.bottom - edge.bottom);
              }
              return Math.max(...sizes);
            }""")
        assert out < 0.1
        # The buttons are in one line.
        cancel, share = [dialog.get_by_role("button", name=name).bounding_box() for name in ("Cancel", "Share")]
        assert cancel["y"] == share["y"]
        dialog.get_by_role("button", name="Cancel").click()
        expect(dialog).to_be_hidden()


def test_photos_that_are_not_added_are_reported(window, picture):
    person = window("Ada").go()
    photos = [picture(f"{number}.jpg", data=pictures.jpeg(number, (60, 40))) for number in range(22)]
    dialog = choose(person, picture("IMG_1.CR3", data=b"ftypcrx "), *photos)
    expect(dialog.locator(".chosen li")).to_have_count(22)
    expect(dialog.get_by_role("alert")).to_contain_text("“IMG_1.CR3” is not a JPEG")
    # Both are visible, although there are more photos than fit.
    expect(dialog.get_by_role("alert")).to_be_in_viewport(ratio=1)
    expect(dialog.get_by_role("button", name="Share 22 photos")).to_be_in_viewport(ratio=1)


def test_an_upload_after_a_session_ended_asks_to_sign_in_and_keeps_the_caption(window, picture):
    person = window("Ada")
    person.tolerated.append("401")
    person.go()
    dialog = choose(person, picture())
    dialog.get_by_label("Caption for dog.jpg").fill("Kept")
    person.context.clear_cookies()
    dialog.get_by_role("button", name="Share").click()
    person.sign_in("Ada")
    dialog.get_by_role("button", name="Try again").click()
    expect(person.toast("Your photo is shared.")).to_be_visible()
    assert person.kennel.posts()[0]["caption"] == "Kept"


def test_discarding_a_caption_requires_confirmation(window, picture):
    person = window("Ada").go()
    dialog = choose(person, picture())
    caption = dialog.get_by_label("Caption for dog.jpg")
    caption.fill("Long thought about")
    question = person.page.get_by_role("alertdialog", name="Discard these photos?")
    person.page.keyboard.press("Escape")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_be_hidden()
    expect(caption).to_have_value("Long thought about")
    # The browser may close the dialog after repeated attempts. The captions must still be kept.
    for _ in range(3):
        person.page.keyboard.press("Escape")
        person.page.evaluate("new Promise((settled) => requestAnimationFrame(() => setTimeout(settled)))")
    expect(caption).to_have_value("Long thought about")
    if question.is_visible():
        question.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Cancel").click()
    question.get_by_role("button", name="Discard").click()
    expect(dialog).to_be_hidden()
    dialog = choose(person, picture("other.jpg"))
    expect(dialog.locator(".chosen li")).to_have_count(1)
    # There is no question if no caption was written.
    person.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_message_stays_above_a_dialog_that_opens_later(window, picture):
    person = window().go()
    person.page.get_by_role("button", name="Sign in").click()
    person.sign_in("Ada")
    expect(person.toast("Welcome, Ada.")).to_be_visible()
    dialog = choose(person, picture())
    expect(dialog.locator("#toasts:popover-open .toast")).to_have_text("Welcome, Ada.")
    person.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(person.page.locator("body > #toasts:popover-open")).to_have_count(1)
