#include "jpeg_transform.h"

#include <math.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// libjpeg's accurate transforms, with the same rounding: the algorithm of Loeffler, Ligtenberg and Moschytz, with
// factors of 13 bits, and two more bits between the passes. For fewer samples, the results are means of neighbors. The
// sums of products are multiplied out here, so that all factors are constants of pairs.

#define INLINE static inline __attribute__((always_inline))
#define FACTOR(x) ((int32_t)((x) * 8192 + 0.5))

enum {
  one = 1 << 13,
  f0298 = FACTOR(0.298631336),
  f0390 = FACTOR(0.390180644),
  f0541 = FACTOR(0.541196100),
  f0765 = FACTOR(0.765366865),
  f0899 = FACTOR(0.899976223),
  f1175 = FACTOR(1.175875602),
  f1501 = FACTOR(1.501321110),
  f1847 = FACTOR(1.847759065),
  f1961 = FACTOR(1.961570560),
  f2053 = FACTOR(2.053119869),
  f2562 = FACTOR(2.562915447),
  f3072 = FACTOR(3.072711026),
  // For means of two neighbors.
  f0211 = FACTOR(0.211164243),
  f0509 = FACTOR(0.509795579),
  f0601 = FACTOR(0.601344887),
  f1061 = FACTOR(1.061594337),
  f1451 = FACTOR(1.451774981),
  f2172 = FACTOR(2.172734803),
  // For means of four.
  f0720 = FACTOR(0.720959822),
  f0850 = FACTOR(0.850430095),
  f1272 = FACTOR(1.272758580),
  f3624 = FACTOR(3.624509785),
  // Coefficients up to this number are among the first four of a row and of a column.
  last_in_corner = 9,
};

/// The contribution of the coefficients 1, 3, 5 and 7 to the samples 0 to 3, and with inverted sign to the samples 7
/// to 4.
static const int16_t odd_factors[4][4] = {
    {f1501 - f0899 - f0390 + f1175, f1175, f1175 - f0390, f1175 - f0899},
    {f1175, f3072 - f2562 - f1961 + f1175, f1175 - f2562, f1175 - f1961},
    {f1175 - f0390, f1175 - f2562, f2053 - f2562 - f0390 + f1175, f1175},
    {f1175 - f0899, f1175 - f1961, f1175, f0298 - f0899 - f1961 + f1175},
};
/// The same for means of two: the outer ones, and the inner ones.
static const int16_t odd_factors_of_four[2][4] = {
    {f2562, f0899, -f0601, -f0509},
    {f1061, -f2172, f1451, -f0211},
};
static const int16_t odd_factors_of_two[4] = {f3624, -f1272, f0850, -f0720};

// The mean light of samples is more than the light of their mean, the more they differ. If light were the square of a
// sample, it would be the square of the mean, plus the variance. The exponent of sRGB is larger, by about this factor.
//
// The sum of the squares of a block's coefficients is that of its samples, so it gives their variance. Subtracting the
// variance between the four means leaves the mean variance of the samples that each of them stands for.
static const float exponent_factor = 1.2F;

static uint8_t sample_of(int32_t value) {
  value += 128;
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

/// Returns the sample of a block that has only its first coefficient.
static uint8_t flat_sample(const jpeg_block *block) {
  return sample_of((block->coefficients[0] + 4) >> 3);
}

static void fill(uint8_t sample, unsigned size, uint8_t *samples, size_t bytes_per_row) {
  if (size == 8) {
    for (int row = 0; row < 8; row++) memset(samples + row * bytes_per_row, sample, 8);
  } else if (size == 4) {
    for (int row = 0; row < 4; row++) memset(samples + row * bytes_per_row, sample, 4);
  } else {
    for (unsigned row = 0; row < size; row++) memset(samples + row * bytes_per_row, sample, size);
  }
}

#ifdef __SSE2__

INLINE __m128i pair(int low, int high) {
  return _mm_set1_epi32((int32_t)((uint32_t)(uint16_t)low | (uint32_t)high << 16));
}

/// The coefficients of four columns or rows, in pairs.
typedef struct coefficient_pairs {
  __m128i of_04, of_26, of_13, of_57;
} coefficient_pairs;

INLINE __m128i odd_sum(coefficient_pairs in, const int16_t *factors, bool is_corner) {
  __m128i sum = _mm_madd_epi16(in.of_13, pair(factors[0], factors[1]));
  if (is_corner) return sum;
  return _mm_add_epi32(sum, _mm_madd_epi16(in.of_57, pair(factors[2], factors[3])));
}

INLINE void add_and_subtract(__m128i first, __m128i second, int shift, __m128i *sum, __m128i *rest) {
  *sum = _mm_srai_epi32(_mm_add_epi32(first, second), shift);
  *rest = _mm_srai_epi32(_mm_sub_epi32(first, second), shift);
}

INLINE void make_eight(coefficient_pairs in, int shift, bool is_corner, __m128i *out) {
  __m128i half = _mm_set1_epi32(1 << (shift - 1));
  __m128i sum_04 = _mm_add_epi32(_mm_madd_epi16(in.of_04, pair(one, one)), half);
  __m128i rest_04 = _mm_add_epi32(_mm_madd_epi16(in.of_04, pair(one, -one)), half);
  __m128i large_26 = _mm_madd_epi16(in.of_26, pair(f0541 + f0765, f0541));
  __m128i small_26 = _mm_madd_epi16(in.of_26, pair(f0541, f0541 - f1847));
  __m128i even[4] = {_mm_add_epi32(sum_04, large_26), _mm_add_epi32(rest_04, small_26),
      _mm_sub_epi32(rest_04, small_26), _mm_sub_epi32(sum_04, large_26)};
  for (int index = 0; index < 4; index++) {
    __m128i odd = odd_sum(in, odd_factors[index], is_corner);
    add_and_subtract(even[index], odd, shift, &out[index], &out[7 - index]);
  }
}

INLINE void make_four(coefficient_pairs in, int shift, __m128i *out) {
  __m128i half = _mm_set1_epi32(1 << (shift - 1));
  __m128i even_0 = _mm_add_epi32(_mm_madd_epi16(in.of_04, pair(2 * one, 0)), half);
  __m128i even_2 = _mm_madd_epi16(in.of_26, pair(f1847, -f0765));
  __m128i outer = odd_sum(in, odd_factors_of_four[0], false);
  __m128i inner = odd_sum(in, odd_factors_of_four[1], false);
  add_and_subtract(_mm_add_epi32(even_0, even_2), outer, shift, &out[0], &out[3]);
  add_and_subtract(_mm_sub_epi32(even_0, even_2), inner, shift, &out[1], &out[2]);
}

/// Returns the pairs of four rows, which are stored next to each other.
INLINE coefficient_pairs across(const __m128i *rows) {
  __m128i low_01 = _mm_unpacklo_epi32(rows[0], rows[1]), low_23 = _mm_unpacklo_epi32(rows[2], rows[3]);
  __m128i high_01 = _mm_unpackhi_epi32(rows[0], rows[1]), high_23 = _mm_unpackhi_epi32(rows[2], rows[3]);
  return (coefficient_pairs){_mm_unpacklo_epi64(low_01, low_23), _mm_unpackhi_epi64(low_01, low_23),
      _mm_unpacklo_epi64(high_01, high_23), _mm_unpackhi_epi64(high_01, high_23)};
}

INLINE coefficient_pairs down_low(const __m128i *rows) {
  return (coefficient_pairs){_mm_unpacklo_epi16(rows[0], rows[4]), _mm_unpacklo_epi16(rows[2], rows[6]),
      _mm_unpacklo_epi16(rows[1], rows[3]), _mm_unpacklo_epi16(rows[5], rows[7])};
}

INLINE coefficient_pairs down_high(const __m128i *rows) {
  return (coefficient_pairs){_mm_unpackhi_epi16(rows[0], rows[4]), _mm_unpackhi_epi16(rows[2], rows[6]),
      _mm_unpackhi_epi16(rows[1], rows[3]), _mm_unpackhi_epi16(rows[5], rows[7])};
}

INLINE void load(const jpeg_block *block, bool is_corner, __m128i *rows) {
  const __m128i *from = (const __m128i *)block->coefficients;
  for (int row = 0; row < 8; row++) {
    rows[row] = is_corner && row > 3 ? _mm_setzero_si128() : _mm_load_si128(from + row);
  }
}

INLINE void transform_eight(const jpeg_block *block, bool is_corner, uint8_t *samples, size_t bytes_per_row) {
  __m128i rows[8], low[8], high[8], columns[8];
  load(block, is_corner, rows);
  make_eight(down_low(rows), 11, is_corner, low);
  make_eight(down_high(rows), 11, is_corner, high);
  for (int row = 0; row < 8; row++) rows[row] = _mm_packs_epi32(low[row], high[row]);
  make_eight(across(rows), 18, is_corner, low);
  make_eight(across(rows + 4), 18, is_corner, high);
  for (int index = 0; index < 8; index++) columns[index] = _mm_packs_epi32(low[index], high[index]);
  __m128i quads[4];
  for (int half = 0; half < 2; half++) {
    const __m128i *four = columns + 4 * half;
    __m128i of_02 = _mm_packs_epi16(four[0], four[2]), of_13 = _mm_packs_epi16(four[1], four[3]);
    __m128i of_01 = _mm_unpacklo_epi8(of_02, of_13), of_23 = _mm_unpackhi_epi8(of_02, of_13);
    quads[half] = _mm_unpacklo_epi16(of_01, of_23);
    quads[half + 2] = _mm_unpackhi_epi16(of_01, of_23);
  }
  __m128i middle = _mm_set1_epi8(-128);
  for (int half = 0; half < 4; half += 2) {
    __m128i first = _mm_xor_si128(_mm_unpacklo_epi32(quads[half], quads[half + 1]), middle);
    __m128i second = _mm_xor_si128(_mm_unpackhi_epi32(quads[half], quads[half + 1]), middle);
    uint8_t *row = samples + 2 * (size_t)half * bytes_per_row;
    _mm_storel_epi64((__m128i *)row, first);
    _mm_storel_epi64((__m128i *)(row + bytes_per_row), _mm_unpackhi_epi64(first, first));
    _mm_storel_epi64((__m128i *)(row + 2 * bytes_per_row), second);
    _mm_storel_epi64((__m128i *)(row + 3 * bytes_per_row), _mm_unpackhi_epi64(second, second));
  }
}

static void transform_four(const jpeg_block *block, uint8_t *samples, size_t bytes_per_row) {
  __m128i rows[8], low[4], high[4];
  load(block, false, rows);
  make_four(down_low(rows), 12, low);
  make_four(down_high(rows), 12, high);
  for (int row = 0; row < 4; row++) rows[row] = _mm_packs_epi32(low[row], high[row]);
  make_four(across(rows), 19, low);
  __m128i columns = _mm_packs_epi16(_mm_packs_epi32(low[0], low[1]), _mm_packs_epi32(low[2], low[3]));
  for (int turn = 0; turn < 2; turn++) columns = _mm_unpacklo_epi8(columns, _mm_srli_si128(columns, 8));
  columns = _mm_xor_si128(columns, _mm_set1_epi8(-128));
  for (int row = 0; row < 4; row++) {
    int32_t four = _mm_cvtsi128_si32(columns);
    memcpy(samples + (size_t)row * bytes_per_row, &four, sizeof four);
    columns = _mm_srli_si128(columns, 4);
  }
}

#else

/// Returns a coefficient for a one-dimensional transform. Coefficients are `stride` apart; with a stride of 1, they
/// have the order of `jpeg_block`'s columns. Sums wrap as those of vectors do; only damaged data makes them that
/// large.
INLINE int32_t coefficient(const int16_t *in, int stride, int index) {
  static const uint8_t places[8] = {0, 4, 2, 5, 1, 6, 3, 7};
  return stride == 1 ? in[places[index]] : in[index * stride];
}

INLINE uint32_t product(const int16_t *in, int stride, int index, int factor) {
  return (uint32_t)(coefficient(in, stride, index) * factor);
}

INLINE uint32_t odd_sum(const int16_t *in, int stride, const int16_t *factors) {
  uint32_t sum = 0;
  for (int index = 0; index < 4; index++) sum += product(in, stride, 2 * index + 1, factors[index]);
  return sum;
}

INLINE void make_eight(const int16_t *in, int stride, int shift, int32_t *out) {
  uint32_t half = 1U << (shift - 1);
  uint32_t sum_04 = product(in, stride, 0, one) + product(in, stride, 4, one) + half;
  uint32_t rest_04 = product(in, stride, 0, one) - product(in, stride, 4, one) + half;
  uint32_t large_26 = product(in, stride, 2, f0541 + f0765) + product(in, stride, 6, f0541);
  uint32_t small_26 = product(in, stride, 2, f0541) + product(in, stride, 6, f0541 - f1847);
  uint32_t even[4] = {sum_04 + large_26, rest_04 + small_26, rest_04 - small_26, sum_04 - large_26};
  for (int index = 0; index < 4; index++) {
    uint32_t odd = odd_sum(in, stride, odd_factors[index]);
    out[index] = (int32_t)(even[index] + odd) >> shift;
    out[7 - index] = (int32_t)(even[index] - odd) >> shift;
  }
}

INLINE void make_four(const int16_t *in, int stride, int shift, int32_t *out) {
  uint32_t even_0 = product(in, stride, 0, 2 * one) + (1U << (shift - 1));
  uint32_t even_2 = product(in, stride, 2, f1847) + product(in, stride, 6, -f0765);
  uint32_t outer = odd_sum(in, stride, odd_factors_of_four[0]);
  uint32_t inner = odd_sum(in, stride, odd_factors_of_four[1]);
  out[0] = (int32_t)(even_0 + even_2 + outer) >> shift;
  out[3] = (int32_t)(even_0 + even_2 - outer) >> shift;
  out[1] = (int32_t)(even_0 - even_2 + inner) >> shift;
  out[2] = (int32_t)(even_0 - even_2 - inner) >> shift;
}

INLINE int16_t saturated(int32_t value) {
  return value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : (int16_t)value;
}

INLINE void transform_eight(const jpeg_block *block, bool is_corner, uint8_t *samples, size_t bytes_per_row) {
  (void)is_corner;
  int16_t rows[8][8];
  int32_t out[8];
  for (int column = 0; column < 8; column++) {
    make_eight(block->coefficients + column, 8, 11, out);
    for (int row = 0; row < 8; row++) rows[row][column] = saturated(out[row]);
  }
  for (int row = 0; row < 8; row++) {
    make_eight(rows[row], 1, 18, out);
    for (int column = 0; column < 8; column++) samples[row * bytes_per_row + column] = sample_of(out[column]);
  }
}

static void transform_four(const jpeg_block *block, uint8_t *samples, size_t bytes_per_row) {
  int16_t rows[4][8];
  int32_t out[4];
  for (int column = 0; column < 8; column++) {
    make_four(block->coefficients + column, 8, 12, out);
    for (int row = 0; row < 4; row++) rows[row][column] = saturated(out[row]);
  }
  for (int row = 0; row < 4; row++) {
    make_four(rows[row], 1, 19, out);
    for (int column = 0; column < 4; column++) samples[row * bytes_per_row + column] = sample_of(out[column]);
  }
}

#endif

#ifdef __SSE2__

/// Returns the four means of a block, row by row, minus 128.
INLINE __m128i make_means(const jpeg_block *block) {
  const __m128i *rows = (const __m128i *)block->coefficients;
  const int16_t *factors = odd_factors_of_two;
  __m128i zero = _mm_setzero_si128(), half = _mm_set1_epi32(1 << 12);
  __m128i of_13 = pair(factors[0], factors[1]), of_57 = pair(factors[2], factors[3]);
  __m128i low_odd = _mm_add_epi32(_mm_madd_epi16(_mm_unpacklo_epi16(rows[1], rows[3]), of_13),
      _mm_madd_epi16(_mm_unpacklo_epi16(rows[5], rows[7]), of_57));
  __m128i high_odd = _mm_add_epi32(_mm_madd_epi16(_mm_unpackhi_epi16(rows[1], rows[3]), of_13),
      _mm_madd_epi16(_mm_unpackhi_epi16(rows[5], rows[7]), of_57));
  __m128i low_even = _mm_add_epi32(_mm_srai_epi32(_mm_unpacklo_epi16(zero, rows[0]), 1), half);
  __m128i high_even = _mm_add_epi32(_mm_srai_epi32(_mm_unpackhi_epi16(zero, rows[0]), 1), half);
  __m128i low[2], high[2];
  add_and_subtract(low_even, low_odd, 13, &low[0], &low[1]);
  add_and_subtract(high_even, high_odd, 13, &high[0], &high[1]);
  // As in libjpeg, damaged data wraps instead of being limited.
  for (int row = 0; row < 2; row++) high[row] = _mm_srai_epi32(_mm_slli_epi32(high[row], 16), 16);
  __m128i both = _mm_unpacklo_epi64(of_13, of_57);
  both = _mm_shuffle_epi32(both, _MM_SHUFFLE(2, 0, 2, 0));
  __m128i odd = _mm_madd_epi16(_mm_packs_epi32(high[0], high[1]), both);
  odd = _mm_add_epi32(odd, _mm_shuffle_epi32(odd, _MM_SHUFFLE(2, 3, 0, 1)));
  __m128i even = _mm_shuffle_epi32(_mm_unpacklo_epi32(low[0], low[1]), _MM_SHUFFLE(1, 1, 0, 0));
  even = _mm_add_epi32(_mm_slli_epi32(even, 15), _mm_set1_epi32(1 << 19));
  __m128i sign = _mm_setr_epi32(0, -1, 0, -1);
  odd = _mm_sub_epi32(_mm_xor_si128(odd, sign), sign);
  return _mm_srai_epi32(_mm_add_epi32(even, odd), 20);
}

/// Stores four samples as two rows.
INLINE void store_two(__m128i four, uint8_t *samples, size_t bytes_per_row) {
  int32_t bytes = _mm_cvtsi128_si32(four);
  memcpy(samples, &bytes, 2);
  bytes >>= 16;
  memcpy(samples + bytes_per_row, &bytes, 2);
}

static void transform_two(const jpeg_block *block, uint8_t *samples, size_t bytes_per_row) {
  __m128i means = _mm_packs_epi32(make_means(block), _mm_setzero_si128());
  means = _mm_xor_si128(_mm_packs_epi16(means, means), _mm_set1_epi8(-128));
  store_two(means, samples, bytes_per_row);
}

INLINE __m128 sum_of(__m128 four) {
  four = _mm_add_ps(four, _mm_shuffle_ps(four, four, _MM_SHUFFLE(1, 0, 3, 2)));
  return _mm_add_ps(four, _mm_shuffle_ps(four, four, _MM_SHUFFLE(2, 3, 0, 1)));
}

/// Returns the sum of the squares of all coefficients but the first, in each place. Only damaged data makes it wrap.
INLINE __m128 energy_of(const jpeg_block *block) {
  const __m128i *rows = (const __m128i *)block->coefficients;
  __m128i row = _mm_srli_si128(rows[0], 2);
  __m128i first = _mm_madd_epi16(row, row), second = _mm_madd_epi16(rows[1], rows[1]);
  for (int index = 2; index < 8; index += 2) {
    first = _mm_add_epi32(first, _mm_madd_epi16(rows[index], rows[index]));
    second = _mm_add_epi32(second, _mm_madd_epi16(rows[index + 1], rows[index + 1]));
  }
  return sum_of(_mm_cvtepi32_ps(_mm_add_epi32(first, second)));
}

static void transform_two_to_mean_light(const jpeg_block *block, uint8_t *samples, size_t bytes_per_row) {
  __m128 means = _mm_cvtepi32_ps(_mm_add_epi32(make_means(block), _mm_set1_epi32(128)));
  means = _mm_min_ps(_mm_max_ps(means, _mm_setzero_ps()), _mm_set1_ps(255));
  __m128 squares = _mm_mul_ps(means, means), sum = sum_of(means);
  // As `added_square`, in each place.
  __m128 between = _mm_sub_ps(sum_of(squares), _mm_mul_ps(_mm_mul_ps(sum, sum), _mm_set1_ps(0.25F)));
  __m128 variance = _mm_sub_ps(_mm_mul_ps(energy_of(block), _mm_set1_ps(1.0F / DCTSIZE2)),
      _mm_mul_ps(between, _mm_set1_ps(0.25F)));
  __m128 added = _mm_mul_ps(_mm_max_ps(variance, _mm_setzero_ps()), _mm_set1_ps(exponent_factor));
  __m128i light = _mm_cvtps_epi32(_mm_sqrt_ps(_mm_add_ps(squares, added)));
  light = _mm_packs_epi32(light, light);
  store_two(_mm_packus_epi16(light, light), samples, bytes_per_row);
}

#else

/// Computes two means of four. `step` is the distance between two odd coefficients.
INLINE void make_two(int32_t first, const int16_t *odd, int step, int shift, int32_t *out) {
  uint32_t even = ((uint32_t)first << 15) + (1U << (shift - 1)), sum = 0;
  for (int index = 0; index < 4; index++) sum += (uint32_t)(odd[index * step] * odd_factors_of_two[index]);
  out[0] = (int32_t)(even + sum) >> shift;
  out[1] = (int32_t)(even - sum) >> shift;
}

static void transform_two(const jpeg_block *block, uint8_t *samples, size_t bytes_per_row) {
  const int16_t *in = block->coefficients;
  int32_t sums[8][2], out[2];
  // The columns 2, 4 and 6, at positions 1 to 3, contribute nothing.
  for (int place = 0; place < 8; place = place == 0 ? 4 : place + 1) {
    make_two(in[place], in + 8 + place, 16, 13, sums[place]);
  }
  for (int row = 0; row < 2; row++) {
    int16_t odd[4];
    for (int index = 0; index < 4; index++) odd[index] = (int16_t)sums[index + 4][row];
    make_two(sums[0][row], odd, 1, 20, out);
    for (int column = 0; column < 2; column++) {
      samples[(size_t)row * bytes_per_row + (size_t)column] = sample_of(out[column]);
    }
  }
}

/// Returns what to add to the square of each mean, from the sum of the four means and that of their squares.
static float added_square(const jpeg_block *block, float sum, float squares) {
  uint32_t energy = 0;
  for (int index = 1; index < DCTSIZE2; index++) {
    energy += (uint32_t)(block->coefficients[index] * block->coefficients[index]);
  }
  float variance = (float)energy / DCTSIZE2 - (squares - sum * sum / 4) / 4;
  return variance > 0 ? variance * exponent_factor : 0;
}

static void transform_two_to_mean_light(const jpeg_block *block, uint8_t *samples, size_t bytes_per_row) {
  transform_two(block, samples, bytes_per_row);
  uint8_t *rows[2] = {samples, samples + bytes_per_row};
  float sum = 0, squares = 0;
  for (int row = 0; row < 2; row++) {
    for (int column = 0; column < 2; column++) {
      float sample = rows[row][column];
      sum += sample;
      squares += sample * sample;
    }
  }
  float added = added_square(block, sum, squares);
  for (int row = 0; row < 2; row++) {
    for (int column = 0; column < 2; column++) {
      float sample = rows[row][column];
      float light = sqrtf(sample * sample + added) + 0.5F;
      rows[row][column] = light < 255 ? (uint8_t)light : 255;
    }
  }
}

#endif

void jpeg_transform(const jpeg_block *block, unsigned last, unsigned size, uint8_t *samples,
    size_t bytes_per_row) {
  if (last == 0 || size == 1) {
    fill(flat_sample(block), size, samples, bytes_per_row);
  } else if (size == 8) {
    if (last <= last_in_corner) {
      transform_eight(block, true, samples, bytes_per_row);
    } else {
      transform_eight(block, false, samples, bytes_per_row);
    }
  } else if (size == 4) {
    transform_four(block, samples, bytes_per_row);
  } else {
    transform_two(block, samples, bytes_per_row);
  }
}

void jpeg_transform_to_mean_light(
    const jpeg_block *block, unsigned last, uint8_t *samples, size_t bytes_per_row) {
  if (last == 0) {
    fill(flat_sample(block), 2, samples, bytes_per_row);
  } else {
    transform_two_to_mean_light(block, samples, bytes_per_row);
  }
}
