// From the planes of a tile to rows of interleaved samples.
#include <string.h>

#include "tile.h"

// All loops are over arrays without aliases, so that the compiler makes vector code.

static void read_luma(const codec_tile_planes *planes, uint32_t row, uint32_t first, uint32_t count, float *out) {
  const uint8_t *line = planes->samples[0] + (size_t)row * planes->bytes_per_row[0];
  if (planes->depth > 8) {
    const uint16_t *wide = (const uint16_t *)(const void *)line + first;
    for (uint32_t column = 0; column < count; column++) out[column] = wide[column];
  } else {
    line += first;
    for (uint32_t column = 0; column < count; column++) out[column] = line[column];
  }
}

// Chroma at its own resolution: the sample rows `near` and `far`, of which the first weighs three times as much.
static void read_chroma_line(
    const codec_tile_planes *planes, int plane, uint32_t near, uint32_t far, uint32_t count, float *restrict out) {
  const uint8_t *one = planes->samples[plane] + (size_t)near * planes->bytes_per_row[plane];
  const uint8_t *two = planes->samples[plane] + (size_t)far * planes->bytes_per_row[plane];
  if (planes->depth > 8) {
    const uint16_t *wide_one = (const void *)one, *wide_two = (const void *)two;
    for (uint32_t column = 0; column < count; column++) {
      out[column] = (float)(3 * wide_one[column] + wide_two[column]) * 0.25f;
    }
  } else {
    for (uint32_t column = 0; column < count; column++) {
      out[column] = (float)(3 * one[column] + two[column]) * 0.25f;
    }
  }
}

// Chroma samples are in the middle of the luma samples they belong to, as in a JPEG. `line` has `available` samples.
static void spread(
    const float *restrict line, uint32_t available, int shift, bool is_smooth, uint32_t first, uint32_t count,
    float *restrict out) {
  if (shift == 0) {
    memcpy(out, line + first, count * sizeof *out);
    return;
  }
  if (!is_smooth) {
    for (uint32_t column = 0; column < count; column++) out[column] = line[(first + column) >> 1];
    return;
  }
  for (uint32_t column = 0; column < count; column++) {
    uint32_t position = first + column, near = position >> 1;
    uint32_t far = position & 1 ? (near + 1 < available ? near + 1 : near) : (near > 0 ? near - 1 : 0);
    out[column] = 0.75f * line[near] + 0.25f * line[far];
  }
}

static void read_chroma(
    const codec_tile_planes *planes, int plane, uint32_t row, uint32_t first, uint32_t count, bool is_smooth,
    float *line, float *out) {
  int down = planes->vertical_shift, across = planes->horizontal_shift;
  uint32_t width = (planes->width + (uint32_t)across) >> across;
  uint32_t height = (planes->height + (uint32_t)down) >> down;
  uint32_t near = row >> down, far = near;
  if (down && is_smooth) {
    far = row & 1 ? (near + 1 < height ? near + 1 : near) : (near > 0 ? near - 1 : 0);
  }
  read_chroma_line(planes, plane, near, far, width, line);
  spread(line, width, across, is_smooth, first, count, out);
}

static inline float limit(float value, float maximum) {
  value = value > 0 ? value : 0;
  return value < maximum ? value : maximum;
}

static void write_colors(
    const float *restrict y, const float *restrict u, const float *restrict v, uint32_t count,
    const codec_tile_conversion *conversion, uint8_t *restrict red, uint8_t *restrict green,
    uint8_t *restrict blue) {
  const float scale = conversion->luma_scale, offset = conversion->luma_offset + 0.5f;
  const float red_v = conversion->red_v, green_u = conversion->green_u, green_v = conversion->green_v;
  const float blue_u = conversion->blue_u, middle = conversion->chroma_offset;
  for (uint32_t column = 0; column < count; column++) {
    float light = y[column] * scale + offset, pb = u[column] - middle, pr = v[column] - middle;
    red[column] = (uint8_t)(int32_t)limit(light + red_v * pr, 255.5f);
    green[column] = (uint8_t)(int32_t)limit(light + green_u * pb + green_v * pr, 255.5f);
    blue[column] = (uint8_t)(int32_t)limit(light + blue_u * pb, 255.5f);
  }
}

static void write_wide_colors(
    const float *restrict y, const float *restrict u, const float *restrict v, uint32_t count,
    const codec_tile_conversion *conversion, int channels, uint16_t *restrict out) {
  const float scale = conversion->luma_scale, offset = conversion->luma_offset + 0.5f;
  const float red_v = conversion->red_v, green_u = conversion->green_u, green_v = conversion->green_v;
  const float blue_u = conversion->blue_u, middle = conversion->chroma_offset;
  for (uint32_t column = 0; column < count; column++, out += channels) {
    float light = y[column] * scale + offset, pb = u[column] - middle, pr = v[column] - middle;
    out[0] = (uint16_t)(int32_t)limit(light + red_v * pr, 65535.5f);
    out[1] = (uint16_t)(int32_t)limit(light + green_u * pb + green_v * pr, 65535.5f);
    out[2] = (uint16_t)(int32_t)limit(light + blue_u * pb, 65535.5f);
  }
}

// The samples as stored: green, blue and red.
static void write_plain(
    const float *plane, uint32_t count, const codec_tile_conversion *conversion, int channels, int bytes,
    uint8_t *out) {
  const float scale = conversion->luma_scale, offset = conversion->luma_offset + 0.5f;
  if (bytes == 2) {
    uint16_t *wide = (uint16_t *)(void *)out;
    for (uint32_t column = 0; column < count; column++) {
      wide[(size_t)column * (size_t)channels] = (uint16_t)(int32_t)limit(plane[column] * scale + offset, 65535.5f);
    }
  } else {
    for (uint32_t column = 0; column < count; column++) {
      out[(size_t)column * (size_t)channels] = (uint8_t)(int32_t)limit(plane[column] * scale + offset, 255.5f);
    }
  }
}

size_t codec_tile_scratch_count(const codec_tile_planes *planes) {
  return 5 * ((size_t)planes->width + 1);
}

void codec_tile_read_row(
    const codec_tile_planes *planes, uint32_t row, uint32_t first, uint32_t count,
    const codec_tile_conversion *conversion, float *scratch, uint8_t *out) {
  size_t length = (size_t)planes->width + 1;
  float *y = scratch, *u = y + length, *v = u + length, *line = v + length;
  int channels = conversion->channels, bytes = conversion->bytes_per_sample;
  read_luma(planes, row, first, count, y);
  if (channels < 3) {
    write_plain(y, count, conversion, channels, bytes, out);
    return;
  }
  if (!planes->samples[1]) {
    for (int channel = 0; channel < 3; channel++) {
      write_plain(y, count, conversion, channels, bytes, out + channel * bytes);
    }
    return;
  }
  read_chroma(planes, 1, row, first, count, conversion->smooths_chroma, line, u);
  read_chroma(planes, 2, row, first, count, conversion->smooths_chroma, line, v);
  if (conversion->is_identity) {
    write_plain(v, count, conversion, channels, bytes, out);
    write_plain(y, count, conversion, channels, bytes, out + bytes);
    write_plain(u, count, conversion, channels, bytes, out + 2 * bytes);
  } else if (bytes == 2) {
    write_wide_colors(y, u, v, count, conversion, channels, (uint16_t *)(void *)out);
  } else {
    uint8_t *red = (uint8_t *)line, *green = red + length, *blue = green + length;
    write_colors(y, u, v, count, conversion, red, green, blue);
    for (uint32_t column = 0; column < count; column++, out += channels) {
      out[0] = red[column];
      out[1] = green[column];
      out[2] = blue[column];
    }
  }
}

void codec_tile_read_alpha(
    const codec_tile_planes *planes, uint32_t row, uint32_t first, uint32_t count,
    const codec_tile_conversion *conversion, float *scratch, uint8_t *out) {
  read_luma(planes, row, first, count, scratch);
  write_plain(scratch, count, conversion, 4, conversion->bytes_per_sample, out + 3 * conversion->bytes_per_sample);
}

void codec_tile_unpremultiply(uint8_t *row, size_t count, int bytes_per_sample) {
  if (bytes_per_sample == 2) {
    uint16_t *wide = (uint16_t *)(void *)row;
    for (size_t pixel = 0; pixel < count; pixel++, wide += 4) {
      uint32_t alpha = wide[3];
      if (alpha == 0 || alpha == 65535) continue;
      for (int channel = 0; channel < 3; channel++) {
        uint64_t value = ((uint64_t)wide[channel] * 65535 + alpha / 2) / alpha;
        wide[channel] = value < 65535 ? (uint16_t)value : 65535;
      }
    }
    return;
  }
  for (size_t pixel = 0; pixel < count; pixel++, row += 4) {
    uint32_t alpha = row[3];
    if (alpha == 0 || alpha == 255) continue;
    for (int channel = 0; channel < 3; channel++) {
      uint32_t value = (row[channel] * 255u + alpha / 2) / alpha;
      row[channel] = value < 255 ? (uint8_t)value : 255;
    }
  }
}
