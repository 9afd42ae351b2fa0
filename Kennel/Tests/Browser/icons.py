"""Draws the icons of the home screen from icon.svg: build/python-browser/bin/python Kennel/Tests/Browser/icons.py

A maskable icon fills its square, because the system cuts a shape out of it. The drawing is within the circle that stays.
"""

import pathlib

from playwright.sync_api import sync_playwright

from chromium import launch

ASSETS = pathlib.Path(__file__).parent / "../../Sources/CKennelPage/assets"
ICONS = {"icon-192.png": (192, False), "icon-maskable-512.png": (512, True)}


def main() -> None:
    drawing = (ASSETS / "icon.svg").read_text()
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        for name, (side, is_maskable) in ICONS.items():
            page = browser.new_page(viewport={"width": side, "height": side})
            svg = drawing.replace(' rx="15"', "") if is_maskable else drawing
            page.set_content(f"<style>* {{ margin: 0 }} svg {{ display: block; width: 100vw }}</style>{svg}")
            page.screenshot(path=ASSETS / name, omit_background=True)
        browser.close()


if __name__ == "__main__":
    main()
