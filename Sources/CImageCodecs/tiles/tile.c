#include "tile.h"

#include <stdlib.h>

bool codec_tile_library_is_available(codec_tile_coding coding) {
  return coding == codec_hevc ? tile_hevc_is_available() : tile_av1_is_available();
}

codec_result codec_tile_make(codec_tile_coding coding, uint64_t maximum_pixels, codec_tile **tile) {
  codec_tile *made = calloc(1, sizeof *made);
  if (!made) return codec_out_of_memory;
  made->coding = coding;
  made->maximum_pixels = maximum_pixels;
  codec_result result = coding == codec_hevc ? tile_hevc_open(made) : tile_av1_open(made);
  if (result != codec_done) {
    codec_tile_free(made);
    return result;
  }
  *tile = made;
  return codec_done;
}

codec_result codec_tile_push(codec_tile *tile, const uint8_t *bytes, size_t count) {
  return tile->coding == codec_hevc ? tile_hevc_push(tile, bytes, count) : tile_av1_push(tile, bytes, count);
}

codec_result codec_tile_finish(codec_tile *tile, codec_tile_planes *planes) {
  return tile->coding == codec_hevc ? tile_hevc_finish(tile, planes) : tile_av1_finish(tile, planes);
}

const char *codec_tile_message(const codec_tile *tile) {
  return tile->message;
}

void codec_tile_free(codec_tile *tile) {
  if (tile->coding == codec_hevc) {
    tile_hevc_close(tile);
  } else {
    tile_av1_close(tile);
  }
  free(tile);
}
