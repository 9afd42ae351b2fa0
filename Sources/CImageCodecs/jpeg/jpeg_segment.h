// The bytes between two markers of a scan, without what was stuffed between them.
#ifndef JPEG_SEGMENT_H
#define JPEG_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
  jpeg_segment_room = 16384,
  /// What one MCU can take at most, and more: decoding only looks afterwards whether it read past the end.
  jpeg_segment_slack = 4096,
};

typedef struct jpeg_segment {
  /// The marker that ends the segment; 0 as long as none was found.
  int marker;
  /// 0xFF has come, and what follows it not yet.
  bool is_after_ff;
  /// How many of the bytes are there.
  size_t count;
  uint8_t bytes[jpeg_segment_room + jpeg_segment_slack];
} jpeg_segment;

/// Drops the first bytes and takes what the source has and the room holds, up to the next marker. False when
/// there was nothing to be had: the source is used up, or the segment has ended.
bool jpeg_segment_fill(jpeg_segment *segment, size_t dropped, j_decompress_ptr image);

#endif
