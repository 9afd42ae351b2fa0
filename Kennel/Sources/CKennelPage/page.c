#include "CKennelPage.h"

// `#embed` includes the bytes of the files and lets the compiler track them as dependencies. It is a C23 feature, and
// this package is not C23 yet.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char account_css[] = {
#embed "assets/account.css"
};
static const unsigned char albums_css[] = {
#embed "assets/albums.css"
};
static const unsigned char base_css[] = {
#embed "assets/base.css"
};
static const unsigned char grid_css[] = {
#embed "assets/grid.css"
};
static const unsigned char motion_css[] = {
#embed "assets/motion.css"
};
static const unsigned char photo_css[] = {
#embed "assets/photo.css"
};
static const unsigned char search_css[] = {
#embed "assets/search.css"
};
static const unsigned char sheets_css[] = {
#embed "assets/sheets.css"
};
static const unsigned char account_js[] = {
#embed "assets/account.js"
};
static const unsigned char albums_js[] = {
#embed "assets/albums.js"
};
static const unsigned char app_js[] = {
#embed "assets/app.js"
};
static const unsigned char bin_js[] = {
#embed "assets/bin.js"
};
static const unsigned char clipboard_js[] = {
#embed "assets/clipboard.js"
};
static const unsigned char comments_js[] = {
#embed "assets/comments.js"
};
static const unsigned char confirmation_js[] = {
#embed "assets/confirmation.js"
};
static const unsigned char edit_js[] = {
#embed "assets/edit.js"
};
static const unsigned char events_js[] = {
#embed "assets/events.js"
};
static const unsigned char grid_js[] = {
#embed "assets/grid.js"
};
static const unsigned char hearts_js[] = {
#embed "assets/hearts.js"
};
static const unsigned char kept_js[] = {
#embed "assets/kept.js"
};
static const unsigned char lightbox_js[] = {
#embed "assets/lightbox.js"
};
static const unsigned char links_js[] = {
#embed "assets/links.js"
};
static const unsigned char months_js[] = {
#embed "assets/months.js"
};
static const unsigned char offline_js[] = {
#embed "assets/offline.js"
};
static const unsigned char pictures_js[] = {
#embed "assets/pictures.js"
};
static const unsigned char place_js[] = {
#embed "assets/place.js"
};
static const unsigned char refresh_js[] = {
#embed "assets/refresh.js"
};
static const unsigned char requests_js[] = {
#embed "assets/requests.js"
};
static const unsigned char select_js[] = {
#embed "assets/select.js"
};
static const unsigned char session_js[] = {
#embed "assets/session.js"
};
static const unsigned char shared_js[] = {
#embed "assets/shared.js"
};
static const unsigned char texts_js[] = {
#embed "assets/texts.js"
};
static const unsigned char tiles_js[] = {
#embed "assets/tiles.js"
};
static const unsigned char times_js[] = {
#embed "assets/times.js"
};
static const unsigned char toasts_js[] = {
#embed "assets/toasts.js"
};
static const unsigned char upload_js[] = {
#embed "assets/upload.js"
};
static const unsigned char visibility_js[] = {
#embed "assets/visibility.js"
};
static const unsigned char worker_js[] = {
#embed "assets/worker.js"
};
static const unsigned char worker_off_js[] = {
#embed "assets/worker-off.js"
};
static const unsigned char icon_svg[] = {
#embed "assets/icon.svg"
};
static const unsigned char icon_180_png[] = {
#embed "assets/icon-180.png"
};
static const unsigned char icon_192_png[] = {
#embed "assets/icon-192.png"
};
static const unsigned char icon_512_png[] = {
#embed "assets/icon-512.png"
};
static const unsigned char icon_maskable_512_png[] = {
#embed "assets/icon-maskable-512.png"
};
static const unsigned char manifest[] = {
#embed "assets/manifest.webmanifest"
};
static const unsigned char robots[] = {
#embed "assets/robots.txt"
};

#define FILE_NAMED(name, bytes) {name, bytes, sizeof(bytes)}

static const kennel_page_file files[] = {
    FILE_NAMED("account.css", account_css),
    FILE_NAMED("albums.css", albums_css),
    FILE_NAMED("base.css", base_css),
    FILE_NAMED("grid.css", grid_css),
    FILE_NAMED("motion.css", motion_css),
    FILE_NAMED("photo.css", photo_css),
    FILE_NAMED("search.css", search_css),
    FILE_NAMED("sheets.css", sheets_css),
    FILE_NAMED("account.js", account_js),
    FILE_NAMED("albums.js", albums_js),
    FILE_NAMED("app.js", app_js),
    FILE_NAMED("bin.js", bin_js),
    FILE_NAMED("clipboard.js", clipboard_js),
    FILE_NAMED("comments.js", comments_js),
    FILE_NAMED("confirmation.js", confirmation_js),
    FILE_NAMED("edit.js", edit_js),
    FILE_NAMED("events.js", events_js),
    FILE_NAMED("grid.js", grid_js),
    FILE_NAMED("hearts.js", hearts_js),
    FILE_NAMED("kept.js", kept_js),
    FILE_NAMED("lightbox.js", lightbox_js),
    FILE_NAMED("links.js", links_js),
    FILE_NAMED("months.js", months_js),
    FILE_NAMED("offline.js", offline_js),
    FILE_NAMED("pictures.js", pictures_js),
    FILE_NAMED("place.js", place_js),
    FILE_NAMED("refresh.js", refresh_js),
    FILE_NAMED("requests.js", requests_js),
    FILE_NAMED("select.js", select_js),
    FILE_NAMED("session.js", session_js),
    FILE_NAMED("shared.js", shared_js),
    FILE_NAMED("texts.js", texts_js),
    FILE_NAMED("tiles.js", tiles_js),
    FILE_NAMED("times.js", times_js),
    FILE_NAMED("toasts.js", toasts_js),
    FILE_NAMED("upload.js", upload_js),
    FILE_NAMED("visibility.js", visibility_js),
    FILE_NAMED("worker.js", worker_js),
    FILE_NAMED("worker-off.js", worker_off_js),
    FILE_NAMED("icon.svg", icon_svg),
    FILE_NAMED("icon-180.png", icon_180_png),
    FILE_NAMED("icon-192.png", icon_192_png),
    FILE_NAMED("icon-512.png", icon_512_png),
    FILE_NAMED("icon-maskable-512.png", icon_maskable_512_png),
    FILE_NAMED("manifest.webmanifest", manifest),
    FILE_NAMED("robots.txt", robots),
};

const kennel_page_file *kennel_page_file_at(size_t index) {
  return index < sizeof(files) / sizeof(files[0]) ? &files[index] : NULL;
}
