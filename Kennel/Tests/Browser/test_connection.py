"""Events that happen while the connection is interrupted."""

import re

from playwright.sync_api import expect


def test_the_page_catches_up_after_a_connection_loss(window, kennel):
    watcher = window()
    # The error depends on the state of the connection when it was cut.
    watcher.tolerated.append("net::ERR_")
    post = kennel.post()
    watcher.go()
    kennel.heart("Ada", post)
    expect(watcher.heart(post)).to_have_attribute("data-count", "1")
    kennel.restart()
    kennel.heart("Bob", post)
    newer = kennel.post(caption="Meanwhile")
    expect(watcher.heart(post)).to_have_attribute("data-count", "2")
    watcher.page.get_by_role("button", name="1 new photo").click()
    expect(watcher.tile(newer)).to_be_visible()


def test_the_page_is_refreshed_after_lost_events(window, kennel):
    watcher = window()
    post = kennel.post()
    # The event stream only reports that events were lost.
    watcher.page.route(
        re.compile(r"/events(\?|$)"),
        lambda route: route.fulfill(
            content_type="text/event-stream",
            body="retry: 600000\nevent: lost\ndata: {\"kind\":\"lost\"}\n\n"))
    watcher.page.route("**/assets/*/app.js", lambda route: (kennel.heart("Ada", post), route.continue_()))
    watcher.go()
    expect(watcher.heart(post)).to_have_attribute("data-count", "1")
