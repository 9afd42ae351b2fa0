"""Videos: sharing them, their tiles, and playing them. Debian's ffmpeg makes them and their posters."""

import re
import subprocess

import pytest
from playwright.sync_api import expect


@pytest.fixture(scope="session")
def walk(tmp_path_factory):
    """Returns a video of 3 seconds with a place."""
    path = tmp_path_factory.mktemp("videos") / "walk.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:duration=3:rate=10", "-c:v", "libx264",
         "-pix_fmt", "yuv420p", "-metadata", "location=+52.5200+013.4050/", path], check=True)
    return path


def share(person, path):
    with person.page.expect_file_chooser() as chooser:
        person.page.get_by_role("button", name="Share").click()
    chooser.value.set_files([str(path)])
    dialog = person.page.get_by_role("dialog", name="Share photos")
    dialog.get_by_label("Caption for walk.mp4").fill("A walk")
    dialog.get_by_role("button", name="Share").click()
    expect(dialog).to_be_hidden()
    return next(post["id"] for post in person.kennel.posts() if post["caption"] == "A walk")


def test_a_video_is_shared_and_plays_in_the_page(window, device, walk):
    person = window("Ada", device).go()
    post = share(person, walk)
    link = person.tile(post).get_by_role("link", name=re.compile("A walk.*Video, 0:03"))
    expect(link).to_be_visible()
    link.click()
    video = person.page.locator("#lightbox video")
    expect(video).to_have_attribute("aria-label", "A walk")
    expect(video).to_have_attribute("poster", f"/posts/{post}/thumbnail?size=1280&format=jpeg")
    # Nothing plays by itself.
    assert video.evaluate("video => video.paused && !video.autoplay && video.controls")
    person.page.wait_for_function("() => document.querySelector('#lightbox video').duration > 2.5")
    video.evaluate("video => { video.muted = true; return video.play(); }")
    person.page.wait_for_function("() => document.querySelector('#lightbox video').currentTime > 0")
    # The arrow keys belong to the video while it has the focus.
    video.focus()
    person.page.keyboard.press("ArrowRight")
    expect(person.page.locator("#lightbox article")).to_have_attribute("data-post", str(post))
    person.kennel.delete("Ada", post)


def test_a_video_has_a_page_without_scripts(window, walk):
    person = window("Ada").go()
    post = share(person, walk)
    plain = window(java_script_enabled=False).go(f"/photos/{post}")
    expect(plain.page.locator("main video[controls]")).to_be_visible()
    expect(plain.page.get_by_role("link", name="Original")).to_have_attribute("href", f"/posts/{post}/photo")
    person.kennel.delete("Ada", post)
