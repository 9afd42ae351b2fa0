"""Comments: written in one window, shown in another."""

import re

from playwright.sync_api import expect


def test_a_comment_appears_immediately_for_others(window, device):
    writer, reader = window("Ada", device), window("", device)
    post = writer.kennel.post()
    reader.go()
    reader.open(post)
    writer.go()
    dialog = writer.open(post)
    dialog.get_by_label("Your comment").fill("What a nose <3 & more")
    dialog.get_by_role("button", name="Send").click()
    for person in (writer, reader):
        item = person.page.locator("#lightbox .comments li")
        expect(item).to_have_count(1)
        expect(item.locator(".text")).to_have_text("What a nose <3 & more")
        expect(person.page.locator("#lightbox .comments .count")).to_have_text("1")
    expect(dialog.get_by_label("Your comment")).to_be_empty()


def test_enter_sends_a_comment_and_shift_enter_adds_a_line(window):
    writer = window("Ada")
    post = writer.kennel.post()
    writer.go()
    dialog = writer.open(post)
    dialog.get_by_label("Your comment").click()
    writer.page.keyboard.type("One")
    writer.page.keyboard.press("Shift+Enter")
    writer.page.keyboard.type("two")
    writer.page.keyboard.press("Enter")
    expect(dialog.locator(".comments .text")).to_have_text("One\ntwo")


def test_escape_leaves_the_text_field_before_the_photo(window):
    writer = window("Ada")
    post = writer.kennel.post()
    writer.go()
    dialog = writer.open(post)
    dialog.get_by_label("Your comment").click()
    writer.page.keyboard.type("Half a thou")
    writer.page.keyboard.press("Escape")
    expect(dialog.get_by_label("Your comment")).not_to_be_focused()
    expect(dialog.get_by_label("Your comment")).to_have_value("Half a thou")
    writer.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_users_can_delete_their_own_comments(window):
    writer, reader = window("Ada"), window()
    post = writer.kennel.post()
    writer.kennel.comment("Ada", post, "Never mind")
    writer.kennel.comment("Bob", post, "Stays")
    reader.go(f"/photos/{post}")
    writer.go()
    dialog = writer.open(post)
    expect(dialog.locator(".comments li")).to_have_count(2)
    expect(dialog.get_by_role("button", name="Delete the comment by Bob")).to_have_count(0)
    dialog.locator(".comments li").first.hover()
    dialog.get_by_role("button", name="Delete the comment by Ada").click()
    writer.page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
    for list_ in (dialog.locator(".comments li"), reader.page.locator(".comments li")):
        expect(list_).to_have_count(1)
        expect(list_).to_contain_text("Stays")


def test_a_comment_that_fails_to_send_is_kept_and_reported(window):
    writer = window("Ada")
    writer.tolerated.append("ERR_FAILED")
    post = writer.kennel.post()
    writer.go()
    dialog = writer.open(post)
    writer.page.route("**/comments", lambda route: route.abort())
    dialog.get_by_label("Your comment").fill("Patience")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog.get_by_role("alert")).to_contain_text("cannot be reached")
    expect(dialog.get_by_label("Your comment")).to_have_value("Patience")
    writer.page.unroute("**/comments")
    dialog.get_by_role("button", name="Send").click()
    expect(dialog.locator(".comments .text")).to_have_text("Patience")


def test_a_visitor_must_sign_in_to_comment(window):
    person = window()
    post = person.kennel.post()
    person.go()
    dialog = person.open(post)
    dialog.get_by_role("button", name="Sign in to comment").click()
    person.sign_in("Ada")
    expect(dialog.get_by_label("Your comment")).to_be_visible()


def test_all_pages_of_comments_can_be_loaded(window):
    reader = window("Ada")
    post = reader.kennel.post()
    for number in range(105):
        reader.kennel.comment("Bob", post, f"Word {number}")
    reader.go()
    dialog = reader.open(post)
    items = dialog.locator(".comments li")
    expect(items).to_have_count(100)
    expect(dialog.locator(".comments .count")).to_have_text("105")
    dialog.get_by_role("link", name="Newer comments").click()
    expect(items).to_have_count(105)
    expect(items.last).to_contain_text("Word 104")
    expect(dialog.get_by_role("link", name="Newer comments")).to_have_count(0)
    # After a reload, a new comment is shown at the end, after all earlier ones.
    reader.go(f"/photos/{post}")
    reader.page.get_by_label("Your comment").fill("The last word")
    reader.page.get_by_role("button", name="Send").click()
    expect(reader.page.locator(".comments li")).to_have_count(106)
    expect(reader.page.locator(".comments li").last).to_contain_text("The last word")


def test_all_pages_of_comments_can_be_read_without_scripts(window):
    reader = window(java_script_enabled=False)
    post = reader.kennel.post()
    for number in range(101):
        reader.kennel.comment("Bob", post, f"Word {number}")
    reader.go(f"/photos/{post}")
    reader.page.get_by_role("link", name="Newer comments").click()
    expect(reader.page.locator(".comments li")).to_have_count(1)
    expect(reader.page.locator(".comments li")).to_contain_text("Word 100")
    reader.page.get_by_role("link", name="First comments").click()
    expect(reader.page.locator(".comments li")).to_have_count(100)


def test_an_unfinished_comment_survives_a_refresh(window):
    writer = window("Ada")
    post = writer.kennel.post()
    # The page receives no events after it was loaded, only the message that events were lost.
    writer.page.route(
        re.compile(r"/events(\?|$)"),
        lambda route: route.fulfill(
            content_type="text/event-stream",
            body="retry: 300\nevent: lost\ndata: {\"kind\":\"lost\"}\n\n"))
    writer.go()
    dialog = writer.open(post)
    dialog.get_by_label("Your comment").fill("Half a thou")
    writer.kennel.comment("Bob", post, "Meanwhile")
    expect(dialog.locator(".comments .text")).to_have_text("Meanwhile")
    expect(dialog.get_by_label("Your comment")).to_have_value("Half a thou")
    expect(dialog.get_by_label("Your comment")).to_be_focused()
