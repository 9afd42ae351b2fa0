#include "CResampling.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")
#define STRIP_PIXELS 128
// The number of rows and sums whose vectors are held in registers at the same time. Lanczos needs six sums.
#define GROUP_ROWS 4
#define GROUP_SUMS 6
#define RSP_MAX_SUMS 16

typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t float_bits __attribute__((may_alias));

static inline float curve_at(const rsp_source *source, int channel, const uint8_t *row, size_t sample) {
  if (source->bytes_per_sample == 1) return source->curves[channel][row[sample]];
  uint16_t value;
  memcpy(&value, row + 2 * sample, sizeof(value));
  return source->curves[channel][value];
}

static void linearize_by_curves(const rsp_source *source, const uint8_t *row, float *out, size_t pixels) {
  if (source->channels == 1) {
    for (size_t i = 0; i < pixels; i++) out[i] = curve_at(source, 0, row, i);
  } else if (source->channels == 3) {
    for (size_t i = 0; i < 3 * pixels; i += 3) {
      for (int c = 0; c < 3; c++) out[i + (size_t)c] = curve_at(source, c, row, i + (size_t)c);
    }
  } else {
    for (size_t i = 0; i < 4 * pixels; i += 4) {
      float alpha;
      if (source->bytes_per_sample == 1) {
        alpha = (float)row[i + 3] * (1 / 255.0f);
      } else {
        uint16_t value;
        memcpy(&value, row + 2 * (i + 3), sizeof(value));
        alpha = (float)value * (1 / 65535.0f);
      }
      for (int c = 0; c < 3; c++) out[i + (size_t)c] = curve_at(source, c, row, i + (size_t)c) * alpha;
      out[i + 3] = alpha;
    }
  }
  // The vector code also writes zeros here. The floats after the row are added to sums together with it.
  memset(out + pixels * (size_t)source->channels, 0, 16 * sizeof(float));
}

// Four lanes: SSE2 and NEON, which every x86-64 and arm64 processor has.
#define NAME(name) name##_portable
#define TARGET
#define LANES 4
#define ALPHA_LANES {0, 0, 0, -1}
#define CHANNEL_OF(x, c) __builtin_shufflevector(x, x, c, c, c, c)
#define FOLD_TO_4(x) (x)
#include "kernels_body.h"
#undef NAME
#undef TARGET
#undef LANES
#undef ALPHA_LANES
#undef CHANNEL_OF
#undef FOLD_TO_4

#if defined(__x86_64__)
#define NAME(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define ALPHA_LANES {0, 0, 0, -1, 0, 0, 0, -1}
#define CHANNEL_OF(x, c) __builtin_shufflevector(x, x, c, c, c, c, c + 4, c + 4, c + 4, c + 4)
#define FOLD_TO_4(x) (__builtin_shufflevector(x, x, 0, 1, 2, 3) + __builtin_shufflevector(x, x, 4, 5, 6, 7))
#include "kernels_body.h"
#undef NAME
#undef TARGET
#undef LANES
#undef ALPHA_LANES
#undef CHANNEL_OF

#define NAME(name) name##_avx512
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"), min_vector_width(512)))
#define LANES 16
#define ALPHA_LANES {0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1}
#define CHANNEL_OF(x, c)                                                                               \
  __builtin_shufflevector(                                                                              \
      x, x, c, c, c, c, c + 4, c + 4, c + 4, c + 4, c + 8, c + 8, c + 8, c + 8, c + 12, c + 12, c + 12, \
      c + 12)
#include "kernels_body.h"

#define CALL(path, name, ...)                                      \
  ((path) == RSP_AVX512 ? name##_avx512(__VA_ARGS__)               \
   : (path) == RSP_AVX2 ? name##_avx2(__VA_ARGS__)                 \
                        : name##_portable(__VA_ARGS__))
#define CALL_NARROW(path, name, ...) \
  ((path) == RSP_PORTABLE ? name##_portable(__VA_ARGS__) : name##_avx2(__VA_ARGS__))
#else
#define CALL(path, name, ...) ((void)(path), name##_portable(__VA_ARGS__))
#define CALL_NARROW CALL
#endif

rsp_path rsp_best_path(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    // Processors without VBMI lower their clock speed for vectors this wide.
    int is_wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512vbmi");
    return is_wide ? RSP_AVX512 : RSP_AVX2;
  }
#endif
  return RSP_PORTABLE;
}

void rsp_linearize(rsp_path path, const rsp_source *source, const void *row, float *out, size_t pixels) {
  CALL(path, linearize, source, row, out, pixels);
}

void rsp_accumulate(
    rsp_path path, const rsp_source *source, const void *const *rows, size_t row_count, float *const *sums,
    size_t sum_count, const float *weights, size_t pixels) {
  CALL(path, accumulate, source, rows, row_count, sums, sum_count, weights, pixels);
}

void rsp_combine(
    rsp_path path, const float *const *rows, size_t row_count, const float *weights, float *out,
    size_t count) {
  CALL(path, combine, rows, row_count, weights, out, count);
}

void rsp_encode_opaque(
    rsp_path path, const rsp_encoding *encoding, const float *in, uint8_t *out, size_t count) {
  CALL(path, encode, encoding, in, out, count);
}

void rsp_spread(const float *in, float *out, size_t pixels) {
  for (size_t i = 0; i < pixels; i++) *(four_floats *)(out + 4 * i) = *(const four_floats *)(in + 3 * i);
}

void rsp_contract4(
    rsp_path path, const float *in, const int32_t *starts, const float *weights, size_t taps, float *out,
    size_t count) {
  CALL_NARROW(path, contract4, in, starts, weights, taps, out, count);
}

void rsp_contract1(
    rsp_path path, const float *in, const int32_t *starts, const float *weights, size_t taps, float *out,
    size_t count) {
  CALL_NARROW(path, contract1, in, starts, weights, taps, out, count);
}
