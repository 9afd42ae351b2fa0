#include <stdlib.h>
#include <string.h>

#include "CImageCodecs.h"

enum { max_bits = 12, max_codes = 1 << max_bits, no_code = max_codes };

/// A code stands for a string of indices: the string of another code, and one more index.
struct codec_gif_lzw {
  uint16_t prefixes[max_codes];
  uint16_t lengths[max_codes];
  uint8_t firsts[max_codes];
  uint8_t lasts[max_codes];
  /// The bits that were read and not used, from the lowest on.
  uint32_t bits;
  unsigned bit_count;
  unsigned code_size;
  /// The number of bits of the next code.
  unsigned size;
  /// The code after which the table is empty. The next one ends the pixels.
  unsigned clear;
  /// The next code that the table will contain.
  unsigned next;
  unsigned previous;
  bool has_ended, is_damaged;
  /// The part of a string for which there was no room.
  unsigned pending_start, pending_end;
  uint8_t pending[max_codes];
};

static void clear_table(codec_gif_lzw *lzw) {
  lzw->size = lzw->code_size + 1;
  lzw->next = lzw->clear + 2;
  lzw->previous = no_code;
}

codec_gif_lzw *codec_gif_lzw_make(unsigned code_size) {
  if (code_size >= max_bits) return NULL;
  codec_gif_lzw *lzw = calloc(1, sizeof *lzw);
  if (!lzw) return NULL;
  lzw->code_size = code_size;
  lzw->clear = 1u << code_size;
  for (unsigned code = 0; code < lzw->clear; code++) {
    lzw->lengths[code] = 1;
    lzw->firsts[code] = lzw->lasts[code] = (uint8_t)code;
  }
  clear_table(lzw);
  return lzw;
}

void codec_gif_lzw_free(codec_gif_lzw *lzw) {
  free(lzw);
}

/// Adds the string of the previous code and one more index, unless the table is full.
static void add(codec_gif_lzw *lzw, uint8_t last) {
  if (lzw->next == max_codes) return;
  unsigned code = lzw->next++;
  lzw->prefixes[code] = (uint16_t)lzw->previous;
  lzw->lengths[code] = (uint16_t)(lzw->lengths[lzw->previous] + 1);
  lzw->firsts[code] = lzw->firsts[lzw->previous];
  lzw->lasts[code] = last;
}

/// Writes the string of a code, which comes from its end.
static void write_string(const codec_gif_lzw *lzw, unsigned code, uint8_t *to) {
  for (unsigned left = lzw->lengths[code]; left > 0; left--) {
    to[left - 1] = lzw->lasts[code];
    code = lzw->prefixes[code];
  }
}

/// Returns the code whose string comes next; `no_code` if there is none.
static unsigned take(codec_gif_lzw *lzw, unsigned code) {
  if (code == lzw->clear) {
    clear_table(lzw);
    return no_code;
  }
  if (code == lzw->clear + 1) {
    lzw->has_ended = true;
    return no_code;
  }
  // Some files have room for more colors than there can be. That does no harm if they are not used.
  if (code < lzw->clear && code > UINT8_MAX) lzw->is_damaged = true;
  if (lzw->previous == no_code) {
    // Only single indices are in an empty table. Another code is skipped.
    if (code > lzw->clear) {
      lzw->is_damaged = true;
      return no_code;
    }
  } else {
    unsigned known = lzw->next;
    add(lzw, lzw->firsts[code < known ? code : lzw->previous]);
    // A code may be used as it is added. As in browsers, codes after that are treated like this one.
    if (code > known) {
      lzw->is_damaged = true;
      code = known;
    }
  }
  lzw->previous = code;
  if (lzw->next >= 1u << lzw->size && lzw->size < max_bits) lzw->size++;
  return code;
}

codec_gif_progress codec_gif_lzw_read(
    codec_gif_lzw *lzw, const uint8_t *bytes, size_t count, uint8_t *indices, size_t capacity) {
  codec_gif_progress progress = {0, 0, false, false};
  for (;;) {
    size_t pending = lzw->pending_end - lzw->pending_start;
    size_t room = capacity - progress.written;
    if (pending > 0) {
      size_t piece = pending < room ? pending : room;
      memcpy(indices + progress.written, lzw->pending + lzw->pending_start, piece);
      lzw->pending_start += (unsigned)piece;
      progress.written += piece;
      room -= piece;
    }
    if (room == 0 || lzw->has_ended) break;
    while (lzw->bit_count < lzw->size && progress.consumed < count) {
      lzw->bits |= (uint32_t)bytes[progress.consumed++] << lzw->bit_count;
      lzw->bit_count += 8;
    }
    if (lzw->bit_count < lzw->size) break;
    unsigned code = lzw->bits & ((1u << lzw->size) - 1);
    lzw->bits >>= lzw->size;
    lzw->bit_count -= lzw->size;
    code = take(lzw, code);
    if (code == no_code) continue;
    if (lzw->lengths[code] <= room) {
      write_string(lzw, code, indices + progress.written);
      progress.written += lzw->lengths[code];
    } else {
      write_string(lzw, code, lzw->pending);
      lzw->pending_start = 0;
      lzw->pending_end = lzw->lengths[code];
    }
  }
  progress.has_ended = lzw->has_ended;
  progress.is_damaged = lzw->is_damaged;
  return progress;
}

void codec_gif_color_row(
    const uint8_t *colors, const uint8_t *indices, size_t count, bool with_alpha, uint8_t *row) {
  if (with_alpha) {
    for (size_t x = 0; x < count; x++, row += 4) memcpy(row, colors + 4 * indices[x], 4);
  } else {
    for (size_t x = 0; x < count; x++, row += 3) memcpy(row, colors + 4 * indices[x], 3);
  }
}
