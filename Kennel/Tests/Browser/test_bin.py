"""The bin: deleting, restoring, and deleting forever."""

from playwright.sync_api import expect


def test_a_deleted_photo_is_restored_from_the_bin(window, device):
    author, watcher = window("Ada", device), window("", device).go()
    post = author.kennel.post("Ada", "Back again")
    author.kennel.comment("Bob", post, "Where is it?")
    author.kennel.delete("Ada", post)
    author.go()
    author.page.get_by_role("button", name="Account of Ada").click()
    author.page.get_by_role("link", name="Bin").click()
    author.expect_address("/deleted")
    item = author.page.locator(f"[data-binned='{post}']")
    expect(item.get_by_text("Back again")).to_be_visible()
    picture = item.locator("img")
    author.page.wait_for_function("(one) => one.complete && one.naturalWidth > 0", arg=picture.element_handle())
    item.get_by_role("button", name="Restore Back again").click()
    expect(author.toast("The photo is restored.")).to_be_visible()
    expect(item).to_have_count(0)
    # To others, it is a new photo.
    watcher.page.get_by_role("button", name="new photo").click()
    dialog = watcher.open(post)
    expect(dialog.get_by_text("Where is it?")).to_be_visible()


def test_a_photo_is_deleted_forever_after_a_question(window, device):
    person = window("Ada", device)
    post = person.kennel.post("Ada", "Never again")
    person.kennel.delete("Ada", post)
    person.go("/deleted")
    item = person.page.locator(f"[data-binned='{post}']")
    question = person.page.get_by_role("alertdialog")
    item.get_by_role("button", name="Delete Never again forever").click()
    question.get_by_role("button", name="Cancel").click()
    expect(item).to_be_visible()
    item.get_by_role("button", name="Delete Never again forever").click()
    question.get_by_role("button", name="Delete").click()
    expect(item).to_have_count(0)
    person.page.reload()
    expect(item).to_have_count(0)


def test_the_bin_can_be_viewed_without_scripts_by_its_author_only(window, device):
    person = window("Ada", device, java_script_enabled=False)
    post = person.kennel.post("Ada", "Seen without a script")
    person.kennel.delete("Ada", post)
    person.go("/deleted")
    expect(person.page.locator(f"[data-binned='{post}']").get_by_text("Seen without a script")).to_be_visible()
    expect(person.page.get_by_role("button", name="Restore")).to_have_count(0)
    other = window("Bob", device).go("/deleted")
    expect(other.page.get_by_text("Seen without a script")).to_have_count(0)
