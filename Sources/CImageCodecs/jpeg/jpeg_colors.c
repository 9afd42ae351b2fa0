#include "jpeg_colors.h"

#include <string.h>

#ifdef __x86_64__
#include <tmmintrin.h>
#endif

// The factors 1.402, 0.34414, 0.71414 and 1.772 in units of 1/65,536.
enum {
  red_of_red = 91881,
  green_of_blue = 22554,
  green_of_red = 46802,
  blue_of_blue = 116130,
};

static uint8_t clamped(int32_t value) {
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

static void convert_each(
    const uint8_t *light, const uint8_t *blue, const uint8_t *red, uint8_t *pixels, size_t width) {
  for (size_t x = 0; x < width; x++, pixels += 3) {
    int32_t cb = blue[x] - 128, cr = red[x] - 128;
    pixels[0] = clamped(light[x] + ((red_of_red * cr + 32768) >> 16));
    pixels[1] = clamped(light[x] + ((-green_of_blue * cb - green_of_red * cr + 32768) >> 16));
    pixels[2] = clamped(light[x] + ((blue_of_blue * cb + 32768) >> 16));
  }
}

#ifdef __x86_64__
#define SSSE3 __attribute__((target("ssse3")))

/// Returns a product in units of 1/65,536, rounded as above: adds one half before the last bit is dropped.
SSSE3 static inline __m128i scaled(__m128i doubled, int factor) {
  __m128i product = _mm_mulhi_epi16(doubled, _mm_set1_epi16((short)factor));
  return _mm_srai_epi16(_mm_add_epi16(product, _mm_set1_epi16(1)), 1);
}

SSSE3 static inline __m128i green_part(__m128i blue_and_red) {
  __m128i factors = _mm_set1_epi32((int32_t)(0x10000 - green_of_blue) | (65536 - green_of_red) << 16);
  return _mm_srai_epi32(_mm_add_epi32(_mm_madd_epi16(blue_and_red, factors), _mm_set1_epi32(32768)), 16);
}

typedef struct three_channels {
  __m128i red, green, blue;
} three_channels;

/// Converts eight pixels with 16-bit samples.
SSSE3 static inline three_channels colors_of(__m128i light, __m128i cb, __m128i cr) {
  cb = _mm_sub_epi16(cb, _mm_set1_epi16(128));
  cr = _mm_sub_epi16(cr, _mm_set1_epi16(128));
  __m128i cb_twice = _mm_add_epi16(cb, cb), cr_twice = _mm_add_epi16(cr, cr);
  __m128i red = _mm_add_epi16(cr, scaled(cr_twice, red_of_red - 65536));
  __m128i blue = _mm_add_epi16(cb_twice, scaled(cb_twice, blue_of_blue - 2 * 65536));
  __m128i green = _mm_packs_epi32(
      green_part(_mm_unpacklo_epi16(cb, cr)), green_part(_mm_unpackhi_epi16(cb, cr)));
  return (three_channels){_mm_add_epi16(light, red), _mm_add_epi16(light, _mm_sub_epi16(green, cr)),
      _mm_add_epi16(light, blue)};
}

SSSE3 static void convert_sixteen(
    const uint8_t *light, const uint8_t *blue, const uint8_t *red, uint8_t *pixels) {
  // The positions of a channel's samples in a run of 16 output bytes. The other channels follow one and two positions
  // later.
  static const int8_t spread[3][16] = {
      {0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1, 5},
      {-1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1, 10, -1},
      {-1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1, -1},
  };
  static const int8_t spread_green[3][16] = {
      {-1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1},
      {5, -1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1, 10},
      {-1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15, -1},
  };
  static const int8_t spread_blue[3][16] = {
      {-1, -1, 0, -1, -1, 1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1},
      {-1, 5, -1, -1, 6, -1, -1, 7, -1, -1, 8, -1, -1, 9, -1, -1},
      {10, -1, -1, 11, -1, -1, 12, -1, -1, 13, -1, -1, 14, -1, -1, 15},
  };
  __m128i zero = _mm_setzero_si128();
  __m128i y = _mm_loadu_si128((const __m128i *)light);
  __m128i cb = _mm_loadu_si128((const __m128i *)blue), cr = _mm_loadu_si128((const __m128i *)red);
  three_channels low = colors_of(
      _mm_unpacklo_epi8(y, zero), _mm_unpacklo_epi8(cb, zero), _mm_unpacklo_epi8(cr, zero));
  three_channels high = colors_of(
      _mm_unpackhi_epi8(y, zero), _mm_unpackhi_epi8(cb, zero), _mm_unpackhi_epi8(cr, zero));
  __m128i r = _mm_packus_epi16(low.red, high.red), g = _mm_packus_epi16(low.green, high.green);
  __m128i b = _mm_packus_epi16(low.blue, high.blue);
  for (int part = 0; part < 3; part++) {
    __m128i red_here = _mm_shuffle_epi8(r, _mm_loadu_si128((const __m128i *)spread[part]));
    __m128i green_here = _mm_shuffle_epi8(g, _mm_loadu_si128((const __m128i *)spread_green[part]));
    __m128i blue_here = _mm_shuffle_epi8(b, _mm_loadu_si128((const __m128i *)spread_blue[part]));
    _mm_storeu_si128(
        (__m128i *)(pixels + 16 * part), _mm_or_si128(_mm_or_si128(red_here, green_here), blue_here));
  }
}

SSSE3 static void convert_by_sixteen(
    const uint8_t *light, const uint8_t *blue, const uint8_t *red, uint8_t *pixels, size_t width) {
  size_t x = 0;
  for (; x + 16 <= width; x += 16) convert_sixteen(light + x, blue + x, red + x, pixels + 3 * x);
  if (x == width) return;
  uint8_t rest[48];
  convert_sixteen(light + x, blue + x, red + x, rest);
  memcpy(pixels + 3 * x, rest, 3 * (width - x));
}
#endif

void jpeg_colors_convert(
    const uint8_t *light, const uint8_t *blue, const uint8_t *red, uint8_t *pixels, size_t width) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("ssse3")) {
    convert_by_sixteen(light, blue, red, pixels, width);
    return;
  }
#endif
  convert_each(light, blue, red, pixels, width);
}

void jpeg_colors_widen(const uint8_t *samples, size_t count, bool smoothly, uint8_t *wide) {
  for (size_t x = 0; x < count; x++) {
    unsigned sample = samples[x];
    unsigned left = samples[x > 0 ? x - 1 : 0], right = samples[x + 1 < count ? x + 1 : x];
    wide[2 * x] = (uint8_t)(smoothly ? (3 * sample + left + 1) >> 2 : sample);
    wide[2 * x + 1] = (uint8_t)(smoothly ? (3 * sample + right + 2) >> 2 : sample);
  }
}
