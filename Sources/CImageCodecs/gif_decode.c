#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

#include "CImageCodecs.h"

struct codec_gif_decoder {
  GifFileType *file;
  int error;
  const uint8_t *bytes;
  size_t left;
  bool has_run_out;
  int transparent;
  uint8_t colors[256 * 4];
  uint8_t *indices;
};

static int read_bytes(GifFileType *file, GifByteType *to, int count) {
  codec_gif_decoder *decoder = file->UserData;
  size_t given = (size_t)count < decoder->left ? (size_t)count : decoder->left;
  if (given < (size_t)count) decoder->has_run_out = true;
  memcpy(to, decoder->bytes, given);
  decoder->bytes += given;
  decoder->left -= given;
  return (int)given;
}

static codec_result failure(codec_gif_decoder *decoder) {
  if (decoder->file) decoder->error = decoder->file->Error;
  if (decoder->error == D_GIF_ERR_NOT_ENOUGH_MEM) return codec_out_of_memory;
  return decoder->has_run_out ? codec_needs_input : codec_corrupt;
}

codec_gif_decoder *codec_gif_decoder_make(const uint8_t *bytes, size_t count) {
  codec_gif_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->bytes = bytes;
  decoder->left = count;
  decoder->transparent = NO_TRANSPARENT_COLOR;
  return decoder;
}

void codec_gif_decoder_free(codec_gif_decoder *decoder) {
  if (decoder->file) DGifCloseFile(decoder->file, NULL);
  free(decoder->indices);
  free(decoder);
}

const char *codec_gif_decoder_message(const codec_gif_decoder *decoder) {
  const char *message = GifErrorString(decoder->error);
  return message ? message : "giflib found an error";
}

static bool read_extension(codec_gif_decoder *decoder) {
  int code;
  GifByteType *block;
  if (DGifGetExtension(decoder->file, &code, &block) == GIF_ERROR) return false;
  while (block) {
    GraphicsControlBlock control;
    // The first byte is the length of the block.
    if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
      decoder->transparent = control.TransparentColor;
    }
    if (DGifGetExtensionNext(decoder->file, &block) == GIF_ERROR) return false;
  }
  return true;
}

/// Colors that are not in the map stay black. Without a map, the colors are shades of gray.
static void collect_colors(codec_gif_decoder *decoder) {
  const GifImageDesc *image = &decoder->file->Image;
  const ColorMapObject *map = image->ColorMap ? image->ColorMap : decoder->file->SColorMap;
  for (int index = 0; index < 256; index++) {
    uint8_t *color = decoder->colors + 4 * index;
    color[3] = index == decoder->transparent ? 0 : 255;
    if (!map) {
      color[0] = color[1] = color[2] = (uint8_t)index;
    } else if (index < map->ColorCount) {
      color[0] = map->Colors[index].Red;
      color[1] = map->Colors[index].Green;
      color[2] = map->Colors[index].Blue;
    }
  }
}

codec_result codec_gif_decoder_start(codec_gif_decoder *decoder, codec_gif_frame *frame) {
  decoder->file = DGifOpen(decoder, read_bytes, &decoder->error);
  if (!decoder->file) return failure(decoder);
  GifRecordType type;
  do {
    if (DGifGetRecordType(decoder->file, &type) == GIF_ERROR) return failure(decoder);
    if (type == EXTENSION_RECORD_TYPE && !read_extension(decoder)) return failure(decoder);
    if (type == TERMINATE_RECORD_TYPE) {
      decoder->error = D_GIF_ERR_NO_IMAG_DSCR;
      return codec_corrupt;
    }
  } while (type != IMAGE_DESC_RECORD_TYPE);
  if (DGifGetImageDesc(decoder->file) == GIF_ERROR) return failure(decoder);
  const GifImageDesc *image = &decoder->file->Image;
  if (image->Left < 0 || image->Top < 0 || image->Width <= 0 || image->Height <= 0) {
    decoder->error = D_GIF_ERR_IMAGE_DEFECT;
    return codec_corrupt;
  }
  decoder->indices = malloc((size_t)image->Width);
  if (!decoder->indices) return codec_out_of_memory;
  collect_colors(decoder);
  frame->left = (uint32_t)image->Left;
  frame->top = (uint32_t)image->Top;
  frame->width = (uint32_t)image->Width;
  frame->height = (uint32_t)image->Height;
  frame->is_interlaced = image->Interlace;
  frame->has_transparency = decoder->transparent != NO_TRANSPARENT_COLOR;
  return codec_done;
}

codec_result codec_gif_decoder_read_row(codec_gif_decoder *decoder, bool with_alpha, uint8_t *row) {
  int width = decoder->file->Image.Width;
  if (DGifGetLine(decoder->file, decoder->indices, width) == GIF_ERROR) return failure(decoder);
  int channels = with_alpha ? 4 : 3;
  for (int x = 0; x < width; x++, row += channels) {
    const uint8_t *color = decoder->colors + 4 * decoder->indices[x];
    for (int channel = 0; channel < channels; channel++) row[channel] = color[channel];
  }
  return codec_done;
}
