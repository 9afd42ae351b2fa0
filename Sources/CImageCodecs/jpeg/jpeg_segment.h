// The bytes between two markers of a scan, without the stuffed zeros.
#ifndef JPEG_SEGMENT_H
#define JPEG_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
  jpeg_segment_room = 16384,
  /// More than the maximum size of an MCU, because decoding checks only afterward whether it read past the end.
  jpeg_segment_slack = 4096,
};

typedef struct jpeg_segment {
  /// The marker that ends the segment; 0 if none was found yet.
  int marker;
  /// 0xFF was read, but not the byte after it.
  bool is_after_ff;
  /// The number of available bytes.
  size_t count;
  uint8_t bytes[jpeg_segment_room + jpeg_segment_slack];
} jpeg_segment;

/// Drops the first bytes, and copies bytes from the source up to the next marker, as far as there is room. Returns
/// false if nothing was copied: the source is used up, or the segment has ended.
bool jpeg_segment_fill(jpeg_segment *segment, size_t dropped, j_decompress_ptr image);

#endif
