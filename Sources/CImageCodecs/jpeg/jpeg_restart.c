#include "jpeg_restart.h"

#include <limits.h>

#include <jerror.h>

enum {
  first_of_frames = 0xC0,
  restarts = 8,
  /// libjpeg may have read so far ahead, and says nothing of what it has not used.
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

/// Goes on up to the next marker, whatever is in front of it; false when input is wanted.
static bool find_marker(jpeg_restart *restart, jpeg_entropy *entropy, j_decompress_ptr image) {
  for (;;) {
    restart->passed_over += jpeg_entropy_bytes_left(entropy);
    jpeg_entropy_drop_bytes(entropy);
    if (entropy->segment.marker != 0) return true;
    if (!jpeg_entropy_fill(entropy, image)) return false;
  }
}

typedef enum resumption { take_marker, look_further, leave_marker } resumption;

/// What libjpeg's jpeg_resync_to_restart does with another marker than the one that is due: one that should
/// have come before is passed over; up to one that is due soon, MCUs are lacking; at others nothing but the
/// number is wrong.
static resumption resumption_at(int marker, int due) {
  if (marker < first_of_frames) return look_further;
  if (marker < JPEG_RST0 || marker >= JPEG_RST0 + restarts) return leave_marker;
  int ahead = (marker - JPEG_RST0 - due + restarts) % restarts;
  if (ahead == 1 || ahead == 2) return leave_marker;
  if (ahead == restarts - 1 || ahead == restarts - 2) return look_further;
  return take_marker;
}

static void begin(jpeg_restart *restart, jpeg_entropy *entropy) {
  jpeg_entropy_restart(entropy);
  restart->next = (restart->next + 1) % restarts;
  restart->mcus_left = restart->interval;
  // At a marker that stays, there is nothing to be read, which is noted once.
  if (entropy->segment.marker == 0) restart->lacks_data = false;
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
    if (then == look_further) continue;
    begin(restart, entropy);
    return true;
  }
}
