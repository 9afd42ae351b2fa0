// The body of each path. It is included once for each, with NAME, TARGET and LANES (a multiple of 4) defined.

typedef float NAME(floats) __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int32_t NAME(ints) __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef uint8_t NAME(bytes) __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef uint16_t NAME(shorts) __attribute__((vector_size(LANES * 2), aligned(2), may_alias));

// The sRGB curve. Above its linear part, it is a polynomial of degree 6 with an error of at most 0.0036 of an 8-bit
// step.
INLINE TARGET NAME(floats) NAME(light)(NAME(floats) x) {
  NAME(floats) curve = x * -0.08768561482429504f + 0.3234510123729706f;
  curve = curve * x + -0.5411937236785889f;
  curve = curve * x + 0.7719012498855591f;
  curve = curve * x + 0.49812260270118713f;
  curve = curve * x + 0.034501444548368454f;
  curve = curve * x + 0.0008716066367924213f;
  NAME(floats) line = x * (1 / 12.92f);
  NAME(ints) is_line = x <= 0.04045f;
  return (NAME(floats))(((NAME(ints))line & is_line) | ((NAME(ints))curve & ~is_line));
}

// Stores the light of LANES samples. With four channels, the colors are multiplied by alpha.
INLINE TARGET void NAME(store_light)(NAME(floats) x, float *out, int has_alpha) {
  NAME(floats) light = NAME(light)(x);
  if (has_alpha) {
    NAME(ints) is_alpha = ALPHA_LANES;
    NAME(floats) ones = (NAME(floats)){0} + 1.0f;
    light = (NAME(floats))(((NAME(ints))ones & is_alpha) | ((NAME(ints))light & ~is_alpha));
    light *= CHANNEL_OF(x, 3);
  }
  *(NAME(floats) *)out = light;
}

INLINE TARGET void NAME(srgb8)(const uint8_t *in, float *out, size_t count, int has_alpha) {
  size_t i = 0;
  for (; i + LANES <= count; i += LANES) {
    NAME(bytes) bytes = *(const NAME(bytes) *)(in + i);
    NAME(store_light)(__builtin_convertvector(bytes, NAME(floats)) * (1 / 255.0f), out + i, has_alpha);
  }
  if (i < count) {
    NAME(bytes) bytes = {0};
    memcpy(&bytes, in + i, count - i);
    NAME(store_light)(__builtin_convertvector(bytes, NAME(floats)) * (1 / 255.0f), out + i, has_alpha);
  }
}

INLINE TARGET void NAME(srgb16)(const uint8_t *in, float *out, size_t count, int has_alpha) {
  for (size_t i = 0; i < count; i += LANES) {
    NAME(shorts) shorts = {0};
    size_t rest = count - i;
    if (rest >= LANES) {
      memcpy(&shorts, in + 2 * i, sizeof(shorts));
    } else {
      memcpy(&shorts, in + 2 * i, 2 * rest);
    }
    NAME(store_light)(__builtin_convertvector(shorts, NAME(floats)) * (1 / 65535.0f), out + i, has_alpha);
  }
}

static TARGET void NAME(linearize)(const rsp_source *source, const uint8_t *row, float *out, size_t pixels) {
  size_t count = pixels * (size_t)source->channels;
  if (source->curves[0]) {
    linearize_by_curves(source, row, out, pixels);
  } else if (source->bytes_per_sample == 1) {
    if (source->channels == 4) {
      NAME(srgb8)(row, out, count, 1);
    } else {
      NAME(srgb8)(row, out, count, 0);
    }
  } else if (source->channels == 4) {
    NAME(srgb16)(row, out, count, 1);
  } else {
    NAME(srgb16)(row, out, count, 0);
  }
}

// Computes sums[s] += weights[s][r] * rows[r]. Callers pass constant counts, so that the loops are unrolled and each
// row and sum is loaded once.
INLINE TARGET void NAME(add_fixed)(
    const float *const *rows, const size_t row_count, float *const *sums, const size_t sum_count,
    const float *weights, size_t count) {
  for (size_t i = 0; i < count; i += LANES) {
    NAME(floats) light[GROUP_ROWS];
    UNROLL
    for (size_t r = 0; r < row_count; r++) light[r] = *(const NAME(floats) *)(rows[r] + i);
    UNROLL
    for (size_t s = 0; s < sum_count; s++) {
      NAME(floats) sum = *(const NAME(floats) *)(sums[s] + i);
      UNROLL
      for (size_t r = 0; r < row_count; r++) sum += light[r] * weights[s * RSP_MAX_ROWS + r];
      *(NAME(floats) *)(sums[s] + i) = sum;
    }
  }
}

#define ADD_ROWS(sums_)                                                       \
  switch (group_rows) {                                                       \
    case 1: NAME(add_fixed)(rows, 1, sums, sums_, weights, count); break;     \
    case 2: NAME(add_fixed)(rows, 2, sums, sums_, weights, count); break;     \
    case 3: NAME(add_fixed)(rows, 3, sums, sums_, weights, count); break;     \
    default: NAME(add_fixed)(rows, 4, sums, sums_, weights, count); break;    \
  }

static TARGET void NAME(add)(
    const float *const *rows, size_t row_count, float *const *all_sums, size_t sum_count,
    const float *all_weights, size_t count) {
  while (row_count > 0) {
    size_t group_rows = row_count < GROUP_ROWS ? row_count : GROUP_ROWS;
    float *const *sums = all_sums;
    const float *weights = all_weights;
    for (size_t left = sum_count; left > 0;) {
      size_t group_sums = left < GROUP_SUMS ? left : GROUP_SUMS;
      switch (group_sums) {
        case 1: ADD_ROWS(1) break;
        case 2: ADD_ROWS(2) break;
        case 3: ADD_ROWS(3) break;
        case 4: ADD_ROWS(4) break;
        case 5: ADD_ROWS(5) break;
        default: ADD_ROWS(6) break;
      }
      sums += group_sums;
      weights += group_sums * RSP_MAX_ROWS;
      left -= group_sums;
    }
    rows += group_rows;
    all_weights += group_rows;
    row_count -= group_rows;
  }
}

#undef ADD_ROWS

// Processes strips that stay in the first-level cache between linearization and addition.
static TARGET void NAME(accumulate)(
    const rsp_source *source, const void *const *rows, size_t row_count, float *const *sums,
    size_t sum_count, const float *weights, size_t pixels) {
  float strips[RSP_MAX_ROWS][STRIP_PIXELS * 4 + RSP_SLACK];
  const float *strip_rows[RSP_MAX_ROWS];
  float *strip_sums[RSP_MAX_SUMS];
  size_t channels = (size_t)source->channels;
  size_t pixel_bytes = channels * (size_t)source->bytes_per_sample;
  for (size_t x = 0; x < pixels; x += STRIP_PIXELS) {
    size_t width = pixels - x < STRIP_PIXELS ? pixels - x : STRIP_PIXELS;
    for (size_t r = 0; r < row_count; r++) {
      NAME(linearize)(source, (const uint8_t *)rows[r] + x * pixel_bytes, strips[r], width);
      strip_rows[r] = strips[r];
    }
    for (size_t s = 0; s < sum_count; s += RSP_MAX_SUMS) {
      size_t group = sum_count - s < RSP_MAX_SUMS ? sum_count - s : RSP_MAX_SUMS;
      for (size_t k = 0; k < group; k++) strip_sums[k] = sums[s + k] + x * channels;
      NAME(add)(
          strip_rows, row_count, strip_sums, group, weights + s * RSP_MAX_ROWS, width * channels);
    }
  }
}

static TARGET void NAME(combine)(
    const float *const *rows, size_t row_count, const float *weights, float *out, size_t count) {
  memset(out, 0, count * sizeof(float));
  NAME(add)(rows, row_count, &out, 1, weights, count);
}

// Clamps values to 0 to 1; NaN becomes 0.
INLINE TARGET NAME(floats) NAME(clamped)(NAME(floats) x) {
  NAME(ints) is_light = x > 0;
  x = (NAME(floats))((NAME(ints))x & is_light);
  NAME(ints) is_less = x < 1;
  NAME(floats) ones = (NAME(floats)){0} + 1.0f;
  return (NAME(floats))(((NAME(ints))x & is_less) | ((NAME(ints))ones & ~is_less));
}

// Encodes a strip at a time. All steps use vectors, except the table lookup.
static TARGET void NAME(encode)(
    const rsp_encoding *encoding, const float *in, uint8_t *restrict out, size_t count) {
  const uint8_t *codes = encoding->codes;
  const float *m = encoding->matrix;
  // The bits of the thresholds after the first. For positive floats, their order is the order of the values.
  const float_bits *limits = (const float_bits *)(encoding->thresholds + 1);
  NAME(floats) columns[3] = {{0}};
  for (int i = 0; m && i < LANES; i++) {
    for (int c = 0; i % 4 < 3 && c < 3; c++) columns[c][i] = m[i % 4 * 3 + c];
  }
  int32_t light[STRIP_PIXELS * 4];
  uint32_t entries[STRIP_PIXELS * 4];
  while (count > 0) {
    size_t width = count < STRIP_PIXELS ? count : STRIP_PIXELS;
    for (size_t i = 0; i < width * 4; i += LANES) {
      NAME(floats) x = *(const NAME(floats) *)(in + i);
      if (m) {
        x = CHANNEL_OF(x, 0) * columns[0] + CHANNEL_OF(x, 1) * columns[1] + CHANNEL_OF(x, 2) * columns[2];
      }
      x = NAME(clamped)(x);
      *(NAME(floats) *)(light + i) = x;
      *(NAME(ints) *)(entries + i) = __builtin_convertvector(x * 4096.0f, NAME(ints));
    }
    for (size_t i = 0; i < width * 4; i += 4, out += 3) {
      unsigned red = codes[entries[i]];
      unsigned green = codes[entries[i + 1]];
      unsigned blue = codes[entries[i + 2]];
      out[0] = (uint8_t)(red + (light[i] >= limits[red]));
      out[1] = (uint8_t)(green + (light[i + 1] >= limits[green]));
      out[2] = (uint8_t)(blue + (light[i + 2] >= limits[blue]));
    }
    in += width * 4;
    count -= width;
  }
}

// Eight lanes are as fast as more here, so the widest path uses them too.
#if LANES <= 8
static TARGET void NAME(contract4)(
    const float *in, const int32_t *starts, const float *weights, size_t taps, float *out, size_t count) {
  for (size_t n = 0; n < count; n++) {
    const float *from = in + (size_t)starts[n] * 4;
    NAME(floats) even = {0};
    NAME(floats) odd = {0};
    for (size_t t = 0; t < taps; t += 4, from += 16) {
      four_floats w = *(const four_floats *)(weights + t);
#if LANES == 8
      even += *(const NAME(floats) *)from * __builtin_shufflevector(w, w, 0, 0, 0, 0, 1, 1, 1, 1);
      odd += *(const NAME(floats) *)(from + 8) * __builtin_shufflevector(w, w, 2, 2, 2, 2, 3, 3, 3, 3);
#else
      even += *(const NAME(floats) *)from * w[0];
      odd += *(const NAME(floats) *)(from + 4) * w[1];
      even += *(const NAME(floats) *)(from + 8) * w[2];
      odd += *(const NAME(floats) *)(from + 12) * w[3];
#endif
    }
    NAME(floats) sum = even + odd;
    *(four_floats *)(out + n * 4) = FOLD_TO_4(sum);
    weights += taps;
  }
}

static TARGET void NAME(contract1)(
    const float *in, const int32_t *starts, const float *weights, size_t taps, float *out, size_t count) {
  for (size_t n = 0; n < count; n++) {
    const float *from = in + starts[n];
    NAME(floats) sum = {0};
    for (size_t i = 0; i < taps; i += LANES) {
      sum += *(const NAME(floats) *)(from + i) * *(const NAME(floats) *)(weights + i);
    }
    four_floats four = FOLD_TO_4(sum);
    out[n] = (four[0] + four[2]) + (four[1] + four[3]);
    weights += taps;
  }
}
#endif
