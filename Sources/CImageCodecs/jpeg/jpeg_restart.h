// Restarts of a scan, and the handling of restart markers that are missing or unexpected.
#ifndef JPEG_RESTART_H
#define JPEG_RESTART_H

#include "jpeg_entropy.h"

typedef struct jpeg_restart {
  /// The number of MCUs between two markers; 0 if there are no markers.
  unsigned interval;
  unsigned mcus_left;
  /// The number of the next marker, 0 to 7.
  int next;
  /// The number of unused bytes before the next marker.
  size_t passed_over;
  /// The segment ended too early, and the MCUs up to the next marker are invented.
  bool is_missing_data;
} jpeg_restart;

void jpeg_restart_make(jpeg_restart *restart, unsigned interval);

/// Returns the number of MCUs that can be read before the next marker.
unsigned jpeg_restart_mcus_left(const jpeg_restart *restart);
void jpeg_restart_count(jpeg_restart *restart, unsigned mcus);

/// Skips a marker if one is due; returns false if that needs more input.
bool jpeg_restart_pass(jpeg_restart *restart, jpeg_entropy *entropy, j_decompress_ptr image);

#endif
