#include "jpeg_segment.h"

#include <string.h>

static const size_t step = sizeof(uint64_t);

/// Returns the position of the first 0xFF in eight bytes, or 8.
static size_t first_ff(uint64_t bytes) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t ones = UINT64_MAX / 255;
  uint64_t found = (~bytes - ones) & bytes & (ones << 7);
  return found ? (size_t)__builtin_ctzll(found) / 8 : step;
#else
  uint8_t each[sizeof bytes];
  memcpy(each, &bytes, sizeof bytes);
  size_t index = 0;
  while (index < step && each[index] != 0xFF) index++;
  return index;
#endif
}

/// Copies the available input.
static void copy(jpeg_segment *segment, struct jpeg_source_mgr *source) {
  const uint8_t *in = source->next_input_byte;
  const uint8_t *in_end = in + source->bytes_in_buffer;
  uint8_t *out = segment->bytes + segment->count;
  uint8_t *out_end = segment->bytes + jpeg_segment_room;
  bool is_after_ff = segment->is_after_ff;
  while (in < in_end && out < out_end) {
    if (is_after_ff) {
      uint8_t code = *in++;
      // Any number of 0xFF bytes may come before a marker.
      if (code == 0xFF) continue;
      is_after_ff = false;
      if (code != 0) {
        segment->marker = code;
        break;
      }
      *out++ = 0xFF;
    } else if ((size_t)(in_end - in) >= step && (size_t)(out_end - out) >= step) {
      uint64_t bytes;
      memcpy(&bytes, in, step);
      memcpy(out, &bytes, step);
      size_t plain = first_ff(bytes);
      // A branch, so that the next step need not wait for the result.
      if (__builtin_expect(plain == step, 1)) {
        in += step;
        out += step;
      } else {
        in += plain + 1;
        out += plain;
        is_after_ff = true;
      }
    } else {
      uint8_t byte = *in++;
      is_after_ff = byte == 0xFF;
      if (!is_after_ff) *out++ = byte;
    }
  }
  segment->is_after_ff = is_after_ff;
  segment->count = (size_t)(out - segment->bytes);
  source->bytes_in_buffer = (size_t)(in_end - in);
  source->next_input_byte = in;
}

bool jpeg_segment_fill(jpeg_segment *segment, size_t dropped, j_decompress_ptr image) {
  segment->count -= dropped;
  memmove(segment->bytes, segment->bytes + dropped, segment->count);
  if (segment->marker != 0) return false;
  size_t before = segment->count;
  copy(segment, image->src);
  // The end of the input is invented only after everything before it was read.
  bool is_used_up = segment->count == before && segment->marker == 0 && image->src->bytes_in_buffer == 0;
  if (is_used_up && image->src->fill_input_buffer(image)) copy(segment, image->src);
  return segment->count > before || segment->marker != 0;
}
