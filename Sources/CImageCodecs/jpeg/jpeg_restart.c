#include "jpeg_restart.h"

#include <limits.h>

#include <jerror.h>

enum {
  first_of_frames = 0xC0,
  restarts = 8,
  /// libjpeg may have read this many bytes ahead, and does not report them as unused.
  bytes_passed_silently = 7,
};

void jpeg_restart_make(jpeg_restart *restart, unsigned interval) {
  *restart = (jpeg_restart){.interval = interval, .mcus_left = interval};
}

unsigned jpeg_restart_mcus_left(const jpeg_restart *restart) {
  return restart->interval > 0 ? restart->mcus_left : UINT_MAX;
}

void jpeg_restart_count(jpeg_restart *restart, unsigned mcus) {
  if (restart->interval > 0) restart->mcus_left -= mcus;
}

/// Skips everything up to the next marker; returns false if more input is needed.
static bool find_marker(jpeg_restart *restart, jpeg_entropy *entropy, j_decompress_ptr image) {
  for (;;) {
    restart->passed_over += jpeg_entropy_bytes_left(entropy);
    jpeg_entropy_drop_bytes(entropy);
    if (entropy->segment.marker != 0) return true;
    if (!jpeg_entropy_fill(entropy, image)) return false;
  }
}

typedef enum resumption { take_marker, skip_marker, leave_marker } resumption;

/// Decides what to do at an unexpected marker, as libjpeg's jpeg_resync_to_restart does. An earlier marker is skipped.
/// A marker that is due soon means that the MCUs before it are missing. For any other marker, only its number is
/// wrong.
static resumption resumption_at(int marker, int due) {
  if (marker < first_of_frames) return skip_marker;
  if (marker < JPEG_RST0 || marker >= JPEG_RST0 + restarts) return leave_marker;
  int ahead = (marker - JPEG_RST0 - due + restarts) % restarts;
  if (ahead == 1 || ahead == 2) return leave_marker;
  if (ahead == restarts - 1 || ahead == restarts - 2) return skip_marker;
  return take_marker;
}

static void begin(jpeg_restart *restart, jpeg_entropy *entropy) {
  jpeg_entropy_restart(entropy);
  restart->next = (restart->next + 1) % restarts;
  restart->mcus_left = restart->interval;
  // At a marker that was kept, there is nothing to read, which is reported once.
  if (entropy->segment.marker == 0) restart->is_missing_data = false;
}

static void note_passed_over(jpeg_restart *restart, int marker, j_decompress_ptr image) {
  int bytes = restart->passed_over < INT_MAX ? (int)restart->passed_over : INT_MAX;
  restart->passed_over = 0;
  if (bytes > bytes_passed_silently) WARNMS2(image, JWRN_EXTRANEOUS_DATA, bytes, marker);
}

bool jpeg_restart_pass(jpeg_restart *restart, jpeg_entropy *entropy, j_decompress_ptr image) {
  if (restart->interval == 0 || restart->mcus_left > 0) return true;
  for (;;) {
    if (!find_marker(restart, entropy, image)) return false;
    int marker = entropy->segment.marker;
    note_passed_over(restart, marker, image);
    resumption then = take_marker;
    if (marker != JPEG_RST0 + restart->next) {
      WARNMS2(image, JWRN_MUST_RESYNC, marker, restart->next);
      then = resumption_at(marker, restart->next);
    }
    if (then != leave_marker) entropy->segment.marker = 0;
    if (then == skip_marker) continue;
    begin(restart, entropy);
    return true;
  }
}
