// HEVC by libde265, which is loaded with the first tile. These are the declarations of its stable interface
// (libde265.so.0), so that building needs no header.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tile.h"

typedef struct de265_image de265_image;

enum {
  de265_suppress_faulty_pictures = 6,
  de265_ok = 0,
  de265_out_of_memory = 7,
  de265_waiting_for_input = 13,
  de265_image_buffer_full = 9,
  de265_not_implemented = 502,
};

static struct {
  bool is_available;
  int (*init)(void);
  void *(*new_decoder)(void);
  int (*free_decoder)(void *);
  void (*set_parameter_bool)(void *, int, int);
  int (*push_nal)(void *, const void *, int, int64_t, void *);
  int (*flush_data)(void *);
  int (*decode)(void *, int *);
  int (*get_warning)(void *);
  const char *(*get_error_text)(int);
  const de265_image *(*get_next_picture)(void *);
  int (*get_image_width)(const de265_image *, int);
  int (*get_image_height)(const de265_image *, int);
  int (*get_chroma_format)(const de265_image *);
  int (*get_bits_per_pixel)(const de265_image *, int);
  const uint8_t *(*get_image_plane)(const de265_image *, int, int *);
  int (*get_image_full_range_flag)(const de265_image *);
  int (*get_image_matrix_coefficients)(const de265_image *);
} de265;

static void load(void) {
  void *library = dlopen("libde265.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  struct {
    const char *name;
    void *function;
  } symbols[] = {
      {"de265_init", &de265.init},
      {"de265_new_decoder", &de265.new_decoder},
      {"de265_free_decoder", &de265.free_decoder},
      {"de265_set_parameter_bool", &de265.set_parameter_bool},
      {"de265_push_NAL", &de265.push_nal},
      {"de265_flush_data", &de265.flush_data},
      {"de265_decode", &de265.decode},
      {"de265_get_warning", &de265.get_warning},
      {"de265_get_error_text", &de265.get_error_text},
      {"de265_get_next_picture", &de265.get_next_picture},
      {"de265_get_image_width", &de265.get_image_width},
      {"de265_get_image_height", &de265.get_image_height},
      {"de265_get_chroma_format", &de265.get_chroma_format},
      {"de265_get_bits_per_pixel", &de265.get_bits_per_pixel},
      {"de265_get_image_plane", &de265.get_image_plane},
      {"de265_get_image_full_range_flag", &de265.get_image_full_range_flag},
      {"de265_get_image_matrix_coefficients", &de265.get_image_matrix_coefficients},
  };
  for (size_t index = 0; index < sizeof symbols / sizeof *symbols; index++) {
    void *found = dlsym(library, symbols[index].name);
    if (!found) return;
    memcpy(symbols[index].function, &found, sizeof found);
  }
  // Keeps the library's tables, which it would otherwise make again for each decoder.
  de265.is_available = de265.init() == de265_ok;
}

bool tile_hevc_is_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return de265.is_available;
}

static codec_result failure(codec_tile *tile, int error) {
  snprintf(tile->message, sizeof tile->message, "%s", de265.get_error_text(error));
  switch (error) {
    case de265_out_of_memory:
      return codec_out_of_memory;
    case de265_not_implemented:
      return codec_unsupported;
    default:
      return codec_corrupt;
  }
}

codec_result tile_hevc_open(codec_tile *tile) {
  if (!tile_hevc_is_available()) return codec_unsupported;
  tile->decoder = de265.new_decoder();
  if (!tile->decoder) return codec_out_of_memory;
  // Without this, damaged parts would be gray or stay uninitialized.
  de265.set_parameter_bool(tile->decoder, de265_suppress_faulty_pictures, 1);
  return codec_done;
}

codec_result tile_hevc_push(codec_tile *tile, const uint8_t *bytes, size_t count) {
  if (count > INT_MAX) return codec_too_large;
  int error = de265.push_nal(tile->decoder, bytes, (int)count, 0, NULL);
  return error == de265_ok ? codec_done : failure(tile, error);
}

static codec_result read_planes(codec_tile *tile, const de265_image *image, codec_tile_planes *planes) {
  static const int shifts[4][2] = {{0, 0}, {1, 1}, {1, 0}, {0, 0}};
  int chroma = de265.get_chroma_format(image);
  int width = de265.get_image_width(image, 0), height = de265.get_image_height(image, 0);
  int depth = de265.get_bits_per_pixel(image, 0);
  if (chroma < 0 || chroma > 3 || width <= 0 || height <= 0) return codec_corrupt;
  int count = chroma == 0 ? 1 : 3;
  *planes = (codec_tile_planes){
      .width = (uint32_t)width,
      .height = (uint32_t)height,
      .depth = depth,
      .horizontal_shift = shifts[chroma][0],
      .vertical_shift = shifts[chroma][1],
      .matrix = de265.get_image_matrix_coefficients(image),
      .is_full_range = de265.get_image_full_range_flag(image) != 0,
  };
  for (int plane = 0; plane < count; plane++) {
    int stride = 0;
    planes->samples[plane] = de265.get_image_plane(image, plane, &stride);
    if (!planes->samples[plane] || stride < 0) return codec_corrupt;
    planes->bytes_per_row[plane] = (size_t)stride;
    if (de265.get_bits_per_pixel(image, plane) != depth) {
      snprintf(tile->message, sizeof tile->message, "luma and chroma have different depths");
      return codec_unsupported;
    }
  }
  return codec_done;
}

codec_result tile_hevc_finish(codec_tile *tile, codec_tile_planes *planes) {
  int error = de265.flush_data(tile->decoder);
  const de265_image *image = NULL;
  for (int more = 1; more && error == de265_ok;) {
    more = 0;
    error = de265.decode(tile->decoder, &more);
    if (error == de265_image_buffer_full) error = de265_ok;
    image = de265.get_next_picture(tile->decoder);
    // A still image has one picture. The first one stays valid, because nothing is decoded after it.
    if (image) return read_planes(tile, image, planes);
  }
  if (error != de265_ok && error != de265_waiting_for_input) return failure(tile, error);
  int warning = de265.get_warning(tile->decoder);
  if (warning != de265_ok) return failure(tile, warning);
  snprintf(tile->message, sizeof tile->message, "a tile has no picture, or a damaged one");
  return codec_corrupt;
}

void tile_hevc_close(codec_tile *tile) {
  if (tile->decoder) de265.free_decoder(tile->decoder);
}
