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

/// What remains of the input after inflating.
typedef struct inflate_end {
  bool has_stream_ended;
  size_t unused;
} inflate_end;

/// Inflates a zlib stream. If it is damaged, incomplete or too large, the output has what was inflated before.
static codec_result inflate_bytes(
    const uint8_t *bytes, size_t count, size_t maximum, codec_buffer *output, inflate_end *end) {
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
        result = codec_too_large;
        break;
      }
      state->next_out = output->bytes + output->count;
      state->avail_out = (uint32_t)(capacity - output->count);
      bool is_valid = isal_inflate(state) == ISAL_DECOMP_OK;
      output->count = capacity - state->avail_out;
      if (!is_valid) {
        result = codec_corrupt;
        break;
      }
      if (state->block_state == ISAL_BLOCK_FINISH) {
        result = codec_done;
        break;
      }
    } while (state->avail_in > 0 || state->avail_out == 0);
    // The library may hold some bytes of the input.
    *end = (inflate_end){
        result == codec_done, state->avail_in + (size_t)(state->read_in_length > 0 ? state->read_in_length / 8 : 0)};
  }
  free(state);
  return result;
}

static void release(codec_buffer *output) {
  free(output->bytes);
  *output = (codec_buffer){NULL, 0};
}

codec_result codec_inflate(const uint8_t *bytes, size_t count, size_t maximum, codec_buffer *output) {
  inflate_end end = {false, 0};
  codec_result result = inflate_bytes(bytes, count, maximum, output, &end);
  if (result != codec_done) release(output);
  return result;
}

codec_result codec_inflate_start(
    const uint8_t *bytes, size_t count, size_t wanted, codec_buffer *output, bool *is_all) {
  inflate_end end = {false, 0};
  // One byte more shows whether there is more.
  codec_result result = inflate_bytes(bytes, count, wanted + 1, output, &end);
  if (output->count < wanted) {
    release(output);
    return result == codec_done ? codec_corrupt : result;
  }
  *is_all = end.has_stream_ended && output->count == wanted && end.unused == 0;
  output->count = wanted;
  return codec_done;
}

uint32_t codec_crc32(const uint8_t *bytes, size_t count) {
  return crc32_gzip_refl(0, bytes, count);
}
