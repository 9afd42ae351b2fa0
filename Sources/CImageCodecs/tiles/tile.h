// What the decoders of HEVC and AV1 share.
#ifndef TILE_H
#define TILE_H

#include "../include/CImageCodecs.h"

#if !defined(__clang__)
#define _Nonnull
#endif

struct codec_tile {
  codec_tile_coding coding;
  uint64_t maximum_pixels;
  /// The library's decoder.
  void *_Nullable decoder;
  /// The library's picture, if it is not part of the decoder.
  void *_Nullable picture;
  char message[CODEC_MESSAGE_SIZE];
};

bool tile_hevc_is_available(void);
codec_result tile_hevc_open(codec_tile *_Nonnull tile);
codec_result tile_hevc_push(codec_tile *_Nonnull tile, const uint8_t *_Nonnull bytes, size_t count);
codec_result tile_hevc_finish(codec_tile *_Nonnull tile, codec_tile_planes *_Nonnull planes);
void tile_hevc_close(codec_tile *_Nonnull tile);

bool tile_av1_is_available(void);
codec_result tile_av1_open(codec_tile *_Nonnull tile);
codec_result tile_av1_push(codec_tile *_Nonnull tile, const uint8_t *_Nonnull bytes, size_t count);
codec_result tile_av1_finish(codec_tile *_Nonnull tile, codec_tile_planes *_Nonnull planes);
void tile_av1_close(codec_tile *_Nonnull tile);

#endif
