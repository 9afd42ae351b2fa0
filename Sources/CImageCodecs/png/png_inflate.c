#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "CImageCodecs.h"

/// Makes room for more output, up to the maximum.
static bool grow(codec_buffer *output, size_t *capacity, size_t maximum) {
  if (*capacity >= maximum) return false;
  size_t wanted = *capacity < maximum / 2 ? *capacity * 2 : maximum;
  uint8_t *bytes = realloc(output->bytes, wanted);
  if (!bytes) return false;
  output->bytes = bytes;
  *capacity = wanted;
  return true;
}

/// - Parameter is_start: Whether the result is complete when it has `maximum` bytes.
static codec_result inflate_bytes(
    const uint8_t *bytes, size_t count, size_t maximum, bool is_start, codec_buffer *output) {
  struct inflate_state *state = malloc(sizeof *state);
  size_t capacity = maximum < 4096 ? maximum : 4096;
  *output = (codec_buffer){malloc(capacity), 0};
  codec_result result = state && output->bytes ? codec_needs_input : codec_out_of_memory;
  if (result == codec_needs_input && count <= UINT32_MAX && maximum <= UINT32_MAX) {
    isal_inflate_init(state);
    state->crc_flag = ISAL_ZLIB;
    state->next_in = (uint8_t *)bytes;
    state->avail_in = (uint32_t)count;
    do {
      if (output->count == capacity && !grow(output, &capacity, maximum)) {
        result = is_start ? codec_done : codec_too_large;
        break;
      }
      state->next_out = output->bytes + output->count;
      state->avail_out = (uint32_t)(capacity - output->count);
      bool is_valid = isal_inflate(state) == ISAL_DECOMP_OK;
      output->count = capacity - state->avail_out;
      if (!is_valid) {
        result = is_start && output->count == maximum ? codec_done : codec_corrupt;
        break;
      }
      if (state->block_state == ISAL_BLOCK_FINISH) {
        result = is_start && output->count < maximum ? codec_corrupt : codec_done;
        break;
      }
    } while (state->avail_in > 0 || state->avail_out == 0);
  }
  free(state);
  if (result != codec_done) {
    free(output->bytes);
    *output = (codec_buffer){NULL, 0};
  }
  return result;
}

codec_result codec_inflate(const uint8_t *bytes, size_t count, size_t maximum, codec_buffer *output) {
  return inflate_bytes(bytes, count, maximum, false, output);
}

codec_result codec_inflate_start(const uint8_t *bytes, size_t count, size_t wanted, codec_buffer *output) {
  return inflate_bytes(bytes, count, wanted, true, output);
}

uint32_t codec_crc32(const uint8_t *bytes, size_t count) {
  return crc32_gzip_refl(0, bytes, count);
}
