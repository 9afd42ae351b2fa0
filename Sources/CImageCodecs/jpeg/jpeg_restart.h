// Where a scan begins anew, and what is done when a marker there is missing or another.
#ifndef JPEG_RESTART_H
#define JPEG_RESTART_H

#include "jpeg_entropy.h"

typedef struct jpeg_restart {
  /// MCUs from one marker to the next; 0 without any.
  unsigned interval;
  unsigned mcus_left;
  /// 0 to 7.
  int next;
  /// Bytes that nothing was made of, in front of the marker that is looked for.
  size_t passed_over;
  /// The segment has ended too early, and the MCUs up to the next are made up.
  bool lacks_data;
} jpeg_restart;

void jpeg_restart_make(jpeg_restart *restart, unsigned interval);

/// MCUs that can be read before the next marker.
unsigned jpeg_restart_mcus_left(const jpeg_restart *restart);
void jpeg_restart_count(jpeg_restart *restart, unsigned mcus);

/// Goes past a marker where one is due; false when input is wanted for it.
bool jpeg_restart_pass(jpeg_restart *restart, jpeg_entropy *entropy, j_decompress_ptr image);

#endif
