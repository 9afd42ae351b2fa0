// AV1 by dav1d, which is loaded with the first tile. Its structures differ between versions, so building needs its
// header; without it, AVIF images are not supported.
#include "tile.h"

#if __has_include(<dav1d/dav1d.h>)

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dav1d/dav1d.h>

#define TEXT_OF(value) #value
#define SONAME(version) "libdav1d.so." TEXT_OF(version)

static struct {
  bool is_available;
  void (*default_settings)(Dav1dSettings *);
  int (*open)(Dav1dContext **, const Dav1dSettings *);
  void (*close)(Dav1dContext **);
  uint8_t *(*data_create)(Dav1dData *, size_t);
  void (*data_unref)(Dav1dData *);
  int (*send_data)(Dav1dContext *, Dav1dData *);
  int (*get_picture)(Dav1dContext *, Dav1dPicture *);
  void (*picture_unref)(Dav1dPicture *);
} dav1d;

static void load(void) {
  void *library = dlopen(SONAME(DAV1D_API_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  struct {
    const char *name;
    void *function;
  } symbols[] = {
      {"dav1d_default_settings", &dav1d.default_settings},
      {"dav1d_open", &dav1d.open},
      {"dav1d_close", &dav1d.close},
      {"dav1d_data_create", &dav1d.data_create},
      {"dav1d_data_unref", &dav1d.data_unref},
      {"dav1d_send_data", &dav1d.send_data},
      {"dav1d_get_picture", &dav1d.get_picture},
      {"dav1d_picture_unref", &dav1d.picture_unref},
  };
  for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
    void *found = dlsym(library, symbols[index].name);
    if (!found) return;
    memcpy(symbols[index].function, &found, sizeof found);
  }
  dav1d.is_available = true;
}

int codec_tile_av1_library_number(void) {
  return DAV1D_API_VERSION_MAJOR;
}

bool tile_av1_is_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return dav1d.is_available;
}

static codec_result failure(codec_tile *tile, int error) {
  switch (error) {
    case DAV1D_ERR(ENOMEM):
      return codec_out_of_memory;
    case DAV1D_ERR(ERANGE):
      snprintf(tile->message, sizeof tile->message, "a tile is larger than the image");
      return codec_corrupt;
    case DAV1D_ERR(EAGAIN):
      snprintf(tile->message, sizeof tile->message, "a tile has no picture");
      return codec_corrupt;
    default:
      snprintf(tile->message, sizeof tile->message, "a tile has invalid data");
      return codec_corrupt;
  }
}

codec_result tile_av1_open(codec_tile *tile) {
  if (!tile_av1_is_available()) return codec_unsupported;
  Dav1dSettings settings;
  dav1d.default_settings(&settings);
  settings.n_threads = 1;
  settings.max_frame_delay = 1;
  settings.all_layers = 0;
  settings.frame_size_limit = tile->maximum_pixels < UINT_MAX ? (unsigned)tile->maximum_pixels : UINT_MAX;
  settings.logger.callback = NULL;
  Dav1dContext *context = NULL;
  int error = dav1d.open(&context, &settings);
  tile->decoder = context;
  return error == 0 ? codec_done : codec_out_of_memory;
}

codec_result tile_av1_push(codec_tile *tile, const uint8_t *bytes, size_t count) {
  if (tile->picture) return codec_done;
  Dav1dPicture *picture = calloc(1, sizeof *picture);
  if (!picture) return codec_out_of_memory;
  Dav1dData data = {0};
  uint8_t *copy = dav1d.data_create(&data, count);
  if (!copy) {
    free(picture);
    return codec_out_of_memory;
  }
  memcpy(copy, bytes, count);
  int error = DAV1D_ERR(EAGAIN);
  // Every call uses up input or returns the picture, so that the loop ends. Only the first picture is needed.
  while (data.sz > 0) {
    error = dav1d.send_data(tile->decoder, &data);
    if (error < 0 && error != DAV1D_ERR(EAGAIN)) break;
    int sent = error;
    error = dav1d.get_picture(tile->decoder, picture);
    if (error == 0 || error != DAV1D_ERR(EAGAIN)) break;
    if (sent == DAV1D_ERR(EAGAIN)) break;
  }
  if (error == DAV1D_ERR(EAGAIN)) error = dav1d.get_picture(tile->decoder, picture);
  // Without effect if the decoder took the data.
  dav1d.data_unref(&data);
  if (error != 0) {
    free(picture);
    return failure(tile, error);
  }
  tile->picture = picture;
  return codec_done;
}

codec_result tile_av1_finish(codec_tile *tile, codec_tile_planes *planes) {
  const Dav1dPicture *picture = tile->picture;
  if (!picture) return failure(tile, DAV1D_ERR(EAGAIN));
  enum Dav1dPixelLayout layout = picture->p.layout;
  bool has_chroma = layout != DAV1D_PIXEL_LAYOUT_I400;
  if (picture->p.w <= 0 || picture->p.h <= 0 || picture->stride[0] < 0 || picture->stride[1] < 0) {
    return codec_corrupt;
  }
  *planes = (codec_tile_planes){
      .width = (uint32_t)picture->p.w,
      .height = (uint32_t)picture->p.h,
      .depth = picture->p.bpc,
      .horizontal_shift = layout == DAV1D_PIXEL_LAYOUT_I420 || layout == DAV1D_PIXEL_LAYOUT_I422,
      .vertical_shift = layout == DAV1D_PIXEL_LAYOUT_I420,
      .matrix = picture->seq_hdr->mtrx,
      .is_full_range = picture->seq_hdr->color_range != 0,
  };
  for (int plane = 0; plane < (has_chroma ? 3 : 1); plane++) {
    planes->samples[plane] = picture->data[plane];
    planes->bytes_per_row[plane] = (size_t)picture->stride[plane == 0 ? 0 : 1];
  }
  // The picture does not need the decoder.
  Dav1dContext *context = tile->decoder;
  dav1d.close(&context);
  tile->decoder = NULL;
  return codec_done;
}

void tile_av1_close(codec_tile *tile) {
  if (tile->picture) {
    dav1d.picture_unref(tile->picture);
    free(tile->picture);
  }
  Dav1dContext *context = tile->decoder;
  if (context) dav1d.close(&context);
}

#else

int codec_tile_av1_library_number(void) { return 0; }
bool tile_av1_is_available(void) { return false; }
codec_result tile_av1_open(codec_tile *tile) { return codec_unsupported; }
codec_result tile_av1_push(codec_tile *tile, const uint8_t *bytes, size_t count) { return codec_unsupported; }
codec_result tile_av1_finish(codec_tile *tile, codec_tile_planes *planes) { return codec_unsupported; }
void tile_av1_close(codec_tile *tile) {}

#endif
